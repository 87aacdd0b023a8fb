"""The compiled search loops. Each works for a number of expansions, then returns to Python for limits and progress.

All of them share `counters`, an array of integers with the positions below, and stop for the reasons below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symdmc.kernel.loops.store import FULL, SPILL, StateStore, find_or_add, hash_and_fetch, hash_words
from symdmc.kernel.machine import image as at
from symdmc.kernel.machine import opcodes as op
from symdmc.kernel.machine.machine import Machine, expand, is_error, is_error_when_stuck
from symdmc.packed.arrays import Int64s, Uint8s, Uint32s
from symdmc.packed.jit import compiled, inlined

# Positions in the counters.
STORED = 0  # states met
EXPANDED = 1
GENERATED = 2  # steps taken
DEPTH = 3  # of the state expanded last
LAYER_END = 4  # number of the first state of the next layer
DEADLOCKS = 5
FIRST_DEADLOCK = 6
FAULTY = 7  # expanded states from which a step faults
FIRST_FAULTY = 8
FOUND = 9  # the error state found
PENDING = 10  # open entries (stack height, or entries of the current layer)
NEXT = 11  # entries of the next layer
RANDOM = 12  # state of the random numbers; 0: keep the order of the transitions
HEAD = 13  # entries of the current layer that were taken
COUNTERS = 14

CLOSED = 2
"""The mark of a state that was expanded."""

BATCH = 256
"""Breadth-first search collects at least this many successors before it asks the index for them."""

# Why a loop returned.
FINISHED = 0
PAUSED = 1
INDEX_FULL = 2
STORE_FULL = 3
ERROR_FOUND = 4
BROKEN = 5

# What to look for, added up.
LOOK_FOR_ERROR = 1
LOOK_FOR_DEADLOCK = 2
LOOK_FOR_FAULT = 4


class Search(NamedTuple):
    """What all loops work on."""

    machine: Machine
    store: StateStore
    counters: Int64s
    goal: int
    """What is looked for."""


class Batch(NamedTuple):
    """What the loops keep for the successors of several states, which they look up together."""

    origin: Int64s
    """The number of the state that each is a successor of."""
    hashes: Int64s
    fetched: Int64s

    @staticmethod
    def reserve(room: int) -> Batch:
        """Room for this many successors."""
        return Batch(*(np.empty(room, dtype=np.int64) for _ in range(3)))


class Layers(NamedTuple):
    """The states at the current distance and at the next, where steps cost 0 or 1."""

    current: Uint32s
    following: Uint32s
    marks: Uint8s
    """CLOSED for each state that was expanded, else the last bit of its distance."""


@inlined
def account(search: Search, number: int, count: int, trouble: int) -> int:
    """Count an expansion; FINISHED to go on, ERROR_FOUND when the state is a deadlock or faults as looked for."""
    if trouble == op.OUTSIDE:
        return BROKEN
    counters, goal = search.counters, search.goal
    counters[EXPANDED] += 1
    counters[GENERATED] += count
    result = FINISHED
    if trouble == op.FAULT:
        counters[FAULTY] += 1
        if counters[FIRST_FAULTY] < 0:
            counters[FIRST_FAULTY] = number
        if goal & LOOK_FOR_FAULT:
            result = ERROR_FOUND
    if count == 0:
        counters[DEADLOCKS] += 1
        if counters[FIRST_DEADLOCK] < 0:
            counters[FIRST_DEADLOCK] = number
        if goal & LOOK_FOR_DEADLOCK and is_error_when_stuck(
            search.machine, search.store.states, number * search.store.words
        ):
            result = ERROR_FOUND
    if result == ERROR_FOUND:
        counters[FOUND] = number
    return result


@inlined
def holds_error(search: Search, number: int) -> bool:
    """Whether the error condition is looked for and holds in a state; notes the state if so."""
    if search.goal & LOOK_FOR_ERROR == 0:
        return False
    if not is_error(search.machine, search.store.states, number * search.store.words):
        return False
    search.counters[FOUND] = number
    return True


@inlined
def _expand_into(search: Search, batch: Batch, total: int, number: int) -> tuple[int, int]:
    """Add the successors of a state to a batch of `total`: how many it has then, and FINISHED to go on."""
    count, trouble = expand(search.machine, search.store.states, number * search.store.words, total)
    batch.origin[total : total + count] = number
    return total + count, account(search, number, count, trouble)


@compiled
def has_room(search: Search, most: int) -> int:
    """Whether this many successors surely fit: FINISHED, or what is full."""
    if search.counters[STORED] + most > search.store.capacity:
        return STORE_FULL
    if search.counters[STORED] + most > FULL * (search.store.slots.shape[0] - SPILL):
        return INDEX_FULL
    return FINISHED


@compiled
def run_queue(search: Search, batch: Batch, bound: int, expansions: int) -> int:
    """Breadth first over the states in the order in which they were met; expands none deeper than `bound` - 1.

    States are expanded in batches, so that the index is asked for many successors at once; a batch ends with its layer.
    An error state is noticed when it is expanded if deadlocks or faults are looked for as well, so that the nearest
    of all is found first; else already when it is met.
    """
    machine, store, counters, goal = search
    early = goal == LOOK_FOR_ERROR
    while counters[EXPANDED] < counters[STORED]:
        if expansions <= 0:
            return PAUSED
        full = has_room(search, machine.taken.shape[0])
        if full != FINISHED:
            return full
        if counters[EXPANDED] == counters[LAYER_END]:
            counters[DEPTH] += 1
            counters[LAYER_END] = counters[STORED]
        if counters[DEPTH] >= bound and early:
            return FINISHED
        total = 0
        while counters[EXPANDED] < counters[LAYER_END] and total < BATCH:
            number = counters[EXPANDED]
            if not early and holds_error(search, number):
                return ERROR_FOUND
            total, ended = _expand_into(search, batch, total, number)
            if ended != FINISHED:
                return ended
            expansions -= 1
        if counters[DEPTH] >= bound:
            continue
        hash_and_fetch(store, machine.successors, total, batch.hashes, batch.fetched)
        for k in range(total):
            stored = counters[STORED]
            found = find_or_add(store, stored, machine.successors, k * store.words, batch.hashes[k])
            if found == stored:
                store.parents[stored] = batch.origin[k]
                counters[STORED] = stored + 1
                if early and holds_error(search, stored):
                    return ERROR_FOUND
    return FINISHED


@compiled
def _shuffle(successors: Int64s, count: int, words: int, counters: Int64s) -> None:
    """Put the successors into a random order (xorshift, so that a seed gives the same order everywhere)."""
    for k in range(count - 1, 0, -1):
        value = counters[RANDOM]
        value ^= value << 13
        value ^= (value >> 7) & 0x1FFFFFFFFFFFFFF
        value ^= value << 17
        counters[RANDOM] = value
        other = ((value >> 11) & 0x1FFFFFFFFFFFFF) % (k + 1)
        for w in range(words):
            kept = successors[k * words + w]
            successors[k * words + w] = successors[other * words + w]
            successors[other * words + w] = kept


@compiled
def run_stack(search: Search, open_states: Uint32s, expansions: int) -> int:
    """Depth first: always expands the state met last, the first successor before the others."""
    machine, store, counters, _ = search
    successors, words = machine.successors, store.words
    while counters[PENDING] > 0:
        if expansions == 0:
            return PAUSED
        full = has_room(search, machine.taken.shape[0] - BATCH)
        if full != FINISHED:
            return full
        expansions -= 1
        counters[PENDING] -= 1
        number = int(open_states[counters[PENDING]])
        count, trouble = expand(machine, store.states, number * words, 0)
        ended = account(search, number, count, trouble)
        if ended != FINISHED:
            return ended
        if counters[RANDOM] != 0:
            _shuffle(successors, count, words, counters)
        for k in range(count - 1, -1, -1):
            stored = counters[STORED]
            found = find_or_add(store, stored, successors, k * words, hash_words(successors, k * words, words))
            if found == stored:
                store.parents[stored] = number
                counters[STORED] = stored + 1
                open_states[counters[PENDING]] = stored
                counters[PENDING] += 1
                if holds_error(search, stored):
                    return ERROR_FOUND
    return FINISHED


@compiled
def run_layers(search: Search, batch: Batch, layers: Layers, bound: int, expansions: int) -> int:
    """All states at one distance before those of the next, where steps cost 0 or 1; in batches as `run_queue`.

    A state met at the next distance may turn out to be at the current one; it then stands in both lists, and the
    second entry is passed over because the state is closed. An open state is at one of these two distances, and the
    last bit of the distance, its mark, says at which. Returns FINISHED when the current layer is done.
    """
    machine, store, counters, _ = search
    marks = layers.marks
    depth = counters[DEPTH]
    while counters[HEAD] < counters[PENDING]:
        if expansions <= 0:
            return PAUSED
        full = has_room(search, machine.taken.shape[0])
        if full != FINISHED:
            return full
        total = 0
        while counters[HEAD] < counters[PENDING] and total < BATCH:
            number = int(layers.current[counters[HEAD]])
            counters[HEAD] += 1
            if marks[number] == CLOSED:
                continue
            marks[number] = CLOSED
            expansions -= 1
            if holds_error(search, number):
                return ERROR_FOUND
            total, ended = _expand_into(search, batch, total, number)
            if ended != FINISHED:
                return ended
        hash_and_fetch(store, machine.successors, total, batch.hashes, batch.fetched)
        for k in range(total):
            reached = depth + machine.image[machine.taken[k] + at.COST]
            if reached > bound:
                continue
            stored = counters[STORED]
            found = find_or_add(store, stored, machine.successors, k * store.words, batch.hashes[k])
            if found == stored:
                counters[STORED] = stored + 1
            elif marks[found] == CLOSED or marks[found] == reached & 1 or reached > depth:
                continue
            store.parents[found] = batch.origin[k]
            marks[found] = reached & 1
            if reached == depth:
                layers.current[counters[PENDING]] = found
                counters[PENDING] += 1
            else:
                layers.following[counters[NEXT]] = found
                counters[NEXT] += 1
    return FINISHED
