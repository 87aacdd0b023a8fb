"""Look-up tables: what the kernels ask for the estimate of a state, as flat arrays.

A table maps a state to a code. There are several kinds of them; a decision diagram over the values of task variables,
walked once per state, is the commonest. Derived variables, which no state has, are tested by what defines them. Tables
are grouped: a group counts as the largest or the sum of its tables, and the largest group counts. Nothing here needs
compiled code except `codes_of`; what the kernels do with tables is in `lookup.walks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from symdmc.lookup.sums import NESTED, BoundedSum
from symdmc.packed.arrays import Int32s
from symdmc.packed.packing import Field, Packing
from symdmc.task.definitions import Definition
from symdmc.task.values.domains import MOST_BETWEEN

DEAD_END = 1 << 30
"""The code of a state from which no error state can be reached; never added to."""
OUTSIDE = DEAD_END + 1
"""The code of a state that the table was not made for; a search that reaches such a state shows a bug."""

MAX = "max"
SUM = "sum"
COMBINATIONS = (MAX, SUM)

# How tables lie in one array of integers. First how many groups there are, then the head of each group: how many tables
# it has, how they are combined, and for each table its kind and where it begins.
GROUPS = 0
HEADS = 1
GROUP_COUNT = 0
GROUP_SUMS = 1  # 1: the codes are added up; 0: the largest counts
GROUP_TABLES = 2
TABLE_KIND = 0
TABLE_ROOT = 1
TABLE = 2

# The kinds of tables.
DIAGRAM = 0
TREE = 1
RELAXATION = 2
DERIVED = 3  # a decision diagram with tests of several variables at once

# A decision diagram. A variable: its field in the packed state, then the class of each content of the field.
FIELD_WORD = 0
FIELD_SHIFT = 1
FIELD_MASK = 2
CLASSES = 3
# A node: where its variable is, then one entry per class: where the next node is, or -1 - code.
CHILDREN = 1


class LookupTable(Protocol):
    """Maps a state to a code: a distance (0, 1, 2, ...), DEAD_END or OUTSIDE."""

    @property
    def kind(self) -> int:
        """How the kernels find the code."""

    def code_of(self, values: Sequence[int]) -> int:
        """The code of a state given by its values: the reference for what is compiled."""

    def laid_out(self, packing: Packing, place: int) -> tuple[Int32s, int]:
        """The table for states packed in the given way, as it lies from a place on, and where it begins."""


@dataclass(frozen=True, slots=True)
class TableGroup:
    """Some tables that count together: as the largest of their codes, or as the sum."""

    tables: tuple[LookupTable, ...]
    combination: str = MAX

    def __post_init__(self) -> None:
        if self.combination not in COMBINATIONS:
            raise ValueError(f"unknown combination {self.combination!r}: choose from {', '.join(COMBINATIONS)}")

    def code_of(self, values: Sequence[int]) -> int:
        """The code of a state given by its values."""
        return combined([table.code_of(values) for table in self.tables], self.combination)


def code_of(groups: Sequence[TableGroup], values: Sequence[int]) -> int:
    """What groups of tables say together about a state given by its values."""
    return combined([group.code_of(values) for group in groups], MAX)


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
    probes: Mapping[int, Probe] = field(default_factory=dict)
    """For each derived variable tested how its value is found; these values count from 0, and `low` has that."""
    definitions: Mapping[int, Definition] = field(default_factory=dict)
    """For each derived variable of the task tested what it means."""

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.variable)

    @property
    def kind(self) -> int:
        """How the kernels find the code."""
        return DIAGRAM if all(_is_single_test(probe) for probe in self.probes.values()) else DERIVED

    def all_codes(self) -> list[int]:
        """The codes that some states may have, ascending."""
        return sorted({-1 - int(entry) for entry in (self.root, *self.children) if entry < 0})

    def code_of(self, values: Sequence[int]) -> int:
        """The code of a state given by its values: the reference for the compiled walk.

        A value that has no class, because it cannot occur, counts as one of the first class.
        """
        entry = self.root
        while entry >= 0:
            variable = int(self.variable[entry])
            value = self.probes[variable].code_of(values) if variable in self.probes else values[variable]
            place = value - self.low[variable]
            classes = self.classes[variable]
            chosen = int(classes[place]) if 0 <= place < len(classes) else 0
            entry = int(self.children[self.start[entry] + chosen])
        return -1 - entry

    def codes(self, states: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
        """The codes of packed states, one in each row."""
        return codes_of((TableGroup((self,)),), states, packing)

    def laid_out(self, packing: Packing, place: int) -> tuple[Int32s, int]:
        """The variables, then the nodes."""
        parts: list[Int32s] = []
        blocks: dict[int, int] = {}
        for variable in sorted(self.classes):
            block, head = self._block(variable, packing, place)
            blocks[variable] = place + head
            parts.append(block)
            place += len(block)
        nodes, places = _nodes(self, blocks, place)
        root = int(places[self.root]) if self.root >= 0 else self.root
        return np.concatenate([*parts, nodes]), root

    def _block(self, variable: int, packing: Packing, place: int) -> tuple[Int32s, int]:
        """What finds the class of a variable, and where in it the kernels begin."""
        probe = self.probes.get(variable)
        listed = np.asarray(self.classes[variable])
        if probe is None:
            return classes_in(packing.fields[variable], variable, self.low[variable], listed, 0), 0
        if isinstance(probe, BoundedSum):
            return probe.block(packing, listed.tolist()), 0
        if _is_single_test(probe):
            (inner,) = probe.classes
            codes = -1 - probe.children[probe.start[0] + np.asarray(probe.classes[inner])]
            return classes_in(packing.fields[inner], inner, probe.low[inner], listed[codes], 0), 0
        nested, root = probe.laid_out(packing, place)
        head = np.array([NESTED, root, *listed], dtype=np.int32)
        return np.concatenate([nested, head]), len(nested)


Probe: TypeAlias = BoundedSum | DecisionTable
"""Finds the value of a derived variable; where it is a decision diagram, one whose probes are no such diagrams."""


def _is_single_test(probe: Probe) -> TypeGuard[DecisionTable]:
    """Whether it tests one variable once, so that its outcomes can be listed like classes of values."""
    return isinstance(probe, DecisionTable) and len(probe) == 1 and probe.root == 0 and not probe.probes


def value_table(variable: int, low: int, codes: Sequence[int]) -> DecisionTable:
    """The table that has, for the values of one variable from the lowest on, these codes."""
    different = sorted(set(codes))
    return DecisionTable(
        root=0,
        variable=np.array([variable], dtype=np.int32),
        start=np.zeros(1, dtype=np.int64),
        children=np.array([-1 - code for code in different], dtype=np.int32),
        classes={variable: np.searchsorted(np.array(different), np.array(codes))},
        low={variable: low},
    )


def codes_of(groups: Sequence[TableGroup], states: NDArray[np.int64], packing: Packing) -> NDArray[np.int64]:
    """The codes of packed states, one in each row, at compiled speed."""
    from symdmc.lookup.walks import look_up_all  # imports numba

    codes = np.empty(len(states), dtype=np.int64)
    look_up_all(table_image(groups, packing), np.ascontiguousarray(states).reshape(-1), codes)
    return codes


def combined(codes: Sequence[int], combination: str) -> int:
    """One code out of several: outside if any is, else a dead end if any is, else the largest or the sum; 0 of none."""
    special = max(codes, default=0)
    if special >= DEAD_END:
        return special
    return sum(codes) if combination == SUM else special


def table_image(groups: Sequence[TableGroup], packing: Packing) -> Int32s:
    """The tables as the kernels see them, for states packed in the given way."""
    head = [len(groups)]
    parts: list[Int32s] = []
    place = HEADS + sum(GROUP_TABLES + TABLE * len(group.tables) for group in groups)
    for group in groups:
        head += [len(group.tables), int(group.combination == SUM)]
        for table in group.tables:
            part, root = table.laid_out(packing, place)
            head += [table.kind, root]
            parts.append(part)
            place += len(part)
    return np.concatenate([np.array(head, dtype=np.int32), *parts])


def values_in(field: Field, variable: int) -> NDArray[np.int64]:
    """The value for each content of the field of a variable whose domain fits an array."""
    if field.mask >= MOST_BETWEEN:
        raise ValueError(f"the values of variable {variable} lie too far apart for a look-up table: {field.mask + 1:,}")
    return np.arange(field.mask + 1) + field.low


def field_block(field: Field, entries: NDArray[np.integer]) -> Int32s:
    """A field as the kernels find it, and an entry for each content of it."""
    return np.concatenate([[field.word, field.shift, field.mask], entries]).astype(np.int32)


def classes_in(field: Field, variable: int, low: int, classes: NDArray[np.integer], otherwise: int) -> Int32s:
    """The block with the class of each content; `classes` has those of the values from `low` on."""
    wanted = values_in(field, variable) - low
    inside = (wanted >= 0) & (wanted < len(classes))
    return field_block(field, np.where(inside, classes[np.where(inside, wanted, 0)], otherwise))


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
