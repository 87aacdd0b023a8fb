"""A conjunction as the layers of entailment look at it: bounds of variables and of sums, tightened by one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symdmc.abstraction.entailment_claims import ClaimTable, Knowledge
from symdmc.abstraction.predicate import Linear
from symdmc.model.expressions import At, Cell, Ref
from symdmc.task.domains import Domain
from symdmc.task.intervals import Interval

ROUNDS = 4
"""How often every sum may tighten the bounds of its variables."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A sum between two bounds; None: no bound on that side."""

    terms: tuple[tuple[int, int], ...]
    low: int | None
    high: int | None


def bounded(linear: Linear, *, holds: bool) -> Bounded | None:
    """The constraint, or its negation, as bounds of its sum; None for "is not equal"."""
    if linear.relation == ">=":
        return Bounded(linear.terms, linear.bound, None) if holds else Bounded(linear.terms, None, linear.bound - 1)
    return Bounded(linear.terms, linear.bound, linear.bound) if holds else None


class View:
    """One conjunction, taken apart."""

    def __init__(self, table: ClaimTable, knowledge: Knowledge) -> None:
        self.table, self.knowledge = table, knowledge
        self.values = dict(knowledge.values)
        self.sums: list[Bounded] = []
        self.apart: list[Linear] = []
        """Sums that are not equal to their bounds."""
        self.opaque: list[int] = []
        """The claims that are not linear."""
        for claim in knowledge.linked:
            self._add(claim)
        self._bounds: dict[int, Interval] = {}
        self.impossible = False
        """Whether tightening has left no value to some variable."""
        for _ in range(ROUNDS):
            changed = [self._tightened(each) for each in self.sums if not self.impossible]
            if self.impossible or not any(changed):
                break

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

    @property
    def variables(self) -> list[int]:
        """The variables that the conjunction speaks of, in order."""
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
        """The values left to a variable; ask only where the conjunction is not impossible."""
        low, high = self.bounds(variable)
        domain = self.table.domains[variable]
        if domain.listed is None and variable not in self.values:
            return Domain(low, high)
        array = domain.array
        if variable in self.values:
            mask = self.values[variable]
            array = array[[bool(mask >> position & 1) for position in range(len(array))]]
        kept = array[(array >= low) & (array <= high)]
        return Domain.of(kept) if len(kept) else Domain(low, high)

    def leaf_bounds(self, leaf: Ref | Cell | At) -> Interval:
        """The bounds of what an expression reads."""
        layout = self.table.task.layout
        if isinstance(leaf, At):
            variable, place = layout.process[leaf.process], layout.location[leaf.process, leaf.location]
            low, high = self.bounds(variable)
            if not low <= place <= high or place not in self.table.domains[variable]:
                return 0, 0
            return (1, 1) if low == high else (0, 1)
        ends = [self.bounds(number) for number in layout.targets(leaf)]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def sum_bounds(self, terms: tuple[tuple[int, int], ...]) -> Interval:
        """Bounds of a sum, from those of its variables."""
        ends = list(self._ends(terms))
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    def _ends(self, terms: tuple[tuple[int, int], ...]) -> Iterator[Interval]:
        for number, factor in terms:
            low, high = self.bounds(number)
            yield (factor * low, factor * high) if factor > 0 else (factor * high, factor * low)

    def _tightened(self, each: Bounded) -> bool:
        """Whether a sum leaves less to one of its variables than it had."""
        low, high = self.sum_bounds(each.terms)
        changed = False
        for number, factor in each.terms:
            old_low, old_high = self.bounds(number)
            own_low, own_high = sorted((factor * old_low, factor * old_high))
            least = None if each.low is None else each.low - (high - own_high)
            most = None if each.high is None else each.high - (low - own_low)
            new = _scaled(factor, least, most, old_low, old_high)
            if new != (old_low, old_high):
                changed = True
                self._bounds[number] = new
                if new[0] > new[1]:
                    self.impossible = True
                    return False
                low, high = self.sum_bounds(each.terms)
        return changed


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
