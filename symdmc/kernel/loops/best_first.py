"""Best-first search over packed states: A*, weighted A* and greedy search in one compiled loop.

What a state waits for most is memory, so the loop works in batches and in passes over a batch: while one pass goes
through the successors, the memory that the next one looks at is on its way.
"""

from __future__ import annotations

from symdmc.kernel.loops import exhaustive as loops
from symdmc.kernel.loops import open_list as opened
from symdmc.kernel.loops.exhaustive import Uint32s
from symdmc.kernel.loops.prefetch import prefetch
from symdmc.kernel.loops.store import CROWDED, UPPER, hash_and_fetch, home
from symdmc.kernel.machine import image as at
from symdmc.kernel.machine.machine import expand, is_error
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.lookup.walks import look_up, look_up_some
from symdmc.packed.arrays import Int32s, Int64s
from symdmc.packed.jit import compiled, inlined

# Positions in the counters, behind those of the open list.
REOPENED = opened.COUNTERS  # closed states reached at a smaller cost
DEAD_ENDS = opened.COUNTERS + 1  # steps to dead ends
COUNTERS = opened.COUNTERS + 2

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

# The rule that orders the states, behind what the open list asks for.
FLOOR = opened.RULE  # the least estimate of a state that is no error state
GATHER = opened.RULE + 1  # a batch has at most one more than a 2^GATHER-th of the states expanded so far


@inlined
def open_state(
    nodes: Int32s,
    buckets: Int64s,
    heads: Int32s,
    heap: Int32s,
    pool: Uint32s,
    counters: Int64s,
    rule: Int64s,
    number: int,
) -> None:
    """Put a state on top of the bucket of its g and h."""
    g, h = nodes[number * NODE + G], nodes[number * NODE + H] & ESTIMATE
    opened.put(buckets, heap, pool, counters, opened.bucket_of(buckets, heads, counters, rule, g, h), number)


@inlined
def at_least(code: Int64s, found: int, floor: int, states: Int64s, base: int, stack: Int64s) -> int:
    """What was looked up for the state at `base`, but not less than the floor where it is no error state."""
    if found < floor and not is_error(code, states, base, stack):
        return floor
    return found


@compiled
def estimate(code: Int64s, tables: Int32s, floor: int, states: Int64s, base: int, stack: Int64s) -> int:
    """What the tables and the floor say about the state at `base`."""
    return at_least(code, look_up(tables, states, base), floor, states, base, stack)


@inlined
def _find(slots: Int64s, states: Int64s, words: int, candidates: Int64s, base: int, value: int, slot: int) -> int:
    """The number of a stored state with hash `value`; of one that is not stored, -1 minus the slot that it may have.

    It is looked for from a slot on: its home, or one that it could have had before.
    """
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
def _account(counters: Int64s, number: int, count: int, trouble: int, goal: int, again: bool) -> int:
    """Count an expansion; a state expanded again was no goal the first time, and its deadlock or fault is known."""
    if not again:
        return loops.account(counters, number, count, trouble, goal)
    counters[loops.EXPANDED] += 1
    counters[loops.GENERATED] += count
    return loops.FINISHED


@inlined
def _prefetch_chunk(pool: Uint32s, top: int, states: Int64s, words: int, nodes: Int32s) -> None:
    """Begin to read the states that will be taken out of a chunk if nothing is put on top of them."""
    for place in range(top, top & -opened.CHUNK, -1):
        number = int(pool[place])
        prefetch(states.ctypes.data + 8 * words * number)
        prefetch(nodes.ctypes.data + 4 * NODE * number)


