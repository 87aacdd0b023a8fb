"""The compiled search loops. Each works for a number of expansions, then returns to Python for limits and progress.

All of them share `counters`, an array of integers with the positions below, and stop for the reasons below.
"""

from __future__ import annotations

import numpy as np

from symdmc.kernel.loops.store import FULL, SPILL, find_or_add, hash_and_fetch, hash_words
from symdmc.kernel.machine import image as at
from symdmc.kernel.machine import opcodes as op
from symdmc.kernel.machine.machine import expand, is_error
from symdmc.packed.arrays import Int64s
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
"""The mark of a state that was expanded; that of an open one is the last bit of its distance."""

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

Uint32s = np.ndarray[tuple[int], np.dtype[np.uint32]]
Uint8s = np.ndarray[tuple[int], np.dtype[np.uint8]]


@inlined
def account(counters: Int64s, number: int, count: int, trouble: int, goal: int) -> int:
    """Count an expansion; FINISHED to go on, ERROR_FOUND when the state is a deadlock or faults as looked for."""
    if trouble == op.OUTSIDE:
        return BROKEN
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
        if goal & LOOK_FOR_DEADLOCK:
            result = ERROR_FOUND
    if result == ERROR_FOUND:
        counters[FOUND] = number
    return result


@inlined
def holds_error(code: Int64s, states: Int64s, number: int, stack: Int64s, counters: Int64s, goal: int) -> bool:
    """Whether the error condition is looked for and holds in a state; notes the state if so."""
    if goal & LOOK_FOR_ERROR == 0:
        return False
    if not is_error(code, states, number * code[at.WORDS], stack):
        return False
    counters[FOUND] = number
    return True


@compiled
def has_room(counters: Int64s, most: int, capacity: int, slots: int) -> int:
    """Whether the successors of one more state surely fit: FINISHED, or what is full."""
    if counters[STORED] + most > capacity:
        return STORE_FULL
    if counters[STORED] + most > FULL * (slots - SPILL):
        return INDEX_FULL
    return FINISHED


@compiled
def run_queue(
    code: Int64s,
    states: Int64s,
    parents: Uint32s,
    slots: Int64s,
    successors: Int64s,
    taken: Int64s,
    stack: Int64s,
    trouble: Int64s,
    counters: Int64s,
    origin: Int64s,
    hashes: Int64s,
    fetched: Int64s,
    goal: int,
    bound: int,
    expansions: int,
) -> int:
    """Breadth first over the states in the order in which they were met; expands none deeper than `bound` - 1.

    States are expanded in batches, so that the index is asked for many successors at once; a batch ends with its layer.
    An error state is noticed when it is expanded if deadlocks or faults are looked for as well, so that the nearest
    of all is found first; else already when it is met.
    """
    words = code[at.WORDS]
    most = taken.shape[0] - BATCH
    capacity = parents.shape[0]
    early = goal == LOOK_FOR_ERROR
    while counters[EXPANDED] < counters[STORED]:
        if expansions <= 0:
            return PAUSED
        full = has_room(counters, BATCH + most, capacity, slots.shape[0])
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
            if not early and holds_error(code, states, number, stack, counters, goal):
                return ERROR_FOUND
            count = expand(code, states, number * words, successors, taken, total, stack, trouble)
            ended = account(counters, number, count, trouble[0], goal)
            if ended != FINISHED:
                return ended
            origin[total : total + count] = number
            total += count
            expansions -= 1
        if counters[DEPTH] >= bound:
            continue
        hash_and_fetch(slots, states, words, successors, total, hashes, fetched)
        for k in range(total):
            stored = counters[STORED]
            found = find_or_add(slots, states, stored, words, successors, k * words, hashes[k])
            if found == stored:
                parents[stored] = origin[k]
                counters[STORED] = stored + 1
                if early and holds_error(code, states, stored, stack, counters, goal):
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
def run_stack(
    code: Int64s,
    states: Int64s,
    parents: Uint32s,
    slots: Int64s,
    successors: Int64s,
    taken: Int64s,
    stack: Int64s,
    trouble: Int64s,
    counters: Int64s,
    open_states: Uint32s,
    goal: int,
    expansions: int,
) -> int:
    """Depth first: always expands the state met last, the first successor before the others."""
    words = code[at.WORDS]
    most = taken.shape[0] - BATCH
    capacity = parents.shape[0]
    while counters[PENDING] > 0:
        if expansions == 0:
            return PAUSED
        full = has_room(counters, most, capacity, slots.shape[0])
        if full != FINISHED:
            return full
        expansions -= 1
        counters[PENDING] -= 1
        number = int(open_states[counters[PENDING]])
        count = expand(code, states, number * words, successors, taken, 0, stack, trouble)
        ended = account(counters, number, count, trouble[0], goal)
        if ended != FINISHED:
            return ended
        if counters[RANDOM] != 0:
            _shuffle(successors, count, words, counters)
        for k in range(count - 1, -1, -1):
            stored = counters[STORED]
            found = find_or_add(
                slots, states, stored, words, successors, k * words, hash_words(successors, k * words, words)
            )
            if found == stored:
                parents[stored] = number
                counters[STORED] = stored + 1
                open_states[counters[PENDING]] = stored
                counters[PENDING] += 1
                if holds_error(code, states, stored, stack, counters, goal):
                    return ERROR_FOUND
    return FINISHED


