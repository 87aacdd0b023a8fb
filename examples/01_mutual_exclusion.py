"""A system written in Python: two processes that look before they enter, and meet all the same."""

from symdmc import Builder, System, check


def mutual_exclusion(*, look_first: bool) -> System:
    """Two processes with a flag each; whoever looks at the other's flag before raising its own comes too late."""
    m = Builder("mutual exclusion")
    m.boolean("flag", size=2)
    for me, other in ((0, 1), (1, 0)):
        p = m.process(f"P{me}", initial="idle")
        if look_first:
            p.edge("idle", "entering", guard=f"flag[{other}] == 0")
            p.edge("entering", "critical", do=f"flag[{me}] = 1")
        else:
            p.edge("idle", "entering", do=f"flag[{me}] = 1")
            p.edge("entering", "critical", guard=f"flag[{other}] == 0")
        p.edge("critical", "idle", do=f"flag[{me}] = 0")
    m.property("both", "P0.critical and P1.critical")
    return m.build()


for look_first in (True, False):
    system = mutual_exclusion(look_first=look_first)
    result = check(system)
    print(f"Looking {'before' if look_first else 'after'} raising the flag: {result.verdict.value}, {result.reason}.")
    if result.trace is not None:
        for step in result.trace:
            print(f"  {step.number}. {step.label}")

result = check(mutual_exclusion(look_first=False), deadlock=True)
print(f"But then both can wait for each other forever: a state without a step is {result.length} steps away.")
