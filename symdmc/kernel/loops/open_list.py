"""The open list of best-first search: states in buckets of one g and h, the best bucket first.

A bucket is a stack of state numbers, last in first out, in chunks of one cache line that all buckets take from one pool
and give back to it. A state that is reached at a smaller cost is put into another bucket and left where it was: it has
another cost by then than the bucket has, so whoever takes it out there can tell that it is stale. Buckets are found by
their key in a small hash table and kept in a heap that gives the best one. An empty bucket stays in the heap until it
is the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symdmc.packed.arrays import Int32s, Int64s, Uint32s
from symdmc.packed.jit import compiled, inlined

# Positions in the counters of an open list.
BUCKETS = 0  # buckets ever used
HEAP = 1  # buckets in the heap
CHUNKS = 2  # chunks ever used; the first one is never used, so that 0 is no place
UNUSED = 3  # the chunk given back last; 0: none
COUNTERS = 4

NONE = -1

# What is kept for a bucket: those with the smallest keys are best.
FIRST_KEY = 0
SECOND_KEY = 1
COST = 2  # g of its states
TOP = 3  # place of the state put in last; 0: the bucket is empty
IN_HEAP = 4
BUCKET = 5

CHUNK = 16
"""Places in a chunk. The first one says what is below it: the last place of another chunk, or 0. Of a chunk given back
it names the one given back before."""
LAST = CHUNK - 1


class OpenList(NamedTuple):
    """The arrays of an open list, and the rule that orders it."""

    buckets: Int64s
    heads: Int32s
    """The hash table: numbers of buckets, or NONE."""
    heap: Int32s
    pool: Uint32s
    counters: Int64s
    greedy: bool
    """By h, then the largest g; else by denominator * g + numerator * h, then h."""
    numerator: int
    denominator: int

    @staticmethod
    def reserve(buckets: int, chunks: int, rule: tuple[bool, int, int]) -> OpenList:
        """An empty open list with room for some buckets, a power of two, and chunks."""
        return OpenList(
            np.empty(buckets * BUCKET, dtype=np.int64),
            np.full(2 * buckets, NONE, dtype=np.int32),
            np.empty(buckets, dtype=np.int32),
            np.empty(chunks * CHUNK, dtype=np.uint32),
            np.array([0, 0, 1, 0], dtype=np.int64),
            *rule,
        )

    def with_more_buckets(self) -> OpenList:
        """The same with room for twice as many buckets."""
        buckets = np.concatenate([self.buckets, np.empty_like(self.buckets)])
        heads = np.empty(2 * len(self.heads), dtype=np.int32)
        spread_buckets(buckets, heads, int(self.counters[BUCKETS]))
        return self._replace(buckets=buckets, heads=heads, heap=np.concatenate([self.heap, np.empty_like(self.heap)]))

    def with_more_chunks(self) -> OpenList:
        """The same with room for twice as many chunks."""
        return self._replace(pool=np.concatenate([self.pool, np.empty_like(self.pool)]))


@compiled
def lacks_buckets(opened: OpenList, states: int) -> bool:
    """Whether this many states could need more buckets than there is room for."""
    return bool(opened.counters[BUCKETS] + states > opened.heap.shape[0])


@compiled
def lacks_chunks(opened: OpenList, states: int) -> bool:
    """Whether this many states could need more chunks than there is room for."""
    return bool((opened.counters[CHUNKS] + states) * CHUNK > opened.pool.shape[0])


@inlined
def _home(heads: Int32s, first_key: int, second_key: int) -> int:
    """The slot of the hash table that a bucket belongs into."""
    scrambled = first_key * -0x61C8864680B583EB + second_key * -0x4B47D0C5EA7BAAB5
    return int((scrambled >> 20) & (heads.shape[0] - 1))


@inlined
def bucket_of(opened: OpenList, g: int, h: int) -> int:
    """The number of the bucket for a cost and an estimate; makes it where there is none. There must be room."""
    buckets, heads = opened.buckets, opened.heads
    first_key, second_key = h, -g
    if not opened.greedy:
        first_key, second_key = opened.denominator * g + opened.numerator * h, h
    slot = _home(heads, first_key, second_key)
    while heads[slot] != NONE:
        known = heads[slot] * BUCKET
        if buckets[known + FIRST_KEY] == first_key and buckets[known + SECOND_KEY] == second_key:
            return int(heads[slot])
        slot = (slot + 1) & (heads.shape[0] - 1)
    number = opened.counters[BUCKETS]
    opened.counters[BUCKETS] = number + 1
    heads[slot] = number
    buckets[number * BUCKET + FIRST_KEY] = first_key
    buckets[number * BUCKET + SECOND_KEY] = second_key
    buckets[number * BUCKET + COST] = g
    buckets[number * BUCKET + TOP] = 0
    buckets[number * BUCKET + IN_HEAP] = 0
    return int(number)


@compiled
def spread_buckets(buckets: Int64s, heads: Int32s, count: int) -> None:
    """Fill a new hash table with the buckets there are."""
    heads[:] = NONE
    for number in range(count):
        slot = _home(heads, buckets[number * BUCKET + FIRST_KEY], buckets[number * BUCKET + SECOND_KEY])
        while heads[slot] != NONE:
            slot = (slot + 1) & (heads.shape[0] - 1)
        heads[slot] = number


@compiled
def _is_better(buckets: Int64s, one: int, other: int) -> bool:
    one, other = one * BUCKET, other * BUCKET
    if buckets[one + FIRST_KEY] != buckets[other + FIRST_KEY]:
        return bool(buckets[one + FIRST_KEY] < buckets[other + FIRST_KEY])
    return bool(buckets[one + SECOND_KEY] < buckets[other + SECOND_KEY])


@compiled
def _add_to_heap(opened: OpenList, bucket: int) -> None:
    buckets, heap, counters = opened.buckets, opened.heap, opened.counters
    place = counters[HEAP]
    counters[HEAP] += 1
    while place > 0:
        above = (place - 1) >> 1
        if not _is_better(buckets, bucket, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = bucket
    buckets[bucket * BUCKET + IN_HEAP] = 1


@compiled
def _drop_best(opened: OpenList) -> None:
    """Take the best bucket out of the heap."""
    buckets, heap, counters = opened.buckets, opened.heap, opened.counters
    buckets[heap[0] * BUCKET + IN_HEAP] = 0
    counters[HEAP] -= 1
    size = counters[HEAP]
    last = heap[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and _is_better(buckets, heap[below + 1], heap[below]):
            below += 1
        if not _is_better(buckets, heap[below], last):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = last


@compiled
def best_bucket(opened: OpenList) -> int:
    """The best bucket that is not empty, though all in it may be stale; NONE if all are empty."""
    while opened.counters[HEAP] > 0:
        best = opened.heap[0]
        if opened.buckets[best * BUCKET + TOP] != 0:
            return int(best)
        _drop_best(opened)
    return NONE


@inlined
def put(opened: OpenList, bucket: int, number: int) -> None:
    """Put a state on top of a bucket. There must be room for a chunk."""
    buckets, pool, counters = opened.buckets, opened.pool, opened.counters
    top = buckets[bucket * BUCKET + TOP]
    if top == 0 or top & LAST == LAST:
        chunk = counters[UNUSED]
        if chunk != 0:
            counters[UNUSED] = pool[chunk * CHUNK]
        else:
            chunk = counters[CHUNKS]
            counters[CHUNKS] = chunk + 1
        pool[chunk * CHUNK] = top
        top = chunk * CHUNK
        if buckets[bucket * BUCKET + IN_HEAP] == 0:
            _add_to_heap(opened, bucket)
    pool[top + 1] = number
    buckets[bucket * BUCKET + TOP] = top + 1


@inlined
def take(opened: OpenList, bucket: int) -> int:
    """Take the state out that was put in last. There must be one."""
    buckets, pool = opened.buckets, opened.pool
    top = buckets[bucket * BUCKET + TOP]
    number = pool[top]
    if top & LAST == 1:
        chunk = top // CHUNK
        buckets[bucket * BUCKET + TOP] = pool[chunk * CHUNK]
        pool[chunk * CHUNK] = opened.counters[UNUSED]
        opened.counters[UNUSED] = chunk
    else:
        buckets[bucket * BUCKET + TOP] = top - 1
    return int(number)
