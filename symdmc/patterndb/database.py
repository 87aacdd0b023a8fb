"""The pattern database: for each abstract state its distance to the error, a dead end, or outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symdmc.errors import Code, Complaint, ModelError, StateOutside
from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.model.state import State
from symdmc.outcome import Layer
from symdmc.packed.packing import Packing
from symdmc.patterndb.counting import states_by_code
from symdmc.spelling.abridged import brief
from symdmc.task.definitions import Definition
from symdmc.task.task import Task

FORWARD = "forward"
"""The layers lie inside the abstract states that are forward reachable."""
PAIRS = "pairs"
"""The layers lie inside what values of single variables and of pairs of variables allow."""
VALUES = "values"
"""The layers are those of a cartesian abstraction, for all analysed values."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PatternDatabase:
    """Abstract distances of the states of a task, projected to a pattern. Admissible and consistent.

    A complete database knows every distance and every dead end of its abstraction. A partial one has its first layers:
    for any other state it answers one more than the last of them, never a dead end.

    >>> import symdmc
    >>> database = symdmc.pattern_database("arbiter_tree:height=2", keep="Client*,Node1", complete=True)
    >>> database.complete, database.h_initial, database.proves_safety
    (True, 6, False)
    """

    fingerprint: str
    """The task it was made for."""
    pattern: tuple[str, ...]
    """The variables kept by the abstraction; for a derived one its definition."""
    values: Mapping[int, NDArray[np.int64]]
    """The values of each variable that distances depend on, by its number in the task: all of them near a perimeter."""
    table: DecisionTable
    complete: bool
    restriction: str
    """FORWARD, PAIRS or VALUES; states outside of it cannot be reached."""
    restriction_nodes: int
    """The nodes of the diagram of the restriction."""
    layers: tuple[Layer, ...]
    h_initial: int | None
    """The smallest estimate of an initial state, or less; None: all of them are dead ends."""
    costs: tuple[int, ...] | None = None
    """What each transition of the task costs in this database, where that is not what it costs in the task."""
    seconds: float
    peak_nodes: int
    value_names: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The locations of each process, by its number in the task."""
    file: Path | None = None
    """The file it was read from: then what it says is not known to be true."""
    definitions: Mapping[int, Definition] = field(default_factory=dict)
    """The derived variables that distances depend on; their numbers are beyond those of the task."""

    def __repr__(self) -> str:
        about = {"layers": len(self.layers), "complete": self.complete, "nodes": len(self.table)}
        return brief("PatternDatabase", ", ".join(self.pattern), **about)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the database to a file, for `symdmc.read_database` and `symdmc check --database`."""
        from symdmc.patterndb.store import write_database  # which needs this class

        write_database(Path(path), self)

    @property
    def proves_safety(self) -> bool:
        """Whether no initial state can reach an error state."""
        return self.h_initial is None

    def distance(self, state: State | Sequence[int]) -> int | None:
        """The estimate of a state of the model, or of one given by its values; None for a dead end.

        Raises ModelError for a state outside of the restriction: it cannot be reached.
        """
        code = self.code(state)
        if code == OUTSIDE:
            what = f"the state lies outside of the pattern database of {', '.join(self.pattern)}"
            raise ModelError(Complaint(Code.OUTSIDE_OF_DATABASE, what, "it cannot be reached; ask about another one"))
        return None if code == DEAD_END else code

    def code(self, state: State | Sequence[int]) -> int:
        """The code of any state: a distance, DEAD_END or OUTSIDE."""
        values = self._values(state) if isinstance(state, State) else state
        plain = ((number, known) for number, known in self.values.items() if number not in self.definitions)
        if not all(values[number] in known for number, known in plain):
            return OUTSIDE
        return self.table.code_of(values)

    def _values(self, state: State) -> list[int]:
        """The state as the task sees it."""
        places = [self.value_names[number].index(name) for number, name in enumerate(state.locations)]
        return [*places, *(value for cells in state.values for value in cells)]

    def codes(self, states: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
        """The codes of packed states, one in each row: a distance, DEAD_END or OUTSIDE."""
        return self.table.codes(states, packing)

    def states_by_code(self) -> dict[int, int]:
        """How many abstract states have each code."""
        return states_by_code(self.table, self.values)


def estimate_of(code: int, pattern: Sequence[str]) -> int | None:
    """What a code means for a state that was reached; None for a dead end."""
    if code == OUTSIDE:
        raise StateOutside(f"a reachable state lies outside of the pattern database of {', '.join(pattern)}")
    return None if code == DEAD_END else code


def locations_of(task: Task) -> dict[int, tuple[str, ...]]:
    """The names of the locations of each process, by its number in the task."""
    return {number: task.variables[number].value_names for number in sorted(task.layout.process.values())}


def names_of(task: Task, numbers: Sequence[int]) -> tuple[str, ...]:
    """The names of a pattern's variables, in the order of the task."""
    return tuple(task.variables[number].name for number in sorted(numbers))
