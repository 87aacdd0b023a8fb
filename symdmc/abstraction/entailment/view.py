"""A conjunction as the layers of entailment use it: bounds of variables and of sums, tightened by one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from symdmc.abstraction.entailment.claims import ClaimTable, Knowledge
from symdmc.abstraction.predicates.predicate import LinearConstraint
from symdmc.model.expressions import At, Cell, Ref
from symdmc.task.values.domains import Domain
from symdmc.task.values.intervals import Interval
from symdmc.task.values.tabulate import Integers

ROUNDS = 4
"""How often each sum may tighten the bounds of its variables."""
Terms: TypeAlias = tuple[tuple[int, int], ...]
"""Variables with their factors."""
Box: TypeAlias = dict[int, Interval]
"""The smallest and the largest value of variables."""
Point: TypeAlias = dict[int, int]
"""A value for each of some variables."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A sum between two bounds; None: no bound on that side."""

    terms: Terms
    low: int | None
    high: int | None

    def cut(self, low: int | None, high: int | None) -> Bounded:
        """The same sum, with further bounds added to its own."""
        lows = [each for each in (self.low, low) if each is not None]
        highs = [each for each in (self.high, high) if each is not None]
        return Bounded(self.terms, max(lows, default=None), min(highs, default=None))

    def holds_at(self, point: Point) -> bool:
        """Whether the sum is surely within its bounds at a point."""
        total = sum_at(self.terms, point)
        if total is None:
            return False
        return (self.low is None or total >= self.low) and (self.high is None or total <= self.high)


def sum_at(terms: Terms, point: Point) -> int | None:
    """The value of a sum at a point; None if the point lacks one of the variables."""
    total = 0
    for number, factor in terms:
        value = point.get(number)
        if value is None:
            return None
        total += factor * value
    return total


def bounded(linear: LinearConstraint, *, holds: bool) -> Bounded | None:
    """The constraint, or its negation, as bounds of its sum; None for "is not equal"."""
    if linear.relation == ">=":
        return Bounded(linear.terms, linear.bound, None) if holds else Bounded(linear.terms, None, linear.bound - 1)
    return Bounded(linear.terms, linear.bound, linear.bound) if holds else None


def strongest(sums: Iterable[Bounded]) -> list[Bounded]:
    """The sums, each with one pair of bounds."""
    found: dict[Terms, Bounded] = {}
    for each in sums:
        known = found.get(each.terms)
        found[each.terms] = each if known is None else known.cut(each.low, each.high)
    return list(found.values())


