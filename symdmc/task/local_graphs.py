"""The processes one by one: their control graphs without guards and synchronisation, and distances in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from symdmc.model.expressions import conjuncts
from symdmc.task.task import Task, Transition
from symdmc.task.values.rows import SupportRows, TooManyRows

MOST_ROWS = 1 << 16
"""A conjunct of the error condition with more combinations of values than this is ignored."""


@dataclass(frozen=True, slots=True)
class LocalGraph:
    """What one process can do on its own: its locations and the cheapest edge from each to each."""

    variable: int
    locations: int
    before: tuple[tuple[tuple[int, int], ...], ...]
    """For each location the locations with an edge to it, and what that costs."""

    def distances(self, targets: Iterable[int]) -> list[int | None]:
        """The cost of a cheapest path from each location to a target; None where there is none."""
        found: list[int | None] = [None] * self.locations
        queue = deque((target, 0) for target in sorted(targets))
        while queue:
            location, reached = queue.popleft()
            known = found[location]
            if known is not None and known <= reached:
                continue
            found[location] = reached
            for source, cost in self.before[location]:
                (queue.append if cost else queue.appendleft)((source, reached + cost))
        return found


def local_graphs(task: Task) -> list[LocalGraph]:
    """One graph for each process; every step of the system moves along an edge, or stays, in each of them."""
    cheapest: list[dict[tuple[int, int], int]] = [{} for _ in task.system.processes]
    for number in sorted(task.analysis.possible):
        transition = task.transitions[number]
        for variable, source, target in moves(task, transition):
            known = cheapest[variable].get((source, target), transition.cost)
            cheapest[variable][source, target] = min(known, transition.cost)
    graphs = []
    for variable, process in enumerate(task.system.processes):
        before: list[list[tuple[int, int]]] = [[] for _ in process.locations]
        for (source, target), cost in sorted(cheapest[variable].items()):
            before[target].append((source, cost))
        graphs.append(LocalGraph(variable, len(before), tuple(map(tuple, before))))
    return graphs


def moves(task: Task, transition: Transition) -> list[tuple[int, int, int]]:
    """The processes that a transition may move, each from where to where."""
    layout = task.layout
    return [
        (
            layout.process[branch.process],
            layout.location[branch.process, branch.source],
            layout.location[branch.process, branch.target],
        )
        for branch in transition.branches
    ]


def error_locations(task: Task) -> list[frozenset[int]]:
    """For each process the locations that it may have in an error state, according to each conjunct alone."""
    domains = task.analysis.domains
    allowed = [frozenset(domains[variable].array.tolist()) for variable in range(len(task.system.processes))]
    if task.error.deadlock or task.error.fault:
        return allowed
    for part in conjuncts(task.error.expression):
        support = task.layout.support(part)
        try:
            rows = SupportRows(task.layout, domains, support, MOST_ROWS)
            column = rows.value(part)
        except TooManyRows:
            continue
        rows.keep(column.holds)
        for variable in sorted(support):
            if variable < len(allowed):
                allowed[variable] &= frozenset(np.unique(rows.column(variable)).tolist())
    return allowed
