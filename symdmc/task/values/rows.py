"""The states in which one transition may run, as a table with columns only for the variables it reads.

The table has a row for each combination of possible values of the support. A cell with a computed index gets a column
of its own with the possible values of the cell named in each row, so that the other cells of the array cost nothing.
Two columns that name the same cell in a row agree there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from symdmc.model.expressions import At, Cell, Expr, Literal, Ref, children, walk
from symdmc.model.system import Range
from symdmc.task.task import Layout
from symdmc.task.values.domains import Domain
from symdmc.task.values.tabulate import Column, Integers, Truths, tabulate


class TooManyRows(Exception):
    """The combinations of the support are too many to list."""


class SupportRows:
    """Every combination of possible values of some variables; implements `tabulate.Rows`."""

    def __init__(
        self, layout: Layout, domains: Sequence[Domain] | Mapping[int, Domain], support: Iterable[int], limit: int
    ) -> None:
        self._layout, self._domains, self._limit = layout, domains, limit
        chosen = sorted(support)
        self.count = prod(domains[number].count for number in chosen)
        if self.count > limit:
            raise TooManyRows
        self._columns: dict[int, Integers] = {}
        inner = self.count
        for number in chosen:
            values = domains[number].array
            inner //= len(values)
            self._columns[number] = np.tile(np.repeat(values, inner), self.count // (inner * len(values)))
        self._read: list[tuple[str, Integers, Integers]] = []
        self._written: list[tuple[str, Integers, Integers]] = []
        self._held: list[Integers] = []

    # ---- what tabulate asks for

    def scalar(self, name: str) -> Integers:
        """The values of a scalar variable."""
        return self._columns[self._layout.first[name]]

    def at(self, process: str, location: str) -> Integers:
        """1 in the rows where the process is at the location."""
        column = self._columns[self._layout.process[process]]
        here: Truths = column == self._layout.location[process, location]
        return here.astype(np.int64)

    def cell(self, array: str, index: Integers) -> Column:
        """The values of the cells at these indices; the expression must have been prepared."""
        outside = (index < 0) | (index >= self._layout.cells[array])
        values, known = self._known(array, index)
        assert bool((known | outside).all())
        for written, places, contents in self._written:
            if written == array:
                values = np.where(places == index, contents, values)
        return Column(values, outside)

    # ---- growing and shrinking

    def value(self, expression: Expr) -> Column:
        """The values of the expression in every row; adds rows and columns for cells with a computed index."""
        self._prepare(expression)
        return tabulate(expression, self)

    def keep(self, rows: Truths) -> None:
        """Drop all other rows."""
        if not rows.all():
            self._take(np.flatnonzero(rows))

    def hold(self, values: Integers) -> int:
        """Keep a column beside the variables; returns its number for `held`. It follows all changes of the rows."""
        self._held.append(values)
        return len(self._held) - 1

    def held(self, number: int) -> Integers:
        """A column kept by `hold`, for the current rows."""
        return self._held[number]

    def column(self, number: int) -> Integers:
        """The values of a variable of the support."""
        return self._columns[number]

    @property
    def cells_read(self) -> list[tuple[str, Integers, Integers]]:
        """The cells read with a computed index: array, index (-1: none) and the value before any store, row by row."""
        return self._read

    def known(self) -> list[int]:
        """The variables that have a column, because they are in the support or were stored."""
        return sorted(self._columns)

    @property
    def cells_written(self) -> Sequence[tuple[str, Integers, Integers]]:
        """The cells stored, the earliest first: array, index (-1: none) and value, row by row."""
        return self._written

    # ---- stores

    def store_scalar(self, number: int, values: Integers) -> None:
        """Give the variable these values from now on."""
        self._columns[number] = values

    def store_cell(self, array: str, index: Integers, values: Integers) -> None:
        """Give the cells at these indices these values from now on; an index of -1 stores nothing."""
        self._written.append((array, index, values))

    def _prepare(self, expression: Expr) -> None:
        for part in children(expression):
            self._prepare(part)
        if isinstance(expression, Cell):
            place = tabulate(expression.index, self)
            self._materialise(expression.array, np.where(place.faults, -1, place.values))

    def _known(self, array: str, index: Integers) -> tuple[Integers, Truths]:
        """The values of the cells before any store, and the rows where some column has them."""
        values, known = np.zeros(self.count, dtype=np.int64), np.zeros(self.count, dtype=np.bool_)
        for read, places, contents in self._read:
            if read == array:
                same = places == index
                values, known = np.where(same, contents, values), known | same
        first = self._layout.first[array]
        for place in range(self._layout.cells[array]):
            if first + place in self._columns:
                same = index == place
                values, known = np.where(same, self._columns[first + place], values), known | same
        return values, known

    def _materialise(self, array: str, index: Integers) -> None:
        """Ensure that the cells at these indices have a column, with one row for each value the cell may hold."""
        cells, first = self._layout.cells[array], self._layout.first[array]
        values, known = self._known(array, index)
        missing = ~known & (index >= 0) & (index < cells)
        if not missing.any():
            return
        domains = [self._domains[first + place] for place in range(cells)]
        named = np.where(missing, index, 0)
        sizes = np.array([domain.count for domain in domains], dtype=np.int64)
        repeats = np.where(missing, sizes[named], 1)
        total = int(repeats.sum())
        if total > self._limit:
            raise TooManyRows
        present = np.unique(named[missing])
        starts = np.zeros(cells, dtype=np.int64)
        starts[present] = np.concatenate(([0], np.cumsum(sizes[present])[:-1]))
        listed = np.concatenate([domains[int(place)].array for place in present])
        origin = np.repeat(np.arange(self.count), repeats)
        rank = np.arange(total) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        self._take(origin)
        fresh = listed[np.where(missing[origin], starts[named[origin]] + rank, 0)]
        self._read.append((array, index[origin], np.where(missing[origin], fresh, values[origin])))

    def _take(self, rows: Integers) -> None:
        self.count = len(rows)
        self._columns = {number: column[rows] for number, column in self._columns.items()}
        self._read = [(array, places[rows], contents[rows]) for array, places, contents in self._read]
        self._written = [(array, places[rows], contents[rows]) for array, places, contents in self._written]
        self._held = [column[rows] for column in self._held]


def cut(values: Integers, kind: Range) -> Column:
    """The values as a variable of the type stores them, with a fault where the range is left."""
    outside = (values < kind.low) | (values > kind.high)
    if kind.wraps:
        span = kind.high - kind.low + 1
        return Column((values - kind.low) % span + kind.low, np.zeros(len(values), dtype=np.bool_))
    return Column(values, outside)


def plain_support(layout: Layout, expression: Expr) -> frozenset[int]:
    """The variables that an expression reads, except for cells with a computed index."""
    return Reads.of(layout, expression).plain


@dataclass(frozen=True, slots=True)
class Reads:
    """What an expression reads."""

    plain: frozenset[int]
    """The variables, except for cells with a computed index."""
    arrays: frozenset[str]
    """The arrays of which it reads cells with a computed index."""

    @staticmethod
    def of(layout: Layout, expression: Expr) -> Reads:
        """What the expression reads."""
        plain: set[int] = set()
        arrays: set[str] = set()
        for part in walk(expression):
            match part:
                case Ref(name):
                    plain.add(layout.first[name])
                case Cell(_, Literal()):
                    plain.update(layout.targets(part))
                case Cell(array, _):
                    arrays.add(array)
                case At(process, _):
                    plain.add(layout.process[process])
                case _:
                    pass
        return Reads(frozenset(plain), frozenset(arrays))

    def all(self, layout: Layout) -> frozenset[int]:
        """All variables that its value may depend on."""
        cells = (range(layout.first[array], layout.first[array] + layout.cells[array]) for array in self.arrays)
        return self.plain.union(*cells) if self.arrays else self.plain
