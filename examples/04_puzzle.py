"""An error trace can be a solution: ask whether the Towers of Hanoi can not be moved, and get the moves."""

from symdmc import NamedState, check, load

DISKS = 3


def drawing(state: NamedState) -> str:
    """The three columns, the disks written from the largest to the smallest."""
    places = dict(zip(range(1, DISKS + 1), state.locations, strict=True))
    columns = ("".join(str(disk) for disk in range(DISKS, 0, -1) if places[disk] == f"on_{c}") for c in (1, 2, 3))
    return "   ".join(f"|{column:{DISKS}}" for column in columns)


result = check(load("hanoi", disks=DISKS, variant="plain"))
assert result.trace is not None
print(f"{DISKS} disks can be moved in {result.length} steps and not in fewer:")
for state in result.trace.states:
    print(f"  {drawing(state)}")
