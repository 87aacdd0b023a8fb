"""Refute a spurious abstract trace: find contradictory claims that must hold before one of its suffixes.

Backward from the error condition, the weakest precondition of each suffix is a conjunction of claims. If it contradicts
itself, or no initial state satisfies it, then a few contradictory claims forbid the trace in the abstraction: their
predicates, and those of the claims they come from, step by step up to a guard or the error condition. Claims about
variables outside of the part that is refined are left out: a trace that is not refuted is feasible in the part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from symdmc.abstraction.cartesian.preimages import MOST_ERROR_CASES
from symdmc.abstraction.cartesian.regression import Regression, TransitionCase
from symdmc.abstraction.entailment.entailment import Entailment
from symdmc.abstraction.predicates.predicate import Claim, Predicate
from symdmc.model.state import State
from symdmc.selection.predicates.traces import TraceSteps
from symdmc.task.task import Task

MOST_CASES = 32
"""Conjunctions kept at one place of a trace; where there are more, it is not refuted."""
MOST_INITIAL = 200
"""With more initial states than this, none of them refutes a trace."""


@dataclass(frozen=True, slots=True)
class TraceCondition:
    """What must hold at one place of a trace, and where each claim comes from."""

    claims: dict[int, int]
    """For each claim the claim after the next step that needs it; -1: a guard or the error condition needs it."""
    later: TraceCondition | None
    """The condition after the next step; None at the end of the trace."""

    def chain(self, claim: int) -> Iterator[int]:
        """The claim, and step by step those that it comes from."""
        place: TraceCondition | None = self
        while claim >= 0 and place is not None:
            yield claim
            claim, place = place.claims[claim], place.later


Explanation: TypeAlias = tuple[Predicate, ...]
"""Predicates that forbid a trace, in the order of the trace."""


class Refuter:
    """Refutes traces of a part of a task, which has some of its variables."""

    def __init__(self, task: Task, entailment: Entailment, inside: Collection[int]) -> None:
        self.task, self.entailment, self.table = task, entailment, entailment.table
        self.inside = frozenset(inside)
        self.regression = Regression(entailment.table)
        self._steps: dict[int, list[TransitionCase]] = {}
        for step in self.regression.steps():
            self._steps.setdefault(step.transition, []).append(step)
        self._initial = list(islice(task.semantics.initial_states(), MOST_INITIAL + 1))

    def explanation(
        self, steps: TraceSteps, known: Collection[Predicate], arrival: Iterable[Claim] | None = None
    ) -> Explanation | None:
        """Predicates that forbid a trace, few of them not `known`; None: it is not refuted.

        The trace ends where all the claims of `arrival` hold; without `arrival`, in an error state.
        """
        found: dict[Predicate, None] = {}
        final = self._final() if arrival is None else [self._end(arrival)]
        conditions = list(self._consistent(final, known, found))
        for number in reversed(steps):
            before = (each for condition in conditions for each in self._before(number, condition, found))
            conditions = list(islice(self._consistent(before, known, found), MOST_CASES + 1))
            if len(conditions) > MOST_CASES:
                return None
            if not conditions:
                return tuple(found)
        return tuple(found) if all(self._start_refuted(each, known, found) for each in conditions) else None

    # ---- conditions

    def _final(self) -> Iterator[TraceCondition]:
        """What holds in error states; for deadlocks and faults nothing is known."""
        error = self.task.error
        if error.deadlock or error.fault:
            yield TraceCondition({}, None)
            return
        for case in self.entailment.canonical.cases(error.expression, limit=MOST_ERROR_CASES):
            yield self._end(case)

    def _end(self, claims: Iterable[Claim]) -> TraceCondition:
        return TraceCondition(dict.fromkeys(self._own(self.regression.numbers(claims)), -1), None)

    def _before(self, number: int, after: TraceCondition, found: dict[Predicate, None]) -> Iterator[TraceCondition]:
        """What must hold before a step of a transition, by cases; none if the step cannot make some claim true."""
        options = {claim: self.regression.options(number, claim) for claim in after.claims}
        if not all(options.values()):
            self._explain(after, [next(claim for claim in options if not options[claim])], found)
            return
        for step in self._steps.get(number, ()):
            cases = [dict.fromkeys(self._own(step.claims), -1)]
            for claim, several in options.items():
                own = [tuple(self._own(each)) for each in several]
                joined = [{**dict.fromkeys(option, claim), **case} for case in cases for option in own]
                if len(joined) <= MOST_CASES:
                    cases = joined  # else the claim is left out
            for case in cases:
                yield TraceCondition(case, after)

    def _own(self, claims: Iterable[int]) -> Iterator[int]:
        return (claim for claim in claims if self.inside.issuperset(self.table.support(claim)))

    # ---- contradictions

    def _consistent(
        self, conditions: Iterable[TraceCondition], known: Collection[Predicate], found: dict[Predicate, None]
    ) -> Iterator[TraceCondition]:
        """The conditions that do not contradict themselves; predicates that forbid the others are added to `found`."""
        for condition in conditions:
            if self._is_impossible(list(condition.claims)):
                self._explain(condition, self._core(condition, known), found)
            else:
                yield condition

    def _is_impossible(self, claims: Sequence[int]) -> bool:
        conjunction = self.table.conjunction(claims)
        if conjunction is None:
            return True
        support = self.table.supports(claims)
        return bool(conjunction.linked) and self.entailment.is_known_impossible(self.table.about(conjunction, support))

    def _core(self, condition: TraceCondition, known: Collection[Predicate]) -> list[int]:
        """A minimal set of contradictory claims; those that need new predicates are removed first."""
        core = sorted(condition.claims, key=self._unknown(condition, known))
        for claim in reversed(list(core)):
            rest = [each for each in core if each != claim]
            if self._is_impossible(rest):
                core = rest
        return core

    def _start_refuted(
        self, condition: TraceCondition, known: Collection[Predicate], found: dict[Predicate, None]
    ) -> bool:
        """Whether no initial state satisfies what must hold at the start."""
        if len(self._initial) > MOST_INITIAL:
            return False
        left, claims = list(self._initial), sorted(condition.claims, key=self._unknown(condition, known))
        while left:
            removed = {claim: [state for state in left if self._holds(claim, state)] for claim in claims}
            best = min(claims, key=lambda claim: len(removed[claim]), default=None)
            if best is None or len(removed[best]) == len(left):
                return False
            self._explain(condition, [best], found)
            left = removed[best]
        return True

    def _holds(self, claim: int, state: State) -> bool:
        return self.task.semantics.holds(self.table.predicates[claim >> 1].expression, state) != bool(claim & 1)

    def _unknown(self, condition: TraceCondition, known: Collection[Predicate]) -> Callable[[int], int]:
        """The number of unknown predicates in the chain of a claim."""

        def unknown(claim: int) -> int:
            chain = {self.table.predicates[each >> 1] for each in condition.chain(claim)}
            return len(chain.difference(known))

        return unknown

    def _explain(self, condition: TraceCondition, core: Iterable[int], found: dict[Predicate, None]) -> None:
        for claim in core:
            for each in condition.chain(claim):
                found[self.table.predicates[each >> 1]] = None
