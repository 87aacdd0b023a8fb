"""A walk driven by the compiled loops: sets up the arrays, and minds limits and progress between slices of work."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from symdmc.errors import InternalError
from symdmc.kernel.loops import exhaustive as loops
from symdmc.kernel.loops.store import FULL, StateStore, find_or_add, hash_words
from symdmc.kernel.machine import image as at
from symdmc.kernel.machine.compiler import CompiledTask, compile_program
from symdmc.kernel.machine.machine import holds
from symdmc.kernel.machine.native import NativeCode, translate
from symdmc.model.expressions import FALSE
from symdmc.model.state import State
from symdmc.outcome import Stop
from symdmc.packed.jit import is_compilation_due
from symdmc.running.run import LimitReached, Run, resident_bytes
from symdmc.search.explicit.reference import ReferenceWalk
from symdmc.search.walk import ListingWalk, PackedStates
from symdmc.task.task import Task

NO_BOUND = 1 << 62
FIRST_SLICE = 1 << 12
SLICE_SECONDS = 0.1
"""How long the compiled loops work before limits, progress and interrupts are looked at."""
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
    run.say("analysing values")
    try:
        task.analyse(run.checkpoint)
    except LimitReached as reached:
        return ReferenceWalk(stop=reached.stop)  # nothing was visited
    program = compile_program(task)
    if is_compilation_due(loops.run_queue):
        run.say("compiling the search loops, once on this machine")
    goal = 0 if explore else goal_of(task)
    least = 2 * (program.most_successors + loops.BATCH)
    walk = CompiledWalk(task, program, StateStore.reserve(program.packing.words, run.memory_left, least))
    try:
        walk.begin(order, seed, goal, bound, explore, run)
        walk.preprocessing_seconds = run.seconds - began
        walk.go(run)
    except KeyboardInterrupt:
        walk.stop = Stop.INTERRUPT
    except LimitReached as reached:
        walk.stop = reached.stop
    return walk


def goal_of(task: Task) -> int:
    """What the loops look for, added up."""
    error = task.error
    asked = loops.LOOK_FOR_ERROR if error.expression != FALSE else 0
    return asked + loops.LOOK_FOR_DEADLOCK * error.deadlock + loops.LOOK_FOR_FAULT * error.fault


class CompiledWalk:
    """A search in the arrays of the compiled loops; a `Walk`."""

    def __init__(self, task: Task, compiled: CompiledTask, store: StateStore) -> None:
        self.task = task
        self.compiled = compiled
        self.image, self.packing = compiled.image, compiled.packing
        self.words = compiled.packing.words
        self._has_free_steps = compiled.has_free_steps
        self.store = store
        self.finished = False
        self.stop: Stop | None = None
        self.preprocessing_seconds = 0.0
        self.counters = np.zeros(loops.COUNTERS, dtype=np.int64)
        self.counters[[loops.FIRST_DEADLOCK, loops.FIRST_FAULTY, loops.FOUND]] = NONE
        room = compiled.most_successors + loops.BATCH
        self._successors = np.empty(room * self.words, dtype=np.int64)
        self._taken = np.empty(room, dtype=np.int64)
        self._origin, self._hashes, self._fetched = (np.empty(room, dtype=np.int64) for _ in range(3))
        self._stack = np.empty(compiled.stack_size, dtype=np.int64)
        self._trouble = np.empty(1, dtype=np.int64)
        self._native: NativeCode | None = None
        self._order = "bfs"
        self._goal = 0
        self._bound = NO_BOUND

    # ---- running

    def begin(self, order: str, seed: int, goal: int, bound: int | None, explore: bool, run: Run) -> None:
        """Store the initial states and choose the loop."""
        self._goal, self._bound = goal, NO_BOUND if bound is None else bound
        layered = order == "bfs" and not explore and self._has_free_steps
        self._order = "layers" if layered else order
        self._add_initial_states(run)
        counters = self.counters
        counters[loops.LAYER_END] = counters[loops.STORED]
        if self._order != "bfs":
            self._open_initial_states(layered, seed)
        self._slice(0)  # does nothing but load or compile the loop

    def _open_initial_states(self, layered: bool, seed: int) -> None:
        """Fill the stack or the first layer."""
        counters = self.counters
        self._open = np.empty(self.store.capacity, dtype=np.uint32)
        initial = np.arange(counters[loops.STORED], dtype=np.uint32)
        self._open[: len(initial)] = initial
        counters[loops.PENDING] = len(initial)
        if self._order == "rdfs":
            counters[loops.RANDOM] = _scrambled(seed)
        if layered:
            self._following = np.empty(self.store.capacity, dtype=np.uint32)
            self._marks = np.zeros(self.store.capacity, dtype=np.uint8)  # initial states are at distance 0

    def _add_initial_states(self, run: Run) -> None:
        words, counters, store = self.words, self.counters, self.store
        for values in self.task.initial_values():
            packed = np.array(self.packing.pack(values), dtype=np.int64)
            count = int(counters[loops.STORED])
            stop = run.stop() if count % FIRST_SLICE == FIRST_SLICE - 1 else None
            if stop is not None or count >= store.capacity - 1:
                raise LimitReached(stop or Stop.MEMORY)
            if count > FULL * store.index_size:
                store.grow_index()
            value = hash_words(packed, 0, words)
            if find_or_add(store.slots, store.states, count, words, packed, 0, value) == count:
                store.parents[count] = count  # an initial state is its own parent
                counters[loops.STORED] += 1

    def _initial_error(self) -> bool:
        """Whether an initial state satisfies the error condition, in the loops that test states only when met."""
        early = self._order in ("dfs", "rdfs") or self._goal == loops.LOOK_FOR_ERROR
        if not early or not self._goal & loops.LOOK_FOR_ERROR or self._order == "layers":
            return False
        for number in range(int(self.counters[loops.STORED])):
            base = number * self.words
            if holds(self.image, at.ERROR, self.store.states, base, self._stack):
                self.counters[loops.FOUND] = number
                return True
        return False

    def go(self, run: Run, patience: int | None = None) -> None:
        """Work in slices until done or stopped, or until so many states are expanded."""
        if self._initial_error():
            self.finished = True
            return
        expansions = FIRST_SLICE
        while True:
            began = time.monotonic()
            ended = self._slice(expansions if patience is None else min(expansions, patience - self.expanded))
            spent = time.monotonic() - began
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

    def _goes_on(self, ended: int) -> bool:
        """Answer a reason that only this kind of walk knows, if it is one."""
        return False

    def use_native_code(self) -> None:
        """From now on successors come from machine code; they are the same and in the same order."""
        began = time.monotonic()
        self._native = translate(self.compiled)
        self.image[at.NATIVE_SUCCESSORS] = self._native.successors
        self.image[at.NATIVE_IS_ERROR] = self._native.is_error
        self.preprocessing_seconds += time.monotonic() - began

    def _index_fits(self, run: Run) -> bool:
        return resident_bytes() + 8 * len(self.store.slots) <= run.memory_bytes

    def _slice(self, expansions: int) -> int:
        store = self.store
        shared = (
            *(self.image, store.states, store.parents, store.slots),
            *(self._successors, self._taken, self._stack, self._trouble, self.counters),
        )
        batch = (self._origin, self._hashes, self._fetched)
        match self._order:
            case "bfs":
                return loops.run_queue(*shared, *batch, self._goal, self._bound, expansions)
            case "layers":
                lists = (self._open, self._following, self._marks)
                return loops.run_layers(*shared, *batch, *lists, self._goal, self._bound, expansions)
            case _:
                return loops.run_stack(*shared, self._open, self._goal, expansions)

    def _next_layer(self) -> bool:
        """Go on with the states at the next distance, if there are any."""
        if self._order != "layers" or self.counters[loops.NEXT] == 0:
            return False
        self._open, self._following = self._following, self._open
        self.counters[loops.PENDING] = self.counters[loops.NEXT]
        self.counters[[loops.NEXT, loops.HEAD]] = 0
        self.counters[loops.DEPTH] += 1
        return True

    # ---- what it found

    @property
    def stored(self) -> int:
        """Different states met."""
        return int(self.counters[loops.STORED])

    @property
    def expanded(self) -> int:
        """States expanded."""
        return int(self.counters[loops.EXPANDED])

    @property
    def generated(self) -> int:
        """Steps taken."""
        return int(self.counters[loops.GENERATED])

    @property
    def depth(self) -> int:
        """Of the state expanded last."""
        return int(self.counters[loops.DEPTH])

    @property
    def deadlocks(self) -> int:
        """Expanded states without a step."""
        return int(self.counters[loops.DEADLOCKS])

    @property
    def faulty(self) -> int:
        """Expanded states from which a step faults."""
        return int(self.counters[loops.FAULTY])

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
