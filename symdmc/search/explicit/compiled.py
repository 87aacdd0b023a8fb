"""A walk driven by the compiled loops: sets up the arrays, and minds limits and progress between slices of work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from symdmc.errors import InternalError
from symdmc.kernel.loops import exhaustive as loops
from symdmc.kernel.loops.store import FULL, StateStore, find_or_add, hash_words
from symdmc.kernel.machine import image as at
from symdmc.kernel.machine.compiler import CompiledTask, compile_program
from symdmc.kernel.machine.machine import Machine, holds
from symdmc.kernel.machine.native import NativeCode, translate
from symdmc.model.expressions import FALSE
from symdmc.model.state import State
from symdmc.outcome import Stop
from symdmc.packed.arrays import Int64s
from symdmc.packed.jit import is_compilation_due
from symdmc.running.run import LimitReached, Run, resident_bytes
from symdmc.running.signals import stop_of
from symdmc.search.explicit.reference import ReferenceWalk
from symdmc.search.walk import ListingWalk, PackedStates
from symdmc.task.task import Task

NO_BOUND = 1 << 62
FIRST_SLICE = 1 << 12
SLICE_SECONDS = 0.1
"""How long the compiled loops work before they return, for limits, progress and interrupts."""
NATIVE_FROM = 20_000
"""Expansions after which machine code is made for the task; before, the interpreter is quicker."""
NONE = -1


def compiled_walk(
    task: Task,
    *,
    order: str,
    seed: int,
    run: Run,
    bound: int | None,
    explore: bool,
) -> ListingWalk:
    """Search in the given order, or explore everything; ends at a limit with what is known by then."""
    began = run.seconds
    try:
        program = prepared(task, run, loops.run_queue)
    except LimitReached as reached:
        return ReferenceWalk(stop=reached.stop)  # nothing was visited
    store = StateStore.reserve(program.packing.words, run.memory_left, least_capacity(program))
    walk = CompiledWalk(task, program, store, order=order, seed=seed, bound=bound, explore=explore)
    walk.carry_out(run, began)
    return walk


def prepared(task: Task, run: Run, loop: Callable[..., int]) -> CompiledTask:
    """The task as a loop takes it, with its values analysed; raises LimitReached."""
    run.say("analysing values")
    task.analyse(run.checkpoint)
    if is_compilation_due(loop):
        run.say("compiling the search loops, once on this machine")
    return compile_program(task)


def least_capacity(program: CompiledTask) -> int:
    """The fewest states that a store must have room for."""
    return 2 * (program.most_successors + loops.BATCH)


def goal_of(task: Task) -> int:
    """What the loops look for, added up."""
    error = task.error
    asked = loops.LOOK_FOR_ERROR if error.expression != FALSE else 0
    return asked + loops.LOOK_FOR_DEADLOCK * error.deadlock + loops.LOOK_FOR_FAULT * error.fault


class CompiledWalk(ListingWalk):
    """A search in the arrays of the compiled loops."""

    def __init__(
        self,
        task: Task,
        program: CompiledTask,
        store: StateStore,
        *,
        order: str = "bfs",
        seed: int = 0,
        bound: int | None = None,
        explore: bool = False,
    ) -> None:
        super().__init__()
        self.task, self.program, self.store = task, program, store
        self.packing, self.words = program.packing, program.packing.words
        self.machine = Machine.of(program, loops.BATCH)
        self.counters = np.zeros(loops.COUNTERS, dtype=np.int64)
        self.counters[[loops.FIRST_DEADLOCK, loops.FIRST_FAULTY, loops.FOUND]] = NONE
        self._native: NativeCode | None = None
        layered = order == "bfs" and not explore and program.has_free_steps
        self._order = "layers" if layered else order
        self._seed = seed
        self._goal = 0 if explore else goal_of(task)
        self._bound = NO_BOUND if bound is None else bound

    # ---- running

    def carry_out(self, run: Run, began: float, patience: int | None = None) -> None:
        """Start, and work until done, stopped or out of patience; the time since `began` counts as preprocessing."""
        try:
            self.start(run)
            self.preprocessing_seconds = run.seconds - began
            self.go(run, patience)
        except KeyboardInterrupt as interrupt:
            self.stop = stop_of(interrupt)
        except LimitReached as reached:
            self.stop = reached.stop
        self._note_counts()

    def start(self, run: Run) -> None:
        """Store the initial states and make ready what the loop works with."""
        self._store_initial_states(run)
        self._prepare_loop()
        self._slice(0)  # does nothing but load or compile the loop

    def _prepare_loop(self) -> None:
        """Fill the first layer, or the stack."""
        self.counters[loops.LAYER_END] = self.stored
        if self._order in ("bfs", "layers"):
            self._batch = loops.Batch.reserve(len(self.machine.taken))
        if self._order == "bfs":
            return
        open_states = np.empty(self.store.capacity, dtype=np.uint32)
        open_states[: self.stored] = np.arange(self.stored)
        self.counters[loops.PENDING] = self.stored
        if self._order == "layers":
            following = np.empty(self.store.capacity, dtype=np.uint32)
            marks = np.zeros(self.store.capacity, dtype=np.uint8)  # initial states are at distance 0
            self._layers = loops.Layers(open_states, following, marks)
            return
        self._open = open_states
        if self._order == "rdfs":
            self.counters[loops.RANDOM] = _scrambled(self._seed)

    def _store_initial_states(self, run: Run) -> None:
        for seen, values in enumerate(self.task.initial_values()):
            stop = run.stop() if seen % FIRST_SLICE == FIRST_SLICE - 1 else None
            if stop is not None or self.stored >= self.store.capacity - 1:
                raise LimitReached(stop or Stop.MEMORY)
            if self.stored > FULL * self.store.index_size:
                self.store.grow_index()
            self._store_initial_state(np.array(self.packing.pack(values), dtype=np.int64))

    def _store_initial_state(self, packed: Int64s) -> None:
        count = self.stored
        if find_or_add(self.store, count, packed, 0, hash_words(packed, 0, self.words)) == count:
            self.store.parents[count] = count  # an initial state is its own parent
            self.counters[loops.STORED] = self.stored = count + 1

    def _initial_error(self) -> bool:
        """Whether an initial state satisfies the error condition, in the loops that test states only when met."""
        early = self._order in ("dfs", "rdfs") or self._goal == loops.LOOK_FOR_ERROR
        if not early or not self._goal & loops.LOOK_FOR_ERROR or self._order == "layers":
            return False
        for number in range(self.stored):
            if holds(self.machine, at.ERROR, self.store.states, number * self.words):
                self.counters[loops.FOUND] = number
                return True
        return False

    def go(self, run: Run, patience: int | None = None) -> None:
        """Work in slices until done or stopped, or until `patience` states are expanded."""
        if self._initial_error():
            self.finished = True
            return
        expansions = FIRST_SLICE
        while True:
            began = time.monotonic()
            ended = self._slice(expansions if patience is None else min(expansions, patience - self.expanded))
            spent = time.monotonic() - began
            self._note_counts()
            match ended:
                case loops.FINISHED if self._next_layer():
                    continue
                case loops.FINISHED | loops.ERROR_FOUND:
                    self.finished = True
                    return
                case loops.BROKEN:
                    raise InternalError("a step left the values that value analysis allows")
                case loops.INDEX_FULL if not self._index_fits(run):
                    self.stop = Stop.MEMORY
                    return
                case loops.INDEX_FULL:
                    self.store.grow_index()
                case loops.STORE_FULL:
                    self.stop = Stop.MEMORY
                    return
                case _ if self._goes_on(ended):
                    pass
                case _ if spent < SLICE_SECONDS / 2:
                    expansions *= 2
                case _ if spent > SLICE_SECONDS * 2:
                    expansions = max(64, expansions // 2)
            run.tell(explored=self.expanded, generated=self.generated, stored=self.stored, depth=self.depth)
            self.stop = run.stop()
            if self.stop is not None or (patience is not None and self.expanded >= patience):
                return
            if self.expanded >= NATIVE_FROM and self._native is None:
                self.use_native_code()

    def _note_counts(self) -> None:
        self.stored, self.expanded, self.generated, self.depth, self.deadlocks, self.faulty = self.counters[
            [loops.STORED, loops.EXPANDED, loops.GENERATED, loops.DEPTH, loops.DEADLOCKS, loops.FAULTY]
        ].tolist()

    def _goes_on(self, ended: int) -> bool:
        """Answer a reason that only this kind of walk knows, if it is one."""
        return False

    def use_native_code(self) -> None:
        """From now on successors come from machine code; they are the same and in the same order."""
        began = time.monotonic()
        self._native = translate(self.program)
        self.program.image[at.NATIVE_SUCCESSORS] = self._native.successors
        self.program.image[at.NATIVE_IS_ERROR] = self._native.is_error
        self.preprocessing_seconds += time.monotonic() - began

    def _index_fits(self, run: Run) -> bool:
        return resident_bytes() + 8 * len(self.store.slots) <= run.memory_bytes

    def _slice(self, expansions: int) -> int:
        """Run the loop for about this many expansions; why it returned."""
        search = loops.Search(self.machine, self.store, self.counters, self._goal)
        match self._order:
            case "bfs":
                return loops.run_queue(search, self._batch, self._bound, expansions)
            case "layers":
                return loops.run_layers(search, self._batch, self._layers, self._bound, expansions)
            case _:
                return loops.run_stack(search, self._open, expansions)

    def _next_layer(self) -> bool:
        """Go on with the states at the next distance, if there are any."""
        if self._order != "layers" or self.counters[loops.NEXT] == 0:
            return False
        self._layers = self._layers._replace(current=self._layers.following, following=self._layers.current)
        self.counters[loops.PENDING] = self.counters[loops.NEXT]
        self.counters[[loops.NEXT, loops.HEAD]] = 0
        self.counters[loops.DEPTH] += 1
        return True

    # ---- what it found

    @property
    def tested(self) -> int:
        """Every state nearer than this was tested for the error condition."""
        met_is_tested = self._order == "bfs" and self._goal == loops.LOOK_FOR_ERROR
        return self.depth + 1 if met_is_tested and self.expanded else self.depth

    def states(self) -> Iterator[State]:
        """All states met."""
        return map(self._state, range(self.stored))

    def packed(self) -> PackedStates:
        """All states met, as they are stored."""
        stored = self.store.states[: self.stored * self.words]
        return PackedStates(stored.reshape(self.stored, self.words), self.packing)

    def path_to_error(self) -> list[State] | None:
        """The states on the way to the error state found."""
        return self._path(loops.FOUND)

    def path_to_deadlock(self) -> list[State] | None:
        """The states on the way to the first deadlock."""
        return self._path(loops.FIRST_DEADLOCK)

    def path_to_fault(self) -> list[State] | None:
        """The states on the way to the first state from which a step faults."""
        return self._path(loops.FIRST_FAULTY)

    def _path(self, counter: int) -> list[State] | None:
        number = int(self.counters[counter])
        if number == NONE:
            return None
        numbers = [number]
        while int(self.store.parents[number]) != number:
            number = int(self.store.parents[number])
            numbers.append(number)
        return [self._state(number) for number in reversed(numbers)]

    def _state(self, number: int) -> State:
        words = self.words
        return self.task.state(self.packing.unpack(self.store.states[number * words : (number + 1) * words]))


def _scrambled(seed: int) -> int:
    """A start for the random numbers that is not 0 and differs for neighbouring seeds."""
    value = (seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % (1 << 63)
    return value or 1
