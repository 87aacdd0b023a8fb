"""Flaws: what shortest abstract traces do and the system forbids, with the distinctions that repair each flaw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from symdmc.model.expressions import FALSE, Expr, conjuncts
from symdmc.model.state import State, Step
from symdmc.selection.refinement.blame import Blame
from symdmc.selection.refinement.narrowing import Alike, narrowed
from symdmc.selection.refinement.precision import Distinction, Precision, Repair
from symdmc.selection.refinement.shortest_traces import ShortestTraces
from symdmc.task.interaction import footprint, value_sources
from symdmc.task.task import Task, Transition


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that the abstraction permits in a concrete state and the system does not."""

    what: str
    """The transition, or that the state is an error state, in words."""
    distance: int
    """The distance of the state to the end of the abstract traces."""
    repairs: tuple[Repair, ...]
    """Alternatives: adding all distinctions of any one of them removes the flaw; none of them is empty."""


@dataclass(frozen=True, slots=True)
class RefinementStep:
    """One round of refinement: an abstraction and its shortest error traces."""

    precision: Precision
    traces: ShortestTraces
    splits: bool
    """Whether to refine by classes of values, rather than by whole variables."""

    @property
    def task(self) -> Task:
        """The task without derived variables."""
        return self.precision.plain

    def repair(self, numbers: Iterable[int], state: State, is_alike: Alike | None) -> Repair:
        """The distinctions that separate a state from those that differ in some variables and behave differently."""
        if not self.splits:
            return frozenset(map(Distinction, numbers))
        return narrowed(self.precision, numbers, self.task.values(state), is_alike)


def flaws_at(step: RefinementStep, states: Iterable[State], distance: int) -> list[Flaw]:
    """What stops some concrete states at this distance, where shortest abstract traces continue."""
    return _repairable(flaw for state in states for flaw in _Finder(step, state).before(distance))


def detours(step: RefinementStep, states: Iterable[State], distance: int) -> list[Flaw]:
    """Transitions that lead a shortest abstract trace to a state that no concrete step reaches.

    Asked of states that nothing stops: steps of cost 0 may lead them around in circles.
    """
    return _repairable(flaw for state in states for flaw in _Finder(step, state).detours(distance))


def _repairable(found: Iterable[Flaw]) -> list[Flaw]:
    """The flaws that have repairs, without empty ones."""
    kept = (replace(flaw, repairs=tuple(filter(None, flaw.repairs))) for flaw in found)
    return [flaw for flaw in kept if flaw.repairs]


def initial_flaws(step: RefinementStep) -> list[Flaw]:
    """What forbids all initial states of shortest abstract traces: an invariant that reads dropped variables."""
    task, known = step.task, step.precision.whole | step.precision.constant
    supports = (task.layout.support(part) - known for part in conjuncts(task.invariant))
    repairs = tuple(dict.fromkeys(frozenset(map(Distinction, support)) for support in supports if support))
    return [Flaw("an initial state", step.traces.length, repairs)] if repairs else []


