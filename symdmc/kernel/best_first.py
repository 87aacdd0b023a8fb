"""Best-first search over packed states: A*, weighted A* and greedy search in one compiled loop.

The open list is a set of buckets. A bucket holds the states with the same g and h, last in first out, as a doubly
linked list through the states themselves; so a state is in one bucket at most, and moves when it is reached at a
smaller cost. Buckets are found by their key in a small hash table and kept in a heap that gives the best one. An empty
bucket stays in the heap until it is the best.
"""

from __future__ import annotations

from symdmc.kernel import image as at
from symdmc.kernel import loops
from symdmc.kernel.compiler import Int64s
from symdmc.kernel.jit import compiled
from symdmc.kernel.lookup import DEAD_END, OUTSIDE, Int32s
from symdmc.kernel.lookup_walks import look_up, look_up_some
from symdmc.kernel.loops import Uint32s
from symdmc.kernel.machine import expand, is_error
from symdmc.kernel.store import CROWDED, UPPER, hash_and_fetch, home

# Positions in the counters, behind those of `kernel.loops`.
REOPENED = loops.COUNTERS  # closed states reached at a smaller cost
DEAD_ENDS = loops.COUNTERS + 1  # steps to dead ends
BUCKETS = loops.COUNTERS + 2  # buckets ever used
HEAP = loops.COUNTERS + 3  # buckets in the heap
COUNTERS = loops.COUNTERS + 4

# Why the loop returned, besides what `kernel.loops` knows.
BUCKETS_FULL = 10
LEFT_THE_TABLE = 11

# What is kept for a state, besides its cost: that has an array of its own, as it is looked at most often by far.
H = 0  # the estimate, and AGAIN above it once the state was reopened
NEXT = 1  # in the bucket; NONE: the last
BEFORE = 2  # in the bucket; NONE: the first; CLOSED: in no bucket; WAITING: in none yet, but soon
NODE = 3
NONE = -1
CLOSED = -2
WAITING = -3
AGAIN = 1 << 30
ESTIMATE = AGAIN - 1

PASSED = -1 << 62
"""Marks a step to a known state that is not reached at a smaller cost."""

# What is kept for a bucket: those with the smallest key are best.
FIRST_KEY = 0
SECOND_KEY = 1
FIRST = 2  # the state to expand first; NONE: the bucket is empty
IN_HEAP = 3
BUCKET = 4

# The rule that orders the states.
GREEDY = 0  # 1: by h, then g; 0: by denominator * g + numerator * h, then h
NUMERATOR = 1
DENOMINATOR = 2
FLOOR = 3  # the least estimate of a state that is no error state
GATHER = 4  # a batch has at most one more than a 2^GATHER-th of the states expanded so far: few stray from the order
RULE = 5


@compiled
def _bucket(buckets: Int64s, heads: Int32s, counters: Int64s, first_key: int, second_key: int) -> int:
    """The number of the bucket with a key; makes it where there is none. There must be room."""
    mask = heads.shape[0] - 1
    slot = (first_key * -0x61C8864680B583EB + second_key * -0x4B47D0C5EA7BAAB5 >> 20) & mask
    while True:
        number = heads[slot]
        if number == NONE:
            number = counters[BUCKETS]
            counters[BUCKETS] += 1
            heads[slot] = number
            buckets[number * BUCKET + FIRST_KEY] = first_key
            buckets[number * BUCKET + SECOND_KEY] = second_key
            buckets[number * BUCKET + FIRST] = NONE
            buckets[number * BUCKET + IN_HEAP] = 0
            return int(number)
        known = number * BUCKET
        if buckets[known + FIRST_KEY] == first_key and buckets[known + SECOND_KEY] == second_key:
            return int(number)
        slot = (slot + 1) & mask


@compiled
def spread_buckets(buckets: Int64s, heads: Int32s, count: int) -> None:
    """Fill a new hash table with the buckets there are."""
    mask = heads.shape[0] - 1
    heads[:] = NONE
    for number in range(count):
        first_key, second_key = buckets[number * BUCKET + FIRST_KEY], buckets[number * BUCKET + SECOND_KEY]
        slot = (first_key * -0x61C8864680B583EB + second_key * -0x4B47D0C5EA7BAAB5 >> 20) & mask
        while heads[slot] != NONE:
            slot = (slot + 1) & mask
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
def _best_bucket(buckets: Int64s, heap: Int32s, counters: Int64s) -> int:
    """The best bucket that is not empty; NONE if all are."""
    while counters[HEAP] > 0:
        best = heap[0]
        if buckets[best * BUCKET + FIRST] != NONE:
            return int(best)
        _drop_best(buckets, heap, counters)
    return NONE


