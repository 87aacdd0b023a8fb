"""What the system forbids on the way of shortest abstract traces, and what has to be told apart to see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from symdmc.model.expressions import FALSE, Expr, conjuncts
from symdmc.model.state import State, Step
from symdmc.selection.refinement.abstraction import ShortestTraces
from symdmc.selection.refinement.blame import Blame
from symdmc.selection.refinement.narrowing import Stays, narrowed
from symdmc.selection.refinement.precision import Distinction, Precision, Way
from symdmc.task.interaction import footprint, value_sources
from symdmc.task.task import Task, Transition


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that the abstraction permits in a concrete state and the system does not."""

    what: str
    """A transition, or being an error state."""
    distance: int
    """To the end of the abstract traces."""
    ways: tuple[Way, ...]
    """To make all distinctions of any of these makes the abstraction see it; none of them is empty."""


@dataclass(frozen=True, slots=True)
class Look:
    """An abstraction that is to be refined."""

    precision: Precision
    traces: ShortestTraces
    """The shortest ones that it has."""
    splits: bool
    """Whether it is refined by classes of values, rather than by whole variables."""

    @property
    def task(self) -> Task:
        """The task itself."""
        return self.precision.plain

    def way(self, numbers: Iterable[int], state: State, stays: Stays | None) -> Way:
        """How to tell apart a state from those that differ in some variables and do not stay as it is."""
        if not self.splits:
            return frozenset(map(Distinction, numbers))
        return narrowed(self.precision, numbers, self.task.values(state), stays)


def obstacles(look: Look, states: Iterable[State], distance: int) -> list[Obstacle]:
    """What stops some states, where shortest abstract traces that pass by at this distance go on."""
    found = (obstacle for state in states for obstacle in _Finder(look, state).before(distance))
    told = (replace(each, ways=tuple(way for way in each.ways if way)) for each in found)
    return [obstacle for obstacle in told if obstacle.ways]


def detours(look: Look, states: Iterable[State], distance: int) -> list[Obstacle]:
    """Transitions with which shortest abstract traces can go on also to where none of the states' own steps does.

    For states that nothing stops: steps that cost nothing may lead them around in circles.
    """
    found = (obstacle for state in states for obstacle in _Finder(look, state).detours(distance))
    return [obstacle for obstacle in found if obstacle.ways]


def initial_obstacles(look: Look) -> list[Obstacle]:
    """What forbids all initial states that shortest abstract traces start with: an invariant of dropped variables."""
    task, known = look.task, look.precision.whole | look.precision.constant
    supports = (task.layout.support(part) - known for part in conjuncts(task.invariant))
    ways = tuple(dict.fromkeys(frozenset(map(Distinction, support)) for support in supports if support))
    return [Obstacle("an initial state", look.traces.length, ways)] if ways else []


