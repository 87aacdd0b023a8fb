"""The open list of best-first search: states in buckets of one g and h, the best bucket first.

A bucket is a stack of state numbers, last in first out, in chunks of one cache line that all buckets take from one pool
and give back to it. A state that is reached at a smaller cost is put into another bucket and left where it was: it has
another cost by then than the bucket has, so whoever takes it out there can tell that it is stale. Buckets are found by
their key in a small hash table and kept in a heap that gives the best one. An empty bucket stays in the heap until it
is the best.
"""

from __future__ import annotations

from symdmc.kernel.loops import exhaustive as loops
from symdmc.kernel.loops.exhaustive import Uint32s
from symdmc.packed.arrays import Int32s, Int64s
from symdmc.packed.jit import compiled, inlined

# Positions in the counters, behind those of `kernel.loops.exhaustive`.
BUCKETS = loops.COUNTERS  # buckets ever used
HEAP = loops.COUNTERS + 1  # buckets in the heap
CHUNKS = loops.COUNTERS + 2  # chunks ever used; the first one is never used, so that 0 is no place
UNUSED = loops.COUNTERS + 3  # the chunk given back last; 0: none
COUNTERS = loops.COUNTERS + 4

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

# The rule that orders the states.
GREEDY = 0  # 1: by h, then the largest g; 0: by denominator * g + numerator * h, then h
NUMERATOR = 1
DENOMINATOR = 2
RULE = 3


@inlined
def _home(heads: Int32s, first_key: int, second_key: int) -> int:
    """The slot of the hash table that a bucket belongs into."""
    scrambled = first_key * -0x61C8864680B583EB + second_key * -0x4B47D0C5EA7BAAB5
    return int((scrambled >> 20) & (heads.shape[0] - 1))


@inlined
def bucket_of(buckets: Int64s, heads: Int32s, counters: Int64s, rule: Int64s, g: int, h: int) -> int:
    """The number of the bucket for a cost and an estimate; makes it where there is none. There must be room."""
    first_key, second_key = h, -g
    if rule[GREEDY] == 0:
        first_key, second_key = rule[DENOMINATOR] * g + rule[NUMERATOR] * h, h
    slot = _home(heads, first_key, second_key)
    while heads[slot] != NONE:
        known = heads[slot] * BUCKET
        if buckets[known + FIRST_KEY] == first_key and buckets[known + SECOND_KEY] == second_key:
            return int(heads[slot])
        slot = (slot + 1) & (heads.shape[0] - 1)
    number = counters[BUCKETS]
    counters[BUCKETS] = number + 1
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
def _add_to_heap(buckets: Int64s, heap: Int32s, counters: Int64s, bucket: int) -> None:
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
def _drop_best(buckets: Int64s, heap: Int32s, counters: Int64s) -> None:
    """Take the best bucket out of the heap."""
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
def best_bucket(buckets: Int64s, heap: Int32s, counters: Int64s) -> int:
    """The best bucket that is not empty, though all in it may be stale; NONE if all are empty."""
    while counters[HEAP] > 0:
        best = heap[0]
        if buckets[best * BUCKET + TOP] != 0:
            return int(best)
        _drop_best(buckets, heap, counters)
    return NONE


@inlined
def put(buckets: Int64s, heap: Int32s, pool: Uint32s, counters: Int64s, bucket: int, number: int) -> None:
    """Put a state on top of a bucket. There must be room for a chunk."""
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
            _add_to_heap(buckets, heap, counters, bucket)
    pool[top + 1] = number
    buckets[bucket * BUCKET + TOP] = top + 1


@inlined
def take(buckets: Int64s, pool: Uint32s, counters: Int64s, bucket: int) -> int:
    """Take the state out that was put in last. There must be one."""
    top = buckets[bucket * BUCKET + TOP]
    number = pool[top]
    if top & LAST == 1:
        chunk = top // CHUNK
        buckets[bucket * BUCKET + TOP] = pool[chunk * CHUNK]
        pool[chunk * CHUNK] = counters[UNUSED]
        counters[UNUSED] = chunk
    else:
        buckets[bucket * BUCKET + TOP] = top - 1
    return int(number)
