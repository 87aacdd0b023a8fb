"""State spaces by the reference semantics: the first states breadth first, with all their steps and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from symdmc.model.semantics import Semantics
from symdmc.model.state import State, Step
from symdmc.model.steps import passed_values, step_label
from symdmc.model.system import System


@dataclass(frozen=True, slots=True)
class StateSpace:
    """States by number, the initial ones first, each as far from them as those before it or farther."""

    system: System
    states: list[State] = field(default_factory=list)
    initial: int = 0
    """How many of them are initial states."""
    steps: list[tuple[int, str, int | None]] = field(default_factory=list)
    """Source, label and target of every step; None for a target that is not listed any more."""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Source and label of every step that faults."""
    more_initial: bool = False
    """There are more initial states than are listed."""

    @property
    def is_cut(self) -> bool:
        """Whether there are more states than are listed."""
        return self.more_initial or any(target is None for _, _, target in self.steps)


def nothing() -> None:
    """Do nothing."""


def state_space(system: System, most: int, checkpoint: Callable[[], None] = nothing) -> StateSpace:
    """The first `most` states, with all their steps; the same system gives the same numbers and order.

    The checkpoint is called for every state and may raise something to end the walk.
    """
    semantics = Semantics(system)
    numbers: dict[State, int] = {}
    more_initial = False
    for start in semantics.initial_states():
        checkpoint()
        if len(numbers) == most and start not in numbers:
            more_initial = True
            break
        numbers.setdefault(start, len(numbers))
    initial, states = len(numbers), list(numbers)
    steps: list[tuple[int, str, int | None]] = []
    faults: list[tuple[int, str]] = []
    for source, state in enumerate(states):  # which grows meanwhile
        checkpoint()
        for move in semantics.moves(state):
            if not isinstance(move, Step):
                faults.append((source, f"fault: {step_label(Step(move.edges, 0, state), system)}: {move.reason}"))
                continue
            after = move.successor
            if after not in numbers and len(numbers) < most:
                numbers[after] = len(numbers)
                states.append(after)
            steps.append((source, step_label(move, system, passed_values(move, semantics, state)), numbers.get(after)))
    return StateSpace(system, states, initial, steps, faults, more_initial)
