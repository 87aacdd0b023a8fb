"""Distances in the control graphs of single processes, and distances to one given state [ELL01].

The error condition is projected to each process. fsm-max is the largest local distance: admissible and consistent.
fsm-sum adds them up, which counts a step several times when it moves several processes nearer at once; it is admissible
and consistent only where no transition does, and says so. A process that cannot get to where an error state has it
makes the state a dead end; the locations from which it cannot are closed under steps.

Distances to the last state of a known trace, local ones (fsm-trail) or the number of variables that differ (hamming),
lead toward that one error state. Others may be nearer, so they are not admissible, and they know no dead ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.heuristics.tables import TableHeuristic
from symdmc.lookup.tables import DEAD_END, MAX, SUM, DecisionTable, value_table
from symdmc.model.state import State
from symdmc.task.local_graphs import error_locations, local_graphs, moves
from symdmc.task.task import Task

WIDEST = 1 << 16
"""A variable with more values than this is left out of the Hamming distance: its table would be too large."""


def fsm_heuristic(task: Task, combination: str) -> TableHeuristic:
    """The largest (fsm-max) or the sum (fsm-sum) of the local distances of all processes."""
    targets = error_locations(task)
    distances = {graph.variable: graph.distances(targets[graph.variable]) for graph in local_graphs(task)}
    counted = {variable: found for variable, found in distances.items() if set(found) != {0}}
    honest = combination == MAX or _counts_once(task, counted)
    return TableHeuristic(
        name=f"fsm-{combination}",
        tables=tuple(
            value_table(variable, 0, [DEAD_END if distance is None else distance for distance in found])
            for variable, found in counted.items()
        ),
        combination=combination,
        admissible=honest,
        consistent=honest,
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


def trail_heuristic(task: Task, final: State) -> TableHeuristic:
    """The sum of the local distances of all processes to where they are in a state (fsm-trail)."""
    goal = task.values(final)
    tables = []
    for graph in local_graphs(task):
        found = graph.distances([goal[graph.variable]])
        tables.append(value_table(graph.variable, 0, [graph.locations if each is None else each for each in found]))
    return _toward_a_state("fsm-trail", tables)


def hamming_heuristic(task: Task, final: State) -> TableHeuristic:
    """The number of variables, locations included, with another value than in a state (hamming)."""
    tables = []
    for variable, (value, domain) in enumerate(zip(task.values(final), task.analysis.domains, strict=True)):
        if 1 < domain.high - domain.low + 1 <= WIDEST:
            codes = [int(each != value) for each in range(domain.low, domain.high + 1)]
            tables.append(value_table(variable, domain.low, codes))
    return _toward_a_state("hamming", tables)


def _toward_a_state(name: str, tables: Sequence[DecisionTable]) -> TableHeuristic:
    return TableHeuristic(name=name, tables=tuple(tables), combination=SUM, admissible=False, consistent=False)
