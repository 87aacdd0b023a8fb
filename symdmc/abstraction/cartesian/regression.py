"""Regression of claims over transitions: what must hold before a step so that they hold after it, as far as known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symdmc.abstraction.cartesian.effects import Effects
from symdmc.abstraction.entailment.claims import ClaimTable
from symdmc.abstraction.predicates.canonical import contradictory, reduced
from symdmc.abstraction.predicates.predicate import Claim, opposite
from symdmc.model.expressions import TRUE, Expr, conjunction
from symdmc.task.task import Transition

MOST_GUARD_CASES = 8
"""A guard that would be a disjunction of more conjunctions is kept in larger pieces."""
MOST_CONDITION_CASES = 4

Options = tuple[tuple[int, ...], ...]
"""Conjunctions of claims by number, of which one holds; none: impossible; an empty one: nothing is known."""


@dataclass(frozen=True, slots=True)
class TransitionCase:
    """One case of a transition: a conjunction of claims that must hold before it."""

    transition: int
    cost: int
    claims: tuple[int, ...]
    writes: frozenset[int]
    carried: Mapping[tuple[int, int], tuple[int, ...]]
    """By location variable and its only value (as a set): the claims before the step that the invariant there needs."""


class Regression:
    """Regresses claims over the transitions of a task that can run."""

    def __init__(self, table: ClaimTable) -> None:
        self.table, self.task = table, table.task
        self.invariants = self._invariants()
        """By location variable and its only value (as a set): the claims of the location's invariant."""
        self._effects: dict[int, Effects] = {}
        self._options: dict[tuple[int, int], Options] = {}

    def steps(self) -> tuple[TransitionCase, ...]:
        """Every case of every transition that can run."""
        return tuple(step for number in sorted(self.task.analysis.possible) for step in self._steps(number))

    def options(self, transition: int, claim: int) -> Options:
        """What must hold before a transition so that the claim holds after it."""
        key = transition, claim
        if key not in self._options:
            predicate = self.table.predicates[claim >> 1]
            self._options[key] = self._regressed(transition, predicate.expression, holds=not claim & 1)
        return self._options[key]

    def numbers(self, claims: Iterable[Claim]) -> tuple[int, ...]:
        """The claims by number."""
        return tuple(map(self.table.claim, claims))

    def _regressed(self, transition: int, expression: Expr, *, holds: bool) -> Options:
        canonical = self.table.canonical
        found: list[tuple[Claim, ...]] = []
        for when, value in self.effects(transition).before(expression):
            truth = True if value is None else canonical.claim(value)
            truth = truth if holds or value is None else opposite(truth)
            if truth is False:
                continue
            extra = (truth,) if isinstance(truth, Claim) else ()
            for case in canonical.cases(conjunction(*when), limit=MOST_CONDITION_CASES):
                claims = tuple(dict.fromkeys((*case, *extra)))
                if not contradictory(claims):
                    found.append(claims)
        return tuple(map(self.numbers, reduced(found)))

    def effects(self, transition: int) -> Effects:
        """What a transition writes."""
        if transition not in self._effects:
            self._effects[transition] = Effects(self.table, self.task.transitions[transition])
        return self._effects[transition]

    def _steps(self, number: int) -> Iterable[TransitionCase]:
        transition = self.task.transitions[number]
        writes = frozenset(self.effects(number).written)
        arrival = self._arrival(number, transition)
        for case in self.table.canonical.cases(self.task.full_guard(transition), limit=MOST_GUARD_CASES):
            claims = tuple(dict.fromkeys((*self.numbers(case), *arrival)))
            yield TransitionCase(number, transition.cost, claims, writes, self._carried(number, writes))

    # ---- invariants

    def _invariants(self) -> dict[tuple[int, int], tuple[int, ...]]:
        found: dict[tuple[int, int], tuple[int, ...]] = {}
        for key, expression in self._places():
            cases = self.table.canonical.cases(expression, limit=1)
            found[key] = self.numbers(cases[0]) if cases else ()
        return found

    def _places(self) -> Iterable[tuple[tuple[int, int], Expr]]:
        layout = self.task.layout
        for process in self.task.system.processes:
            variable = layout.process[process.name]
            values = [int(value) for value in self.table.domains[variable].array]
            for location in process.locations:
                place = layout.location[process.name, location.name]
                if location.invariant != TRUE and place in values:
                    yield (variable, 1 << values.index(place)), location.invariant

    def _arrival(self, number: int, transition: Transition) -> tuple[int, ...]:
        """The claims before the step that the invariants of the locations surely entered need."""
        targets = {(branch.process, branch.target) for branch in transition.fixed}
        found: list[int] = []
        for process in self.task.system.processes:
            for location in process.locations:
                if (process.name, location.name) in targets and location.invariant != TRUE:
                    found += _sure(self._regressed(number, location.invariant, holds=True))
        return tuple(found)

    def _carried(self, number: int, writes: frozenset[int]) -> dict[tuple[int, int], tuple[int, ...]]:
        """The same for processes that stay at their location while the step changes variables of its invariant."""
        layout = self.task.layout
        return {
            key: _sure(self._regressed(number, expression, holds=True))
            for key, expression in self._places()
            if key[0] not in writes and not writes.isdisjoint(layout.support(expression))
        }


def _sure(options: Options) -> tuple[int, ...]:
    """The claims of the only option; none if there are several."""
    return options[0] if len(options) == 1 else ()
