"""The states met so far: packed words, parents, and a hash index with open addressing, all in flat arrays.

A slot of the index holds the upper 32 bits of the hash above the number of the state plus one; 0 is an empty slot. A
state belongs into the slot that the topmost bits of its hash name, or the next free one. The index doubles in place and
in order: what was in slot i goes to about 2i, so that memory is walked through, not jumped about in, and the old and
the new index never exist side by side. The other arrays are reserved once at their largest size; the system gives them
memory only as they are written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symdmc.packed.arrays import Int64s, Uint32s
from symdmc.packed.jit import compiled, inlined, making_arrays

MOST_STATES = 3 << 29
"""Three quarters of 2^31 slots, the largest index that `home` can compute with."""
FIRST_BITS = 16
"""The index starts with two to the power of this slots."""
SPILL = 1 << 13
"""Slots behind the last one that a hash can name, so that a search for a free slot never has to start over."""
FULL = 0.75
"""The share of slots in use at which the index grows."""
CROWDED = "the hash index is full at its end"
"""With three quarters of the slots in use, thousands in a row are in use with a chance of nearly nothing."""
UPPER = -0x100000000
"""The upper 32 bits."""


class StateStore(NamedTuple):
    """Room for the states of one search."""

    words: int
    """Of one state."""
    capacity: int
    states: Int64s
    parents: Uint32s
    slots: Int64s

    @staticmethod
    def reserve(words: int, memory_bytes: int, least: int) -> StateStore:
        """A store for as many states as fit into the memory, but for no fewer than `least`."""
        capacity = min(MOST_STATES, max(least, memory_bytes // (8 * words + 4 + 8)))
        while True:
            try:
                states = np.empty(capacity * words, dtype=np.int64)
                parents = np.empty(capacity, dtype=np.uint32)
                return StateStore(words, capacity, states, parents, np.zeros((1 << FIRST_BITS) + SPILL, dtype=np.int64))
            except MemoryError:
                if capacity == least:
                    raise
                capacity = max(least, capacity // 2)

    @property
    def index_size(self) -> int:
        """How many slots a hash can name."""
        return len(self.slots) - SPILL

    def grow_index(self) -> None:
        """Double the index in place."""
        used = len(self.slots)
        self.slots.resize(2 * self.index_size + SPILL, refcheck=False)  # large blocks move without being copied
        spread(self.slots, used)


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
def home(value: int, slots: Int64s) -> int:
    """The slot that a hash, or the entry of a slot, belongs into."""
    size = slots.shape[0] - SPILL
    return int((((value >> 32) & 0xFFFFFFFF) * size) >> 32)


@compiled
def hash_and_fetch(store: StateStore, candidates: Int64s, count: int, hashes: Int64s, fetched: Int64s) -> None:
    """Hash some candidates and read what `find` will look at, so that many slow reads overlap.

    Alone, each candidate would wait for memory twice, for its slot and for the state found there.
    """
    slots, words = store.slots, store.words
    for k in range(count):
        hashes[k] = hash_words(candidates, k * words, words)
    for k in range(count):
        fetched[k] = slots[home(hashes[k], slots)]
    for k in range(count):
        entry = fetched[k]
        if entry != 0 and entry & UPPER == hashes[k] & UPPER:
            fetched[k] = store.states[((entry & 0xFFFFFFFF) - 1) * words]


@inlined
def find(store: StateStore, candidates: Int64s, base: int, value: int, slot: int) -> int:
    """The number of a stored state with hash `value`; of one that is not stored, -1 minus the slot that it may have.

    The search begins at a slot: the state's home, or one that it could have had before.
    """
    states, slots, words = store.states, store.slots, store.words
    tag = value & UPPER
    while True:
        entry = slots[slot]
        if entry == 0:
            return -1 - slot
        if entry & UPPER == tag:
            number = (entry & 0xFFFFFFFF) - 1
            same = True
            for w in range(words):
                if states[number * words + w] != candidates[base + w]:
                    same = False
                    break
            if same:
                return int(number)
        slot += 1
        if slot == slots.shape[0]:
            raise IndexError(CROWDED)


@inlined
def add(store: StateStore, number: int, candidates: Int64s, base: int, value: int, slot: int) -> None:
    """Store a state in the slot that `find` has named. The arrays must have room."""
    for w in range(store.words):
        store.states[number * store.words + w] = candidates[base + w]
    store.slots[slot] = (value & UPPER) | (number + 1)


@compiled
def find_or_add(store: StateStore, count: int, candidates: Int64s, base: int, value: int) -> int:
    """The number of a state with hash `value`; adds it as number `count` when it is new. The arrays must have room."""
    found = find(store, candidates, base, value, home(value, store.slots))
    if found >= 0:
        return found
    add(store, count, candidates, base, value, -1 - found)
    return count


@making_arrays
def spread(slots: Int64s, used: int) -> None:
    """Move the entries of the first `used` slots to where they belong now that there are twice as many.

    From the last to the first, an entry in slot i moves behind all that are still to be moved: it was at most SPILL
    slots behind its home, and its new home is twice as far from the start. Only the first few could get in the way of
    others; they are taken out before and put back at the end.
    """
    early = min(used, 4 * SPILL)
    kept = slots[:early].copy()
    slots[:early] = 0
    for slot in range(used - 1, early - 1, -1):
        entry = slots[slot]
        if entry != 0:
            slots[slot] = 0
            _put(slots, entry)
    for k in range(early):
        if kept[k] != 0:
            _put(slots, kept[k])


@compiled
def _put(slots: Int64s, entry: int) -> None:
    slot = home(entry, slots)
    while slots[slot] != 0:
        slot += 1
        if slot == slots.shape[0]:
            raise IndexError(CROWDED)
    slots[slot] = entry
