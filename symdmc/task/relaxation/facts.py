"""Facts: that a variable has a value. The monotonicity abstraction speaks of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symdmc.task.values.domains import Domain
from symdmc.task.values.tabulate import Integers

ALWAYS = 0
"""The fact that holds in every state; as an entry of a table: nothing is said here."""
MOST_VALUES = 1 << 12
"""A variable with more values than this has no facts: it may have any value at any time."""


@dataclass(frozen=True)
class Facts:
    """The facts of some variables, numbered through behind ALWAYS.

    A variable with one value has none, because nothing can be learnt from it, and neither has one with very many or
    with values that lie far apart: a kernel finds a fact by the content of a field.
    """

    domains: tuple[Domain, ...]

    @cached_property
    def first(self) -> tuple[int, ...]:
        """For each variable its first fact; 0 where it has none."""
        found, following = [], 1
        for domain in self.domains:
            listed = 1 < domain.count <= MOST_VALUES and domain.fits_array
            found.append(following if listed else 0)
            following += domain.count if listed else 0
        return tuple(found)

    @cached_property
    def owner(self) -> Integers:
        """For each fact its variable; ALWAYS has none, which is -1."""
        counts = [self.domains[number].count for number in self.numbers]
        return np.concatenate([[-1], np.repeat(self.numbers, counts)]).astype(np.int64)

    @cached_property
    def sizes(self) -> Integers:
        """For each fact how many its variable has; of ALWAYS 0."""
        counts = [self.domains[number].count for number in self.numbers]
        return np.concatenate([[0], np.repeat(counts, counts)]).astype(np.int64)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The variables that have facts."""
        return tuple(number for number, first in enumerate(self.first) if first)

    def __len__(self) -> int:
        """How many facts there are, ALWAYS among them."""
        return len(self.owner)

    def of_values(self, number: int, values: Integers) -> Integers:
        """The facts that a variable has these values; ALWAYS where they are not known or no values of the domain."""
        first, domain = self.first[number], self.domains[number]
        if not first:
            return np.full(len(values), ALWAYS, dtype=np.int64)
        places = np.minimum(np.searchsorted(domain.array, values), domain.count - 1)
        return np.where(domain.array[places] == values, first + places, ALWAYS)

    def of_variable(self, number: int) -> range:
        """All facts of a variable."""
        first = self.first[number]
        return range(first, first + self.domains[number].count) if first else range(0)

    def of_state(self, values: Sequence[int], free: Iterable[int] = ()) -> list[int]:
        """ALWAYS, all facts of the variables that may have any value, and those that hold in a state, in this order."""
        freed = frozenset(free)
        found = [fact for number in sorted(freed) for fact in self.of_variable(number)]
        for number in self.numbers:
            if number not in freed:
                found.extend(self.of_values(number, np.array([values[number]])).tolist())
        return [ALWAYS, *(fact for fact in found if fact != ALWAYS)]

    def values_of(self, number: int, facts: Iterable[int]) -> list[int]:
        """The values that some facts of a variable are about."""
        first, domain = self.first[number], self.domains[number]
        return [int(domain.array[fact - first]) for fact in facts]
