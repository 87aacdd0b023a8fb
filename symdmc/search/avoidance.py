"""Could an error have been avoided? The step after which every way leads to it, and the last ways around it.

Both questions are answered by the reference semantics, which visits states one by one, within a budget of visits.
*Every way leads to the error* from a state if every path from it that cannot go on, or never ends, meets an error
state: no path without one ends in a deadlock or goes round a cycle. That is shown by following all paths, depth first.
*No error is reachable* from a state if a heuristic calls it a dead end, or if all states reachable from it were visited
and none is an error state. What the budget does not suffice for is called unknown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from symdmc.model.error_states import is_error_state
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import State, Step
from symdmc.model.steps import passed_values, step_label
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.spelling.plurals import counted

BUDGET = 20_000
"""Visits of states for each of the two questions; one other step may take a tenth of them."""
DeadEnds: TypeAlias = Callable[[State], str | None]
"""The name of a heuristic that calls the state a dead end; None where none does."""


class Fate(Enum):
    """Where another step leads."""

    SAFE = "safe"
    """No error state is reachable behind it."""
    ERROR = "error"
    """An error state is reachable behind it."""
    UNKNOWN = "unknown"
    """The budget did not suffice to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherStep:
    """A step that the trace does not take."""

    after: int
    """The number of steps before it."""
    label: str
    fate: Fate
    proof: str
    """How that is known, or why not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Avoidance:
    """Whether, and until when, an error could have been avoided."""

    error_after: int
    """The number of steps after which the trace is in an error state for the first time."""
    lost_after: int
    """After this many steps every way leads to the error; that is proved."""
    escape: str | None
    """What one step earlier shows that not every way did; None where that is unknown, or where there is no step."""
    lost_visits: int
    """States visited to find that out."""
    other_step_at: int | None
    """The last number of steps after which another step led to where no error state is reachable; None: not found."""
    other_steps: tuple[OtherStep, ...]
    """All other steps there; without such a place, those of unknown fate on the whole trace."""
    other_visits: int
    """States visited to find that out."""
    budget: int
    """The most visits for each of the two questions."""


def avoidance(
    system: System,
    trace: Trace,
    error: ErrorCondition,
    *,
    budget: int = BUDGET,
    dead_end: DeadEnds = lambda _: None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Avoidance | None:
    """Whether the error at the end of a trace could have been avoided; None if no state of the trace is an error state.

    `checkpoint` is called for each visit and may raise to end the search.
    """
    semantics = Semantics(system)
    states = trace.states
    error_after = next((i for i, state in enumerate(states) if is_error_state(semantics, state, error)), None)
    if error_after is None:
        return None
    doom = _Doom(_Visits(semantics, error, budget, checkpoint))
    lost_after, escape = error_after, None
    while lost_after and (escape := doom.escape(states[lost_after - 1])) is None and doom.decided:
        lost_after -= 1
    around = _Around(_Visits(semantics, error, budget, checkpoint), dead_end, set(states[: error_after + 1]))
    found_at, others = around.last_safe_place(states, lost_after)
    return Avoidance(
        error_after=error_after,
        lost_after=lost_after,
        escape=escape,
        lost_visits=doom.visits.count,
        other_step_at=found_at,
        other_steps=tuple(others),
        other_visits=around.visits.count,
        budget=budget,
    )


class _OutOfBudget(Exception):
    """No more states may be visited."""


@dataclass(slots=True)
class _Visits:
    """Visits of states, counted."""

    semantics: Semantics
    error: ErrorCondition
    budget: int
    checkpoint: Callable[[], None]
    count: int = 0

    def steps(self, state: State) -> list[Step] | None:
        """The steps from a state; None from an error state."""
        if self.count >= self.budget:
            raise _OutOfBudget
        self.count += 1
        self.checkpoint()
        return None if is_error_state(self.semantics, state, self.error) else self.semantics.steps(state)


@dataclass(slots=True)
class _Doom:
    """From which states every way leads to the error."""

    visits: _Visits
    lost: set[State] = field(default_factory=set)
    """From these every way does."""
    decided: bool = True
    """The budget has sufficed so far."""

    def escape(self, start: State) -> str | None:
        """A way that never meets an error state, in words; None if there is none, or where that remains undecided."""
        try:
            return self._escape(start)
        except _OutOfBudget:
            self.decided = False
            return None

    def _escape(self, start: State) -> str | None:
        if start in self.lost:
            return None
        path: dict[State, Iterator[Step]] = {}
        state = start
        while True:
            steps = self.visits.steps(state)
            if steps is None:
                self.lost.add(state)
            elif not steps:
                return f"a path of {counted(len(path), 'step')} to a deadlock, without an error"
            else:
                path[state] = iter(steps)
            following = self._next(path)
            if following is None:
                return None
            if following in path:
                return f"a path of {counted(len(path), 'step')} that ends in a cycle, without an error"
            state = following

    def _next(self, path: dict[State, Iterator[Step]]) -> State | None:
        """The next state of a walk depth first; states left behind are lost. None at the end of the walk."""
        while path:
            last = next(reversed(path))
            for step in path[last]:
                if step.successor not in self.lost:
                    return step.successor
            self.lost.add(last)
            del path[last]
        return None


def _all_visited(number: int) -> str:
    if number == 1:
        return "the state behind it has no step to another one and is no error state"
    return f"all {number:,} states that are reachable behind it were visited, none is an error state"


@dataclass(slots=True)
class _Around:
    """Where the steps lead that a trace does not take."""

    visits: _Visits
    dead_end: DeadEnds
    doomed: set[State]
    """From these an error state is reachable."""
    fates: dict[State, tuple[Fate, str]] = field(default_factory=dict)

    def last_safe_place(self, states: Sequence[State], before: int) -> tuple[int | None, list[OtherStep]]:
        """The last place with a safe other step, and the other steps there; else the steps of unknown fate anywhere."""
        unknown: list[OtherStep] = []
        for place in reversed(range(before)):
            others = self.other_steps(states, place)
            if any(other.fate is Fate.SAFE for other in others):
                return place, others
            unknown += [other for other in others if other.fate is Fate.UNKNOWN]
        return None, unknown

    def other_steps(self, states: Sequence[State], place: int) -> list[OtherStep]:
        """The steps at a place of the trace that lead elsewhere than the trace."""
        semantics, state, found = self.visits.semantics, states[place], []
        for step in semantics.steps(state):
            if step.successor != states[place + 1]:
                fate, proof = self.fate(step.successor)
                label = step_label(step, semantics.system, passed_values(step, semantics, state))
                found.append(OtherStep(after=place, label=label, fate=fate, proof=proof))
        return found

    def fate(self, state: State) -> tuple[Fate, str]:
        """What can be reached from a state, and how that is known."""
        if state not in self.fates:
            name = self.dead_end(state)
            known = (Fate.SAFE, f"it leads to a dead end of {name}") if name is not None else self._searched(state)
            self.fates[state] = known
        return self.fates[state]

    def _searched(self, start: State) -> tuple[Fate, str]:
        visits = self.visits
        limit = min(visits.budget, visits.count + max(1, visits.budget // 10))
        parent: dict[State, State | None] = {start: None}
        waiting = deque([start])
        while waiting:
            state = waiting.popleft()
            if state in self.doomed:
                return self._reaching(state, parent)
            if visits.count >= limit:
                return Fate.UNKNOWN, "the budget is spent before all states behind it were visited"
            steps = visits.steps(state)
            if steps is None:
                return self._reaching(state, parent)
            for step in steps:
                if step.successor not in parent:
                    parent[step.successor] = state
                    waiting.append(step.successor)
        return Fate.SAFE, _all_visited(len(parent))

    def _reaching(self, state: State, parent: dict[State, State | None]) -> tuple[Fate, str]:
        """An error state can be reached from a state, and so from all states on the way to it."""
        at: State | None = state
        while at is not None:
            self.doomed.add(at)
            at = parent[at]
        return Fate.ERROR, "an error state is still reachable behind it"
