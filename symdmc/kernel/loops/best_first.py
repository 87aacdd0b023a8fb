"""Best-first search over packed states: A*, weighted A* and greedy search in one compiled loop.

Most of the time a state waits for memory, so the loop works in batches and in passes over a batch: while one pass goes
through the successors, the memory that the next one needs is on its way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symdmc.kernel.loops import exhaustive as loops
from symdmc.kernel.loops import open_list as opened
from symdmc.kernel.loops.exhaustive import Search
from symdmc.kernel.loops.open_list import OpenList
from symdmc.kernel.loops.prefetch import prefetch
from symdmc.kernel.loops.store import StateStore, add, find, hash_and_fetch, home
from symdmc.kernel.machine import image as at
from symdmc.kernel.machine.machine import Machine, expand, is_error
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.lookup.walks import look_up, look_up_some
from symdmc.packed.arrays import Int32s, Int64s
from symdmc.packed.jit import compiled, inlined

# Positions in the counters, behind those of `kernel.loops.exhaustive`.
REOPENED = loops.COUNTERS  # closed states reached at a smaller cost
DEAD_ENDS = loops.COUNTERS + 1  # steps to dead ends
COUNTERS = loops.COUNTERS + 2

# Why the loop returned, besides what `kernel.loops.exhaustive` knows.
BUCKETS_FULL = 10
POOL_FULL = 11
LEFT_THE_TABLE = 12

# What is kept for a state.
G = 0  # the smallest cost that it was reached at
H = 1  # the estimate, AGAIN above it once the state was reopened, and CLOSED once it is expanded
NODE = 2
AGAIN = 1 << 30
CLOSED = -1 << 31
ESTIMATE = AGAIN - 1


class Estimator(NamedTuple):
    """What gives the estimate of a state."""

    tables: Int32s
    floor: int
    """The least estimate of a state that is no error state."""


class Batch(NamedTuple):
    """What is kept for the successors of states that are expanded together."""

    origin: Int64s
    """The number of the state that each is a successor of."""
    hashes: Int64s
    known: Int64s
    """The number of each, or -1 minus the slot that it may have."""
    reached: Int64s
    """The cost that each is reached at."""
    chosen: Int64s
    """The successors that are new or reached at a smaller cost than before."""
    codes: Int64s
    """What the tables say about these."""

    @staticmethod
    def reserve(room: int) -> Batch:
        """Room for this many successors."""
        return Batch(*(np.empty(room, dtype=np.int64) for _ in range(6)))


@inlined
def open_state(open_list: OpenList, nodes: Int32s, number: int) -> None:
    """Put a state on top of the bucket of its g and h."""
    g, h = nodes[number * NODE + G], nodes[number * NODE + H] & ESTIMATE
    opened.put(open_list, opened.bucket_of(open_list, g, h), number)


@inlined
def _at_least(machine: Machine, found: int, floor: int, states: Int64s, base: int) -> int:
    """What was looked up for the state at `base`, but not less than the floor where it is no error state."""
    if found < floor and not is_error(machine, states, base):
        return floor
    return found


@compiled
def estimate(machine: Machine, estimator: Estimator, states: Int64s, base: int) -> int:
    """What the tables and the floor say about the state at `base`."""
    return _at_least(machine, look_up(estimator.tables, states, base), estimator.floor, states, base)


@inlined
def _account(search: Search, number: int, count: int, trouble: int, again: bool) -> int:
    """Count an expansion; a state expanded again was no goal the first time, and its deadlock or fault is known."""
    if not again:
        return loops.account(search, number, count, trouble)
    search.counters[loops.EXPANDED] += 1
    search.counters[loops.GENERATED] += count
    return loops.FINISHED


@inlined
def _prefetch_chunk(open_list: OpenList, top: int, store: StateStore, nodes: Int32s) -> None:
    """Begin to read the states that will be taken out of a chunk if nothing is put on top of them."""
    for place in range(top, top & -opened.CHUNK, -1):
        number = int(open_list.pool[place])
        prefetch(store.states.ctypes.data + 8 * store.words * number)
        prefetch(nodes.ctypes.data + 4 * NODE * number)


@inlined
def _expand_best(
    search: Search, batch: Batch, nodes: Int32s, open_list: OpenList, best: int, width: int
) -> tuple[int, int, int]:
    """Expand states of the best bucket and of those that share its first key, until there are `width` successors.

    Returns why it ended, FINISHED to go on; the number of successors; and how many states were expanded.
    """
    machine, store, buckets = search.machine, search.store, open_list.buckets
    first_key = buckets[best * opened.BUCKET + opened.FIRST_KEY]
    total, expanded, ahead = 0, 0, 0
    while best != opened.NONE and buckets[best * opened.BUCKET + opened.FIRST_KEY] == first_key and total < width:
        top = buckets[best * opened.BUCKET + opened.TOP]
        if top // opened.CHUNK != ahead:
            ahead = top // opened.CHUNK
            _prefetch_chunk(open_list, top, store, nodes)
        g = buckets[best * opened.BUCKET + opened.COST]
        number = opened.take(open_list, best)
        if buckets[best * opened.BUCKET + opened.TOP] == 0:
            best = opened.best_bucket(open_list)
        node = number * NODE
        if nodes[node + G] != g:
            continue
        count, ended = 0, loops.ERROR_FOUND
        if not loops.holds_error(search, number):
            count, trouble = expand(machine, store.states, number * store.words, total)
            ended = _account(search, number, count, trouble, nodes[node + H] & AGAIN != 0)
        search.counters[loops.DEPTH] = g
        if ended != loops.FINISHED:
            # The successors of this batch are not stored: for what is said about shorter paths it is still open.
            for k in range(total):
                nodes[batch.origin[k] * NODE + H] &= ~CLOSED
            return ended, total, expanded
        nodes[node + H] |= CLOSED
        for k in range(total, total + count):
            batch.origin[k] = number
            batch.reached[k] = g + machine.image[machine.taken[k] + at.COST]
        total += count
        expanded += 1
    return loops.FINISHED, total, expanded


@inlined
def _choose(batch: Batch, nodes: Int32s, total: int) -> int:
    """List the steps to states that are new or now reached at a smaller cost; returns how many there are.

    Which ones these are cannot be guessed, so that branches would cost more than the work.
    """
    count = 0
    for k in range(total):
        batch.chosen[count] = k
        g = nodes[max(batch.known[k], 0) * NODE + G]
        count += int(batch.known[k] < 0) | int(batch.reached[k] < g)
    return count


@inlined
def _keep_better(search: Search, batch: Batch, nodes: Int32s, estimator: Estimator, better: int, greedy: bool) -> int:
    """Store the chosen successors that are new and no dead ends, and note the smaller costs of the others.

    Returns how many states are to be opened, with their numbers and costs the first ones in the batch; or -1 where the
    tables do not know one.
    """
    machine, store, counters, _ = search
    successors, words = machine.successors, store.words
    fresh = 0
    for position in range(better):
        k = batch.chosen[position]
        found, reached = batch.known[k], batch.reached[k]
        if found < 0:
            h = _at_least(machine, batch.codes[position], estimator.floor, successors, k * words)
            if h == DEAD_END:
                counters[DEAD_ENDS] += 1
                continue
            if h == OUTSIDE:
                return -1
            # A state before it in this batch may be the same, or have taken the slot.
            found = find(store, successors, k * words, batch.hashes[k], -1 - found)
        if found < 0:
            slot = -1 - found
            found = counters[loops.STORED]
            counters[loops.STORED] = found + 1
            add(store, found, successors, k * words, batch.hashes[k], slot)
            nodes[found * NODE + H] = h
        elif greedy or reached >= nodes[found * NODE + G]:
            continue
        elif nodes[found * NODE + H] < 0:
            counters[REOPENED] += 1
            nodes[found * NODE + H] = (nodes[found * NODE + H] & ESTIMATE) | AGAIN
        store.parents[found] = batch.origin[k]
        nodes[found * NODE + G] = reached
        batch.known[fresh] = found
        batch.reached[fresh] = reached
        fresh += 1
    return fresh


@compiled
def run_best_first(
    search: Search, batch: Batch, nodes: Int32s, open_list: OpenList, estimator: Estimator, gather: int, expansions: int
) -> int:
    """Always expands states of the best bucket; states are tested when they are expanded.

    States are expanded in batches, so that the index is asked for many successors at once. A batch is taken from the
    buckets that share the best first key: for A* all of it has the smallest f. So, if the estimates are admissible, an
    error state in it is a nearest one; and if they are consistent, each state in it was reached at its smallest cost.
    A batch has at most one more than a 2^gather-th of the states expanded so far. It is always taken whole: how many
    expansions are asked for, which time decides, must not change the order.
    """
    machine, store, counters, _ = search
    successors, room = machine.successors, machine.taken.shape[0]
    while True:
        if expansions <= 0:
            return loops.PAUSED
        full = loops.has_room(search, room)
        if full != loops.FINISHED:
            return full
        if opened.lacks_buckets(open_list, room):
            return BUCKETS_FULL
        if opened.lacks_chunks(open_list, room):
            return POOL_FULL
        best = opened.best_bucket(open_list)
        if best == opened.NONE:
            return loops.FINISHED
        width = min(loops.BATCH, 1 + (counters[loops.EXPANDED] >> gather))
        ended, total, expanded = _expand_best(search, batch, nodes, open_list, best, width)
        if ended != loops.FINISHED:
            return ended
        expansions -= expanded
        hash_and_fetch(store, successors, total, batch.hashes, batch.known)
        for k in range(total):
            slot = home(batch.hashes[k], store.slots)
            batch.known[k] = find(store, successors, k * store.words, batch.hashes[k], slot)
        better = _choose(batch, nodes, total)
        look_up_some(estimator.tables, successors, store.words, batch.chosen, better, batch.codes)
        fresh = _keep_better(search, batch, nodes, estimator, better, open_list.greedy)
        if fresh < 0:
            return LEFT_THE_TABLE
        # Backwards, so that they will be expanded in the order in which they were met: that finds more in the caches.
        # A state that was reached once more in this batch, at a smaller cost, stands there a second time.
        for k in range(fresh - 1, -1, -1):
            if nodes[batch.known[k] * NODE + G] == batch.reached[k]:
                open_state(open_list, nodes, batch.known[k])