@compiled
def _bucket_of(buckets: Int64s, heads: Int32s, counters: Int64s, rule: Int64s, g: int, h: int) -> int:
    """The bucket of the states with this cost and estimate."""
    if rule[GREEDY] != 0:
        return _bucket(buckets, heads, counters, h, g)
    return _bucket(buckets, heads, counters, rule[DENOMINATOR] * g + rule[NUMERATOR] * h, h)


@compiled
def open_state(
    costs: Int32s,
    nodes: Int32s,
    buckets: Int64s,
    heads: Int32s,
    heap: Int32s,
    counters: Int64s,
    rule: Int64s,
    number: int,
) -> None:
    """Put a state in front of the bucket of its g and h."""
    node = number * NODE
    bucket = _bucket_of(buckets, heads, counters, rule, costs[number], nodes[node + H] & ESTIMATE)
    first = buckets[bucket * BUCKET + FIRST]
    nodes[node + NEXT] = first
    nodes[node + BEFORE] = NONE
    if first != NONE:
        nodes[first * NODE + BEFORE] = number
    buckets[bucket * BUCKET + FIRST] = number
    if buckets[bucket * BUCKET + IN_HEAP] == 0:
        _add_to_heap(buckets, heap, counters, bucket)


@compiled
def _take_out(
    costs: Int32s, nodes: Int32s, buckets: Int64s, heads: Int32s, counters: Int64s, rule: Int64s, number: int
) -> None:
    """Take an open state out of the middle of its bucket."""
    node = number * NODE
    following, before = nodes[node + NEXT], nodes[node + BEFORE]
    if following != NONE:
        nodes[following * NODE + BEFORE] = before
    if before != NONE:
        nodes[before * NODE + NEXT] = following
    else:
        bucket = _bucket_of(buckets, heads, counters, rule, costs[number], nodes[node + H] & ESTIMATE)
        buckets[bucket * BUCKET + FIRST] = following


@compiled
def at_least(code: Int64s, found: int, floor: int, states: Int64s, base: int, stack: Int64s) -> int:
    """What was looked up for the state at `base`, but not less than the floor where it is no error state."""
    if found < floor and not is_error(code, states, base, stack):
        return floor
    return found


@compiled
def estimate(code: Int64s, tables: Int32s, floor: int, states: Int64s, base: int, stack: Int64s) -> int:
    """What the tables and the floor say about the state at `base`."""
    return at_least(code, look_up(tables, states, base), floor, states, base, stack)


@compiled
def _find(slots: Int64s, states: Int64s, words: int, candidates: Int64s, base: int, value: int) -> int:
    """The number of a stored state with hash `value`; of one that is not stored, -1 minus the slot that it may have."""
    tag = value & UPPER
    slot = home(value, slots)
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


@compiled
def _account(counters: Int64s, number: int, count: int, trouble: int, goal: int, again: bool) -> int:
    """Count an expansion; a state expanded again was no goal the first time, and its deadlock or fault is known."""
    if not again:
        return loops.account(counters, number, count, trouble, goal)
    counters[loops.EXPANDED] += 1
    counters[loops.GENERATED] += count
    return loops.FINISHED


