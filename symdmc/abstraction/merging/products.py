"""Sets of rows as few products: which values may be combined freely, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from symdmc.task.values.tabulate import Integers

ValueProduct: TypeAlias = tuple[Integers, ...]
"""For each column the values that it may have, whatever the others have; sorted."""


def products(columns: Sequence[Integers], budget: int) -> list[ValueProduct]:
    """Products that together have every row of the columns; no other row, as long as the budget suffices.

    A column is chosen whose values fall into the fewest kinds, where values of one kind go with the same rows of the
    others, and each kind is treated alone. Where that would take more than `budget` products, there is one product
    instead, with all values of each column: more rows than there were.
    """
    columns = _distinct(columns)
    values = [np.unique(column) for column in columns]
    rows = len(columns[0]) if columns else 1
    if rows == prod(len(each) for each in values) or budget <= 1:
        return [tuple(values)]
    kinds = [_kinds(columns, number) for number in range(len(columns))]
    chosen = min(range(len(columns)), key=lambda number: (len(kinds[number]), number))
    if len(kinds[chosen]) > budget:
        return [tuple(values)]
    rest = [*columns[:chosen], *columns[chosen + 1 :]]
    found = []
    for kind in kinds[chosen]:
        here = columns[chosen] == kind[0]
        for each in products([column[here] for column in rest], budget // len(kinds[chosen])):
            found.append((*each[:chosen], kind, *each[chosen:]))
    return found


def _numbered(columns: Sequence[Integers], rows: int) -> Integers:
    """A number for each row, the same for equal rows."""
    numbers = np.zeros(rows, dtype=np.int64)
    for column in columns:
        own, codes = np.unique(column, return_inverse=True)
        _, numbers = np.unique(numbers * len(own) + codes, return_inverse=True)
    return numbers


def _distinct(columns: Sequence[Integers]) -> list[Integers]:
    """Each row once."""
    if not columns:
        return []
    _, first = np.unique(_numbered(columns, len(columns[0])), return_index=True)
    return [column[first] for column in columns]


def _kinds(columns: Sequence[Integers], number: int) -> list[Integers]:
    """The values of a column, those that go with the same rows of the other columns together."""
    column = columns[number]
    others = _numbered([*columns[:number], *columns[number + 1 :]], len(column))
    order = np.lexsort((others, column))
    values, starts = np.unique(column[order], return_index=True)
    kinds: dict[bytes, list[int]] = {}
    for value, rows in zip(values, np.split(others[order], starts[1:]), strict=True):
        kinds.setdefault(rows.tobytes(), []).append(int(value))
    return [np.array(kind, dtype=np.int64) for kind in kinds.values()]
