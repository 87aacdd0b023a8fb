"""Several heuristics at once: the largest estimate counts."""

from __future__ import annotations

from dataclasses import dataclass

from symdmc.heuristics.heuristic import TaskHeuristic, shown
from symdmc.lookup.tables import TableGroup
from symdmc.task.task import Values


@dataclass(frozen=True, slots=True, repr=False)
class Maximum:
    """The largest of some estimates; admissible and consistent if all of them are."""

    parts: tuple[TaskHeuristic, ...]

    def __repr__(self) -> str:
        return shown(self)

    @property
    def name(self) -> str:
        """All names."""
        return "+".join(part.name for part in self.parts)

    @property
    def admissible(self) -> bool:
        """No estimate is larger than the distance."""
        return all(part.admissible for part in self.parts)

    @property
    def consistent(self) -> bool:
        """The largest of consistent estimates is consistent."""
        return all(part.consistent for part in self.parts)

    @property
    def groups(self) -> tuple[TableGroup, ...] | None:
        """Those of all parts; None where one has none."""
        found: tuple[TableGroup, ...] = ()
        for part in self.parts:
            if part.groups is None:
                return None
            found += part.groups
        return found

    @property
    def floor(self) -> int:
        """The least estimate of a state that is no error state."""
        return max((part.floor for part in self.parts), default=0)

    def estimate(self, values: Values) -> int | None:
        """The largest estimate; a dead end of one is a dead end."""
        largest = 0
        for part in self.parts:
            estimate = part.estimate(values)
            if estimate is None:
                return None
            largest = max(largest, estimate)
        return largest
