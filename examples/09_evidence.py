"""From a model to evidence: an estimate of one's own along the trace, and what is found held to the model again."""

from symdmc import Builder, NamedState, System, certify, check, replay

# A guard for each cargo: what stays behind must not eat one another. Each variable is 0 here and 1 across the river.
GUARDS = {"wolf": "goat != cabbage", "goat": "true", "cabbage": "wolf != goat"}


def ferry() -> System:
    """A ferry with room for its farmer and one of a wolf, a goat and a cabbage."""
    m = Builder("ferry")
    for name in ("farmer", *GUARDS):
        m.boolean(name)
    boat = m.process("Boat", initial="moored")
    boat.edge("moored", "moored", guard="wolf != goat and goat != cabbage", do="farmer = 1 - farmer")
    for cargo, guard in GUARDS.items():
        crossing = f"{cargo} = 1 - {cargo}, farmer = 1 - farmer"
        boat.edge("moored", "moored", guard=f"{cargo} == farmer and {guard}", do=crossing)
    m.property("across", "wolf + goat + cabbage == 3")
    return m.build()


def left(state: NamedState) -> int:
    """How many are still here: the same as the estimate below."""
    return sum(state[cargo] == 0 for cargo in GUARDS)


system = ferry()
result = check(system, heuristic="user:3 - wolf - goat - cabbage")
assert result.trace is not None
print(f"Across after {result.length} crossings. Left here, and crossings to go:")
for crossed, state in enumerate(result.trace.states):
    here = ", ".join(name for name in state if state[name] == 0) or "nobody"
    print(f"  {'#' * left(state):3} {'.' * (len(result.trace) - crossed):7} {here}")
assert replay(system, result.trace).is_error

safe = check(system, error="wolf == goat and goat != farmer", certify=True)
assert safe.certificate is not None
print(certify(system, safe.certificate))