@compiled
def run_layers(
    code: Int64s,
    states: Int64s,
    parents: Uint32s,
    slots: Int64s,
    successors: Int64s,
    taken: Int64s,
    stack: Int64s,
    trouble: Int64s,
    counters: Int64s,
    origin: Int64s,
    hashes: Int64s,
    fetched: Int64s,
    current: Uint32s,
    following: Uint32s,
    marks: Uint8s,
    goal: int,
    bound: int,
    expansions: int,
) -> int:
    """All states at one distance before those of the next, where steps cost 0 or 1; in batches as `run_queue`.

    A state met at the next distance may turn out to be at the current one; it then stands in both lists, and the
    second entry is passed over because the state is closed. What is open is at one of these two distances, so its mark
    tells which: it has the last bit of the distance. Returns FINISHED when the current layer is done.
    """
    words = code[at.WORDS]
    most = taken.shape[0] - BATCH
    capacity = parents.shape[0]
    depth = counters[DEPTH]
    while counters[HEAD] < counters[PENDING]:
        if expansions <= 0:
            return PAUSED
        full = has_room(counters, BATCH + most, capacity, slots.shape[0])
        if full != FINISHED:
            return full
        total = 0
        while counters[HEAD] < counters[PENDING] and total < BATCH:
            number = int(current[counters[HEAD]])
            counters[HEAD] += 1
            if marks[number] == CLOSED:
                continue
            marks[number] = CLOSED
            expansions -= 1
            if holds_error(code, states, number, stack, counters, goal):
                return ERROR_FOUND
            count = expand(code, states, number * words, successors, taken, total, stack, trouble)
            ended = account(counters, number, count, trouble[0], goal)
            if ended != FINISHED:
                return ended
            origin[total : total + count] = number
            total += count
        hash_and_fetch(slots, states, words, successors, total, hashes, fetched)
        for k in range(total):
            reached = depth + code[taken[k] + at.COST]
            if reached > bound:
                continue
            stored = counters[STORED]
            found = find_or_add(slots, states, stored, words, successors, k * words, hashes[k])
            if found == stored:
                counters[STORED] = stored + 1
            elif marks[found] == CLOSED or marks[found] == reached & 1 or reached > depth:
                continue
            parents[found] = origin[k]
            marks[found] = reached & 1
            if reached == depth:
                current[counters[PENDING]] = found
                counters[PENDING] += 1
            else:
                following[counters[NEXT]] = found
                counters[NEXT] += 1
    return FINISHED
