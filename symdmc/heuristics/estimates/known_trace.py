"""Heuristics that lead to the last state of a known error trace [ELL01].

Other error states may be nearer, so these heuristics are not admissible, and they know no dead ends.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.lookup.tables import SUM, DecisionTable
from symdmc.model.files.trace_format import read_trace
from symdmc.model.state import State
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTrace(HeuristicOptions):
    """An estimate of the distance to the end of an error trace.

    trace: a file written by `check --trace`
    """

    ARGUMENT: ClassVar[str | None] = "trace"
    FREE_TEXT: ClassVar[bool] = True
    READS_TRACE: ClassVar[bool] = True

    trace: str

    def make(self, making: Making) -> Made:
        """The heuristic; raises ModelError where the file has no trace of the model."""
        final = read_trace(Path(self.trace), making.task.system).final
        return Made(heuristic=self.toward(making.task, final))

    @staticmethod
    @abstractmethod
    def toward(task: Task, final: State) -> TableHeuristic:
        """The estimate of the distance to a state."""


def sum_of_tables(name: str, tables: Sequence[DecisionTable]) -> TableHeuristic:
    """The heuristic that adds up what the tables say."""
    return TableHeuristic(name=name, tables=tuple(tables), combination=SUM, admissible=False, consistent=False)
