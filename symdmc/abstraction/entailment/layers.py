"""The layers of entailment: each answers what it can, the cheapest first.

Each decides a predicate from a conjunction, and whether a conjunction is impossible. All of them are sound; a layer
that cannot tell says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from symdmc.abstraction.entailment.theory import satisfiable
from symdmc.abstraction.entailment.view import Bounded, View, bounded, strongest
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.task.values.domains import Domain
from symdmc.task.values.intervals import bounds
from symdmc.task.values.rows import SupportRows, TooManyRows


class Answer(Enum):
    """What a conjunction says about a predicate."""

    ENTAILED = "entailed"
    REFUTED = "refuted"
    OPEN = "open"
    """Neither, and no later layer could tell more."""
    UNDECIDED = "undecided"


class Layer(Protocol):
    """One way to answer."""

    def decide(self, view: View, predicate: Predicate) -> Answer:
        """Whether the conjunction entails the predicate, or its negation."""

    def refute(self, view: View) -> Answer:
        """ENTAILED where the conjunction is impossible, OPEN where it is possible."""


def _between(low: int, high: int, relation: str, bound: int) -> Answer:
    """What bounds of a sum say about a constraint on it."""
    if low > high:
        return Answer.ENTAILED
    if relation == ">=":
        return Answer.ENTAILED if low >= bound else Answer.REFUTED if high < bound else Answer.UNDECIDED
    if bound < low or bound > high:
        return Answer.REFUTED
    return Answer.ENTAILED if low == high else Answer.UNDECIDED


class SyntaxLayer:
    """What the conjunction says in so many words: the predicate itself, or bounds of the same sum."""

    def decide(self, view: View, predicate: Predicate) -> Answer:
        """By looking for the same predicate, or the same sum."""
        linear = predicate.linear
        if linear is None:
            found = [claim for claim in view.opaque if view.table.predicates[claim >> 1] == predicate]
            return Answer.UNDECIDED if not found else Answer.REFUTED if found[0] & 1 else Answer.ENTAILED
        if linear in view.apart:
            return Answer.REFUTED
        if not any(each.terms == linear.terms for each in view.sums):
            return Answer.UNDECIDED
        return _between(*view.known_bounds(linear.terms), linear.relation, linear.bound)

    def refute(self, view: View) -> Answer:
        """Contradictions in so many words are found when a conjunction is made."""
        return Answer.UNDECIDED


class ValuesLayer:
    """The values left to each variable alone, tightened by all sums."""

    def decide(self, view: View, predicate: Predicate) -> Answer:
        """By the values of the only variable, by bounds of a sum, or by bounds of an expression."""
        if view.impossible:
            return Answer.ENTAILED
        number = view.table.predicate(predicate)
        variable = view.table.variables[number]
        if variable >= 0:
            answer = decided_by_values(view, number, variable)
            if answer is not Answer.UNDECIDED:
                return answer
        linear = predicate.linear
        if linear is not None:
            answer = _between(*view.sum_bounds(linear.terms), linear.relation, linear.bound)
            # Where nothing links the variables, the sum reaches both its bounds; what lies between may be left out.
            reached = linear.relation == ">=" and not view.knowledge.linked
            return Answer.OPEN if reached and answer is Answer.UNDECIDED else answer
        low, high = bounds(predicate.expression, view.leaf_bounds)
        return Answer.REFUTED if low == high == 0 else Answer.ENTAILED if low > 0 or high < 0 else Answer.UNDECIDED

    def refute(self, view: View) -> Answer:
        """By a variable without values, or a claim that no value satisfies."""
        if view.impossible:
            return Answer.ENTAILED
        for claim in view.opaque:
            expression = view.table.predicates[claim >> 1].expression
            if not claim & 1 and bounds(expression, view.leaf_bounds) == (0, 0):
                return Answer.ENTAILED
        return Answer.UNDECIDED if view.knowledge.linked else Answer.OPEN


def decided_by_values(view: View, number: int, variable: int) -> Answer:
    """What the values left to a variable say about a predicate on it; OPEN where nothing else speaks of it."""
    left, true = view.values.get(variable, view.table.whole(variable)), view.table.masks[2 * number]
    if not left & ~true:
        return Answer.ENTAILED
    if not left & true:
        return Answer.REFUTED
    return Answer.UNDECIDED if view.knowledge.linked else Answer.OPEN


class RowsLayer:
    """Every combination of values of the variables involved, where there are few."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def decide(self, view: View, predicate: Predicate) -> Answer:
        """By all combinations; where they are too many, by those of the predicate's own variables."""
        if view.impossible:
            return Answer.ENTAILED
        for whole in (True, False):
            try:
                rows = self._rows(view, predicate, whole=whole)
                true = rows.value(predicate.expression).holds
            except TooManyRows:
                continue
            if true.all():
                return Answer.ENTAILED
            if not true.any():
                return Answer.REFUTED
            return Answer.OPEN if whole else Answer.UNDECIDED
        return Answer.UNDECIDED

    def refute(self, view: View) -> Answer:
        """By all combinations."""
        try:
            possible = not view.impossible and self._rows(view, None, whole=True).count
            return Answer.OPEN if possible else Answer.ENTAILED
        except TooManyRows:
            return Answer.UNDECIDED

    def _rows(self, view: View, predicate: Predicate | None, *, whole: bool) -> SupportRows:
        """The combinations that satisfy the conjunction, or what it says of the predicate's variables alone."""
        table, layout = view.table, view.table.task.layout
        own = set() if predicate is None else set(predicate.support)
        claims = [each for each in view.knowledge.linked if whole or own.issuperset(table.support(each))]
        asked = [] if predicate is None else [table.predicate(predicate)]
        chosen = {variable for number in (*(each >> 1 for each in claims), *asked) for variable in table.read(number)}
        rows = SupportRows(layout, _Domains(view), chosen, self.limit)
        for claim in claims:
            true = rows.value(table.predicates[claim >> 1].expression).holds
            rows.keep(~true if claim & 1 else true)
        return rows


