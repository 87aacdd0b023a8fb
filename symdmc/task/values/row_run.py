"""Running the updates of a transition in all rows of a table at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.model.expressions import Cell, Expr
from symdmc.task.task import Task, Update
from symdmc.task.values.rows import SupportRows, cut
from symdmc.task.values.tabulate import Integers, Truths


@dataclass(frozen=True, slots=True)
class Stored:
    """What an update has stored in each row that was left after it."""

    update: Update
    values: Integers
    taken: Truths
    """The rows in which the update is done."""
    places: Integers
    """The variable written in each row; -1 where nothing is stored."""

    def by_variable(self) -> Iterator[tuple[int, Integers]]:
        """Each variable that is written in some row, with the values written."""
        written = self.places[self.taken]
        if len(written) and isinstance(self.update.target, Cell):
            for number in np.unique(written).tolist():
                yield number, self.values[self.places == number]
        elif len(written):
            yield int(written[0]), self.values[self.taken]


class RowRun:
    """Runs updates in all rows, and drops rows in which a condition or an update that is done faults.

    The conditions of updates and moves are evaluated first, as they are read before the step.
    """

    def __init__(self, task: Task, rows: SupportRows, conditions: Iterable[Expr]) -> None:
        self.task, self.rows = task, rows
        self.faultless = True
        """Whether no row was dropped so far."""
        self._conditions = {id(each): self._settled(each) for each in conditions}

    def _settled(self, expression: Expr) -> int:
        """Hold the values of an expression, then drop the rows where it faults."""
        column = self.rows.value(expression)
        held = self.rows.hold(column.values)
        self._drop(column.faults)
        return held

    def _drop(self, faulty: Truths) -> None:
        if faulty.any():
            self.faultless = False
            self.rows.keep(~faulty)

    def taken(self, condition: Expr | None) -> Truths:
        """The rows in which something with this condition is done."""
        if condition is None:
            return np.ones(self.rows.count, dtype=np.bool_)
        taken: Truths = self.rows.held(self._conditions[id(condition)]) != 0
        return taken

    def run(self, updates: Sequence[Update]) -> Iterator[Stored]:
        """Run the updates one after the other; yields what each has stored before the next one runs."""
        passed = {place: self._held(update.value) for place, update in enumerate(updates) if update.before}
        for place, update in enumerate(updates):
            yield self._stored(update, *(passed[place] if update.before else self._held(update.value)))

    def _held(self, expression: Expr) -> tuple[int, int]:
        """Hold the values of an expression, and where it faults; the rows are dropped when the update stores it."""
        column = self.rows.value(expression)
        return self.rows.hold(column.values), self.rows.hold(column.faults.astype(np.int64))

    def _stored(self, update: Update, values: int, faults: int) -> Stored:
        rows, layout, target = self.rows, self.task.layout, update.target
        value = self._checked(update, rows.held(values), rows.held(faults) != 0)
        if isinstance(target, Cell):
            column = rows.value(target.index)
            outside = (column.values < 0) | (column.values >= layout.cells[target.array])
            place = self._checked(update, column.values, column.faults | outside)
        first = layout.targets(target)[0]
        contents = cut(rows.held(value), self.task.variables[first].type)
        stored = rows.held(self._checked(update, contents.values, contents.faults))
        taken = self.taken(update.condition)
        if isinstance(target, Cell):
            places = np.where(taken, rows.held(place), -1)
            rows.store_cell(target.array, places, stored)
            return Stored(update, stored, taken, np.where(taken, places + layout.first[target.array], -1))
        self.move(first, stored, taken)
        return Stored(update, stored, taken, np.where(taken, first, -1))

    def _checked(self, update: Update, values: Integers, faults: Truths) -> int:
        """Hold the values after dropping the rows where the update is taken and faults."""
        held = self.rows.hold(values)
        self._drop(faults & self.taken(update.condition))
        return held

    def move(self, number: int, values: Integers, taken: Truths) -> None:
        """Give a scalar or a location these values in the rows in `taken`."""
        rows = self.rows
        rows.store_scalar(number, values if taken.all() else np.where(taken, values, rows.column(number)))
