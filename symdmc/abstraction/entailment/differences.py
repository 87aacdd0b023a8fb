"""The layer of differences: bounds of differences of two variables, by shortest paths."""

from __future__ import annotations

from symdmc.abstraction.entailment.layers import Answer, decided_by_bounds
from symdmc.abstraction.entailment.view import ConjunctionView
from symdmc.abstraction.predicates.predicate import Predicate

ZERO = -1
"""Stands for the constant 0 among the variables of differences."""


class DifferencesLayer:
    """Bounds of differences of two variables, by shortest paths."""

    def decide(self, view: ConjunctionView, predicate: Predicate) -> Answer:
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
        answer = decided_by_bounds(-low, high, linear.relation, linear.bound)
        return Answer.OPEN if answer is Answer.UNDECIDED and _only_differences(view, numbers) else answer

    def refute(self, view: ConjunctionView) -> Answer:
        """By a cycle of differences that would have to be less than 0."""
        edges = _edges(view, set())
        if _shortest(edges, ZERO, ZERO) is None:
            return Answer.ENTAILED
        return Answer.OPEN if _only_differences(view, set()) else Answer.UNDECIDED


def _only_differences(view: ConjunctionView, others: set[int]) -> bool:
    """Whether the conjunction has only bounds of differences: each combination of values within them is possible."""
    if view.impossible or view.opaque or view.apart or any(_difference(each.terms) is None for each in view.sums):
        return False
    return all(view.domain(number).listed is None for number in {*view.variables, *others})


def _difference(terms: tuple[tuple[int, int], ...]) -> tuple[int, int] | None:
    """The two variables of which a sum is the difference; a single variable is its difference to 0."""
    match terms:
        case ((one, 1),):
            return one, ZERO
        case ((one, 1), (other, -1)):
            return one, other
        case _:
            return None


def _edges(view: ConjunctionView, others: set[int]) -> list[tuple[int, int, int]]:
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
