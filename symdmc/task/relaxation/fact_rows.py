"""What a part of a transition does, as rows of facts: those that must hold before it and those that hold after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.model.expressions import Cell, Expr
from symdmc.task.relaxation.facts import ALWAYS, Facts
from symdmc.task.task import Layout, Task, Update, overwritten
from symdmc.task.values.domains import Domain
from symdmc.task.values.row_run import RowRun, Stored
from symdmc.task.values.rows import SupportRows, plain_support
from symdmc.task.values.tabulate import Integers, Truths


@dataclass(frozen=True, slots=True)
class Move:
    """A process that goes from one location to another, where the condition holds before the step."""

    process: str
    source: str
    target: str
    condition: Expr | None = None


@dataclass(frozen=True, slots=True)
class TransitionPart:
    """Some conditions, updates and moves of one transition, in the order in which they are evaluated."""

    guards: tuple[Expr, ...] = ()
    updates: tuple[Update, ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def conditions(self) -> list[Expr]:
        """What decides which updates and moves happen, without repetition."""
        conditions = [*(update.condition for update in self.updates), *(move.condition for move in self.moves)]
        return list({id(each): each for each in conditions if each is not None}.values())

    def deciding(self, layout: Layout) -> frozenset[int]:
        """The variables that decide whether something happens, and not only what is stored."""
        moving = (layout.process[move.process] for move in self.moves)
        return frozenset(moving).union(*(layout.support(each) for each in (*self.guards, *self.conditions)))


@dataclass(frozen=True, slots=True)
class FactTable:
    """Rows of facts; an entry that is ALWAYS says nothing."""

    before: Integers
    after: Integers

    def __len__(self) -> int:
        return len(self.before)

    def without(self, facts: Facts, numbers: Iterable[int]) -> FactTable:
        """The table that forgets what some variables were before."""
        gone = np.isin(facts.owner[self.before], sorted(numbers))
        return FactTable(np.where(gone, ALWAYS, self.before), self.after)


def fact_table(task: Task, facts: Facts, component: TransitionPart, limit: int) -> FactTable:
    """Every way in which a component can happen, each row of values by itself; raises TooManyRows.

    A row in which something faults does not happen. A cell stored twice keeps both values.
    """
    return _Run(task, facts, component, limit).table()


def reduced(table: FactTable, facts: Facts) -> FactTable:
    """The table without repetition, and without the facts that make no difference.

    Where rows differ in one variable only and it has all its values in them, one row without it says the same,
    because a variable always has some value.
    """
    width = table.before.shape[1]
    rows = _distinct(np.hstack([table.before, table.after]))
    for column in range(width):
        if len(rows) < 2:
            break
        entries = rows[:, column]
        keys = rows.copy()
        keys[:, column] = facts.owner[entries]
        _, group, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        idle = counts[group.reshape(-1)] == facts.sizes[entries]
        if idle.any():
            rows[idle, column] = ALWAYS
            rows = _distinct(rows)
    return FactTable(rows[:, :width], rows[:, width:])


def _distinct(rows: Integers) -> Integers:
    return np.unique(rows, axis=0) if len(rows) > 1 and rows.shape[1] else rows[:1]


class _Run:
    """A component that runs in all rows of its support at once."""

    def __init__(self, task: Task, facts: Facts, component: TransitionPart, limit: int) -> None:
        self.task, self.facts, self.component = task, facts, component
        self.layout = task.layout
        support = self._support()
        self.rows = SupportRows(self.layout, self._narrowed(), support, limit)
        self._kept = {number: self.rows.hold(self.rows.column(number)) for number in support}
        self._touched: dict[int, int] = {}
        """Where it is held in which rows a scalar or location is written."""
        self._stored: list[int] = []
        """Where the facts are held that stores in cells make true."""

    def _support(self) -> list[int]:
        component, layout = self.component, self.layout
        operands = (each for update in component.updates for each in update.operands)
        expressions = (*component.guards, *component.conditions, *operands)
        known = [layout.process[move.process] for move in component.moves] + overwritten(layout, component.updates)
        return sorted(frozenset(known).union(*(plain_support(layout, each) for each in expressions)))

    def _narrowed(self) -> list[Domain]:
        """The domains with the processes that surely move at their sources."""
        domains = list(self.facts.domains)
        for move in self.component.moves:
            if move.condition is None:
                place = self.layout.location[move.process, move.source]
                domains[self.layout.process[move.process]] = Domain(place, place)
        return domains

    def table(self) -> FactTable:
        """All rows."""
        rows, component = self.rows, self.component
        for guard in component.guards:
            rows.keep(rows.value(guard).holds)
        run = RowRun(self.task, rows, component.conditions)
        for stored in run.run(component.updates):
            self._note(stored)
        for move in component.moves:
            number = self.layout.process[move.process]
            target = np.full(rows.count, self.layout.location[move.process, move.target], dtype=np.int64)
            taken = run.taken(move.condition)
            run.move(number, target, taken)
            self._touch(number, taken)
        return FactTable(self._before(), self._after())

    def _note(self, stored: Stored) -> None:
        """Remember what an update has stored."""
        if isinstance(stored.update.target, Cell):
            self._stored.append(self.rows.hold(self._cell_facts(stored.places, stored.values)))
        else:
            self._touch(self.layout.targets(stored.update.target)[0], stored.taken)

    def _touch(self, number: int, taken: Truths) -> None:
        """Remember in which rows a scalar or location is written."""
        before = self._touched.get(number)
        ever = taken if before is None else taken | (self.rows.held(before) != 0)
        self._touched[number] = self.rows.hold(ever.astype(np.int64))

    def _cell_facts(self, numbers: Integers, values: Integers) -> Integers:
        """That the cells with these numbers have these values; ALWAYS where there is none."""
        found = np.full(len(numbers), ALWAYS, dtype=np.int64)
        for number in np.unique(numbers[numbers >= 0]).tolist():
            here = numbers == number
            found[here] = self.facts.of_values(number, values[here])
        return found

    def _before(self) -> Integers:
        columns = [self.facts.of_values(number, self.rows.held(held)) for number, held in self._kept.items()]
        for array, places, contents in self.rows.cells_read:
            inside = (places >= 0) & (places < self.layout.cells[array])
            column = self._cell_facts(np.where(inside, places + self.layout.first[array], -1), contents)
            for other in columns:  # a cell may be named in several ways
                column = np.where(column == other, ALWAYS, column)
            columns.append(column)
        return _side_by_side(columns, self.rows.count)

    def _after(self) -> Integers:
        columns = []
        for number, touched in self._touched.items():
            facts = self.facts.of_values(number, self.rows.column(number))
            columns.append(np.where(self.rows.held(touched) != 0, facts, ALWAYS))
        return _side_by_side([*columns, *map(self.rows.held, self._stored)], self.rows.count)


def _side_by_side(columns: Sequence[Integers], count: int) -> Integers:
    used = [column for column in columns if column.any()]
    return np.stack(used, axis=1) if used else np.zeros((count, 0), dtype=np.int64)
