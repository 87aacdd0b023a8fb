"""How many abstract states have each code of a look-up table, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from symdmc.lookup.tables import DecisionTable


def states_by_code(table: DecisionTable, values: Mapping[int, NDArray[np.int64]]) -> dict[int, int]:
    """How many states have each code; `values` has the values of each variable of a state.

    At each node all states are counted as if it were the root: a variable that a path does not test then needs no
    attention.
    """
    total = prod(len(each) for each in values.values())
    widths = {number: _values_of_classes(table, number, values[number]) for number in sorted(table.classes)}
    shares: list[dict[int, int]] = []

    def share(entry: int) -> dict[int, int]:
        return shares[entry] if entry >= 0 else {-1 - entry: total}

    for node in range(len(table)):  # children come before their parents
        number, start = int(table.variable[node]), int(table.start[node])
        found: dict[int, int] = {}
        for chosen, width in enumerate(widths[number]):
            for code, count in share(int(table.children[start + chosen])).items():
                found[code] = found.get(code, 0) + count * width
        shares.append({code: count // len(values[number]) for code, count in found.items()})
    return dict(sorted(share(table.root).items()))


def _values_of_classes(table: DecisionTable, number: int, values: NDArray[np.int64]) -> list[int]:
    """How many values each class has."""
    return [int(count) for count in np.bincount(table.classes[number][values - table.low[number]])]
