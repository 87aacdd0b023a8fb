"""One component for each variable of a task, and the labels of all transitions: what merging starts from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from symdmc.abstraction.merging.component import Component, Truths, steps_of
from symdmc.abstraction.merging.factors import Factoring, LocalSteps
from symdmc.abstraction.merging.pool import Label, Pool
from symdmc.lookup.tree import TreeLeaf
from symdmc.packed.arrays import Int64s
from symdmc.task.task import Task

MOST_STEPS = 1 << 22
"""A variable with more steps in all its groups is left out."""


def leaves(task: Task, variables: Iterable[int], report: Callable[[], None] = lambda: None) -> Pool:
    """Components and labels of some variables. What others do is possible whenever it may be.

    Variables that never change have no component, nor have those with too many values. `report` is called now and then
    and may raise.
    """
    factoring = Factoring(task)
    errors = factoring.errors()
    groups: dict[int, dict[int, tuple[int, LocalSteps]]] = {
        number: {} for number in sorted(factoring.kept.intersection(variables))
    }
    labels: dict[tuple[int, tuple[tuple[int, int], ...]], None] = {}
    for step in factoring.steps(report):
        parts = []
        for number in sorted(step.pairs.keys() & groups.keys()):
            known, factor = groups[number], step.pairs[number]
            group, _ = known.setdefault(id(factor), (len(known), factor))  # equal steps are the same array
            parts.append((number, group))
        labels[step.cost, tuple(parts)] = None
    chosen = [n for n, known in groups.items() if sum(len(factor) for _, factor in known.values()) <= MOST_STEPS]
    pool = Pool((1 << len(errors)) - 1)
    for number in chosen:
        steps = [factor for _, factor in groups[number].values()]
        pool.components[number] = _leaf(task, number, errors, steps)
    kept = (Label(cost, {n: g for n, g in parts if n in pool.components}) for cost, parts in labels)
    pool.labels = [label for label in kept if label.groups]
    return pool


def _leaf(task: Task, number: int, errors: Sequence[dict[int, Truths]], steps: Sequence[LocalSteps]) -> Component:
    domain = task.analysis.domains[number]
    listed = domain.array
    classes = np.full(domain.high - domain.low + 1, domain.count + 1, dtype=np.int32)
    classes[listed - domain.low] = np.arange(domain.count)
    return Component(
        variables=frozenset({number}),
        tree=TreeLeaf(number, domain.low, classes),
        size=domain.count,
        initial=np.isin(listed, task.variables[number].initial),
        marks=_marks(number, domain.count, errors),
        steps=steps_of(domain.count, steps),
    )


def _marks(number: int, size: int, errors: Sequence[dict[int, Truths]]) -> Int64s:
    marks = np.zeros(size, dtype=np.int64)
    for bit, product in enumerate(errors):
        marks[product.get(number, np.ones(size, dtype=np.bool_))] |= 1 << bit
    return marks
