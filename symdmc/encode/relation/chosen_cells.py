"""Values that choose the same cells: a transition is built once for each choice among the cells of arrays.

A cell chosen by a variable below it in the order would need a diagram that remembers all cells. So the values of the
variables in indices are divided into boxes in which each index names one cell, or none: 3 boxes for `a[x % 3]`, however
many values x has. The boxes together have all values, so the steps do not depend on how they are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from symdmc.encode.encoding import Encoding
from symdmc.model.expressions import Binary, Cell, Conditional, Expr, Literal, Ref, Unary, walk
from symdmc.task.task import Task, Transition, Update
from symdmc.task.values.domains import Domain
from symdmc.task.values.rows import SupportRows
from symdmc.task.values.tabulate import Integers, tabulate

MOST_BOXES = 300
"""An index that would make more boxes than this is left to the diagrams."""
MOST_ROWS = 1 << 12
"""An index with more combinations of values than this in a box is also left to the diagrams."""
MOST_PARTS = 100
"""A stored value with more parts than this is not substituted into indices that are read after it."""

CodeBox: TypeAlias = Mapping[int, Sequence[int]]
"""The codes of some variables; all others may have any."""


def boxes(encoding: Encoding, transition: Transition, codes: Callable[[int], Sequence[int]]) -> list[CodeBox]:
    """The codes of the variables that choose cells in a transition, divided by the cells they choose.

    Indices with few combinations of codes come first; an index that would make too many boxes is skipped.
    """
    task = encoding.task

    def combinations(cell: Cell) -> int:
        return prod(len(codes(number)) for number in task.layout.support(cell.index))

    found: list[CodeBox] = [{}]
    for cell in sorted(dict.fromkeys(computed_cells(task, transition)), key=combinations):
        finer = _refined(encoding, cell, found, codes)
        found = found if finer is None else finer
    return found


def _refined(
    encoding: Encoding, cell: Cell, found: Sequence[CodeBox], codes: Callable[[int], Sequence[int]]
) -> list[CodeBox] | None:
    """The boxes divided by the cell that an index names; None where there would be too many boxes or combinations."""
    support = sorted(encoding.task.layout.support(cell.index))
    finer: list[CodeBox] = []
    for box in found:
        inside = {number: box.get(number, codes(number)) for number in support}
        if prod(map(len, inside.values())) > MOST_ROWS:
            return None
        open_ones = [number for number in support if len(inside[number]) > 1]
        by_size = sorted(open_ones, key=lambda number: (len(inside[number]), number))
        places = _places(encoding, cell, inside).transpose([open_ones.index(number) for number in by_size])
        finer += [{**box, **part} for part in _divided(places, [(number, inside[number]) for number in by_size])]
        if len(finer) > MOST_BOXES:
            return None
    return finer


def _places(encoding: Encoding, cell: Cell, inside: CodeBox) -> Integers:
    """The number of the cell for each combination of codes; -1 where there is no cell.

    There is an axis for each variable with several codes. One for each variable could be more than numpy has.
    """
    layout = encoding.task.layout
    domains = {
        number: Domain.of(np.array(encoding.variables[number].values, dtype=np.int64)[list(codes)])
        for number, codes in inside.items()
    }
    column = tabulate(cell.index, SupportRows(layout, domains, inside, limit=MOST_ROWS))
    missing = column.faults | (column.values < 0) | (column.values >= layout.cells[cell.array])
    return np.where(missing, -1, column.values).reshape([len(codes) for codes in inside.values() if len(codes) > 1])


def _divided(places: Integers, axes: Sequence[tuple[int, Sequence[int]]]) -> Iterator[CodeBox]:
    """Boxes in each of which all places are equal; codes of the first variable that act alike stay together."""
    if not axes:
        yield {}
        return
    (number, codes), *others = axes
    alike: dict[bytes, list[int]] = {}
    for row, entries in enumerate(places):
        alike.setdefault(entries.tobytes(), []).append(row)
    for rows in alike.values():
        own = {number: [codes[row] for row in rows]} if len(alike) > 1 else {}
        for rest in _divided(places[rows[0]], others):
            yield {**own, **rest}


# ---- which cells


def computed_cells(task: Task, transition: Transition) -> Iterator[Cell]:
    """The cells named by computed indices in a transition, in terms of the variables before the step.

    Scalars are replaced by the values that earlier updates store in them. Values stored elsewhere are ignored: an index
    that reads them is divided less precisely.
    """
    conditions = (branch.condition for branch in transition.branches)
    yield from _computed([task.full_guard(transition), *(each for each in conditions if each is not None)])
    now: dict[str, Expr] = {}
    for update in transition.updates:
        read: Mapping[str, Expr] = {} if update.before else now
        value = _replaced(update.value, read)
        target = _replaced(update.target, now) if isinstance(update.target, Cell) else None
        yield from _computed([value] if target is None else [value, target])
        if isinstance(update.target, Ref):
            now[update.target.name] = _stored(task, update, value, now)


def _computed(expressions: Iterable[Expr]) -> Iterator[Cell]:
    cells = (part for expression in expressions for part in walk(expression) if isinstance(part, Cell))
    return (cell for cell in cells if not isinstance(cell.index, Literal))


def _stored(task: Task, update: Update, value: Expr, now: Mapping[str, Expr]) -> Expr:
    """The value of a scalar after an update; the scalar itself where the expression would be too long."""
    assert isinstance(update.target, Ref)
    scalar = update.target
    kind = task.variables[task.layout.first[scalar.name]].type
    fits = isinstance(value, Literal) and kind.low <= value.value <= kind.high
    kept = kind.wrapped(value) if kind.wraps and not fits else value
    if update.condition is not None:
        kept = Conditional(update.condition, kept, now.get(scalar.name, scalar))
    return kept if sum(1 for _ in walk(kept)) <= MOST_PARTS else scalar


def _replaced(expression: Expr, now: Mapping[str, Expr]) -> Expr:
    """The expression with some scalars replaced by other expressions."""
    match expression:
        case Ref(name):
            return now.get(name, expression)
        case Cell(array, index):
            return Cell(array, _replaced(index, now))
        case Unary(operator, operand):
            return Unary(operator, _replaced(operand, now))
        case Binary(operator, left, right):
            return Binary(operator, _replaced(left, now), _replaced(right, now))
        case Conditional(condition, then, otherwise):
            return Conditional(_replaced(condition, now), _replaced(then, now), _replaced(otherwise, now))
        case _:
            return expression
