"""Cartesian predicate abstraction [HSRKP07, section 2]: cubes of predicates regressed from the error condition.

A cube is regressed over a transition to the conjunction of what must hold before the step: what the cube says, in terms
of the state before it, and the guard. Of that conjunction the abstraction keeps the predicates that it entails, each
alone. Breadth first, so that every cube gets its distance; transitions of cost 0 stay in their layer. A cube that is
part of one with a distance as small is dropped, since all that can be regressed from it lies in what comes from the
other. A transition that changes nothing a cube speaks of leads to a part of that cube and is left out.

We depart from the paper in that guards and error conditions with disjunctions are split into several conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.abstraction.cartesian.cubes import CartesianAbstraction, Cube, Origin
from symdmc.abstraction.cartesian.regression import Regression, TransitionCase
from symdmc.abstraction.cartesian.set_trie import SetTrie
from symdmc.abstraction.entailment.entailment import Entailment
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.task.task import Task

MOST_ERROR_CASES = 64
"""An error condition that would be a disjunction of more conjunctions is kept in larger pieces."""
MOST_COMBINATIONS = 16
"""Cases in which the claims of one cube can hold after one step; what would need more is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CartesianLimits:
    """What building a cartesian abstraction may use; at its end the abstraction is partial."""

    cubes: int = 20_000
    """Cubes regressed."""
    calls: int = 500_000
    """Questions to entailment that its cache does not answer."""
    layers: int | None = None
    """Layers beyond that of the error states; None: to the last one."""


class _Spent(Exception):
    """A limit is reached."""


_Candidates: TypeAlias = dict[Cube, list[Origin]]
"""Cubes that may belong to a layer, with what they were regressed from; those of the error from nothing."""


def cartesian_abstraction(
    task: Task,
    predicates: Sequence[Predicate],
    entailment: Entailment | None = None,
    limits: CartesianLimits = CartesianLimits(),
    costs: Sequence[int] | None = None,
) -> CartesianAbstraction:
    """The cubes from which the error is reached, layer by layer. Deterministic; costs cubes times transitions.

    Where the question is about deadlocks or faults every state may be an error state. Transitions cost what the task
    says or `costs`, 0 or 1.
    """
    entailment = entailment or Entailment(task)
    charged = tuple(transition.cost for transition in task.transitions) if costs is None else tuple(costs)
    return _Layers(task, tuple(predicates), entailment, limits, charged).computed()


class _Layers:
    def __init__(
        self,
        task: Task,
        predicates: tuple[Predicate, ...],
        entailment: Entailment,
        limits: CartesianLimits,
        costs: tuple[int, ...],
    ) -> None:
        self.limits, self.entailment, self.costs = limits, entailment, costs
        self.preimages = Preimages(task, predicates, entailment)
        self.predicates = predicates
        self.trie = SetTrie()
        self.expanded = 0
        self.origins: dict[Cube, tuple[Origin, ...]] = {}
        self.nearing: set[int] = set()
        self._calls_before = entailment.asked

    def computed(self) -> CartesianAbstraction:
        """All layers, or those that the limits allow."""
        layers: list[tuple[Cube, ...]] = []
        complete = False
        try:
            candidates: _Candidates = {cube: [] for cube in self.preimages.error()}
            while self.limits.layers is None or len(layers) <= self.limits.layers:
                layer, candidates = self._layer(candidates, len(layers))
                if not layer:
                    complete = True
                    break
                layers.append(tuple(sorted(layer)))
        except _Spent:
            pass
        return CartesianAbstraction(
            predicates=self.predicates,
            layers=tuple(layers),
            complete=complete,
            expanded=self.expanded,
            entailment=self.entailment.statistics(),
            origins={cube: self.origins[cube] for layer in layers for cube in layer},
            nearing=frozenset(self.nearing),
        )

    def _layer(self, candidates: _Candidates, distance: int) -> tuple[list[Cube], _Candidates]:
        """The cubes of one distance, closed under transitions of cost 0, and candidates for the next distance."""
        layer: list[Cube] = []
        further: _Candidates = {}
        while candidates:
            fresh = self._kept(candidates, distance)
            layer += fresh
            self.origins |= {cube: tuple(candidates[cube]) for cube in fresh}
            free: _Candidates = {}
            for cube in fresh:
                self._check_limits()
                self.expanded += 1
                for step, found in self.preimages.of(cube):
                    costs = self.costs[step.transition]
                    (further if costs else free).setdefault(found, []).append((step.transition, cube))
                    if costs:
                        self._near(step.transition, found, distance)
            candidates = free
        return layer, further

    def _near(self, transition: int, found: Cube, distance: int) -> None:
        """Remember a transition that may lead from a larger estimate to this distance."""
        if transition not in self.nearing and not self.trie.has_subset(found.elements(len(self.predicates)), distance):
            self.nearing.add(transition)

    def _kept(self, candidates: Iterable[Cube], distance: int) -> list[Cube]:
        """The candidates that are part of no other cube; the largest sets of states come first."""
        kept: list[Cube] = []
        width = len(self.predicates)
        for cube in sorted(set(candidates), key=lambda each: (each.known.bit_count(), each)):
            elements = cube.elements(width)
            if not self.trie.has_subset(elements, distance):
                self.trie.add(elements, distance)
                kept.append(cube)
        return kept

    def _check_limits(self) -> None:
        asked = self.entailment.asked - self._calls_before
        if self.expanded >= self.limits.cubes or asked >= self.limits.calls:
            raise _Spent


