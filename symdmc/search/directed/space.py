"""State spaces for the searches written in plain Python, and the counting that these searches share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol

from symdmc.heuristics.estimates.own import Watched
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Fault, State, Step
from symdmc.running.run import Run
from symdmc.search.walk import Place, Walk
from symdmc.task.task import Task, Values

LOOK_EVERY = 1024
"""Initial states between two looks at the limits."""
REPORT_EVERY = 2048
"""Expansions between two reports."""


class Expansion(NamedTuple, Generic[Place]):
    """The steps from a state, each with its cost and where it leads, and whether a step faults."""

    steps: list[tuple[int, Place]]
    faults: bool


class Space(Protocol[Place]):
    """The states of a task, their steps and their estimates."""

    def initial(self) -> Iterator[Place]:
        """Every initial state."""

    def is_error(self, place: Place) -> bool:
        """Whether the error condition holds."""

    def is_error_when_stuck(self, place: Place) -> bool:
        """Whether a deadlock there is an error, where deadlocks are looked for."""

    def expand(self, place: Place) -> Expansion[Place]:
        """All steps from a state."""

    def estimate(self, place: Place) -> int | None:
        """What the heuristic says; None for a dead end."""

    def state(self, place: Place) -> State:
        """The state as traces show it."""

    def values(self, place: Place) -> Values:
        """The values of the task's variables."""


class ReferenceSpace:
    """By the reference semantics and the reference path of the heuristic; nothing is compiled."""

    def __init__(self, task: Task, heuristic: TaskHeuristic) -> None:
        self.task = task
        self.heuristic = heuristic

    def initial(self) -> Iterator[State]:
        """Every initial state."""
        return self.task.semantics.initial_states()

    def is_error(self, place: State) -> bool:
        """Whether the error condition holds."""
        return self.task.semantics.holds(self.task.error.expression, place)

    def is_error_when_stuck(self, place: State) -> bool:
        """Whether a deadlock there is an error, where deadlocks are looked for."""
        return self.task.semantics.holds(self.task.error.deadlock_where, place)

    def expand(self, place: State) -> Expansion[State]:
        """All steps from a state."""
        moves = list(self.task.semantics.moves(place))
        steps = [(move.cost, move.successor) for move in moves if isinstance(move, Step)]
        return Expansion(steps, any(isinstance(move, Fault) for move in moves))

    def estimate(self, place: State) -> int | None:
        """What the heuristic says; None for a dead end."""
        return self.heuristic.estimate(self.values(place))

    def state(self, place: State) -> State:
        """The state itself."""
        return place

    def values(self, place: State) -> Values:
        """The values of the task's variables."""
        return self.task.values(place)


class Explorer(Generic[Place]):
    """Takes the steps of one search in a space: counts, keeps the first deadlock and fault, minds limits and budget."""

    def __init__(
        self,
        space: Space[Place],
        error: ErrorCondition,
        run: Run,
        budget: int,
        watched: Sequence[Watched] = (),
    ) -> None:
        self.space = space
        self._watched = watched
        self.error = error
        self.run = run
        self.budget = budget
        self.walk = Walk()
        self._deadlocks: set[Place] = set()
        self._faulty: set[Place] = set()
        self._seen_initially = 0
        self.cut_off = False
        """Some initial states were not looked at: nothing can be concluded but from an error found."""

    def initial(self) -> list[tuple[Place, int]]:
        """The initial states that are no dead ends with their estimates; cut off where a limit or the budget ends."""
        found: dict[Place, int] = {}
        for place in self.space.initial():
            self._seen_initially += 1
            if self._seen_initially >= self.budget or (self._seen_initially % LOOK_EVERY == 0 and self.pauses()):
                self.cut_off = True
                break
            h = self.estimate(place)
            if h is not None:
                found[place] = h
        self.walk.h_initial = None if self.cut_off else min(found.values(), default=None)
        return list(found.items())

    def pauses(self) -> bool:
        """Whether a limit is reached or the budget spent; to be asked before every expansion."""
        walk = self.walk
        if walk.expanded % REPORT_EVERY == REPORT_EVERY - 1:
            self.run.tell(explored=walk.expanded, generated=walk.generated, stored=walk.stored, depth=walk.depth)
        walk.stop = self.run.stop()
        return walk.stop is not None or self._seen_initially + walk.expanded + walk.generated >= self.budget

    def estimate(self, place: Place) -> int | None:
        """What the heuristic says; counts dead ends."""
        h = self.space.estimate(place)
        self.walk.dead_ends += h is None
        return h

    def finds_error(self, place: Place, path: Callable[[], Sequence[Place]]) -> bool:
        """Whether a state about to be expanded satisfies the error condition; keeps the way to it if so."""
        if not self.space.is_error(place):
            return False
        self._found(path)
        return True

    def expand(self, place: Place, path: Callable[[], Sequence[Place]]) -> list[tuple[int, Place]] | None:
        """The steps from a state; None if it is a deadlock or has a fault that is looked for."""
        walk, error = self.walk, self.error
        steps, faults = self.space.expand(place)
        walk.expanded += 1
        walk.generated += len(steps)
        if not steps:
            self._deadlocks.add(place)
            walk.deadlocks = len(self._deadlocks)
            walk.deadlock = walk.deadlock or self._states(path)
        if faults:
            self._faulty.add(place)
            walk.faulty = len(self._faulty)
            walk.fault = walk.fault or self._states(path)
        if (error.deadlock and not steps and self.space.is_error_when_stuck(place)) or (error.fault and faults):
            self._found(path)
            return None
        self._watch(place, steps)
        return steps

    def _watch(self, place: Place, steps: Sequence[tuple[int, Place]]) -> None:
        """Show the steps to the heuristics that nobody answers for."""
        for each in self._watched:
            each.look_at_steps(self.space.values(place), ((cost, self.space.values(after)) for cost, after in steps))

    def _found(self, path: Callable[[], Sequence[Place]]) -> None:
        self.walk.error, self.walk.finished = self._states(path), True

    def _states(self, path: Callable[[], Sequence[Place]]) -> list[State]:
        return [self.space.state(place) for place in path()]
