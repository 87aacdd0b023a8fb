"""The abstract states one step before a cube: claims regressed over transitions, and the predicates they entail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from symdmc.abstraction.cartesian.cubes import Cube
from symdmc.abstraction.cartesian.regression import Regression, TransitionCase
from symdmc.abstraction.entailment.claims import OpenConjunction
from symdmc.abstraction.entailment.entailment import Entailment
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.task.task import Task

MOST_ERROR_CASES = 64
"""An error condition that would be a disjunction of more conjunctions is kept in larger pieces."""
MOST_COMBINATIONS = 16
"""The most cases in which the claims of one cube can hold after one step; a claim that would need more is dropped."""


@dataclass(frozen=True, slots=True)
class _Precondition:
    """What must hold before a step, in addition to the claims that the step does not touch."""

    values: tuple[tuple[int, int], ...]
    linked: tuple[int, ...]
    variables: frozenset[int]


class Preimages:
    """The abstract states one step before a cube."""

    def __init__(self, task: Task, predicates: Sequence[Predicate], entailment: Entailment) -> None:
        self.task, self.entailment, self.table = task, entailment, entailment.table
        self.numbers = [self.table.predicate(each) for each in predicates]
        self.regression = Regression(self.table)
        self.steps = self.regression.steps()
        self._single: dict[int, list[tuple[int, int]]] = {}
        """For each variable with few values the predicates on it alone: bit and number."""
        self._several: list[tuple[int, int, frozenset[int]]] = []
        """The other predicates: bit, number and support."""
        for bit, number in enumerate(self.numbers):
            variable = self.table.variables[number]
            if variable >= 0:
                self._single.setdefault(variable, []).append((bit, number))
            else:
                self._several.append((bit, number, frozenset(self.table.support(2 * number))))
        self._touched = [self._touching(step) for step in self.steps]
        self._concerned = {
            (variable, place): {variable}.union(*map(self.table.support, claims))
            for (variable, place), claims in self.regression.invariants.items()
        }
        self._known_preconditions: dict[tuple[int, int, int], tuple[_Precondition, ...]] = {}
        self._bits: dict[tuple[int, int], tuple[int, int]] = {}

    def _touching(self, step: TransitionCase) -> int:
        """The predicates that a step may change."""
        supports = (self.table.support(2 * number) for number in self.numbers)
        return sum(1 << bit for bit, support in enumerate(supports) if not step.writes.isdisjoint(support))

    # ---- cubes

    def error(self) -> list[Cube]:
        """The abstract error states."""
        error = self.task.error
        if error.deadlock or error.fault:
            return [Cube(0, 0)]
        found: list[Cube] = []
        for case in self.entailment.canonical.cases(error.expression, limit=MOST_ERROR_CASES):
            numbers = self.regression.numbers(case)
            conjunction = self.table.conjunction(numbers)
            if conjunction is not None:
                cube = self._abstracted(conjunction, self.table.supports(numbers), Cube(0, 0), frozenset())
                found += [] if cube is None else [cube]
        return found

    def of(self, cube: Cube) -> Iterator[tuple[TransitionCase, Cube]]:
        """Cubes that contain every state with a step into the cube, each with the step.

        Steps that change no predicate of the cube are left out: they start in it.
        """
        claims = OpenConjunction({}, {})
        self.table.add(claims, self._claims(cube))
        known = cube.known
        for place, step in enumerate(self.steps):
            touched = self._touched[place]
            if known & touched:
                kept = Cube(cube.true & ~touched, cube.false & ~touched)
                for precondition in self._preconditions(place, cube.true & touched, cube.false & touched):
                    found = self._joined(step, precondition, claims, kept)
                    if found is not None:
                        yield step, found

    def _claims(self, cube: Cube) -> list[int]:
        claims = [2 * number for bit, number in enumerate(self.numbers) if cube.true >> bit & 1]
        return claims + [2 * number + 1 for bit, number in enumerate(self.numbers) if cube.false >> bit & 1]

    # ---- one step back

    def _preconditions(self, place: int, true: int, false: int) -> tuple[_Precondition, ...]:
        """The cases in which a step makes some predicates true and some false."""
        key = place, true, false
        if key not in self._known_preconditions:
            step = self.steps[place]
            found = [self._precondition(claims) for claims in self._combinations(step, self._claims(Cube(true, false)))]
            self._known_preconditions[key] = tuple(dict.fromkeys(each for each in found if each is not None))
        return self._known_preconditions[key]

    def _combinations(self, step: TransitionCase, claims: Iterable[int]) -> list[dict[int, None]]:
        found = [dict.fromkeys(step.claims)]
        for claim in claims:
            options = self.regression.options(step.transition, claim)
            joined = [{**one, **dict.fromkeys(other)} for one in found for other in options]
            possible = [each for each in joined if not any(number ^ 1 in each for number in each)]
            if len(possible) <= MOST_COMBINATIONS:
                found = possible
            if not found:
                break
        return found

    def _precondition(self, claims: Iterable[int]) -> _Precondition | None:
        found = self.table.conjunction(claims)
        if found is None:
            return None
        return _Precondition(tuple(found.values.items()), tuple(found.linked), frozenset(self.table.supports(claims)))

    def _joined(
        self, step: TransitionCase, precondition: _Precondition, after: OpenConjunction, kept: Cube
    ) -> Cube | None:
        """The abstraction of a precondition together with the claims of a cube that the step does not touch."""
        values = {variable: left for variable, left in after.values.items() if variable not in step.writes}
        for variable, left in precondition.values:
            values[variable] = values.get(variable, -1) & left
            if not values[variable]:
                return None
        linked = {claim: None for claim in after.linked if step.writes.isdisjoint(self.table.support(claim))}
        before = OpenConjunction(values, linked)
        if not self.table.add(before, precondition.linked):
            return None
        fresh = set(precondition.variables)
        for key, carried in step.carried.items():
            if values.get(key[0]) == key[1]:
                fresh |= self.table.supports(carried)
                if not self.table.add(before, carried):
                    return None
        return self._abstracted(before, fresh, kept, step.writes)

    # ---- abstraction

    def _abstracted(
        self, conjunction: OpenConjunction, fresh: set[int], kept: Cube, writes: frozenset[int]
    ) -> Cube | None:
        """The predicates that a conjunction entails; None if it is impossible.

        Only predicates linked to fresh variables are decided: about all others nothing new is known.
        """
        values, linked = conjunction
        changed = fresh | writes
        for (variable, place), claims in self.regression.invariants.items():
            if values.get(variable) == place and not changed.isdisjoint(self._concerned[variable, place]):
                fresh |= self.table.supports(claims)
                if not self.table.add(conjunction, claims):
                    return None
        if linked and self._is_impossible(conjunction, fresh):
            return None
        bound = self.table.supports(linked)
        true, false = kept.true, kept.false
        for variable in sorted(fresh):
            if variable in bound:
                continue
            entailed, refuted = self._known_bits(variable, values.get(variable))
            true, false = true | entailed, false | refuted
        for bit, number in self._asked(fresh, bound):
            if not (true | false) >> bit & 1:
                about = self.table.about(conjunction, self.table.support(2 * number))
                answer = self.entailment.decide_known(about, number) if about.values or about.linked else None
                true, false = true | (answer is True) << bit, false | (answer is False) << bit
        return Cube(true, false)

    def _is_impossible(self, conjunction: OpenConjunction, fresh: set[int]) -> bool:
        """Whether claims on several variables contradict each other; adds to `fresh` the variables linked to it."""
        rest = dict(conjunction.linked)
        while True:
            found = next((claim for claim in rest if not fresh.isdisjoint(self.table.support(claim))), None)
            if found is None:
                return False
            about = self.table.about(conjunction, self.table.support(found))
            if self.entailment.is_known_impossible(about):
                return True
            for claim in about.linked:
                rest.pop(claim, None)
                fresh.update(self.table.support(claim))

    def _asked(self, fresh: set[int], bound: set[int]) -> Iterator[tuple[int, int]]:
        """The predicates that single variables do not decide: bit and number."""
        for variable in sorted(fresh & bound):
            yield from self._single.get(variable, ())
        for bit, number, support in self._several:
            if not fresh.isdisjoint(support):
                yield bit, number

    def _known_bits(self, variable: int, left: int | None) -> tuple[int, int]:
        """The predicates about one variable that are true, and that are false, for all values left to it."""
        listed = self._single.get(variable)
        if left is None or listed is None:
            return 0, 0
        key = variable, left
        if key in self._bits:
            self.entailment.from_cache(len(listed))
            return self._bits[key]
        true = false = 0
        for bit, number in listed:
            answer = self.entailment.decide_values(number, left)
            true, false = true | (answer is True) << bit, false | (answer is False) << bit
        self._bits[key] = true, false
        return true, false