@dataclass(frozen=True, slots=True)
class _Precondition:
    """What must hold before a step, beside what the step does not touch."""

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
        """For each variable with few values the predicates that are about it alone: bit and number."""
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
            values: dict[int, int] = {}
            linked: dict[int, None] = {}
            numbers = self.regression.numbers(case)
            if self.table.added(values, linked, numbers):
                fresh = {number for claim in numbers for number in self.table.support(claim)}
                cube = self._abstracted(values, linked, fresh, Cube(0, 0), frozenset())
                found += [] if cube is None else [cube]
        return found

    def of(self, cube: Cube) -> Iterator[tuple[TransitionCase, Cube]]:
        """Cubes that contain every state with a step into the cube, each with the step.

        Steps that change nothing that the cube speaks of are left out: they start in it.
        """
        values: dict[int, int] = {}
        linked: dict[int, None] = {}
        self.table.added(values, linked, self._claims(cube))
        known = cube.known
        for place, step in enumerate(self.steps):
            touched = self._touched[place]
            if known & touched:
                kept = Cube(cube.true & ~touched, cube.false & ~touched)
                for precondition in self._preconditions(place, cube.true & touched, cube.false & touched):
                    found = self._joined(step, precondition, values, linked, kept)
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
        values: dict[int, int] = {}
        linked: dict[int, None] = {}
        if not self.table.added(values, linked, claims):
            return None
        fresh = frozenset(number for claim in claims for number in self.table.support(claim))
        return _Precondition(tuple(values.items()), tuple(linked), fresh)

    def _joined(
        self,
        step: TransitionCase,
        precondition: _Precondition,
        values: dict[int, int],
        linked: dict[int, None],
        kept: Cube,
    ) -> Cube | None:
        """The abstraction of a demand together with what the step leaves as it is."""
        before = {variable: left for variable, left in values.items() if variable not in step.writes}
        for variable, left in precondition.values:
            both = before.get(variable, -1) & left
            if not both:
                return None
            before[variable] = both
        claims = {claim: None for claim in linked if step.writes.isdisjoint(self.table.support(claim))}
        if not self.table.added(before, claims, precondition.linked):
            return None
        fresh = set(precondition.variables)
        for key, carried in step.carried.items():
            if before.get(key[0]) == key[1]:
                fresh.update(number for claim in carried for number in self.table.support(claim))
                if not self.table.added(before, claims, carried):
                    return None
        return self._abstracted(before, claims, fresh, kept, step.writes)

    # ---- abstraction

    def _abstracted(
        self, values: dict[int, int], linked: dict[int, None], fresh: set[int], kept: Cube, writes: frozenset[int]
    ) -> Cube | None:
        """The predicates that a conjunction entails; None where it is impossible.

        Only what is linked to fresh variables is asked: about the rest, nothing is known but what was.
        """
        changed = fresh | writes
        for (variable, place), claims in self.regression.invariants.items():
            if values.get(variable) == place and not changed.isdisjoint(self._concerned[variable, place]):
                fresh.update(number for claim in claims for number in self.table.support(claim))
                if not self.table.added(values, linked, claims):
                    return None
        if linked and self._is_impossible(values, linked, fresh):
            return None
        bound = {number for claim in linked for number in self.table.support(claim)}
        true, false = kept.true, kept.false
        for variable in sorted(fresh):
            if variable in bound:
                continue
            entailed, refuted = self._known_bits(variable, values.get(variable))
            true, false = true | entailed, false | refuted
        for bit, number in self._asked(fresh, bound):
            if not (true | false) >> bit & 1:
                about = self.table.about(values, linked, self.table.support(2 * number))
                answer = self.entailment.decide_known(about, number) if about.values or about.linked else None
                true, false = true | (answer is True) << bit, false | (answer is False) << bit
        return Cube(true, false)

    def _is_impossible(self, values: dict[int, int], linked: dict[int, None], fresh: set[int]) -> bool:
        """Whether claims on several variables contradict each other; adds to `fresh` all that is linked to it."""
        rest = dict(linked)
        while True:
            found = next((claim for claim in rest if not fresh.isdisjoint(self.table.support(claim))), None)
            if found is None:
                return False
            about = self.table.about(values, linked, self.table.support(found))
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
