"""The layer of witnesses: neither a predicate nor its negation is entailed if some state satisfies the conjunction with
the predicate, and some state without it.

A witness is built variable by variable: each gets one of a few of the values left to it, and the sums then tighten the
others. A limit counts the values tried. Witnesses are kept with the conjunction, since each serves many questions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symdmc.abstraction.entailment.layers import Answer
from symdmc.abstraction.entailment.view import ROUNDS, Box, ConjunctionView, Point, bounded, narrowed, strongest, sum_at
from symdmc.abstraction.predicates.predicate import LinearConstraint, Predicate


class WitnessesLayer:
    """Points at which the conjunction holds, some with the predicate and some without."""

    def __init__(self, tries: int) -> None:
        self.tries = tries

    def decide(self, view: ConjunctionView, predicate: Predicate) -> Answer:
        """OPEN where there are witnesses of both kinds."""
        linear = predicate.linear
        if linear is None or view.impossible:
            return Answer.UNDECIDED
        found = all(self._is_possible(view, linear, holds) for holds in (True, False))
        return Answer.OPEN if found else Answer.UNDECIDED

    def refute(self, view: ConjunctionView) -> Answer:
        """OPEN where there is any witness."""
        if view.impossible:
            return Answer.UNDECIDED
        return Answer.OPEN if view.points or self._found(_Search(view, self.tries)) else Answer.UNDECIDED

    def _is_possible(self, view: ConjunctionView, linear: LinearConstraint, holds: bool) -> bool:
        """Whether the conjunction holds at some point where a constraint holds, or does not."""
        if any(_holds_at(linear, point) is holds for point in view.points):
            return True
        return self._found(_Search(view, self.tries, linear, holds))

    def _found(self, search: _Search) -> bool:
        point = search.point()
        if point is not None:
            search.view.points.append(point)
        return point is not None


def _holds_at(linear: LinearConstraint, point: Point) -> bool | None:
    """Whether a constraint holds at a point; None if the point lacks one of the variables."""
    total = sum_at(linear.terms, point)
    if total is None:
        return None
    return total >= linear.bound if linear.relation == ">=" else total == linear.bound


class _Search:
    """A search for a point where a conjunction holds, and a constraint or its negation."""

    def __init__(
        self, view: ConjunctionView, tries: int, linear: LinearConstraint | None = None, holds: bool = True
    ) -> None:
        self.view, self.tries_left = view, tries
        beside = None if linear is None else bounded(linear, holds=holds)
        self.sums = strongest(view.sums if beside is None else [*view.sums, beside])
        self.apart = view.apart if linear is None or beside is not None else [*view.apart, linear]
        asked = () if linear is None else (number for number, _ in linear.terms)
        self.box: Box = {number: view.bounds(number) for number in (*view.variables, *asked)}

    def point(self) -> Point | None:
        """The first one found."""
        return self._within(self.box)

    def _within(self, box: Box) -> Point | None:
        """A point of the box, which may be changed."""
        changed: bool | None = True
        for _ in range(ROUNDS):
            changed = narrowed(box, self.sums)
            if not changed:
                break
        if changed is None:
            return None
        several = [number for number, (low, high) in box.items() if low < high]
        if not several:
            point = {number: low for number, (low, _) in box.items()}
            return point if self._holds_at(point) else None
        number = min(several, key=lambda each: box[each][1] - box[each][0])  # the first of several
        for value in self._values(number, *box[number]):
            if self.tries_left <= 0:
                return None
            self.tries_left -= 1
            point_within = self._within({**box, number: (value, value)})
            if point_within is not None:
                return point_within
        return None

    def _values(self, number: int, low: int, high: int) -> Iterator[int]:
        """A few of the values left to a variable between two bounds: from the middle, and from both ends."""
        domain = self.view.domain(number)
        first, last = low, high
        if domain.listed is not None:
            first = int(np.searchsorted(domain.listed, low))
            last = int(np.searchsorted(domain.listed, high, side="right")) - 1
        middle = (first + last) // 2
        for place in dict.fromkeys((middle, first, last, first + 1, last - 1)):
            if first <= place <= last:
                yield place if domain.listed is None else int(domain.listed[place])

    def _holds_at(self, point: Point) -> bool:
        """Whether a point satisfies all that is asked for."""
        return (
            all(value in self.view.domain(number) for number, value in point.items())
            and all(each.holds_at(point) for each in self.sums)
            and not any(_holds_at(each, point) for each in self.apart)
            and self._opaque_at(point)
        )

    def _opaque_at(self, point: Point) -> bool:
        """Whether the claims that are not linear hold at a point; they read nothing else that has several values."""
        if not self.view.opaque:
            return True
        table = self.view.table
        state = table.task.state([point.get(number, domain.low) for number, domain in enumerate(table.domains)])
        holds = table.task.semantics.holds
        return all(holds(table.predicates[each >> 1].expression, state) != bool(each & 1) for each in self.view.opaque)
