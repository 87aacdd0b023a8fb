"""Many states at once: packed into words, taken apart into columns, looked up in sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from symdmc.evidence.certificate import numbers_of
from symdmc.evidence.smt.terms import SmtLayout
from symdmc.model.state import State

Int64s = NDArray[np.int64]

WORD_BITS = 63
"""The bits used of a word, so that all words are positive."""


@dataclass(frozen=True, slots=True)
class SlotBits:
    """Where the bits of a slot are: their word, how far they are shifted in it, and a mask of their width."""

    word: int
    shift: int
    mask: int


class StatePacking:
    """The places of the bits of all slots of a layout, except those of constants."""

    def __init__(self, layout: SmtLayout) -> None:
        self.layout = layout
        self.fields: dict[int, SlotBits] = {}
        self.words = 1
        used = 0
        for slot, each in enumerate(layout.slots):
            if each.fixed is not None:
                continue
            if used + each.width > WORD_BITS:
                self.words, used = self.words + 1, 0
            self.fields[slot] = SlotBits(self.words - 1, used, (1 << each.width) - 1)
            used += each.width

    def pack(self, states: Sequence[State]) -> StateRows:
        """The states, one in each row."""
        words = [np.zeros(len(states), dtype=np.int64) for _ in range(self.words)]
        shape = len(states), len(self.layout.slots)
        numbers = np.array([numbers_of(state, self.layout.places) for state in states], dtype=np.int64).reshape(shape)
        for slot, field in self.fields.items():
            words[field.word] |= (numbers[:, slot] & field.mask) << field.shift
        return StateRows(self, words)


class StateRows:
    """Some states, packed."""

    def __init__(self, packing: StatePacking, words: Sequence[Int64s]) -> None:
        self.packing = packing
        self.words = words

    def __len__(self) -> int:
        """How many there are."""
        return len(self.words[0])

    def column(self, slot: int) -> Int64s:
        """The bits of a slot in each of the states."""
        field = self.packing.fields[slot]
        return (self.words[field.word] >> field.shift) & field.mask

    def taken(self, which: NDArray[np.integer] | NDArray[np.bool_] | slice) -> StateRows:
        """The chosen states."""
        return StateRows(self.packing, [word[which] for word in self.words])

    def changed(self, columns: Mapping[int, NDArray[np.integer]]) -> StateRows:
        """The same states with other bits in some slots."""
        words = list(self.words)
        for slot, bits in columns.items():
            field = self.packing.fields[slot]
            words[field.word] = (words[field.word] & ~(field.mask << field.shift)) | (bits << field.shift)
        return StateRows(self.packing, words)

    def portions(self, size: int) -> Iterator[StateRows]:
        """All states, at most `size` at a time."""
        for start in range(0, len(self), size):
            yield self.taken(slice(start, start + size))

    def state(self, row: int) -> State:
        """The state in a row."""
        layout = self.packing.layout
        numbers = []
        for slot, each in enumerate(layout.slots):
            if each.fixed is not None:
                numbers.append(each.fixed)
            else:
                field = self.packing.fields[slot]
                bits = (int(self.words[field.word][row]) >> field.shift) & field.mask
                numbers.append(bits - (1 << each.width) if each.signed and bits >> (each.width - 1) else bits)
        return layout.state(numbers)


class StateSet:
    """A set of packed states that can be asked for many states at once. Every answer is exact."""

    def __init__(self, rows: StateRows) -> None:
        for self._salt in count():
            keys = self._keys(rows)
            order = np.argsort(keys, kind="stable")
            self._sorted = keys[order]
            self.rows = rows.taken(order)
            """All its states, none twice."""
            again = np.flatnonzero(self._sorted[1:] == self._sorted[:-1])
            same = np.ones(len(again), dtype=bool)
            for word in self.rows.words:
                same &= word[again] == word[again + 1]
            if same.all():
                break
        if len(again):
            kept = np.setdiff1d(np.arange(len(rows)), again + 1)
            self._sorted, self.rows = self._sorted[kept], self.rows.taken(kept)

    def __len__(self) -> int:
        """How many states it has."""
        return len(self.rows)

    def contains(self, rows: StateRows) -> NDArray[np.bool_]:
        """Which of the states are in the set."""
        if len(self) == 0:
            return np.zeros(len(rows), dtype=bool)
        found = np.minimum(np.searchsorted(self._sorted, self._keys(rows)), len(self) - 1)
        inside = np.ones(len(rows), dtype=bool)
        for own, asked in zip(self.rows.words, rows.words, strict=True):
            inside &= own[found] == asked
        return inside

    def _keys(self, rows: StateRows) -> Int64s:
        """A number for each state, different for different states of the set; with one word only, the word itself."""
        first, *others = rows.words
        if not others:
            return first
        keys = first + self._salt
        for word in others:
            keys = (keys ^ (keys >> 29)) * np.int64(-0x4B47D0C5EA7BAAB5) + word
        return (keys ^ (keys >> 32)) * np.int64(-0x61C8864680B583EB)
