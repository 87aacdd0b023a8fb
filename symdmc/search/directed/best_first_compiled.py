"""Best-first search driven by the compiled loop of `kernel.loops.best_first`."""

from __future__ import annotations

import numpy as np

from symdmc.errors import InternalError
from symdmc.heuristics.heuristic import Heuristic
from symdmc.heuristics.tables import left_the_table
from symdmc.kernel.loops import best_first as kernel
from symdmc.kernel.loops import exhaustive as loops
from symdmc.kernel.loops import open_list as opened
from symdmc.kernel.loops.store import FULL, StateStore, find_or_add, hash_words
from symdmc.kernel.machine.compiler import CompiledTask, compile_program
from symdmc.lookup.tables import DEAD_END, OUTSIDE, table_image
from symdmc.outcome import Stop
from symdmc.packed.jit import is_compilation_due
from symdmc.running.run import LimitReached, Run
from symdmc.search.directed.rules import ListingDirectedWalk, PlainWalk, Rule
from symdmc.search.explicit.compiled import FIRST_SLICE, CompiledWalk, goal_of
from symdmc.task.task import Task

FIRST_BUCKETS = 1 << 12
FIRST_CHUNKS = 1 << 12
MOST_PLACES = 1 << 32
"""Of the pool that the open list lies in: places are 32-bit integers."""
GATHER = 10
"""A batch of states is expanded together only when two to the power of this times as many were expanded before."""


def compiled_best_first(
    task: Task,
    heuristic: Heuristic,
    *,
    rule: Rule,
    run: Run,
    patience: int | None = None,
) -> PlainWalk | ListingDirectedWalk:
    """Search by the given rule; ends at a limit, or after `patience` expansions, with what is known by then.

    Needs a heuristic with tables.
    """
    began = run.seconds
    run.say("analysing values")
    try:
        task.analyse(run.checkpoint)
    except LimitReached as reached:
        return PlainWalk(stop=reached.stop)  # nothing was visited
    program = compile_program(task)
    if is_compilation_due(kernel.run_best_first):
        run.say("compiling the search loops, once on this machine")
    least = 2 * (program.most_successors + loops.BATCH)
    walk = BestFirstWalk(task, program, _reserve(program.packing.words, run.memory_left, least), heuristic, rule)
    try:
        walk.start(run)
        walk.preprocessing_seconds = run.seconds - began
        walk.go(run, patience)
    except KeyboardInterrupt:
        walk.stop = Stop.INTERRUPT
    except LimitReached as reached:
        walk.stop = reached.stop
    return walk