class ConjunctionView:
    """A conjunction, split into values, sums and opaque claims."""

    def __init__(self, table: ClaimTable, knowledge: Knowledge) -> None:
        self.table, self.knowledge = table, knowledge
        self.values = dict(knowledge.values)
        self.sums: list[Bounded] = []
        self.apart: list[LinearConstraint] = []
        """Sums that are not equal to their bounds."""
        self.opaque: list[int] = []
        """The claims that are not linear."""
        self.points: list[Point] = []
        """Points known to satisfy the conjunction, with a value for each of its variables at least."""
        for claim in knowledge.linked:
            self._add(claim)
        self._bounds: Box = {}
        self._domains: dict[int, Domain] = {}
        self.impossible = False
        """Whether tightening has left no value to some variable."""
        self._tighten()

    def _add(self, claim: int) -> None:
        linear = self.table.predicates[claim >> 1].linear
        if linear is None:
            self.opaque.append(claim)
            return
        found = bounded(linear, holds=not claim & 1)
        if found is None:
            self.apart.append(linear)
        else:
            self.sums.append(found)

    def _tighten(self) -> None:
        constrained = [*(each.terms for each in self.sums), *(each.terms for each in self.apart)]
        for number in {number for terms in constrained for number, _ in terms}:
            self.bounds(number)
        for _ in range(ROUNDS):
            moved = [self._moved(each) for each in self.apart]
            changed = narrowed(self._bounds, self.sums)
            if changed is None or (changed and not self._snapped()):
                self.impossible = True
                return
            if not changed and not any(moved):
                return

    def _snapped(self) -> bool:
        """Move bounds to values that variables can have; False if one has none left."""
        for number in list(self._bounds):
            if number in self.values or self.table.domains[number].listed is not None:
                left = self._left(number)
                if not len(left):
                    return False
                self._bounds[number] = int(left[0]), int(left[-1])
        return True

    def _moved(self, apart: LinearConstraint) -> bool:
        """Whether a sum gets a tighter bound, because it does not equal its present one."""
        low, high = self.known_bounds(apart.terms)
        if apart.bound == low:
            self.sums.append(Bounded(apart.terms, low + 1, None))
        if apart.bound == high:
            self.sums.append(Bounded(apart.terms, None, high - 1))
        return apart.bound in (low, high)

    @property
    def variables(self) -> list[int]:
        """The variables of the conjunction, in order."""
        linked = (number for claim in self.knowledge.linked for number in self.table.support(claim))
        return sorted({*self.values, *linked})

    def bounds(self, variable: int) -> Interval:
        """The smallest and the largest value left to a variable."""
        found = self._bounds.get(variable)
        if found is None:
            domain = self.table.domains[variable]
            found = domain.low, domain.high
            if variable in self.values:
                mask, array = self.values[variable], domain.array
                found = int(array[(mask & -mask).bit_length() - 1]), int(array[mask.bit_length() - 1])
            self._bounds[variable] = found
        return found

    def domain(self, variable: int) -> Domain:
        """The values left to a variable; only for a conjunction that is not impossible."""
        if variable not in self._domains:
            self._domains[variable] = self._domain(variable)
        return self._domains[variable]

    def _domain(self, variable: int) -> Domain:
        if self.table.domains[variable].listed is None and variable not in self.values:
            return Domain(*self.bounds(variable))
        return Domain.of(self._left(variable))

    def _left(self, variable: int) -> Integers:
        """The values of a variable within its bounds."""
        low, high = self.bounds(variable)
        array = self.table.domains[variable].array
        if variable in self.values:
            array = array[_positions(self.values[variable])]
        return array[np.searchsorted(array, low) : np.searchsorted(array, high, side="right")]

    def leaf_bounds(self, leaf: Ref | Cell | At) -> Interval:
        """The bounds of a leaf of an expression."""
        layout = self.table.task.layout
        if isinstance(leaf, At):
            variable, place = layout.place(leaf.process, leaf.location)
            low, high = self.bounds(variable)
            if not low <= place <= high or place not in self.table.domains[variable]:
                return 0, 0
            return (1, 1) if low == high else (0, 1)
        ends = [self.bounds(number) for number in layout.targets(leaf)]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def sum_bounds(self, terms: Terms) -> Interval:
        """Bounds of a sum, from those of its variables."""
        return _sum_bounds({number: self.bounds(number) for number, _ in terms}, terms)

    def known_bounds(self, terms: Terms) -> Interval:
        """Bounds of a sum, from those of its variables and from the known ones of the same sum."""
        low, high = self.sum_bounds(terms)
        for each in self.sums:
            if each.terms == terms:
                low = low if each.low is None else max(low, each.low)
                high = high if each.high is None else min(high, each.high)
        return low, high


def _positions(mask: int) -> Integers:
    """The places of the bits of a set, the lowest first."""
    octets = np.frombuffer(mask.to_bytes((mask.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little")).astype(np.int64)


def narrowed(box: Box, sums: Iterable[Bounded]) -> bool | None:
    """Whether the sums, each used once, tighten the box, which must have all their variables; None: the box is empty.

    Changes the box.
    """
    changed = False
    for each in sums:
        low, high = _sum_bounds(box, each.terms)
        if (each.low is not None and high < each.low) or (each.high is not None and low > each.high):
            return None
        if (each.low is None or low >= each.low) and (each.high is None or high <= each.high):
            continue
        for number, factor in each.terms:
            old = box[number]
            own_low, own_high = (factor * old[0], factor * old[1]) if factor > 0 else (factor * old[1], factor * old[0])
            least = None if each.low is None else each.low - (high - own_high)
            most = None if each.high is None else each.high - (low - own_low)
            new = _scaled(factor, least, most, *old)
            if new != old:
                if new[0] > new[1]:
                    return None
                box[number] = new
                changed = True
                low, high = _sum_bounds(box, each.terms)
    return changed


def _sum_bounds(box: Box, terms: Terms) -> Interval:
    low = high = 0
    for number, factor in terms:
        least, most = box[number]
        low += factor * (least if factor > 0 else most)
        high += factor * (most if factor > 0 else least)
    return low, high


def _scaled(factor: int, least: int | None, most: int | None, low: int, high: int) -> Interval:
    """Bounds of x, when factor * x is between `least` and `most` and x between `low` and `high`."""
    if factor < 0:
        least, most = None if most is None else -most, None if least is None else -least
        factor = -factor
    if least is not None:
        low = max(low, -(-least // factor))
    if most is not None:
        high = min(high, most // factor)
    return low, high
