"""The layers of entailment, the cheapest first.

Each decides whether a conjunction entails a predicate, and whether it is impossible. All are sound; a layer that cannot
answer says UNDECIDED.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from symdmc.abstraction.entailment.view import ConjunctionView
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.task.values.domains import Domain
from symdmc.task.values.intervals import bounds
from symdmc.task.values.rows import SupportRows, TooManyRows


class Answer(Enum):
    """What a conjunction says about a predicate."""

    ENTAILED = "entailed"
    REFUTED = "refuted"
    OPEN = "open"
    """Neither, and no later layer could say more."""
    UNDECIDED = "undecided"


class EntailmentLayer(Protocol):
    """A procedure that decides some questions."""

    def decide(self, view: ConjunctionView, predicate: Predicate) -> Answer:
        """Whether the conjunction entails the predicate, or its negation."""

    def refute(self, view: ConjunctionView) -> Answer:
        """ENTAILED where the conjunction is impossible, OPEN where it is possible."""


def decided_by_bounds(low: int, high: int, relation: str, bound: int) -> Answer:
    """What the bounds of a sum say about a constraint on it."""
    if low > high:
        return Answer.ENTAILED
    if relation == ">=":
        return Answer.ENTAILED if low >= bound else Answer.REFUTED if high < bound else Answer.UNDECIDED
    if bound < low or bound > high:
        return Answer.REFUTED
    return Answer.ENTAILED if low == high else Answer.UNDECIDED


class SyntaxLayer:
    """The claims themselves: the same predicate, or bounds of the same sum."""

    def decide(self, view: ConjunctionView, predicate: Predicate) -> Answer:
        """By looking for the same predicate, or the same sum."""
        linear = predicate.linear
        if linear is None:
            found = [claim for claim in view.opaque if view.table.predicates[claim >> 1] == predicate]
            return Answer.UNDECIDED if not found else Answer.REFUTED if found[0] & 1 else Answer.ENTAILED
        if linear in view.apart:
            return Answer.REFUTED
        if not any(each.terms == linear.terms for each in view.sums):
            return Answer.UNDECIDED
        return decided_by_bounds(*view.known_bounds(linear.terms), linear.relation, linear.bound)

    def refute(self, view: ConjunctionView) -> Answer:
        """UNDECIDED: plain contradictions are found when a conjunction is made."""
        return Answer.UNDECIDED


class ValuesLayer:
    """The values left to each variable, tightened by all sums."""

    def decide(self, view: ConjunctionView, predicate: Predicate) -> Answer:
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
            answer = decided_by_bounds(*view.sum_bounds(linear.terms), linear.relation, linear.bound)
            # Where nothing links the variables, the sum reaches both its bounds, but perhaps not all values between.
            reached = linear.relation == ">=" and not view.knowledge.linked
            return Answer.OPEN if reached and answer is Answer.UNDECIDED else answer
        low, high = bounds(predicate.expression, view.leaf_bounds)
        return Answer.REFUTED if low == high == 0 else Answer.ENTAILED if low > 0 or high < 0 else Answer.UNDECIDED

    def refute(self, view: ConjunctionView) -> Answer:
        """By a variable without values, or a claim that no value satisfies."""
        if view.impossible:
            return Answer.ENTAILED
        for claim in view.opaque:
            expression = view.table.predicates[claim >> 1].expression
            if not claim & 1 and bounds(expression, view.leaf_bounds) == (0, 0):
                return Answer.ENTAILED
        return Answer.UNDECIDED if view.knowledge.linked else Answer.OPEN


def decided_by_values(view: ConjunctionView, number: int, variable: int) -> Answer:
    """What the values left to a variable say about a predicate on it; OPEN if no claim is linked."""
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

    def decide(self, view: ConjunctionView, predicate: Predicate) -> Answer:
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

    def refute(self, view: ConjunctionView) -> Answer:
        """By all combinations."""
        try:
            possible = not view.impossible and self._rows(view, None, whole=True).count
            return Answer.OPEN if possible else Answer.ENTAILED
        except TooManyRows:
            return Answer.UNDECIDED

    def _rows(self, view: ConjunctionView, predicate: Predicate | None, *, whole: bool) -> SupportRows:
        """The combinations that satisfy the conjunction, or only its claims on the variables of the predicate."""
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
    """The values left to each variable, computed when first used."""

    def __init__(self, view: ConjunctionView) -> None:
        super().__init__()
        self._view = view

    def __missing__(self, variable: int) -> Domain:
        self[variable] = self._view.domain(variable)
        return self[variable]
