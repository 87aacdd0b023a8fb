"""Claims by number, and conjunctions of them in the form that entailment works on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from symdmc.abstraction.predicates.canonical import MOST_VALUES, Canonical
from symdmc.abstraction.predicates.predicate import Claim, Predicate
from symdmc.task.task import Task
from symdmc.task.values.rows import plain_support


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A conjunction: the values left to variables with few values, and all other claims."""

    values: tuple[tuple[int, int], ...] = ()
    """Variables, in order, each with a set of values: a bit for each analysed value, the smallest first."""
    linked: tuple[int, ...] = ()
    """Numbers of claims, in order."""


class OpenConjunction(NamedTuple):
    """A conjunction under construction, in the terms of `Knowledge`; the claims by number."""

    values: dict[int, int]
    linked: dict[int, None]


class ClaimTable:
    """Numbers of claims: 2n says that predicate n holds, 2n + 1 that it does not."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.canonical = Canonical(task)
        self.domains = task.analysis.domains
        self.predicates: list[Predicate] = []
        self.variables: list[int] = []
        """For each predicate its variable, if it has only one and that has few values; else -1."""
        self.masks: list[int] = []
        """For each claim the values of that variable for which it is true."""
        self._numbers: dict[Predicate, int] = {}
        self._read: dict[int, frozenset[int]] = {}

    def predicate(self, predicate: Predicate) -> int:
        """The number of a predicate."""
        if predicate not in self._numbers:
            self._numbers[predicate] = len(self.predicates)
            self.predicates.append(predicate)
            variable, mask, whole = -1, 0, 0
            if len(predicate.support) == 1 and self.domains[predicate.support[0]].count <= MOST_VALUES:
                (variable,) = predicate.support
                mask, whole = self.canonical.mask(predicate.expression, variable), self.whole(variable)
            self.variables.append(variable)
            self.masks += (mask, whole ^ mask)
        return self._numbers[predicate]

    def claim(self, claim: Claim) -> int:
        """The number of a claim."""
        return 2 * self.predicate(claim.predicate) + (not claim.holds)

    def whole(self, variable: int) -> int:
        """The set of all values of a variable."""
        return (1 << self.domains[variable].count) - 1

    def support(self, claim: int) -> tuple[int, ...]:
        """The variables that a claim is about."""
        return self.predicates[claim >> 1].support

    def supports(self, claims: Iterable[int]) -> set[int]:
        """The variables that some claims are about."""
        return {number for claim in claims for number in self.support(claim)}

    def read(self, number: int) -> frozenset[int]:
        """The variables that a predicate reads, including those with one value."""
        if number not in self._read:
            self._read[number] = frozenset(plain_support(self.task.layout, self.predicates[number].expression))
        return self._read[number]

    def conjunction(self, claims: Iterable[int]) -> OpenConjunction | None:
        """The conjunction of claims by number; None if two of them, or all those on one variable, are contradictory."""
        found = OpenConjunction({}, {})
        return found if self.add(found, claims) else None

    def add(self, conjunction: OpenConjunction, claims: Iterable[int]) -> bool:
        """Add claims to a conjunction; False if it then contradicts itself."""
        values, linked = conjunction
        for claim in claims:
            variable = self.variables[claim >> 1]
            if variable < 0:
                if claim ^ 1 in linked:
                    return False
                linked[claim] = None
                continue
            left = values.get(variable, -1) & self.masks[claim]
            if not left:
                return False
            values[variable] = left
        return True

    def about(self, conjunction: OpenConjunction, support: Iterable[int]) -> Knowledge:
        """The part of a conjunction about some variables, and about those that it links to them."""
        values, reached, rest = conjunction.values, set(support), dict(conjunction.linked)
        found = list(self._connected(reached, rest))
        return Knowledge(tuple((v, values[v]) for v in sorted(reached) if v in values), tuple(sorted(found)))

    def _connected(self, reached: set[int], rest: dict[int, None]) -> Iterator[int]:
        """The claims that share variables with those reached, directly or through others; adds their variables."""
        growing = True
        while growing and rest:
            growing = False
            for claim in list(rest):
                if not reached.isdisjoint(self.support(claim)):
                    reached.update(self.support(claim))
                    del rest[claim]
                    growing = True
                    yield claim

    def knowledge(self, claims: Iterable[Claim]) -> Knowledge | None:
        """The conjunction of claims, as `conjunction`."""
        found = self.conjunction(map(self.claim, claims))
        return found and Knowledge(tuple(sorted(found.values.items())), tuple(sorted(found.linked)))
