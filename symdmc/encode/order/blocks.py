"""Blocks of variables with interleaved bits: wide ones that are computed from or compared with each other.

With the bits of two n-bit variables one after the other, the diagram of their sum has to remember all of the first:
2^n nodes; with bits of equal weight side by side it remembers a carry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from symdmc.model.expressions import Expr, conjuncts
from symdmc.task.task import Task


def blocks(task: Task, order: Sequence[int], wide: Collection[int]) -> list[tuple[int, ...]]:
    """The variables in their order; wide ones that meet in an update or a condition form one block."""
    leader = {number: number for number in wide}
    for met in _meetings(task):
        together = sorted(met & leader.keys())
        leaders = {leader[number] for number in together}
        for number in leader:
            if leader[number] in leaders:
                leader[number] = min(leaders)
    groups: dict[int, list[int]] = {}
    for number in order:
        groups.setdefault(leader.get(number, number), []).append(number)
    return [tuple(group) for group in groups.values()]


def _meetings(task: Task) -> Iterator[frozenset[int]]:
    """The variables of each condition and definition, and of each update with its target."""
    conditions: list[Expr] = [*conjuncts(task.error.expression), *conjuncts(task.invariant)]
    conditions += conjuncts(task.error.deadlock_where)
    for transition in task.transitions:
        conditions += conjuncts(transition.guard)
        for update in transition.updates:
            yield task.layout.support(update.value) | frozenset(task.layout.targets(update.target))
    for condition in conditions:
        yield task.layout.support(condition)
    for definition in task.definitions.values():
        yield task.layout.basis(definition)
