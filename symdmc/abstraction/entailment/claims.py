"""Claims by number, and conjunctions of them in the form that entailment works on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from symdmc.abstraction.predicates.canonical import MOST_VALUES, Canonical
from symdmc.abstraction.predicates.predicate import Claim, Predicate
from symdmc.task.task import Task
from symdmc.task.values.rows import plain_support


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A conjunction: the values left to variables that have few, and the claims about several or about many values."""

    values: tuple[tuple[int, int], ...] = ()
    """Variable and set of values (a bit for each analysed value, the smallest first), in order of the variables."""
    linked: tuple[int, ...] = ()
    """Numbers of claims, in order."""


class ClaimTable:
    """Numbers for claims: 2n says that predicate n holds, 2n + 1 that it does not."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.canonical = Canonical(task)
        self.domains = task.analysis.domains
        self.predicates: list[Predicate] = []
        self.variables: list[int] = []
        """Of each predicate the variable that it is about, if that is one and has few values; else -1."""
        self.masks: list[int] = []
        """Of each claim the values of that variable for which it is true."""
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

    def read(self, number: int) -> frozenset[int]:
        """The variables that a predicate reads by name, those with one value included."""
        if number not in self._read:
            self._read[number] = frozenset(plain_support(self.task.layout, self.predicates[number].expression))
        return self._read[number]

    def added(self, values: dict[int, int], linked: dict[int, None], claims: Iterable[int]) -> bool:
        """Add claims to a conjunction that is being made; False when it then contradicts itself."""
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

    def about(self, values: Mapping[int, int], linked: Iterable[int], support: Iterable[int]) -> Knowledge:
        """What a conjunction says about some variables, and about those that it links to them."""
        reached, rest = set(support), dict.fromkeys(linked)
        found = list(self._connected(reached, rest))
        return Knowledge(tuple((v, values[v]) for v in sorted(reached) if v in values), tuple(sorted(found)))

    def _connected(self, reached: set[int], rest: dict[int, None]) -> Iterator[int]:
        """The claims that share variables with those reached, directly or by way of others; adds what they reach."""
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
        """The conjunction of claims; None when two of them, or all those about one variable, contradict each other."""
        values: dict[int, int] = {}
        linked: dict[int, None] = {}
        if not self.added(values, linked, map(self.claim, claims)):
            return None
        return Knowledge(tuple(sorted(values.items())), tuple(sorted(linked)))
