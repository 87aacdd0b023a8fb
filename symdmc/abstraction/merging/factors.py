"""Transitions and the error condition as products: one set of values, or of pairs of values, for each variable.

What is no product is split into several; where that takes too many, it is weakened to the product of what each variable
does alone, which only ever adds steps and error states. All budgets count rows and products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from symdmc.abstraction.merging.clusters import Cluster, alternatives, clusters_of, clusters_of_condition
from symdmc.abstraction.merging.products import products
from symdmc.abstraction.merging.rows import Case, cases_of
from symdmc.model.expressions import Expr, Literal
from symdmc.model.system import Range
from symdmc.task.task import Task, Transition
from symdmc.task.values.domains import Domain
from symdmc.task.values.rows import SupportRows, TooManyRows, plain_support
from symdmc.task.values.tabulate import Integers, Truths

MOST_ROWS = 1 << 14
"""A cluster with more combinations of values is weakened."""
ROW_BUDGET = 1 << 22
"""Rows enumerated in all; after that only small clusters are."""
FEW_ROWS = 1 << 9
MOST_PRODUCTS = 256
"""A transition is split into no more products than this."""
PRODUCT_BUDGET = 20_000
"""Products of all transitions together, but each may have FEW_PRODUCTS."""
FEW_PRODUCTS = 4
MOST_ERRORS = 62
"""Products of the error condition: each is a bit of a mark that states have."""
MOST_VALUES = 1 << 9
"""A variable with more values is left out: whatever it has, steps and errors are possible."""

LocalSteps: TypeAlias = Integers
"""Steps of one variable as numbers: the position of its value before the step times the number of values, plus the
position after it. Sorted and without repetition."""


@dataclass(frozen=True, slots=True)
class StepProduct:
    """A product: what a step does to each variable that it looks at or changes. It leaves the others alone."""

    cost: int
    pairs: Mapping[int, LocalSteps]


class Factoring:
    """Makes products of the transitions and the error condition of a task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.domains = task.analysis.domains
        self.kept = frozenset(
            number
            for number, domain in enumerate(self.domains)
            if 1 < domain.count <= MOST_VALUES and domain.fits_array
        )
        """The variables that products speak of."""
        self.rows_left = ROW_BUDGET
        self._permitted: dict[Expr, Integers] = {}
        self._shared: dict[tuple[int, bytes], LocalSteps] = {}

    def steps(self, report: Callable[[], None] = lambda: None) -> list[StepProduct]:
        """All transitions that ever run; `report` is called now and then and may raise."""
        possible = sorted(self.task.analysis.possible)
        budget = max(FEW_PRODUCTS, min(MOST_PRODUCTS, PRODUCT_BUDGET // max(1, len(possible))))
        found: list[StepProduct] = []
        for number in possible:
            report()
            found += self._factored(self.task.transitions[number], budget)
        return found

    def errors(self) -> list[dict[int, Truths]]:
        """The error condition: for each product, which positions the variables it speaks of may have."""
        found: list[dict[int, Truths]] = []
        options = list(alternatives(self.task.error.expression))
        for option in options:
            clusters = clusters_of_condition(self.task.layout, option)
            for pairs in self._combined(clusters, max(1, MOST_ERRORS // len(options))):
                found.append({number: self._sources(number, factor) for number, factor in pairs.items()})
        while len(found) > MOST_ERRORS:
            last = found.pop()
            found[-1] = {number: found[-1][number] | last[number] for number in found[-1].keys() & last.keys()}
        return found

    def _sources(self, number: int, factor: LocalSteps) -> Truths:
        allowed = np.zeros(self.domains[number].count, dtype=np.bool_)
        allowed[factor // self.domains[number].count] = True
        return allowed

    def _factored(self, transition: Transition, budget: int) -> list[StepProduct]:
        return [
            StepProduct(transition.cost, pairs) for pairs in self._combined(clusters_of(self.task, transition), budget)
        ]

    def _combined(self, clusters: Sequence[Cluster], budget: int) -> list[dict[int, LocalSteps]]:
        """Clusters, each as products, combined in every way; those with few products first."""
        options = [self._cluster(cluster, budget) for cluster in clusters]
        combined: list[dict[int, LocalSteps]] = [{}]
        for each in sorted(options, key=len):
            if not each:
                return []
            if len(each) * len(combined) > budget:
                each = [self._hull(each)]
            combined = [{**one, **other} for one in combined for other in each]
        return combined

    def _hull(self, options: Sequence[dict[int, LocalSteps]]) -> dict[int, LocalSteps]:
        """One product with all steps of several; a variable that some of them leave alone may stay in it."""
        hull: dict[int, LocalSteps] = {}
        for number in sorted(set().union(*options)):
            factors = [each.get(number, self._identity(number)) for each in options]
            hull[number] = np.unique(np.concatenate(factors))
        return self._without_identities(hull)

    # ---- one cluster

    def _cluster(self, cluster: Cluster, budget: int) -> list[dict[int, LocalSteps]]:
        domains = list(self.domains)
        for test in cluster.tests:
            if not self._narrow(test, domains):
                return []
        limit = MOST_ROWS if self.rows_left > 0 else FEW_ROWS
        try:
            cases = list(cases_of(self.task, cluster, domains, limit))
        except TooManyRows:
            return [self._without_identities(self._weak(cluster, domains))]
        found: list[dict[int, LocalSteps]] = []
        for case in cases:
            self.rows_left -= len(next(iter(case.values())).after) if case else 1
            found += self._split(case, max(1, budget // len(cases)))
        if len(found) > budget:
            found = [self._hull(found)]
        return found

    def _narrow(self, test: Expr, domains: list[Domain]) -> bool:
        """Remove the values of a variable that a test of it alone excludes; False when it excludes everything."""
        support = self.task.layout.support(test)
        if len(support) != 1 or plain_support(self.task.layout, test) != support:
            return True
        (number,) = support
        if self.domains[number].count > MOST_ROWS:
            return True
        if test not in self._permitted:
            rows = SupportRows(self.task.layout, self.domains, support, MOST_ROWS)
            rows.keep(rows.value(test).holds)
            self._permitted[test] = rows.column(number)
        left = np.intersect1d(domains[number].array, self._permitted[test], assume_unique=True)
        if len(left):
            domains[number] = Domain.of(left)
        return len(left) > 0

    def _split(self, case: Case, budget: int) -> list[dict[int, LocalSteps]]:
        """A case as products of pairs of values."""
        numbers = [number for number in sorted(case) if number in self.kept]
        columns, inside = [], np.ones(1, dtype=np.bool_)
        for number in numbers:
            after, here = self._positions(number, case[number].after)
            before = case[number].before
            first = after if before is None else self._positions(number, before)[0]
            columns.append(first * self.domains[number].count + after)
            inside = inside & here  # no step leaves the box of analysed values
        columns = [column[inside] for column in columns]
        if columns and not len(columns[0]):
            return []
        found = []
        for product in products(columns, budget):
            pairs = dict(zip(numbers, product, strict=True))
            for number in numbers:
                if case[number].before is None:
                    pairs[number] = self._from_anywhere(number, pairs[number] % self.domains[number].count)
            found.append(self._without_identities(pairs))
        return found

    def _positions(self, number: int, values: Integers) -> tuple[Integers, Truths]:
        """Where the values stand among those of the variable, and which of them do."""
        listed = self.domains[number].array
        positions = np.minimum(np.searchsorted(listed, values), len(listed) - 1)
        return positions, listed[positions] == values

    def _from_anywhere(self, number: int, after: Integers) -> LocalSteps:
        count = self.domains[number].count
        return (np.arange(count)[:, None] * count + np.unique(after)[None, :]).reshape(-1)

    def _identity(self, number: int) -> LocalSteps:
        return np.arange(self.domains[number].count, dtype=np.int64) * (self.domains[number].count + 1)

    def _without_identities(self, pairs: Mapping[int, LocalSteps]) -> dict[int, LocalSteps]:
        """Without the variables that are neither looked at nor changed. Equal steps are the same array."""
        return {
            number: self._shared.setdefault((number, factor.tobytes()), factor)
            for number, factor in pairs.items()
            if not np.array_equal(factor, self._identity(number))
        }

    # ---- weakening

    def _weak(self, cluster: Cluster, domains: Sequence[Domain]) -> dict[int, LocalSteps]:
        """What each variable of a cluster may do alone: start from what tests of it alone leave, and get any value.

        Where only constants are stored, it gets one of these.
        """
        layout = self.task.layout
        stays = dict.fromkeys(self.kept, True)
        gets: dict[int, set[int] | None] = {}
        for update in cluster.updates:
            certain = update.condition is None and layout.surely_exists(update.target)
            for number in self.kept.intersection(layout.targets(update.target)):
                value = _constant(update.value, self.task.variables[number].type)
                gets[number] = _added(set() if certain else gets.get(number, set()), value)
                stays[number] = stays[number] and not certain
        for branch in cluster.branches:
            number = layout.process[branch.process]
            if number in self.kept:
                certain = branch.condition is None
                place = layout.location[branch.process, branch.target]
                gets[number] = _added(set() if certain else gets.get(number, set()), place)
                stays[number] = stays[number] and not certain
        pairs: dict[int, LocalSteps] = {}
        for number in sorted(self.kept.intersection(cluster.support(layout)) | gets.keys()):
            pairs[number] = self._loose(number, domains[number], stays[number], gets.get(number, set()))
        return pairs

    def _loose(self, number: int, domain: Domain, stays: bool, gets: set[int] | None) -> LocalSteps:
        count = self.domains[number].count
        before, _ = self._positions(number, domain.array)
        after = np.arange(count)
        if gets is not None:
            positions, inside = self._positions(number, np.array(sorted(gets), dtype=np.int64))
            after = positions[inside]
        moves = np.zeros((count, count), dtype=np.bool_)
        moves[before[:, None], after[None, :]] = True
        moves[before, before] |= stays
        return np.flatnonzero(moves)


def _constant(value: Expr, kind: Range) -> int | None:
    """What storing the value leaves in a variable, if that is known without looking at the state."""
    fits = isinstance(value, Literal) and (kind.wraps or kind.low <= value.value <= kind.high)
    return kind.store(value.value) if isinstance(value, Literal) and fits else None


def _added(values: set[int] | None, value: int | None) -> set[int] | None:
    """With one more value; None stands for any value, in the argument as in the result."""
    return None if values is None or value is None else values | {value}
