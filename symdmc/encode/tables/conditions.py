"""Truth tables to diagrams: functions of few bits, computed for all assignments at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from symdmc.encode.diagrams import Diagrams, Node
from symdmc.encode.encoding import Encoding
from symdmc.model.expressions import Expr
from symdmc.task.values.domains import Domain
from symdmc.task.values.rows import SupportRows
from symdmc.task.values.tabulate import Integers, Truths, tabulate

Entry = TypeVar("Entry", np.int64, np.bool_)


def from_table(diagrams: Diagrams, bits: Sequence[str], table: Truths) -> Node:
    """The function that is true where the table is; the first bit is the most significant one of the index."""
    return from_tables(diagrams, bits, table[np.newaxis])[0]


def from_tables(diagrams: Diagrams, bits: Sequence[str], tables: Truths) -> list[Node]:
    """The function of each row of tables, as `from_table`.

    Works from the last bit of the order up: entries that agree on all further bits share a number, so that each
    different function is made once, by one call into the diagrams.
    """
    levels = [int(diagrams.bdd.level_of_var(bit)) for bit in bits]
    from_the_top = sorted(range(len(bits)), key=levels.__getitem__)
    cube = tables.reshape(len(tables), *[2] * len(bits))
    numbers: NDArray[np.int64] = cube.transpose(0, *(axis + 1 for axis in from_the_top)).reshape(-1).astype(np.int64)
    nodes = [diagrams.false, diagrams.true]
    for place in reversed(from_the_top):
        keys, back = _distinct(numbers[0::2] * len(nodes) + numbers[1::2], len(nodes) ** 2)
        variable = diagrams.bdd.var(bits[place])
        pairs = [divmod(int(key), len(nodes)) for key in keys]
        nodes = [
            nodes[low] if low == high else diagrams.choose(variable, nodes[high], nodes[low]) for low, high in pairs
        ]
        numbers = back
    return [nodes[number] for number in numbers]


def _distinct(keys: Integers, bound: int) -> tuple[Integers, Integers]:
    """The different keys, ascending, and the place of each key among them; by marking instead of sorting if faster."""
    if bound > 4 * len(keys) + 1024:
        found, back = np.unique(keys, return_inverse=True)
        return found, back.reshape(-1)
    present = np.zeros(bound, dtype=np.bool_)
    present[keys] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[keys]


@dataclass(frozen=True, slots=True)
class TabulatedExpression:
    """An expression for every code of the variables it reads; codes that do not matter are not `covered`."""

    bits: tuple[str, ...]
    values: Integers
    faults: Truths
    covered: Truths


def tabulated(
    encoding: Encoding, known: Mapping[int, Sequence[int]], expression: Expr, support: Iterable[int]
) -> TabulatedExpression:
    """The expression for all combinations of known codes of its support, which must be few."""
    numbers = sorted(support)
    coded = [encoding.variables[number] for number in numbers]
    codes = [np.array(known.get(n, range(len(v.values))), dtype=np.int64) for n, v in zip(numbers, coded, strict=True)]
    domains = list(encoding.task.analysis.domains)
    for number, variable, chosen in zip(numbers, coded, codes, strict=True):
        domains[number] = Domain.of(np.array(variable.values, dtype=np.int64)[chosen])
    rows = SupportRows(encoding.task.layout, domains, numbers, limit=1 << 62)
    column = tabulate(expression, rows)
    # an axis for each variable with bits: one for each variable could be more than numpy has
    axes = [(1 << len(variable.current), chosen) for variable, chosen in zip(coded, codes, strict=True)]
    shape = tuple(size for size, _ in axes if size > 1)
    places = np.ix_(*(chosen for size, chosen in axes if size > 1)) if shape else ()
    inner = tuple(len(chosen) for size, chosen in axes if size > 1)

    def spread(entries: NDArray[Entry]) -> NDArray[Entry]:
        result: NDArray[Entry] = np.zeros(shape, dtype=entries.dtype)
        result[places] = entries.reshape(inner)
        return result.reshape(-1)

    bits = tuple(bit for variable in coded for bit in variable.current)
    covered = spread(np.ones(rows.count, dtype=np.bool_))
    return TabulatedExpression(bits, spread(column.values), spread(column.faults), covered)


def coded_values(values: Sequence[int], width: int) -> Integers:
    """The value of each code with `width` bits; codes without one get the last value, which keeps diagrams small."""
    listed = np.array(values, dtype=np.int64)
    return listed[np.minimum(np.arange(1 << width), len(listed) - 1)]