@compiled
def run_best_first(
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
    reached: Int64s,
    chosen: Int64s,
    codes: Int64s,
    tables: Int32s,
    costs: Int32s,
    nodes: Int32s,
    buckets: Int64s,
    heads: Int32s,
    heap: Int32s,
    rule: Int64s,
    goal: int,
    expansions: int,
) -> int:
    """Always expands states of the best bucket; states are tested when they are expanded.

    States are expanded in batches, so that the index is asked for many successors at once. A batch is taken from the
    buckets that share the best first key: for A* all of it has the smallest f. So, if the estimates are admissible, an
    error state in it is a nearest one; and if they are consistent, each state in it was reached at its smallest cost.
    """
    words = code[at.WORDS]
    most = taken.shape[0] - loops.BATCH
    capacity = parents.shape[0]
    while True:
        if expansions <= 0:
            return loops.PAUSED
        full = loops.has_room(counters, loops.BATCH + most, capacity, slots.shape[0])
        if full != loops.FINISHED:
            return full
        if counters[BUCKETS] + loops.BATCH + most > heap.shape[0]:
            return BUCKETS_FULL
        best = _best_bucket(buckets, heap, counters)
        if best == NONE:
            return loops.FINISHED
        first_key = buckets[best * BUCKET + FIRST_KEY]
        width = min(loops.BATCH, 1 + (counters[loops.EXPANDED] >> rule[GATHER]))
        total = 0
        while best != NONE and buckets[best * BUCKET + FIRST_KEY] == first_key and total < width and expansions > 0:
            number = buckets[best * BUCKET + FIRST]
            node = number * NODE
            following = nodes[node + NEXT]
            buckets[best * BUCKET + FIRST] = following
            if following != NONE:
                nodes[following * NODE + BEFORE] = NONE
            else:
                best = _best_bucket(buckets, heap, counters)
            nodes[node + BEFORE] = CLOSED
            g = costs[number]
            ended = loops.ERROR_FOUND
            if not loops.holds_error(code, states, number, stack, counters, goal):
                count = expand(code, states, number * words, successors, taken, total, stack, trouble)
                ended = _account(counters, number, count, trouble[0], goal, nodes[node + H] >= AGAIN)
            counters[loops.DEPTH] = g
            if ended != loops.FINISHED:
                # The successors of this batch are not stored: for what is said about shorter paths it is still open.
                nodes[node + BEFORE] = NONE
                for k in range(total):
                    nodes[origin[k] * NODE + BEFORE] = NONE
                return ended
            for k in range(total, total + count):
                origin[k] = number
                reached[k] = g + code[taken[k] + at.COST]
            total += count
            expansions -= 1
        hash_and_fetch(slots, states, words, successors, total, hashes, fetched)
        for k in range(total):
            fetched[k] = _find(slots, states, words, successors, k * words, hashes[k])
        fresh = 0
        for k in range(total):
            if fetched[k] < 0:
                chosen[fresh] = k
                fresh += 1
            elif reached[k] >= costs[fetched[k]]:
                fetched[k] = PASSED
        look_up_some(tables, successors, words, chosen, fresh, codes)
        fresh = 0
        opened = 0
        for k in range(total):
            found = fetched[k]
            if found == PASSED:
                continue
            if found < 0:
                h = at_least(code, codes[fresh], rule[FLOOR], successors, k * words, stack)
                fresh += 1
                if h == DEAD_END:
                    counters[DEAD_ENDS] += 1
                    continue
                if h == OUTSIDE:
                    return LEFT_THE_TABLE
                # A state before it in this batch may be the same, or have taken the slot.
                found = _find(slots, states, words, successors, k * words, hashes[k])
            if found < 0:
                slot = -1 - found
                found = counters[loops.STORED]
                counters[loops.STORED] = found + 1
                for w in range(words):
                    states[found * words + w] = successors[k * words + w]
                slots[slot] = (hashes[k] & UPPER) | (found + 1)
                nodes[found * NODE + H] = h
                nodes[found * NODE + BEFORE] = CLOSED
            elif reached[k] >= costs[found]:
                continue
            elif nodes[found * NODE + BEFORE] == CLOSED:
                counters[REOPENED] += 1
                nodes[found * NODE + H] |= AGAIN
            elif nodes[found * NODE + BEFORE] != WAITING:
                _take_out(costs, nodes, buckets, heads, counters, rule, found)
            parents[found] = origin[k]
            costs[found] = reached[k]
            if nodes[found * NODE + BEFORE] != WAITING:
                nodes[found * NODE + BEFORE] = WAITING
                fetched[opened] = found
                opened += 1
        # Backwards, so that they will be expanded in the order in which they were met: that finds more in the caches.
        for k in range(opened - 1, -1, -1):
            open_state(costs, nodes, buckets, heads, heap, counters, rule, fetched[k])
