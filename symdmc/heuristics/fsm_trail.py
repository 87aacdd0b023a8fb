"""fsm-trail: distances in the control graphs to the end of a known error trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.known_trace import KnownTrace, sum_of_tables
from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.lookup.tables import value_table
from symdmc.model.state import State
from symdmc.task.local_graphs import local_graphs
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class FsmTrail(KnownTrace):
    """The sum of the distances in the control graphs to the end of an error trace; not admissible."""

    EXAMPLES: ClassVar[tuple[str, ...]] = ("fsm-trail:trace.json",)

    @staticmethod
    def toward(task: Task, final: State) -> TableHeuristic:
        """The sum of the local distances of all processes to where they are in a state."""
        goal = task.values(final)
        tables = []
        for graph in local_graphs(task):
            found = graph.distances([goal[graph.variable]])
            codes = [graph.locations if each is None else each for each in found]
            tables.append(value_table(graph.variable, 0, codes))
        return sum_of_tables("fsm-trail", tables)
