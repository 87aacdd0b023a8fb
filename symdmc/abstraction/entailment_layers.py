"""The layers of entailment: each answers what it can, the cheapest first.

Each decides a predicate from a conjunction, and whether a conjunction is impossible. All of them are sound; a layer
that cannot tell says so.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from symdmc.abstraction.entailment_theory import satisfiable
from symdmc.abstraction.entailment_view import Bounded, View, bounded
from symdmc.abstraction.predicate import Predicate
from symdmc.task.domains import Domain
from symdmc.task.intervals import bounds
from symdmc.task.rows import SupportRows, TooManyRows, plain_support


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
        same = [each for each in view.sums if each.terms == linear.terms]
        if not same:
            return Answer.UNDECIDED
        low, high = view.sum_bounds(linear.terms)
        low = max([low, *(each.low for each in same if each.low is not None)])
        high = min([high, *(each.high for each in same if each.high is not None)])
        return _between(low, high, linear.relation, linear.bound)

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
        if predicate.linear is not None:
            low, high = view.sum_bounds(predicate.linear.terms)
            return _between(low, high, predicate.linear.relation, predicate.linear.bound)
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
        expressions = [table.predicates[each >> 1].expression for each in claims]
        asked = expressions if predicate is None else [*expressions, predicate.expression]
        chosen: set[int] = set().union(*(plain_support(layout, each) for each in asked))
        rows = SupportRows(layout, _Domains(view), chosen, self.limit)
        for claim, expression in zip(claims, expressions, strict=True):
            true = rows.value(expression).holds
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
        known = not view.opaque and all(_difference(each.terms) is not None for each in view.sums)
        if ends is None:
            return Answer.OPEN if not view.knowledge.linked else Answer.UNDECIDED
        edges = _edges(view, {number for number, _ in linear.terms})
        plus, minus = ends
        high, low = _shortest(edges, minus, plus), _shortest(edges, plus, minus)
        if high is None or low is None:
            return Answer.ENTAILED
        answer = _between(-low, high, linear.relation, linear.bound)
        return Answer.OPEN if answer is Answer.UNDECIDED and known else answer

    def refute(self, view: View) -> Answer:
        """By a cycle of differences that would have to be less than 0."""
        edges = _edges(view, set())
        if _shortest(edges, ZERO, ZERO) is None:
            return Answer.ENTAILED
        known = not view.opaque and not view.apart and all(_difference(each.terms) is not None for each in view.sums)
        return Answer.OPEN if known else Answer.UNDECIDED


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
        self.calls_left, self.size = calls, size

    def decide(self, view: View, predicate: Predicate) -> Answer:
        """By asking whether the opposite is possible beside the conjunction."""
        linear = predicate.linear
        if linear is None or not view.sums:
            return Answer.UNDECIDED
        terms, bound = linear.terms, linear.bound
        negative = bounded(linear, holds=False)
        sides = [negative] if negative else [Bounded(terms, None, bound - 1), Bounded(terms, bound + 1, None)]
        positive = bounded(linear, holds=True)
        assert positive is not None
        answers = [self._possible(view, side) for side in (*sides, positive)]
        if None in answers:
            return Answer.UNDECIDED
        if not any(answers[:-1]):
            return Answer.ENTAILED
        return Answer.OPEN if answers[-1] else Answer.REFUTED

    def refute(self, view: View) -> Answer:
        """By asking whether the conjunction is possible."""
        if not view.sums:
            return Answer.UNDECIDED
        possible = self._possible(view, None)
        return Answer.UNDECIDED if possible is None else Answer.OPEN if possible else Answer.ENTAILED

    def _possible(self, view: View, beside: Bounded | None) -> bool | None:
        """Whether the sums of the conjunction and another one have a solution; None: too large, or no calls left."""
        sums = view.sums if beside is None else [*view.sums, beside]
        numbers = sorted({number for each in sums for number, _ in each.terms})
        known = [*sums, *(Bounded(((number, 1),), *view.bounds(number)) for number in numbers)]
        if self.calls_left <= 0 or len(known) > self.size:
            return None
        self.calls_left -= 1
        return satisfiable(known)
