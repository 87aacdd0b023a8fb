"""A cluster of a transition run in every combination of the values of its variables: what it changes, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.abstraction.merging_clusters import Cluster
from symdmc.model.expressions import Cell, Expr
from symdmc.task.domains import Domain
from symdmc.task.rows import SupportRows, cut
from symdmc.task.tabulate import Integers, Truths
from symdmc.task.task import Task, Update


@dataclass(frozen=True, slots=True)
class Change:
    """The value of a variable before and after a step, in some rows; None before: it had any value."""

    before: Integers | None
    after: Integers


Case = dict[int, Change]
"""The variables that some rows look at or store, each with its values; all other variables stay as they are."""


def cases_of(task: Task, cluster: Cluster, domains: Sequence[Domain], limit: int) -> Iterator[Case]:
    """Everything that the cluster permits, in cases that touch differing cells of arrays.

    Raises TooManyRows where that would take more rows than the limit.
    """
    rows = SupportRows(task.layout, domains, cluster.support(task.layout), limit)
    before = {number: rows.hold(rows.column(number)) for number in rows.known()}
    _Run(task, rows).run(cluster)
    if rows.count:
        yield from _cases(task, rows, before)


class _Run:
    """Runs a cluster in all rows at once, and drops the rows in which it is not possible or faults."""

    def __init__(self, task: Task, rows: SupportRows) -> None:
        self.task, self.rows = task, rows
        self.layout = task.layout
        self.conditions: dict[int, int] = {}
        """Where the truth of a condition before the step is held."""

    def run(self, cluster: Cluster) -> None:
        """Everything that the cluster does."""
        rows = self.rows
        for test in cluster.tests:
            rows.keep(rows.value(test).holds)
        for condition in cluster.conditions:
            truth, faults = self._held(condition)
            self.conditions[id(condition)] = truth
            rows.keep(rows.held(faults) == 0)
        passed = {id(update): self._held(update.value) for update in cluster.updates if update.before}
        for update in cluster.updates:
            self._store(update, passed.get(id(update)))
        for branch in cluster.branches:
            number = self.layout.process[branch.process]
            place = self.layout.location[branch.process, branch.target]
            taken = self._taken(branch.condition)
            moved = np.full(rows.count, place, dtype=np.int64)
            rows.store_scalar(number, moved if taken.all() else np.where(taken, moved, rows.column(number)))
        for outcome in cluster.outcomes:
            rows.keep(rows.value(outcome).holds)

    def _taken(self, condition: Expr | None) -> Truths:
        """The rows in which something with this condition is done."""
        if condition is None:
            return np.ones(self.rows.count, dtype=np.bool_)
        taken: Truths = self.rows.held(self.conditions[id(condition)]) != 0
        return taken

    def _held(self, expression: Expr) -> tuple[int, int]:
        """Hold the values of an expression and where it faults."""
        column = self.rows.value(expression)
        return self.rows.hold(column.values), self.rows.hold(column.faults.astype(np.int64))

    def _checked(self, update: Update, values: Integers, faults: Truths) -> int:
        """Hold the values after dropping the rows where the update is taken and faults."""
        held = self.rows.hold(values)
        self.rows.keep(~(faults & self._taken(update.condition)))
        return held

    def _store(self, update: Update, passed: tuple[int, int] | None) -> None:
        rows, target = self.rows, update.target
        values, faults = self._held(update.value) if passed is None else passed
        value = self._checked(update, rows.held(values), rows.held(faults) != 0)
        if isinstance(target, Cell):
            column = rows.value(target.index)
            outside = (column.values < 0) | (column.values >= self.layout.cells[target.array])
            place = self._checked(update, column.values, column.faults | outside)
        contents = cut(rows.held(value), self.task.variables[self.layout.targets(target)[0]].type)
        stored = rows.held(self._checked(update, contents.values, contents.faults))
        taken = self._taken(update.condition)
        if isinstance(target, Cell):
            rows.store_cell(target.array, np.where(taken, rows.held(place), -1), stored)
            return
        number = self.layout.first[target.name]
        rows.store_scalar(number, stored if taken.all() else np.where(taken, stored, rows.column(number)))


def _cases(task: Task, rows: SupportRows, before: dict[int, int]) -> Iterator[Case]:
    """The rows, those that read and write the same cells together."""
    places = [place for _, place, _ in (*rows.cells_read, *rows.cells_written)]
    if all((place == place[0]).all() for place in places):
        yield _case(task, rows, before, np.arange(rows.count))
        return
    _, kinds = np.unique(np.stack(places, axis=1), axis=0, return_inverse=True)
    kinds = kinds.reshape(-1)
    for kind in range(int(kinds.max()) + 1):
        yield _case(task, rows, before, np.flatnonzero(kinds == kind))


def _case(task: Task, rows: SupportRows, before: dict[int, int], chosen: Integers) -> Case:
    case: Case = {}
    for number in rows.known():
        known = rows.held(before[number])[chosen] if number in before else None
        case[number] = Change(known, rows.column(number)[chosen])
    for array, places, contents in rows.cells_read:
        place = int(places[chosen[0]])
        if 0 <= place < task.layout.cells[array]:
            case.setdefault(task.layout.first[array] + place, Change(contents[chosen], contents[chosen]))
    for array, places, contents in rows.cells_written:
        if places[chosen[0]] >= 0:
            number = task.layout.first[array] + int(places[chosen[0]])
            earlier = case.get(number)
            case[number] = Change(None if earlier is None else earlier.before, contents[chosen])
    return case
