"""A walk through a system, step by step, by hand or at random, with the reference semantics."""

from __future__ import annotations

import random
from itertools import islice

from symdmc.model.error_states import is_error_state
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import condition_of
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.system import System
from symdmc.model.trace import Trace

MOST_STARTS = 1000
"""At most this many initial states are offered."""


class Simulation:
    """A path through a system that grows step by step and can be undone; empty until an initial state is chosen."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.semantics = Semantics(system)
        self.starts: tuple[State, ...] = tuple(islice(self.semantics.initial_states(), MOST_STARTS))
        self.initial: State | None = self.starts[0] if len(self.starts) == 1 else None
        self.steps: list[Step] = []

    @property
    def state(self) -> State | None:
        """The last state of the walk; None before an initial state is chosen."""
        return self.steps[-1].successor if self.steps else self.initial

    def moves(self) -> tuple[list[Step], list[Fault]]:
        """The steps from here, and the attempts at one that fault."""
        if self.state is None:
            return [], []
        moves = list(self.semantics.moves(self.state))
        return [move for move in moves if isinstance(move, Step)], [move for move in moves if isinstance(move, Fault)]

    def errors(self) -> list[str]:
        """The named properties whose error condition holds here."""
        state = self.state
        if state is None:
            return []
        asked = (condition_of(named.name, named.error, self.system) for named in self.system.properties)
        return [error.name for error in asked if is_error_state(self.semantics, state, error)]

    def start(self, initial: State) -> None:
        """Begin at an initial state."""
        self.initial = initial
        self.steps.clear()

    def take(self, step: Step) -> None:
        """Go one step."""
        self.steps.append(step)

    def back(self) -> bool:
        """Undo the last step, or the choice of the initial state; False when there is nothing to undo."""
        if self.steps:
            self.steps.pop()
            return True
        if self.initial is None or len(self.starts) == 1:
            return False
        self.initial = None
        return True

    def take_any(self, chance: random.Random) -> bool:
        """Go one step chosen at random, or choose the initial state; False when there is none."""
        if self.state is None:
            if self.starts:
                self.start(chance.choice(self.starts))
            return bool(self.starts)
        steps, _ = self.moves()
        if steps:
            self.take(chance.choice(steps))
        return bool(steps)

    def trace(self) -> Trace | None:
        """The walk so far; it claims nothing about its last state."""
        if self.initial is None:
            return None
        return Trace(
            fingerprint=fingerprint(self.system), property="simulation", initial=self.initial, steps=tuple(self.steps)
        )


def random_walk(system: System, length: int, seed: int) -> Simulation:
    """A walk of at most `length` steps, each chosen at random; the same seed gives the same walk."""
    walk, chance = Simulation(system), random.Random(seed)
    if walk.state is None:
        walk.take_any(chance)
    while len(walk.steps) < length and walk.take_any(chance):
        pass
    return walk