class _Finder:
    """Finds what stops a state."""

    def __init__(self, look: Look, state: State) -> None:
        self.look, self.state = look, state
        self.task, self.traces = look.task, look.traces
        self.known = look.precision.known(self.task.values(state))
        self.blame = Blame(self.task, self.known)

    def before(self, distance: int) -> Iterator[Obstacle]:
        """What stops it."""
        if distance == 0:
            yield from self._no_error()
        for number in self.traces.leading_on(self.task.values(self.state), distance):
            transition = self.task.transitions[number]
            yield Obstacle(_name(transition), distance, self._forbidding(transition, distance))

    def detours(self, distance: int) -> Iterator[Obstacle]:
        """The transitions that lead abstract traces also elsewhere."""
        values = self.task.values(self.state)
        for number in self.traces.leading_on(values, distance):
            transition = self.task.transitions[number]
            ends = [self.task.values(step.successor) for step in self.task.steps_of(transition, self.state)]
            if self.traces.lead_elsewhere(values, distance, number, ends):
                way = self._depending(transition, None)
                yield Obstacle(_name(transition), distance, self._unless_empty(way))

    def _forbidding(self, transition: Transition, distance: int) -> tuple[Way, ...]:
        """The ways to see that a transition does not lead on; none where it does."""
        false = self._false_parts(transition, self.state)
        if false:
            return tuple(dict.fromkeys(map(self._settled, false)))
        steps = self.task.steps_of(transition, self.state)
        if any(self._leads_on(step, distance) for step in steps):
            return ()
        if steps and self.look.splits:
            return self._unless_empty(self._elsewhere(transition, steps[0], distance))
        ways = tuple(dict.fromkeys(self._broken(transition)))
        if ways and frozenset() not in ways:
            return ways
        return self._unless_empty(self._depending(transition, None))

    def _leads_on(self, step: Step, distance: int) -> bool:
        return self.traces.pass_by(self.task.values(step.successor), distance - step.cost)

    def _settled(self, condition: Expr) -> Way:
        """What shows that a condition is as it is in the state."""
        parts = self.blame.settling(condition, self.state)
        stays = _As(self.blame, parts, self.state).holds_in
        return self.look.way(self.blame.dropped(parts, self.state), self.state, stays)

    def _elsewhere(self, transition: Transition, step: Step, distance: int) -> Way:
        """What shows that a step ends elsewhere than where shortest traces go on."""
        after = self.task.values(step.successor)
        written = footprint(self.traces.task, transition).writes
        away = self.traces.keeping_away(after, distance - step.cost, written)
        bases = [self.look.precision.base(number) for number in away]
        sources = value_sources(self.task, transition)
        ended = self.traces.abstract(after)

        def stays(state: State) -> bool:
            ends = [
                self.traces.abstract(self.task.values(each.successor)) for each in self.task.steps_of(transition, state)
            ]
            return bool(ends) and all(end[number] == ended[number] for end in ends for number in away)

        numbers = frozenset().union(*(sources.get(number, {number}) for number in bases)) - self.known
        return self.look.way(numbers, self.state, stays) or self._depending(transition, None)

    def _broken(self, transition: Transition) -> Iterator[Way]:
        """What shows that an invariant would not hold after a transition, for each that would not."""
        blame = Blame(self.task, self.known, value_sources(self.task, transition))
        for after in self._beyond(transition, self.state):
            for part in conjuncts(self.task.invariant):
                if not self.task.semantics.holds(part, after):
                    parts = blame.settling(part, after)
                    stays = self._ends(transition, _As(blame, parts, after).holds_in)
                    yield self.look.way(blame.dropped(parts, after), self.state, stays)

    def _ends(self, transition: Transition, stays: Stays) -> Stays:
        """Whether a transition that an invariant forbids would end in a state as it should be."""
        return lambda state: any(map(stays, self._beyond(transition, state)))

    def _beyond(self, transition: Transition, state: State) -> Iterator[State]:
        return self.task.semantics.states_beyond(state, self.task.is_team(transition, state))

    def _false_parts(self, transition: Transition, state: State) -> list[Expr]:
        """The conditions of a transition that do not hold."""
        holds = self.task.semantics.holds
        return [part for part in conjuncts(self.task.full_guard(transition)) if not holds(part, state)]

    def _depending(self, transition: Transition, stays: Stays | None) -> Way:
        """What a step depends on: what it reads, and the invariants of what it touches."""
        task, own = self.task, footprint(self.task, transition)
        supports = [task.layout.support(part) for part in conjuncts(task.invariant)]
        concerned = (support for support in supports if support & own.touched)
        return self.look.way(own.reads.union(*concerned) - self.known, self.state, stays)

    def _unless_empty(self, way: Way) -> tuple[Way, ...]:
        return (way,) if way else ()

    def _no_error(self) -> Iterator[Obstacle]:
        """Why a state whose abstract state is an error state is none itself."""
        error = self.task.error
        if error.expression != FALSE:
            yield Obstacle("the error condition", 0, self._unless_empty(self._settled(error.expression)))
        possible = [self.task.transitions[number] for number in sorted(self.task.analysis.possible)]
        if error.deadlock:
            ways = dict.fromkeys(self._depending(each, self._enables(each)) for each in possible if self._can(each))
            yield Obstacle("a deadlock", 0, tuple(ways) if frozenset() not in ways else ())
        if error.fault:
            for each in possible:
                yield Obstacle(f"a fault of {_name(each)}", 0, self._unless_empty(self._depending(each, None)))

    def _can(self, transition: Transition) -> bool:
        return self._enables(transition)(self.state)

    def _enables(self, transition: Transition) -> Stays:
        """Whether a state has a step by a transition."""
        return lambda state: not self._false_parts(transition, state) and bool(self.task.steps_of(transition, state))


class _As:
    """Some conditions as they are in a state: by what they read there, true or false."""

    def __init__(self, blame: Blame, parts: Sequence[Expr], state: State) -> None:
        self.blame, self.parts = blame, parts
        self.truths = [blame.task.semantics.holds(part, state) for part in parts]
        self.read = frozenset().union(*(blame.read(part, state) for part in parts))

    def holds_in(self, state: State) -> bool:
        """Whether they are the same in a state, and read nothing else there."""
        return all(
            self.blame.task.semantics.holds(part, state) == truth and self.blame.read(part, state) <= self.read
            for part, truth in zip(self.parts, self.truths, strict=True)
        )


def _name(transition: Transition) -> str:
    """A transition in words: its label and who takes part for sure, or the move of a process by itself."""
    if transition.label:
        return f"{transition.label} of {' and '.join(branch.process for branch in transition.fixed) or 'all'}"
    return ", ".join(f"{branch.process}: {branch.source} -> {branch.target}" for branch in transition.branches)
