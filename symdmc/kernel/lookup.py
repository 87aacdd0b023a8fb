"""Look-up tables: decision diagrams over the values of task variables, as flat arrays that are walked once per state.

Nothing here needs compiled code except `DecisionTable.codes`; the walks of the kernels are in `kernel.lookup_walks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdmc.kernel.packing import Field, Packing

Int32s = NDArray[np.int32]

DEAD_END = 1 << 30
"""The code of a state from which no error state can be reached; never added to."""
OUTSIDE = DEAD_END + 1
"""The code of a state that the table was never made for: one that is reached all the same shows a bug."""

MAX = "max"
SUM = "sum"
COMBINATIONS = (MAX, SUM)

# How tables lie in one array of integers. The header: how many tables, how they are combined, then their roots.
COUNT = 0
SUMS = 1  # 1: the codes are added up; 0: the largest counts
ROOTS = 2
# A variable: its field in the packed state, then the class of each content of the field.
FIELD_WORD = 0
FIELD_SHIFT = 1
FIELD_MASK = 2
CLASSES = 3
# A node: where its variable is, then one entry per class: where the next node is, or -1 - code.
CHILDREN = 1

WIDEST = 24
"""A field of more bits than this has too many values to list their classes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecisionTable:
    """Maps a state to a code: a distance (0, 1, 2, ...), DEAD_END or OUTSIDE.

    A node tests one variable and has one child for each class of its values. An entry (the root, or a child) is a node
    where it is not negative, else the code -1 - entry.
    """

    root: int
    variable: Int32s
    """The task variable that each node tests."""
    start: NDArray[np.int64]
    """Where the children of each node begin in `children`."""
    children: Int32s
    classes: Mapping[int, NDArray[np.integer]]
    """For each variable tested the class of each value, the lowest first; values that cannot occur have one too."""
    low: Mapping[int, int]
    """For each variable tested the value that the first entry of its classes is for."""

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.variable)

    def code_of(self, values: Sequence[int]) -> int:
        """The code of a state given by its values: the reference for the compiled walk."""
        entry = self.root
        while entry >= 0:
            variable = int(self.variable[entry])
            chosen = int(self.classes[variable][values[variable] - self.low[variable]])
            entry = int(self.children[self.start[entry] + chosen])
        return -1 - entry

    def codes(self, states: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
        """The codes of packed states, one in each row."""
        return combined_codes((self,), MAX, states, packing)


def combined_codes(
    tables: Sequence[DecisionTable], combination: str, states: NDArray[np.int64], packing: Packing
) -> NDArray[np.int64]:
    """The combined codes of packed states, one in each row, at compiled speed."""
    from symdmc.kernel.lookup_walks import look_up_all  # imports numba

    codes = np.empty(len(states), dtype=np.int64)
    look_up_all(table_image(tables, combination, packing), np.ascontiguousarray(states).reshape(-1), codes)
    return codes


def combined(codes: Sequence[int], combination: str) -> int:
    """One code out of several: outside if any is, else a dead end if any is, else the largest or the sum; 0 of none."""
    special = max(codes, default=0)
    if special >= DEAD_END:
        return special
    return sum(codes) if combination == SUM else special


def table_image(tables: Sequence[DecisionTable], combination: str, packing: Packing) -> Int32s:
    """The tables as the kernels walk them, for states packed in the given way."""
    if combination not in COMBINATIONS:
        raise ValueError(f"unknown combination {combination!r}: choose from {', '.join(COMBINATIONS)}")
    roots: list[int] = []
    parts: list[Int32s] = []
    place = ROOTS + len(tables)
    for table in tables:
        blocks: dict[int, int] = {}
        for variable in sorted(table.classes):
            block = _variable_block(table, variable, packing.fields[variable])
            blocks[variable] = place
            parts.append(block)
            place += len(block)
        nodes, places = _nodes(table, blocks, place)
        roots.append(int(places[table.root]) if table.root >= 0 else table.root)
        parts.append(nodes)
        place += len(nodes)
    header = np.array([len(tables), int(combination == SUM), *roots], dtype=np.int32)
    return np.concatenate([header, *parts])


def _variable_block(table: DecisionTable, variable: int, field: Field) -> Int32s:
    """The field of a variable and the class of each content that it could have."""
    if field.mask.bit_length() > WIDEST:
        raise ValueError(f"variable {variable} has too many values for a look-up table: {field.mask + 1:,}")
    listed = table.classes[variable]
    wanted = np.arange(field.mask + 1) + field.low - table.low[variable]
    inside = (wanted >= 0) & (wanted < len(listed))
    classes = np.where(inside, np.asarray(listed)[np.where(inside, wanted, 0)], 0)
    return np.concatenate([[field.word, field.shift, field.mask], classes]).astype(np.int32)


def _nodes(table: DecisionTable, blocks: Mapping[int, int], place: int) -> tuple[Int32s, NDArray[np.int64]]:
    """The nodes laid out from a place on, and where each of them is."""
    if len(table) == 0:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    most = max(blocks) + 1
    counts, starts = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    for variable, block in blocks.items():
        counts[variable], starts[variable] = int(table.classes[variable].max()) + 1, block
    sizes = counts[table.variable] + CHILDREN
    ends = np.cumsum(sizes)
    places = place + ends - sizes
    nodes = np.empty(int(ends[-1]), dtype=np.int32)
    nodes[places - place] = starts[table.variable]
    # The k-th child of a node lies k places behind its first one, both in the table and in the image.
    total = int(counts[table.variable].sum())
    first_child = np.cumsum(sizes - CHILDREN) - (sizes - CHILDREN)
    behind = np.arange(total) - np.repeat(first_child, sizes - CHILDREN)
    entries = table.children[np.repeat(table.start, sizes - CHILDREN) + behind]
    moved = np.where(entries >= 0, places[np.maximum(entries, 0)], entries)
    nodes[np.repeat(places - place + CHILDREN, sizes - CHILDREN) + behind] = moved
    return nodes, places