def _reserve(words: int, memory_bytes: int, least: int) -> StateStore:
    """A store that leaves room for what best-first search keeps for every state besides."""
    stored = 8 * words + 4 + 8
    return StateStore.reserve(words, memory_bytes * stored // (stored + 4 * kernel.NODE + 4), least)


class BestFirstWalk(CompiledWalk):
    """A best-first search in the arrays of the compiled loop; a `DirectedWalk`."""

    def __init__(self, task: Task, compiled: CompiledTask, store: StateStore, heuristic: Heuristic, rule: Rule) -> None:
        super().__init__(task, compiled, store)
        assert heuristic.groups is not None
        self.counters = np.concatenate([self.counters, np.zeros(kernel.COUNTERS - loops.COUNTERS, dtype=np.int64)])
        self._order = "best first"
        self._name = heuristic.name
        self._goal = goal_of(task)
        self._tables = table_image(heuristic.groups, self.packing)
        self._rule = np.array([rule.greedy, rule.numerator, rule.denominator, heuristic.floor, GATHER], dtype=np.int64)
        self._nodes = np.empty(store.capacity * kernel.NODE, dtype=np.int32)
        self._reached, self._chosen, self._codes = (np.empty_like(self._taken) for _ in range(3))
        buckets = FIRST_BUCKETS
        while buckets < 2 * len(self._taken):
            buckets *= 2
        self._buckets = np.empty(buckets * opened.BUCKET, dtype=np.int64)
        self._heap = np.empty(buckets, dtype=np.int32)
        self._heads = np.full(2 * buckets, opened.NONE, dtype=np.int32)
        self._pool = np.empty(max(FIRST_CHUNKS, 2 * len(self._taken)) * opened.CHUNK, dtype=np.uint32)
        self.counters[opened.CHUNKS] = 1
        self._smallest: int | None = None
        self._knows_all_initial_states = False

    def start(self, run: Run) -> None:
        """Store and open the initial states that are no dead ends."""
        self._add_initial_states(run)
        self._knows_all_initial_states = True
        self._slice(0)  # does nothing but load or compile the loop

    def _add_initial_states(self, run: Run) -> None:
        words, counters, store = self.words, self.counters, self.store
        for seen, values in enumerate(self.task.initial_values()):
            packed = np.array(self.packing.pack(values), dtype=np.int64)
            count = self.stored
            stop = run.stop() if seen % FIRST_SLICE == FIRST_SLICE - 1 else None
            if stop is not None or count >= store.capacity - 1:
                raise LimitReached(stop or Stop.MEMORY)
            if count > FULL * store.index_size:
                store.grow_index()
            h = self._estimate(packed)
            if h is None:
                counters[kernel.DEAD_ENDS] += 1
                continue
            self._smallest = h if self._smallest is None else min(h, self._smallest)
            value = hash_words(packed, 0, words)
            if find_or_add(store.slots, store.states, count, words, packed, 0, value) == count:
                store.parents[count] = count  # an initial state is its own parent
                self._nodes[count * kernel.NODE + kernel.G] = 0
                self._nodes[count * kernel.NODE + kernel.H] = h
                counters[loops.STORED] += 1
                self._open_state(count)

    def _estimate(self, packed: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int | None:
        code = kernel.estimate(self.image, self._tables, int(self._rule[kernel.FLOOR]), packed, 0, self._stack)
        if code == OUTSIDE:
            raise InternalError(left_the_table(self._name))
        return None if code == DEAD_END else int(code)

    def _open_state(self, number: int) -> None:
        if int(self.counters[opened.BUCKETS]) + len(self._taken) > len(self._heap):
            self._grow_buckets()
        if (int(self.counters[opened.CHUNKS]) + len(self._taken)) * opened.CHUNK > len(self._pool):
            self._grow_pool()
        open_list = (self._nodes, self._buckets, self._heads, self._heap, self._pool)
        kernel.open_state(*open_list, self.counters, self._rule, number)

    def _slice(self, expansions: int) -> int:
        store = self.store
        return kernel.run_best_first(
            *(self.image, store.states, store.parents, store.slots),
            *(self._successors, self._taken, self._stack, self._trouble, self.counters),
            *(self._origin, self._hashes, self._fetched, self._reached, self._chosen, self._codes),
            self._tables,
            self._nodes,
            *(self._buckets, self._heads, self._heap, self._pool),
            self._rule,
            self._goal,
            expansions,
        )

    def _initial_error(self) -> bool:
        """States are tested when they are expanded, the initial ones too."""
        return False

    def _goes_on(self, ended: int) -> bool:
        if ended == kernel.LEFT_THE_TABLE:
            raise InternalError(left_the_table(self._name))
        if ended == kernel.BUCKETS_FULL:
            self._grow_buckets()
        if ended == kernel.POOL_FULL:
            self._grow_pool()
        return ended in (kernel.BUCKETS_FULL, kernel.POOL_FULL)

    def _grow_pool(self) -> None:
        if len(self._pool) > MOST_PLACES // 2:
            raise LimitReached(Stop.MEMORY)
        grown = np.empty(2 * len(self._pool), dtype=np.uint32)
        grown[: len(self._pool)] = self._pool
        self._pool = grown

    def _grow_buckets(self) -> None:
        used = int(self.counters[opened.BUCKETS])
        self._buckets = np.concatenate([self._buckets, np.empty_like(self._buckets)])
        self._heap = np.concatenate([self._heap, np.empty_like(self._heap)])
        self._heads = np.empty(2 * len(self._heap), dtype=np.int32)
        opened.spread_buckets(self._buckets, self._heads, used)

    # ---- what it found

    @property
    def reopened(self) -> int:
        """How often an expanded state was reached again at a smaller cost."""
        return int(self.counters[kernel.REOPENED])

    @property
    def dead_ends(self) -> int:
        """Steps to dead ends, and initial states that are dead ends."""
        return int(self.counters[kernel.DEAD_ENDS])

    @property
    def h_initial(self) -> int | None:
        """The smallest estimate of an initial state."""
        return self._smallest if self._knows_all_initial_states else None

    @property
    def open_bound(self) -> int | None:
        """The smallest g + h of an open state; None where there is none. Greedy search does not know the smallest g."""
        if not self._knows_all_initial_states or self._rule[opened.GREEDY]:
            return 0
        nodes = self._nodes[: self.stored * kernel.NODE].reshape(-1, kernel.NODE)
        is_open = nodes[:, kernel.H] >= 0
        sums = nodes[is_open, kernel.G] + (nodes[is_open, kernel.H] & kernel.ESTIMATE)
        return int(sums.min()) if len(sums) else None
