"""The pattern database: for each abstract state its distance to the error, a dead end, or outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdmc.errors import InternalError
from symdmc.kernel.lookup import DEAD_END, OUTSIDE, DecisionTable
from symdmc.kernel.packing import Packing
from symdmc.outcome import Layer
from symdmc.patterndb.counting import states_by_code
from symdmc.task.task import Task

FORWARD = "forward"
"""The layers lie inside the abstract states that are forward reachable."""
PAIRS = "pairs"
"""The layers lie inside what values of single variables and of pairs of variables allow."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PatternDatabase:
    """Abstract distances of the states of a task, projected to a pattern. Admissible and consistent.

    A complete database knows every distance and every dead end of its abstraction. A partial one has its first layers:
    for any other state it answers one more than the last of them, never a dead end.
    """

    fingerprint: str
    """Of the task it was made for."""
    pattern: tuple[str, ...]
    """The variables kept."""
    values: Mapping[int, NDArray[np.int64]]
    """The values of each kept variable, by its number in the task."""
    table: DecisionTable
    complete: bool
    restriction: str
    """FORWARD or PAIRS; states outside of it cannot be reached."""
    restriction_nodes: int
    """Of the diagram of the restriction."""
    layers: tuple[Layer, ...]
    h_initial: int | None
    """The smallest estimate of an initial state; None for a dead end."""
    costs: tuple[int, ...] | None = None
    """What each transition of the task costs in this database, where that is not what it costs in the task."""
    seconds: float
    peak_nodes: int

    @property
    def proves_safety(self) -> bool:
        """Whether no initial state can reach an error state."""
        return self.h_initial is None

    def distance(self, values: Sequence[int]) -> int | None:
        """The estimate of a state given by its values; None for a dead end."""
        return estimate_of(self.table.code_of(values), self.pattern)

    def codes(self, states: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
        """The codes of packed states, one in each row: a distance, DEAD_END or OUTSIDE."""
        return self.table.codes(states, packing)

    def states_by_code(self) -> dict[int, int]:
        """How many abstract states have each code."""
        return states_by_code(self.table, self.values)


def estimate_of(code: int, pattern: Sequence[str]) -> int | None:
    """What a code means for a state that was reached; None for a dead end."""
    if code == OUTSIDE:
        raise InternalError(f"a reachable state lies outside of the pattern database of {', '.join(pattern)}")
    return None if code == DEAD_END else code


def names_of(task: Task, numbers: Sequence[int]) -> tuple[str, ...]:
    """The names of a pattern's variables, in the order of the task."""
    return tuple(task.variables[number].name for number in sorted(numbers))
