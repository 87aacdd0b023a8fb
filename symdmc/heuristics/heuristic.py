"""What every heuristic states about itself and answers for a state."""

from __future__ import annotations

from typing import Protocol

from symdmc.lookup.tables import TableGroup
from symdmc.task.task import Values


class Heuristic(Protocol):
    """Estimates the cost of a cheapest path from a state to an error state.

    Whatever else it promises, it calls a state a dead end only where no error state can be reached.
    """

    @property
    def name(self) -> str:
        """As it is spelled on the command line."""

    @property
    def admissible(self) -> bool:
        """No estimate is larger than the distance."""

    @property
    def consistent(self) -> bool:
        """No estimate is larger than the cost of a step plus the estimate behind the step."""

    @property
    def groups(self) -> tuple[TableGroup, ...] | None:
        """The tables that the compiled searches look up; None: `estimate` is the only way, and searches are slow."""

    @property
    def floor(self) -> int:
        """The least estimate of a state that is no error state, whatever the tables say; 0 says nothing."""

    def estimate(self, values: Values) -> int | None:
        """The estimate for a state given by its values, without compiled code; None for a dead end."""
