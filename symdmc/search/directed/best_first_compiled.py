"""Best-first search driven by the compiled loop of `kernel.loops.best_first`."""

from __future__ import annotations

import numpy as np

from symdmc.errors import StateOutside
from symdmc.heuristics.estimates.tables import left_the_table
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.kernel.loops import best_first as kernel
from symdmc.kernel.loops import exhaustive as loops
from symdmc.kernel.loops.open_list import OpenList, lacks_buckets, lacks_chunks
from symdmc.kernel.loops.store import StateStore
from symdmc.kernel.machine.compiler import CompiledTask
from symdmc.lookup.tables import DEAD_END, OUTSIDE, table_image
from symdmc.outcome import Stop
from symdmc.packed.arrays import Int64s
from symdmc.running.run import LimitReached, Run
from symdmc.search.directed.rules import Rule
from symdmc.search.explicit.compiled import CompiledWalk, least_capacity, prepared
from symdmc.search.walk import Walk
from symdmc.task.task import Task

FIRST_BUCKETS = 1 << 12
FIRST_CHUNKS = 1 << 12
MOST_PLACES = 1 << 32
"""Of the pool that the open list lies in: places are 32-bit integers."""
GATHER = 10
"""A batch of states is expanded together only when two to the power of this times as many were expanded before."""


def compiled_best_first(
    task: Task,
    heuristic: TaskHeuristic,
    *,
    rule: Rule,
    run: Run,
    patience: int | None = None,
) -> Walk:
    """Search by the given rule; ends at a limit, or after `patience` expansions, with what is known by then.

    Needs a heuristic with tables.
    """
    began = run.seconds
    try:
        program = prepared(task, run, kernel.run_best_first)
    except LimitReached as reached:
        return Walk(stop=reached.stop)  # nothing was visited
    walk = BestFirstWalk(task, program, _reserve(program, run.memory_left), heuristic, rule)
    walk.carry_out(run, began, patience)
    walk.open_bound = walk.least_open() if heuristic.admissible else 0
    return walk


def _reserve(program: CompiledTask, memory_bytes: int) -> StateStore:
    """A store that leaves room for what best-first search keeps for every state besides."""
    words = program.packing.words
    stored = 8 * words + 4 + 8
    return StateStore.reserve(words, memory_bytes * stored // (stored + 4 * kernel.NODE + 4), least_capacity(program))


class BestFirstWalk(CompiledWalk):
    """A best-first search in the arrays of the compiled loop."""

    def __init__(
        self, task: Task, program: CompiledTask, store: StateStore, heuristic: TaskHeuristic, rule: Rule
    ) -> None:
        super().__init__(task, program, store, order="best first")
        assert heuristic.groups is not None
        self.counters = np.concatenate([self.counters, np.zeros(kernel.COUNTERS - loops.COUNTERS, dtype=np.int64)])
        self._name = heuristic.name
        self._estimator = kernel.Estimator(table_image(heuristic.groups, self.packing), heuristic.floor)
        self._gather = GATHER
        self._nodes = np.empty(store.capacity * kernel.NODE, dtype=np.int32)
        self._room = len(self.machine.taken)
        self._directed_batch = kernel.Batch.reserve(self._room)
        buckets = FIRST_BUCKETS
        while buckets < 2 * self._room:
            buckets *= 2
        chunks = max(FIRST_CHUNKS, 2 * self._room)
        self._open_list = OpenList.reserve(buckets, chunks, (rule.greedy, rule.numerator, rule.denominator))
        self._smallest: int | None = None

    def _prepare_loop(self) -> None:
        """All initial states that are no dead ends are open by now."""
        self.h_initial = self._smallest

    def _store_initial_state(self, packed: Int64s) -> None:
        h = self._estimate(packed)
        if h is None:
            self.counters[kernel.DEAD_ENDS] += 1
            return
        self._smallest = h if self._smallest is None else min(h, self._smallest)
        number = self.stored
        super()._store_initial_state(packed)
        if self.stored > number:
            self._nodes[number * kernel.NODE + kernel.G] = 0
            self._nodes[number * kernel.NODE + kernel.H] = h
            self._open_state(number)

    def _estimate(self, packed: Int64s) -> int | None:
        code = kernel.estimate(self.machine, self._estimator, packed, 0)
        if code == OUTSIDE:
            raise StateOutside(left_the_table(self._name))
        return None if code == DEAD_END else int(code)

    def _open_state(self, number: int) -> None:
        if lacks_buckets(self._open_list, self._room):
            self._open_list = self._open_list.with_more_buckets()
        if lacks_chunks(self._open_list, self._room):
            self._grow_pool()
        kernel.open_state(self._open_list, self._nodes, number)

    def _slice(self, expansions: int) -> int:
        search = loops.Search(self.machine, self.store, self.counters, self._goal)
        arrays = (self._directed_batch, self._nodes, self._open_list, self._estimator)
        return kernel.run_best_first(search, *arrays, self._gather, expansions)

    def _initial_error(self) -> bool:
        """States are tested when they are expanded, the initial ones too."""
        return False

    def _goes_on(self, ended: int) -> bool:
        if ended == kernel.LEFT_THE_TABLE:
            raise StateOutside(left_the_table(self._name))
        if ended == kernel.BUCKETS_FULL:
            self._open_list = self._open_list.with_more_buckets()
        if ended == kernel.POOL_FULL:
            self._grow_pool()
        return ended in (kernel.BUCKETS_FULL, kernel.POOL_FULL)

    def _grow_pool(self) -> None:
        if len(self._open_list.pool) > MOST_PLACES // 2:
            raise LimitReached(Stop.MEMORY)
        self._open_list = self._open_list.with_more_chunks()

    def _note_counts(self) -> None:
        super()._note_counts()
        self.reopened, self.dead_ends = self.counters[[kernel.REOPENED, kernel.DEAD_ENDS]].tolist()

    def least_open(self) -> int | None:
        """The smallest g + h of an open state; None where there is none. Greedy search does not know the smallest g."""
        if self.h_initial is None or self._open_list.greedy:
            return 0
        nodes = self._nodes[: self.stored * kernel.NODE].reshape(-1, kernel.NODE)
        is_open = nodes[:, kernel.H] >= 0
        sums = nodes[is_open, kernel.G] + (nodes[is_open, kernel.H] & kernel.ESTIMATE)
        return int(sums.min()) if len(sums) else None
