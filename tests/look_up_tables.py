"""Look-up tables made by brute force: the distances of a projection of the reachable states, as decision diagrams."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.model.state import State, Step
from symdmc.task import Task
from symdmc.task.values.domains import Domain
from tests import oracle

Pattern: TypeAlias = tuple[int, ...]
Abstract: TypeAlias = tuple[int, ...]
Cost: TypeAlias = Callable[[Step], int]


def table_of(codes: Mapping[Abstract, int], pattern: Pattern, domains: Sequence[Domain]) -> DecisionTable:
    """A reduced table that has these codes for the values of the pattern, and OUTSIDE everywhere else.

    Each value that occurs has a class of its own; class 0 has those that do not.
    """
    nodes: dict[tuple[int, tuple[int, ...]], int] = {}
    numbers = [
        {value: number for number, value in enumerate(sorted({row[level] for row in codes}), 1)}
        for level in range(len(pattern))
    ]

    def entry(level: int, rows: Sequence[tuple[Abstract, int]]) -> int:
        if level == len(pattern) or not rows:
            return -1 - (rows[0][1] if rows else OUTSIDE)
        groups: list[list[tuple[Abstract, int]]] = [[] for _ in range(len(numbers[level]) + 1)]
        for row in rows:
            groups[numbers[level][row[0][level]]].append(row)
        children = tuple(entry(level + 1, group) for group in groups)
        if len(set(children[1:])) == 1 and len(numbers[level]) == domains[pattern[level]].count:
            return children[1]  # every value leads to the same
        if len(set(children)) == 1:
            return children[0]
        return nodes.setdefault((pattern[level], children), len(nodes))

    root = entry(0, sorted(codes.items()))
    listed = list(nodes)
    lengths = [len(children) for _, children in listed]
    return DecisionTable(
        root=root,
        variable=np.array([variable for variable, _ in listed], dtype=np.int32),
        start=np.cumsum([0, *lengths])[:-1].astype(np.int64),
        children=np.array([child for _, children in listed for child in children], dtype=np.int32),
        classes={
            variable: _classes(number, domains[variable]) for variable, number in zip(pattern, numbers, strict=True)
        },
        low={variable: domains[variable].low for variable in pattern},
    )


def _classes(numbers: Mapping[int, int], domain: Domain) -> NDArray[np.int64]:
    classes = np.zeros(domain.high - domain.low + 1, dtype=np.int64)
    for value, number in numbers.items():
        classes[value - domain.low] = number
    return classes


def projected(task: Task, state: State, pattern: Pattern) -> Abstract:
    values = task.values(state)
    return tuple(values[variable] for variable in pattern)


def abstract_codes(
    task: Task, space: oracle.StateSpace, pattern: Pattern, cost: Cost = lambda step: step.cost
) -> dict[Abstract, int]:
    """The distance of every projected reachable state to the projected error states, or DEAD_END."""
    before: dict[Abstract, set[tuple[Abstract, int]]] = {}
    for state, steps in space.steps.items():
        for step in steps:
            edge = (projected(task, state, pattern), cost(step))
            before.setdefault(projected(task, step.successor, pattern), set()).add(edge)
    distance: dict[Abstract, int] = {}
    queue = deque((projected(task, state, pattern), 0) for state in space.error_states(task.error))
    while queue:
        abstract, reached = queue.popleft()
        if reached >= distance.get(abstract, DEAD_END):
            continue
        distance[abstract] = reached
        for source, spent in before.get(abstract, ()):
            (queue.append if spent else queue.appendleft)((source, reached + spent))
    return {
        abstract: distance.get(abstract, DEAD_END)
        for abstract in {projected(task, state, pattern) for state in space.steps}
    }
