"""Distances in the control graphs of single processes [ELL01].

The error condition is projected to each process. fsm-max is the largest local distance: admissible and consistent.
fsm-sum adds them up, which counts a step several times when it moves several processes nearer at once; it is admissible
and consistent only where no transition does, and says so. A process that cannot get to where an error state has it
makes the state a dead end; the locations from which it cannot are closed under steps.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.lookup.tables import DEAD_END, MAX, value_table
from symdmc.task.local_graphs import error_locations, local_graphs, moves
from symdmc.task.task import Task


def fsm_heuristic(task: Task, combination: str) -> TableHeuristic:
    """The largest (fsm-max) or the sum (fsm-sum) of the local distances of all processes."""
    targets = error_locations(task)
    distances = {graph.variable: graph.distances(targets[graph.variable]) for graph in local_graphs(task)}
    counted = {variable: found for variable, found in distances.items() if set(found) != {0}}
    is_admissible = combination == MAX or _counts_once(task, counted)
    return TableHeuristic(
        name=f"fsm-{combination}",
        tables=tuple(
            value_table(variable, 0, [DEAD_END if distance is None else distance for distance in found])
            for variable, found in counted.items()
        ),
        combination=combination,
        admissible=is_admissible,
        consistent=is_admissible,
    )


def _counts_once(task: Task, distances: dict[int, list[int | None]]) -> bool:
    """Whether no step makes the sum drop by more than it costs."""
    for number in task.analysis.possible:
        transition = task.transitions[number]
        drops: dict[int, int] = {}
        for variable, source, target in moves(task, transition):
            if variable in distances:
                drop = _drop(distances[variable], source, target)
                drops[variable] = max(drop, drops.get(variable, drop))
        if sum(drops.values()) > transition.cost:
            return False
    return True


def _drop(distances: Sequence[int | None], source: int, target: int) -> int:
    before, behind = distances[source], distances[target]
    return 0 if before is None or behind is None else before - behind
