"""States met by random walks, with compiled steps; the same seed gives the same states."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np

from symdmc.kernel.machine.compiler import compile_program
from symdmc.kernel.machine.machine import Machine, expand
from symdmc.task.task import Task, Values

MOST_STARTS = 1000
"""Only the first initial states, at most this many, are started from."""


def sampled_states(task: Task, count: int, most_steps: int, seed: int) -> list[Values]:
    """The ends of `count` random walks, each after a random number of steps, at most `most_steps`, or at a deadlock."""
    chance = random.Random(seed)
    walker = _Walker(task)
    starts = list(islice(task.initial_values(), MOST_STARTS))
    if not starts:
        return []
    return [walker.walk(chance.choice(starts), chance.randint(0, most_steps), chance) for _ in range(count)]


class _Walker:
    """Takes steps in packed states."""

    def __init__(self, task: Task) -> None:
        program = compile_program(task)
        self.packing = program.packing
        self._machine = Machine.of(program)

    def walk(self, start: Values, steps: int, chance: random.Random) -> Values:
        """The end of a walk of this many steps."""
        words = self.packing.words
        state = np.array(self.packing.pack(start), dtype=np.int64)
        for _ in range(steps):
            count, _ = expand(self._machine, state, 0, 0)
            if count == 0:
                break
            chosen = chance.randrange(count)
            state = self._machine.successors[chosen * words : (chosen + 1) * words].copy()
        return self.packing.unpack(state)
