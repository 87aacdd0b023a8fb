"""A state space for the searches in plain Python whose steps and look-ups are compiled; states are packed bytes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symdmc.errors import InternalError, StateOutside
from symdmc.heuristics.estimates.tables import left_the_table
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.kernel.loops.best_first import Estimator, estimate
from symdmc.kernel.machine import image as at
from symdmc.kernel.machine import opcodes as op
from symdmc.kernel.machine.compiler import compile_program
from symdmc.kernel.machine.machine import Machine, expand, holds
from symdmc.lookup.tables import DEAD_END, OUTSIDE, table_image
from symdmc.model.expressions import FALSE
from symdmc.model.state import State
from symdmc.packed.arrays import Int64s
from symdmc.search.directed.space import Expansion
from symdmc.task.task import Task, Values


class PackedSpace:
    """By the compiled successor function, and the look-up tables of the heuristic if it has some."""

    def __init__(self, task: Task, heuristic: TaskHeuristic) -> None:
        self.task = task
        self.heuristic = heuristic
        program = compile_program(task)
        self.packing = program.packing
        self._machine = Machine.of(program)
        self._looks_for_error = task.error.expression != FALSE
        self._estimator: Estimator | None = None
        if heuristic.groups is not None:
            self._estimator = Estimator(table_image(heuristic.groups, self.packing), heuristic.floor)

    def initial(self) -> Iterator[bytes]:
        """Every initial state."""
        for values in self.task.initial_values():
            yield np.array(self.packing.pack(values), dtype=np.int64).tobytes()

    def is_error(self, place: bytes) -> bool:
        """Whether the error condition holds."""
        return self._looks_for_error and holds(self._machine, at.ERROR, _words(place), 0)

    def is_error_when_stuck(self, place: bytes) -> bool:
        """Whether a deadlock there is an error, where deadlocks are looked for."""
        return self.task.semantics.holds(self.task.error.deadlock_where, self.state(place))

    def expand(self, place: bytes) -> Expansion[bytes]:
        """All steps from a state."""
        machine = self._machine
        count, trouble = expand(machine, _words(place), 0, 0)
        if trouble == op.OUTSIDE:
            raise InternalError("a step left the values that value analysis allows")
        size = len(place)
        written = machine.successors[: count * self.packing.words].tobytes()
        costs = machine.image[machine.taken[:count] + at.COST].tolist()
        steps = [(cost, written[k * size : (k + 1) * size]) for k, cost in enumerate(costs)]
        return Expansion(steps, trouble == op.FAULT)

    def estimate(self, place: bytes) -> int | None:
        """What the heuristic says; None for a dead end."""
        if self._estimator is None:
            return self.heuristic.estimate(self.values(place))
        code = estimate(self._machine, self._estimator, _words(place), 0)
        if code == OUTSIDE:
            raise StateOutside(left_the_table(self.heuristic.name))
        return None if code == DEAD_END else int(code)

    def state(self, place: bytes) -> State:
        """The state as traces show it."""
        return self.task.state(self.values(place))

    def values(self, place: bytes) -> Values:
        """The values of the task's variables."""
        return self.packing.unpack(_words(place))


def _words(place: bytes) -> Int64s:
    """The words of a state; copied, so that compiled functions get one kind of array only."""
    return np.frombuffer(place, dtype=np.int64).copy()