class _Domains(dict[int, Domain]):
    """The values left to each variable, found when they are asked for."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self._view = view

    def __missing__(self, variable: int) -> Domain:
        self[variable] = self._view.domain(variable)
        return self[variable]


class DifferencesLayer:
    """Bounds of differences of two variables, by shortest paths."""

    def decide(self, view: View, predicate: Predicate) -> Answer:
        """By the bounds of a difference; OPEN where the conjunction has nothing but differences."""
        linear = predicate.linear
        if linear is None:
            return Answer.UNDECIDED
        ends = _difference(linear.terms)
        if ends is None:
            return Answer.UNDECIDED
        numbers = {number for number, _ in linear.terms}
        edges = _edges(view, numbers)
        plus, minus = ends
        high, low = _shortest(edges, minus, plus), _shortest(edges, plus, minus)
        if high is None or low is None:
            return Answer.ENTAILED
        answer = _between(-low, high, linear.relation, linear.bound)
        return Answer.OPEN if answer is Answer.UNDECIDED and _only_differences(view, numbers) else answer

    def refute(self, view: View) -> Answer:
        """By a cycle of differences that would have to be less than 0."""
        edges = _edges(view, set())
        if _shortest(edges, ZERO, ZERO) is None:
            return Answer.ENTAILED
        return Answer.OPEN if _only_differences(view, set()) else Answer.UNDECIDED


def _only_differences(view: View, others: set[int]) -> bool:
    """Whether the bounds of differences are all there is: each combination of values within them is possible."""
    if view.impossible or view.opaque or view.apart or any(_difference(each.terms) is None for each in view.sums):
        return False
    return all(view.domain(number).listed is None for number in {*view.variables, *others})


ZERO = -1
"""Stands for the constant 0 among the variables of differences."""


def _difference(terms: tuple[tuple[int, int], ...]) -> tuple[int, int] | None:
    """The two variables of which a sum is the difference; a single variable is its difference to 0."""
    match terms:
        case ((one, 1),):
            return one, ZERO
        case ((one, 1), (other, -1)):
            return one, other
        case _:
            return None


def _edges(view: View, others: set[int]) -> list[tuple[int, int, int]]:
    """(y, x, c) for each x - y <= c that is known."""
    edges: list[tuple[int, int, int]] = []
    for number in sorted({*view.variables, *others}):
        low, high = view.bounds(number)
        edges += [(ZERO, number, high), (number, ZERO, -low)]
    for each in view.sums:
        ends = _difference(each.terms)
        if ends is not None:
            plus, minus = ends
            edges += [] if each.high is None else [(minus, plus, each.high)]
            edges += [] if each.low is None else [(plus, minus, -each.low)]
    return edges


def _shortest(edges: list[tuple[int, int, int]], start: int, end: int) -> int | None:
    """The length of a shortest path; None where a cycle has negative length. Every variable is linked to 0."""
    distance = {start: 0}
    for _ in range(len({one for one, _, _ in edges}) + 1):
        changed = False
        for one, other, length in edges:
            through = distance.get(one)
            if through is not None and through + length < distance.get(other, through + length + 1):
                distance[other] = through + length
                changed = True
        if not changed:
            return distance.get(end, 0)
    return None


class TheoryLayer:
    """Linear arithmetic over the reals, by sympy, within a limit on the number and the size of its problems."""

    def __init__(self, calls: int, size: int) -> None:
        self.limit, self.size = calls, size
        self.calls = 0
        """Problems handed to sympy so far."""
        self._before = 0
        """The same when the limit was last renewed."""

    @property
    def is_spent(self) -> bool:
        """Whether no problem may be handed to sympy any more."""
        return self.calls - self._before >= self.limit

    def renew(self) -> None:
        """Allow as many problems again."""
        self._before = self.calls

    def decide(self, view: View, predicate: Predicate) -> Answer:
        """By asking whether the opposite is possible beside the conjunction, and then the predicate itself."""
        linear = predicate.linear
        if linear is None or not view.sums:
            return Answer.UNDECIDED
        terms, bound = linear.terms, linear.bound
        opposite = bounded(linear, holds=False)
        sides = [opposite] if opposite else [Bounded(terms, None, bound - 1), Bounded(terms, bound + 1, None)]
        without = self._any_possible(view, sides)
        if without is False:
            return Answer.ENTAILED
        itself = bounded(linear, holds=True)
        assert itself is not None
        beside = self._possible(view, itself)
        if beside is False:
            return Answer.REFUTED
        return Answer.UNDECIDED if without is None or beside is None else Answer.OPEN

    def refute(self, view: View) -> Answer:
        """By asking whether the conjunction is possible."""
        if not view.sums:
            return Answer.UNDECIDED
        possible = self._possible(view, None)
        return Answer.UNDECIDED if possible is None else Answer.OPEN if possible else Answer.ENTAILED

    def _any_possible(self, view: View, sides: Sequence[Bounded]) -> bool | None:
        answers: list[bool | None] = []
        for side in sides:
            answers.append(self._possible(view, side))
            if answers[-1]:
                return True
        return None if None in answers else False

    def _possible(self, view: View, beside: Bounded | None) -> bool | None:
        """Whether the sums of the conjunction and another one have a solution; None: too large, or no calls left."""
        if any(beside is None or beside.holds_at(point) for point in view.points):
            return True
        sums = view.sums if beside is None else [*view.sums, beside]
        numbers = sorted({number for each in sums for number, _ in each.terms})
        known = strongest([*sums, *(Bounded(((number, 1),), *view.bounds(number)) for number in numbers)])
        if self.is_spent or len(known) > self.size:
            return None
        self.calls += 1
        return satisfiable(known)
