"""hamming: how many variables differ from the end of a known error trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.known_trace import KnownTrace, sum_of_tables
from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.lookup.tables import value_table
from symdmc.model.state import State
from symdmc.task.task import Task

WIDEST = 1 << 16
"""A variable with more values than this is left out: its table would be too large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hamming(KnownTrace):
    """The number of variables that differ from the end of an error trace; not admissible."""

    EXAMPLES: ClassVar[tuple[str, ...]] = ("hamming:trace.json",)

    @staticmethod
    def toward(task: Task, final: State) -> TableHeuristic:
        """The number of variables, locations included, with another value than in a state."""
        tables = []
        for variable, (value, domain) in enumerate(zip(task.values(final), task.analysis.domains, strict=True)):
            if 1 < domain.high - domain.low + 1 <= WIDEST:
                codes = [int(each != value) for each in range(domain.low, domain.high + 1)]
                tables.append(value_table(variable, domain.low, codes))
        return sum_of_tables("hamming", tables)
