"""The states met so far: packed words, parents, and a hash index with open addressing, all in flat arrays.

A slot of the index holds 32 bits of the hash above the number of the state plus one; 0 is an empty slot. The index is
rebuilt from the states when it grows, so that the old and the new one never exist at the same time. The other arrays
are reserved once at their largest size; the system gives them memory only as they are written.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symdmc.kernel.compiler import Int64s
from symdmc.kernel.jit import compiled

MOST_STATES = 2**32 - 2
FIRST_SLOTS = 1 << 16
AHEAD = 256
FULL = 0.75
"""The share of slots in use at which the index grows."""


@compiled
def hash_words(words: Int64s, base: int, count: int) -> int:
    """A 64-bit hash of a packed state."""
    value = 0x2545F4914F6CDD1D
    for w in range(count):
        value = (value ^ words[base + w]) * -0x61C8864680B583EB
        value ^= (value >> 29) & 0x7FFFFFFFF
    value *= -0x4B47D0C5EA7BAAB5
    return value ^ ((value >> 32) & 0xFFFFFFFF)


@compiled
def hash_and_fetch(
    slots: Int64s, states: Int64s, words: int, candidates: Int64s, count: int, hashes: Int64s, fetched: Int64s
) -> None:
    """Hash some candidates and read what `find_or_add` will look at, so that many slow reads overlap.

    Alone, each candidate would wait for memory twice, for its slot and for the state found there.
    """
    mask = slots.shape[0] - 1
    for k in range(count):
        hashes[k] = hash_words(candidates, k * words, words)
    for k in range(count):
        fetched[k] = slots[hashes[k] & mask]
    for k in range(count):
        entry = fetched[k]
        if entry != 0 and entry & -0x100000000 == hashes[k] & -0x100000000:
            fetched[k] = states[((entry & 0xFFFFFFFF) - 1) * words]


@compiled
def find_or_add(
    slots: Int64s, states: Int64s, count: int, words: int, candidates: Int64s, base: int, value: int
) -> int:
    """The number of a state with hash `value`; adds it as number `count` when it is new. The arrays must have room."""
    mask = slots.shape[0] - 1
    tag = value & -0x100000000
    slot = value & mask
    while True:
        entry = slots[slot]
        if entry == 0:
            for w in range(words):
                states[count * words + w] = candidates[base + w]
            slots[slot] = tag | (count + 1)
            return count
        if entry & -0x100000000 == tag:
            number = (entry & 0xFFFFFFFF) - 1
            same = True
            for w in range(words):
                if states[number * words + w] != candidates[base + w]:
                    same = False
                    break
            if same:
                return int(number)
        slot = (slot + 1) & mask


@compiled
def fill_slots(slots: Int64s, states: Int64s, count: int, words: int) -> None:
    """Put all states into an empty index, reading the slots of many states ahead so that the slow reads overlap."""
    mask = slots.shape[0] - 1
    hashes = np.empty(AHEAD, np.int64)
    fetched = np.empty(AHEAD, np.int64)
    for first in range(0, count, AHEAD):
        last = min(count, first + AHEAD)
        for number in range(first, last):
            hashes[number - first] = hash_words(states, number * words, words)
        for k in range(last - first):
            fetched[k] = slots[hashes[k] & mask]
        for number in range(first, last):
            value = hashes[number - first]
            slot = value & mask
            while slots[slot] != 0:
                slot = (slot + 1) & mask
            slots[slot] = (value & -0x100000000) | (number + 1)


@dataclass(slots=True)
class StateStore:
    """Room for the states of one search."""

    words: int
    capacity: int
    states: Int64s
    parents: np.ndarray[tuple[int], np.dtype[np.uint32]]
    slots: Int64s

    @staticmethod
    def reserve(words: int, memory_bytes: int, least: int) -> StateStore:
        """A store that can hold as many states as fit into the memory, and at least so many."""
        capacity = min(MOST_STATES, max(least, memory_bytes // (8 * words + 4 + 8)))
        while True:
            try:
                states = np.empty(capacity * words, dtype=np.int64)
                parents = np.empty(capacity, dtype=np.uint32)
                return StateStore(words, capacity, states, parents, np.zeros(FIRST_SLOTS, dtype=np.int64))
            except MemoryError:
                if capacity == least:
                    raise
                capacity = max(least, capacity // 2)

    def grow_index(self, count: int) -> None:
        """Double the index."""
        size = 2 * len(self.slots)
        self.slots = np.zeros(0, dtype=np.int64)  # give the memory back before asking for more
        self.slots = np.zeros(size, dtype=np.int64)
        fill_slots(self.slots, self.states, count, self.words)
