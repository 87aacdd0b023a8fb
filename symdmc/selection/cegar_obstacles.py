"""What the system forbids on the way of shortest abstract traces, and which dropped variables would show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from symdmc.model.expressions import FALSE, Expr, conjuncts
from symdmc.model.state import EdgeRef, State, Step
from symdmc.selection.blame import Blame
from symdmc.selection.cegar_abstraction import ShortestTraces
from symdmc.task.interaction import footprint, value_sources
from symdmc.task.task import Task, Transition

Way = frozenset[int]
"""Dropped variables; an abstraction that keeps all of them sees the obstacle."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that the abstraction permits in a concrete state and the system does not."""

    what: str
    """A transition, or being an error state."""
    distance: int
    """To the end of the abstract traces."""
    ways: tuple[Way, ...]
    """To keep all variables of any of these makes the abstraction see it; none of them is empty."""


def obstacles(task: Task, traces: ShortestTraces, states: Iterable[State], distance: int) -> list[Obstacle]:
    """What stops some states, where shortest abstract traces that pass by at this distance go on."""
    finder = _Finder(task, traces)
    found = (obstacle for state in states for obstacle in finder.before(state, distance))
    return [obstacle for obstacle in found if obstacle.ways]


def initial_obstacles(task: Task, traces: ShortestTraces) -> list[Obstacle]:
    """What forbids all initial states that shortest abstract traces start with: an invariant of dropped variables."""
    known = _known(task, traces)
    supports = (task.layout.support(part) - known for part in conjuncts(task.invariant))
    ways = tuple(dict.fromkeys(support for support in supports if support))
    return [Obstacle("an initial state", traces.length, ways)] if ways else []


class _Finder:
    def __init__(self, task: Task, traces: ShortestTraces) -> None:
        self.task = task
        self.traces = traces
        self.kept = _known(task, traces)
        self.blame = Blame(task, self.kept)

    def before(self, state: State, distance: int) -> Iterator[Obstacle]:
        """What stops a state."""
        if distance == 0:
            yield from self._no_error(state)
        for number in self.traces.leading_on(self.task.values(state), distance):
            transition = self.task.transitions[number]
            yield Obstacle(_name(transition), distance, self._forbidding(transition, state, distance))

    def _forbidding(self, transition: Transition, state: State, distance: int) -> tuple[Way, ...]:
        """The ways to see that a transition does not lead on from a state; none where it does."""
        false = self._false_parts(transition, state)
        if false:
            return tuple(dict.fromkeys(self.blame.deciding(part, state) for part in false))
        for step in self._steps(transition, state):
            if self.traces.pass_by(self.task.values(step.successor), distance - step.cost):
                return ()
        ways = tuple(dict.fromkeys(self._broken(transition, state)))
        if ways and frozenset() not in ways:
            return ways
        return self._unless_empty(self._looked_at(transition) - self.kept)

    def _broken(self, transition: Transition, state: State) -> Iterator[Way]:
        """What shows that an invariant would not hold after a transition, for each that would not."""
        blame = Blame(self.task, self.kept, value_sources(self.task, transition))
        for after in self.task.semantics.states_beyond(state, _asks_for(transition)):
            for part in conjuncts(self.task.invariant):
                if not self.task.semantics.holds(part, after):
                    yield blame.deciding(part, after)

    def _steps(self, transition: Transition, state: State) -> list[Step]:
        """The steps by which a transition leads on from a state."""
        moves = self.task.semantics.moves(state, _asks_for(transition))
        return [move for move in moves if isinstance(move, Step)]

    def _false_parts(self, transition: Transition, state: State) -> list[Expr]:
        """The conditions of a transition that do not hold."""
        holds = self.task.semantics.holds
        return [part for part in conjuncts(self.task.full_guard(transition)) if not holds(part, state)]

    def _looked_at(self, transition: Transition) -> Way:
        """What a step depends on: what it reads, and the invariants of what it touches."""
        task, touched = self.task, footprint(self.task, transition)
        supports = [task.layout.support(part) for part in conjuncts(task.invariant)]
        concerned = (support for support in supports if support & (touched.reads | touched.writes))
        return touched.reads.union(*concerned)

    def _unless_empty(self, way: Way) -> tuple[Way, ...]:
        return (way,) if way else ()

    def _no_error(self, state: State) -> Iterator[Obstacle]:
        """Why a state whose abstract state is an error state is none itself."""
        error = self.task.error
        if error.expression != FALSE:
            way = self.blame.deciding(error.expression, state)
            yield Obstacle("the error condition", 0, self._unless_empty(way))
        possible = [self.task.transitions[number] for number in sorted(self.task.analysis.possible)]
        if error.deadlock:
            enabled = (each for each in possible if not self._false_parts(each, state) and self._steps(each, state))
            ways = dict.fromkeys(self._looked_at(each) - self.kept for each in enabled)
            yield Obstacle("a deadlock", 0, tuple(ways) if frozenset() not in ways else ())
        if error.fault:
            for each in possible:
                way = self._looked_at(each) - self.kept
                yield Obstacle(f"a fault of {_name(each)}", 0, self._unless_empty(way))


def _known(task: Task, traces: ShortestTraces) -> frozenset[int]:
    """The variables whose values the abstraction knows: the kept ones, and those that never change."""
    return traces.kept | {number for number, domain in enumerate(task.analysis.domains) if domain.count == 1}


def _asks_for(transition: Transition) -> Callable[[tuple[EdgeRef, ...]], bool]:
    """Whether some edges are those of a transition."""
    most = {branch.edge for branch in transition.branches}
    least = {branch.edge for branch in transition.fixed}
    return lambda team: least <= set(team) <= most


def _name(transition: Transition) -> str:
    """A transition in words: its label and who takes part for sure, or the move of a process by itself."""
    if transition.label:
        return f"{transition.label} of {' and '.join(branch.process for branch in transition.fixed) or 'all'}"
    return ", ".join(f"{branch.process}: {branch.source} -> {branch.target}" for branch in transition.branches)