@inlined
def _choose(nodes: Int32s, known: Int64s, reached: Int64s, total: int, chosen: Int64s) -> int:
    """List the steps to states that are new or now reached at a smaller cost; returns how many there are.

    Which ones these are cannot be guessed, so that branches would cost more than the work.
    """
    count = 0
    for k in range(total):
        chosen[count] = k
        g = nodes[max(known[k], 0) * NODE + G]
        count += int(known[k] < 0) | int(reached[k] < g)
    return count


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
    known: Int64s,
    reached: Int64s,
    chosen: Int64s,
    codes: Int64s,
    tables: Int32s,
    nodes: Int32s,
    buckets: Int64s,
    heads: Int32s,
    heap: Int32s,
    pool: Uint32s,
    rule: Int64s,
    goal: int,
    expansions: int,
) -> int:
    """Always expands states of the best bucket; states are tested when they are expanded.

    States are expanded in batches, so that the index is asked for many successors at once. A batch is taken from the
    buckets that share the best first key: for A* all of it has the smallest f. So, if the estimates are admissible, an
    error state in it is a nearest one; and if they are consistent, each state in it was reached at its smallest cost.
    A batch is always taken whole: how many expansions are asked for, which time decides, must not change the order.
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
        if counters[opened.BUCKETS] + loops.BATCH + most > heap.shape[0]:
            return BUCKETS_FULL
        if (counters[opened.CHUNKS] + loops.BATCH + most) * opened.CHUNK > pool.shape[0]:
            return POOL_FULL
        best = opened.best_bucket(buckets, heap, counters)
        if best == opened.NONE:
            return loops.FINISHED
        first_key = buckets[best * opened.BUCKET + opened.FIRST_KEY]
        width = min(loops.BATCH, 1 + (counters[loops.EXPANDED] >> rule[GATHER]))
        total = 0
        ahead = 0
        while best != opened.NONE and buckets[best * opened.BUCKET + opened.FIRST_KEY] == first_key and total < width:
            top = buckets[best * opened.BUCKET + opened.TOP]
            if top // opened.CHUNK != ahead:
                ahead = top // opened.CHUNK
                _prefetch_chunk(pool, top, states, words, nodes)
            g = buckets[best * opened.BUCKET + opened.COST]
            number = opened.take(buckets, pool, counters, best)
            if buckets[best * opened.BUCKET + opened.TOP] == 0:
                best = opened.best_bucket(buckets, heap, counters)
            node = number * NODE
            if nodes[node + G] != g:
                continue
            ended = loops.ERROR_FOUND
            if not loops.holds_error(code, states, number, stack, counters, goal):
                count = expand(code, states, number * words, successors, taken, total, stack, trouble)
                ended = _account(counters, number, count, trouble[0], goal, nodes[node + H] & AGAIN != 0)
            counters[loops.DEPTH] = g
            if ended != loops.FINISHED:
                # The successors of this batch are not stored: for what is said about shorter paths it is still open.
                for k in range(total):
                    nodes[origin[k] * NODE + H] &= ~CLOSED
                return ended
            nodes[node + H] |= CLOSED
            for k in range(total, total + count):
                origin[k] = number
                reached[k] = g + code[taken[k] + at.COST]
            total += count
            expansions -= 1
        hash_and_fetch(slots, states, words, successors, total, hashes, known)
        for k in range(total):
            known[k] = _find(slots, states, words, successors, k * words, hashes[k], home(hashes[k], slots))
        better = _choose(nodes, known, reached, total, chosen)
        look_up_some(tables, successors, words, chosen, better, codes)
        fresh = 0
        for position in range(better):
            k = chosen[position]
            found = known[k]
            if found < 0:
                h = at_least(code, codes[position], rule[FLOOR], successors, k * words, stack)
                if h == DEAD_END:
                    counters[DEAD_ENDS] += 1
                    continue
                if h == OUTSIDE:
                    return LEFT_THE_TABLE
                # A state before it in this batch may be the same, or have taken the slot.
                found = _find(slots, states, words, successors, k * words, hashes[k], -1 - found)
            if found < 0:
                slot = -1 - found
                found = counters[loops.STORED]
                counters[loops.STORED] = found + 1
                for w in range(words):
                    states[found * words + w] = successors[k * words + w]
                slots[slot] = (hashes[k] & UPPER) | (found + 1)
                nodes[found * NODE + H] = h
            elif rule[opened.GREEDY] == 1 or reached[k] >= nodes[found * NODE + G]:
                continue
            elif nodes[found * NODE + H] < 0:
                counters[REOPENED] += 1
                nodes[found * NODE + H] = (nodes[found * NODE + H] & ESTIMATE) | AGAIN
            parents[found] = origin[k]
            nodes[found * NODE + G] = reached[k]
            known[fresh] = found
            reached[fresh] = reached[k]
            fresh += 1
        # Backwards, so that they will be expanded in the order in which they were met: that finds more in the caches.
        # A state that was reached once more in this batch, at a smaller cost, stands there a second time.
        for k in range(fresh - 1, -1, -1):
            if nodes[known[k] * NODE + G] == reached[k]:
                open_state(nodes, buckets, heads, heap, pool, counters, rule, known[k])
