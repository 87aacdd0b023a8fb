"""Fischer's protocol: processes exclude each other with one shared variable and time; a bound too low lets two in.

    process i      idle --id == 0: x = 0--> trying --id = i, x = 0--> waiting --id == i, x >= 2--> critical
                    ^                       x <= 1 <--id == 0: x = 0--                                |
                    +--------------------------------- id = 0 ----------------------------------------+

    Time           passes --> passes: all clocks grow by one, at no cost

A process that finds `id` free writes its number there within one unit of time (the invariant of `trying`), then waits
longer than that: whoever has seen `id` free as well has written it by then. If the number is still its own, it enters.
It is an error when two processes are critical at once. With `faulty=true` a process waits for one unit only (x >= 1),
and a process that is just as slow writes after it has entered: 6 steps, beside the ticks, for any n.

Clocks are digital: integers from 0 to 2, where 2 means "two or more". All bounds are closed (x <= 1, x >= 2), so that
an error is reachable in integers if and only if it is in dense time. A clock that no one will read before it is reset,
that of an idle or critical process, stands at 2, where time leaves it alone.

The two variants of [HSRKP07, section 4] differ in how they tell the error; traces have the same length in both:

    fb     processes 1 and 2 are watched: it is an error when these two are critical
    fa     two more processes take part in entering and leaving; it is an error when both are busy, whoever is critical
           observer   free --enter?--> busy --leave?--> free
"""

from __future__ import annotations

from typing import Annotated, Literal

from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.spelling.parameters import Between

LIMIT = 1
"""The time within which a process writes its number."""
LONGER = LIMIT + 1
"""What lies beyond; the largest value of a clock."""


def build(
    *,
    n: Annotated[int, Between(2, 99)] = 3,
    faulty: bool = True,
    variant: Literal["fb", "fa"] = "fb",
) -> System:
    """Fischer's protocol with the property `both_critical`.

    n: how many processes
    faulty: a process enters after a wait that is as long as another one may take to write, not longer
    variant: fb watches processes 1 and 2, fa counts those that are critical with two more processes
    """
    m = Builder("fischer")
    m.integer("id", 0, n)
    observed = variant == "fa"
    for number in range(1, n + 1):
        _add_process(m, number, LIMIT if faulty else LONGER, observed)
    if observed:
        _add_observers(m)
    m.tick()
    m.property("both_critical", "Observer1.busy and Observer2.busy" if observed else "P1.critical and P2.critical")
    return m.build()


def _add_process(m: Builder, number: int, wait: int, observed: bool) -> None:
    process = m.process(f"P{number}", initial="idle")
    process.digital_clock("x", LONGER, initial=LONGER)
    process.location("trying", invariant=f"x <= {LIMIT}")
    process.edge("idle", "trying", guard="id == 0", do="x = 0")
    process.edge("trying", "waiting", do=f"id = {number}, x = 0")
    process.edge("waiting", "trying", guard="id == 0", do="x = 0")
    process.edge(
        "waiting",
        "critical",
        guard=f"id == {number} and x >= {wait}",
        sync="enter!" if observed else None,
        do=f"x = {LONGER}",
    )
    process.edge("critical", "idle", sync="leave!" if observed else None, do="id = 0")


def _add_observers(m: Builder) -> None:
    m.channel("enter")
    m.channel("leave")
    for number in (1, 2):
        observer = m.process(f"Observer{number}", initial="free")
        observer.edge("free", "busy", sync="enter?")
        observer.edge("busy", "free", sync="leave?")