class _Finder:
    """Finds the flaws in one concrete state."""

    def __init__(self, step: RefinementStep, state: State) -> None:
        self.step, self.state = step, state
        self.task, self.traces = step.task, step.traces
        self.known = step.precision.known(self.task.values(state))
        self.blame = Blame(self.task, self.known)

    def before(self, distance: int) -> Iterator[Flaw]:
        """What stops the state."""
        if distance == 0:
            yield from self._no_error()
        for number in self.traces.continuations(self.task.values(self.state), distance):
            transition = self.task.transitions[number]
            yield Flaw(name_of(transition), distance, self._forbidding(transition, distance))

    def detours(self, distance: int) -> Iterator[Flaw]:
        """The transitions that also lead abstract traces elsewhere."""
        values = self.task.values(self.state)
        for number in self.traces.continuations(values, distance):
            transition = self.task.transitions[number]
            ends = [self.task.values(step.successor) for step in self.task.steps_of(transition, self.state)]
            if self.traces.continue_elsewhere(values, distance, number, ends):
                yield Flaw(name_of(transition), distance, (self._depending(transition, None),))

    def _forbidding(self, transition: Transition, distance: int) -> tuple[Repair, ...]:
        """The repairs that show that a transition does not continue the traces; none where it does."""
        false = self._false_parts(transition, self.state)
        if false:
            return tuple(dict.fromkeys(map(self._settled, false)))
        steps = self.task.steps_of(transition, self.state)
        if any(self._continues(step, distance) for step in steps):
            return ()
        if steps and self.step.splits:
            return (self._elsewhere(transition, steps[0], distance),)
        repairs = tuple(dict.fromkeys(self._broken(transition)))
        if repairs and frozenset() not in repairs:
            return repairs
        return (self._depending(transition, None),)

    def _continues(self, step: Step, distance: int) -> bool:
        return self.traces.contain(self.task.values(step.successor), distance - step.cost)

    def _settled(self, condition: Expr) -> Repair:
        """The distinctions that show the truth of a condition in the state."""
        parts = self.blame.settling(condition, self.state)
        is_alike = _ConditionsAt(self.blame, parts, self.state).is_alike
        return self.step.repair(self.blame.dropped(parts, self.state), self.state, is_alike)

    def _elsewhere(self, transition: Transition, step: Step, distance: int) -> Repair:
        """The distinctions that show that a step ends where no shortest trace continues."""
        after = self.task.values(step.successor)
        written = footprint(self.traces.task, transition).writes
        away = self.traces.separating(after, distance - step.cost, written)
        bases = [self.step.precision.base(number) for number in away]
        sources = value_sources(self.task, transition)
        ended = self.traces.abstract(after)

        def is_alike(state: State) -> bool:
            ends = [
                self.traces.abstract(self.task.values(each.successor)) for each in self.task.steps_of(transition, state)
            ]
            return bool(ends) and all(end[number] == ended[number] for end in ends for number in away)

        numbers = frozenset().union(*(sources.get(number, {number}) for number in bases)) - self.known
        return self.step.repair(numbers, self.state, is_alike) or self._depending(transition, None)

    def _broken(self, transition: Transition) -> Iterator[Repair]:
        """For each invariant that a transition would break, the distinctions that show it."""
        blame = Blame(self.task, self.known, value_sources(self.task, transition))
        for after in self._beyond(transition, self.state):
            for part in conjuncts(self.task.invariant):
                if not self.task.semantics.holds(part, after):
                    parts = blame.settling(part, after)
                    is_alike = self._ends(transition, _ConditionsAt(blame, parts, after).is_alike)
                    yield self.step.repair(blame.dropped(parts, after), self.state, is_alike)

    def _ends(self, transition: Transition, is_alike: Alike) -> Alike:
        """Whether a transition that an invariant forbids would end in a state that is alike."""
        return lambda state: any(map(is_alike, self._beyond(transition, state)))

    def _beyond(self, transition: Transition, state: State) -> Iterator[State]:
        return self.task.semantics.states_beyond(state, self.task.is_team(transition, state))

    def _false_parts(self, transition: Transition, state: State) -> list[Expr]:
        """The conditions of a transition that do not hold."""
        holds = self.task.semantics.holds
        return [part for part in conjuncts(self.task.full_guard(transition)) if not holds(part, state)]

    def _depending(self, transition: Transition, is_alike: Alike | None) -> Repair:
        """The distinctions of all that a step depends on: what it reads, and the invariants of what it touches."""
        task, own = self.task, footprint(self.task, transition)
        supports = [task.layout.support(part) for part in conjuncts(task.invariant)]
        concerned = (support for support in supports if support & own.touched)
        return self.step.repair(own.reads.union(*concerned) - self.known, self.state, is_alike)

    def _no_error(self) -> Iterator[Flaw]:
        """Why a state is no error state although its abstract state is one."""
        error = self.task.error
        if error.expression != FALSE:
            yield Flaw("the error condition", 0, (self._settled(error.expression),))
        possible = [self.task.transitions[number] for number in sorted(self.task.analysis.possible)]
        if error.deadlock:
            repairs = dict.fromkeys(self._depending(each, self._enables(each)) for each in possible if self._can(each))
            if not self.task.semantics.holds(error.deadlock_where, self.state):
                repairs[self._settled(error.deadlock_where)] = None
            yield Flaw("a deadlock", 0, tuple(repairs) if frozenset() not in repairs else ())
        if error.fault:
            for each in possible:
                yield Flaw(f"a fault of {name_of(each)}", 0, (self._depending(each, None),))

    def _can(self, transition: Transition) -> bool:
        return self._enables(transition)(self.state)

    def _enables(self, transition: Transition) -> Alike:
        """Whether a state has a step by a transition."""
        return lambda state: not self._false_parts(transition, state) and bool(self.task.steps_of(transition, state))


class _ConditionsAt:
    """The truth of some conditions in a state, and what they read there."""

    def __init__(self, blame: Blame, parts: Sequence[Expr], state: State) -> None:
        self.blame, self.parts = blame, parts
        self.truths = [blame.task.semantics.holds(part, state) for part in parts]
        self.read = frozenset().union(*(blame.read(part, state) for part in parts))

    def is_alike(self, state: State) -> bool:
        """Whether the conditions have the same truth in another state, and read nothing else there."""
        return all(
            self.blame.task.semantics.holds(part, state) == truth and self.blame.read(part, state) <= self.read
            for part, truth in zip(self.parts, self.truths, strict=True)
        )


def name_of(transition: Transition) -> str:
    """A transition in words: its label and the processes that surely take part, or the move of a single process."""
    if transition.label:
        return f"{transition.label} of {' and '.join(branch.process for branch in transition.fixed) or 'all'}"
    return ", ".join(f"{branch.process}: {branch.source} -> {branch.target}" for branch in transition.branches)
