"""Packed states as a decision diagram: sorted, then taken together from the last variable up [SW93].

States that begin alike share their first nodes; nodes below which the same can follow become one. What is left is the
smallest diagram that tests all variables in the given order. Every step works on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from symdmc.packed.arrays import Int64s
from symdmc.packed.packing import Field, Packing

WORD_BITS = 63
"""Of the words that are sorted, so that all of them are positive."""
ROOM = 4
"""A table with at most this many places for each number is quicker than sorting the numbers."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """The nodes that test one variable: each has an entry for every value that leads on."""

    variable: int
    start: Int64s
    """Where the entries of each node begin; behind the last node, where they end."""
    value: Int64s
    """Of each entry; in a node they grow."""
    child: Int64s
    """Of each entry the number of a node of the level below; in the lowest level 0, which stands for true."""

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.start) - 1


def reduced(
    states: Int64s, packing: Packing, order: Sequence[int], checkpoint: Callable[[], None] = lambda: None
) -> list[Level]:
    """The levels of the diagram of packed states, one in each row, none twice, at least one; the lowest level first.

    It tests the variables of the order that the packing does not keep constant. Those with one value in all states come
    before all others, where they cost nothing. The topmost level has one node. The checkpoint may end it early.
    """
    tested = [number for number in order if packing.fields[number].mask]
    single = {number for number in tested if _is_single(_column(states, packing.fields[number]))}
    tested = [*(k for k in tested if k in single), *(k for k in tested if k not in single)]
    rows = _SortedRows(states, [packing.fields[number] for number in tested])
    child = np.zeros(len(states), dtype=np.int64)
    levels: list[Level] = []
    for number in reversed(tested):
        checkpoint()
        value, start = rows.last_column(), rows.drop_last()
        entries = _Entries(start, (child << packing.fields[number].mask.bit_length()) | value)
        kept, child_above = entries.merged()
        spans, begins = entries.sizes[kept], np.zeros(len(kept) + 1, dtype=np.int64)
        np.cumsum(spans, out=begins[1:])
        which = np.arange(begins[-1]) + np.repeat(start[kept] - begins[:-1], spans)
        low = packing.fields[number].low
        levels.append(Level(variable=number, start=begins, value=value[which] + low, child=child[which]))
        child = child_above
    return levels


def _column(states: Int64s, field: Field) -> Int64s:
    return (states[:, field.word] >> field.shift) & field.mask


def _is_single(column: Int64s) -> bool:
    return bool((column == column[0]).all())


class _SortedRows:
    """The beginnings of all states, sorted, none twice; at first whole states, then one variable less each time."""

    def __init__(self, states: Int64s, fields: Sequence[Field]) -> None:
        self._places: list[tuple[int, int, int]] = []
        """For each variable its word, the bits below it, and how many bits it has."""
        words: list[Int64s] = []
        room = 0
        for field in fields:
            bits = field.mask.bit_length()
            if bits > room:
                words.append(np.zeros(len(states), dtype=np.int64))
                room = WORD_BITS
            room -= bits
            self._places.append((len(words) - 1, room, bits))
            words[-1] |= _column(states, field) << room
        order = np.lexsort(words[::-1]) if words else np.zeros(len(states), dtype=np.int64)
        self._words = [word[order] for word in words]
        self._differs = self._first_differences(len(states))
        """For each row the number of the first variable in which it differs from the one before it."""

    def _first_differences(self, rows: int) -> NDArray[np.int32]:
        differs = np.full(rows, len(self._places), dtype=np.int32)
        differs[:1] = -1
        for number in reversed(range(len(self._words))):
            changed = self._words[number][1:] ^ self._words[number][:-1]
            where = np.flatnonzero(changed)
            variable = np.zeros(WORD_BITS + 1, dtype=np.int32)
            for k, (word, shift, bits) in enumerate(self._places):
                if word == number:
                    variable[shift : shift + bits] = k
            differs[where + 1] = variable[_highest_bit(changed[where])]
        return differs

    def last_column(self) -> Int64s:
        """The last variable, in each of the beginnings."""
        word, shift, bits = self._places[-1]
        return (self._words[word] >> shift) & ((1 << bits) - 1)

    def drop_last(self) -> Int64s:
        """Forget the last variable; for each of the shorter beginnings the first longer one that begins so."""
        self._places.pop()
        first = np.flatnonzero(self._differs < len(self._places))
        left = self._places[-1][0] + 1 if self._places else 0
        self._words = [word[first] for word in self._words[:left]]
        self._differs = self._differs[first]
        return first


def _highest_bit(numbers: Int64s) -> NDArray[np.int32]:
    """The place of the highest bit of positive numbers."""
    place: NDArray[np.int32] = np.frexp(numbers.astype(np.float64))[1] - 1
    place -= numbers >> place == 0  # a large number may have been rounded up to the next power of two
    return place


class _Entries:
    """Groups of entries, each a number that stands for a value and a child."""

    def __init__(self, start: Int64s, entries: Int64s) -> None:
        self._start, self._entries = start, entries
        self.sizes = np.diff(start, append=len(entries))

    def merged(self) -> tuple[Int64s, Int64s]:
        """One group of each kind, by its number; and for each group which of these is like it."""
        alone = self.sizes == 1
        one, several = np.flatnonzero(alone), np.flatnonzero(~alone)
        first, like = _distinct(self._entries[self._start[one]])
        first_of_several, like_several = self._merged_several(several)
        found = np.empty(len(self._start), dtype=np.int64)
        found[one], found[several] = like, len(first) + like_several
        return np.concatenate([one[first], several[first_of_several]]), found

    def _merged_several(self, groups: Int64s) -> tuple[Int64s, Int64s]:
        """The same for groups with several entries: those with equal sums of scrambled entries are compared."""
        if len(groups) == 0:
            return groups, groups
        sizes = self.sizes[groups]
        ends = np.cumsum(sizes)
        behind = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        entries = self._entries[np.repeat(self._start[groups], sizes) + behind]
        for salt in count(1):
            first, like = _distinct(np.add.reduceat(_scrambled(entries, salt), ends - sizes))
            twin = first[like]
            if np.array_equal(sizes[twin], sizes):
                twins = entries[np.repeat((ends - sizes)[twin], sizes) + behind]
                if np.array_equal(twins, entries):
                    return first, like
        raise AssertionError


def _distinct(numbers: Int64s) -> tuple[Int64s, Int64s]:
    """Where each different number is first met, and for each number which of these it is."""
    if len(numbers) and numbers.min() >= 0 and numbers.max() < ROOM * len(numbers):
        first = np.full(int(numbers.max()) + 1, -1, dtype=np.int64)
        first[numbers[::-1]] = np.arange(len(numbers))[::-1]
        met = first >= 0
        return first[met], (np.cumsum(met) - 1)[numbers]
    _, first, like = np.unique(numbers, return_index=True, return_inverse=True)
    return first, like


def _scrambled(numbers: Int64s, salt: int) -> Int64s:
    """Numbers that look random; those of one salt are different for different numbers."""
    mixed = (numbers + salt * 0x51C8864680B583) * np.int64(-0x61C8864680B583EB)
    mixed = (mixed ^ (mixed >> 31)) * np.int64(-0x4B47D0C5EA7BAAB5)
    return (mixed ^ (mixed >> 29)) * np.int64(0x2545F4914F6CDD1D)
