"""A cluster of a transition run in every combination of the values of its variables: what it changes, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.abstraction.merging.clusters import Cluster
from symdmc.task.task import Task
from symdmc.task.values.domains import Domain
from symdmc.task.values.row_run import RowRun
from symdmc.task.values.rows import SupportRows
from symdmc.task.values.tabulate import Integers


@dataclass(frozen=True, slots=True)
class ValueChange:
    """The value of a variable before and after a step, in some rows; None before: it had any value."""

    before: Integers | None
    after: Integers


Case = dict[int, ValueChange]
"""The variables that some rows read or store, each with its values; all other variables stay as they are."""


def cases_of(task: Task, cluster: Cluster, domains: Sequence[Domain], limit: int) -> Iterator[Case]:
    """Everything that the cluster permits, in cases that touch differing cells of arrays.

    Raises TooManyRows where that would take more rows than the limit.
    """
    rows = SupportRows(task.layout, domains, cluster.support(task.layout), limit)
    before = {number: rows.hold(rows.column(number)) for number in rows.known()}
    _run(task, rows, cluster)
    if rows.count:
        yield from _cases(task, rows, before)


def _run(task: Task, rows: SupportRows, cluster: Cluster) -> None:
    """Everything that the cluster does in all rows; those in which it is not possible or faults are dropped."""
    for test in cluster.tests:
        rows.keep(rows.value(test).holds)
    run = RowRun(task, rows, cluster.conditions)
    for _ in run.run(cluster.updates):
        pass
    for branch in cluster.branches:
        place = task.layout.location[branch.process, branch.target]
        moved = np.full(rows.count, place, dtype=np.int64)
        run.move(task.layout.process[branch.process], moved, run.taken(branch.condition))
    for outcome in cluster.outcomes:
        rows.keep(rows.value(outcome).holds)


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
        case[number] = ValueChange(known, rows.column(number)[chosen])
    for array, places, contents in rows.cells_read:
        place = int(places[chosen[0]])
        if 0 <= place < task.layout.cells[array]:
            case.setdefault(task.layout.first[array] + place, ValueChange(contents[chosen], contents[chosen]))
    for array, places, contents in rows.cells_written:
        if places[chosen[0]] >= 0:
            number = task.layout.first[array] + int(places[chosen[0]])
            earlier = case.get(number)
            case[number] = ValueChange(None if earlier is None else earlier.before, contents[chosen])
    return case
