"""A heuristic that only looks up: whoever made the tables answers for their promises."""

from __future__ import annotations

from dataclasses import dataclass

from symdmc.errors import StateOutside
from symdmc.heuristics.heuristic import shown
from symdmc.lookup.tables import DEAD_END, MAX, OUTSIDE, LookupTable, TableGroup
from symdmc.task.task import Values


def left_the_table(name: str) -> str:
    """The bug that a state which was reached lies outside of what the heuristic with a name knows."""
    return f"a reachable state lies outside of what {name} knows"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableHeuristic:
    """The maximum or the sum of what several tables say; admissible and consistent as stated by the maker."""

    name: str
    tables: tuple[LookupTable, ...]
    combination: str = MAX
    admissible: bool
    consistent: bool

    def __repr__(self) -> str:
        return shown(self)

    @property
    def groups(self) -> tuple[TableGroup, ...]:
        """All tables count together."""
        return (TableGroup(self.tables, self.combination),)

    @property
    def floor(self) -> int:
        """The tables say everything."""
        return 0

    def estimate(self, values: Values) -> int | None:
        """The estimate for a state; None for a dead end."""
        return estimate_of(self.groups[0].code_of(values), self.name)


def estimate_of(code: int, name: str) -> int | None:
    """What a code means for a state that was reached, by the heuristic with this name; None for a dead end."""
    if code == OUTSIDE:
        raise StateOutside(left_the_table(name))
    return None if code == DEAD_END else code
