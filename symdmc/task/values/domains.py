"""Sets of integers that a variable may hold: listed exactly while they are few, an interval when they are many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symdmc.model.system import Range
from symdmc.task.values.tabulate import Integers

MOST_LISTED = 1 << 16
"""A set with more values than this is kept as the interval around it."""
MOST_BETWEEN = 1 << 24
"""Values farther apart than this do not fit into an array with a place for each integer between them."""


@dataclass(frozen=True)
class Domain:
    """A finite set of integers."""

    low: int
    high: int
    listed: Integers | None = None
    """Sorted and without repetition; None: every integer from low to high."""

    @staticmethod
    def of(values: Integers) -> Domain:
        """The set of these values, sorted and without repetition; not empty."""
        dense = int(values[-1]) - int(values[0]) + 1 == len(values)
        if dense or len(values) > MOST_LISTED:
            return Domain(int(values[0]), int(values[-1]))
        return Domain(int(values[0]), int(values[-1]), values)

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.high - self.low + 1 if self.listed is None else len(self.listed)

    @property
    def fits_array(self) -> bool:
        """Whether an array may have a place for each integer between the lowest and the highest value."""
        return self.high - self.low < MOST_BETWEEN

    @cached_property
    def array(self) -> Integers:
        """The values in order; only for sets with few values."""
        return np.arange(self.low, self.high + 1, dtype=np.int64) if self.listed is None else self.listed

    def __contains__(self, value: int) -> bool:
        if self.listed is None or not self.low <= value <= self.high:
            return self.low <= value <= self.high
        position = int(np.searchsorted(self.listed, value))
        return int(self.listed[position]) == value

    def contains(self, other: Domain) -> bool:
        """Whether every value of the other set is in this one."""
        if self.listed is None:
            return self.low <= other.low and other.high <= self.high
        if other.low == other.high:
            return other.low in self
        if other.count > self.count or other.low < self.low or other.high > self.high:
            return False
        return bool((self.listed[np.searchsorted(self.listed, other.array)] == other.array).all())

    def union(self, other: Domain) -> Domain:
        """The values of either; may add values between them when there are too many to list."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        if self.count + other.count > MOST_LISTED:
            return Domain(low, high)
        return Domain.of(np.union1d(self.array, other.array))


def runs(values: Integers, places: Integers | None = None) -> list[tuple[int, int]]:
    """Sorted values as intervals of neighbours; these have consecutive places, or are consecutive themselves."""
    if len(values) == 0:
        return []
    breaks = np.flatnonzero(np.diff(values if places is None else places) > 1)
    starts, ends = values[np.r_[0, breaks + 1]], values[np.r_[breaks, len(values) - 1]]
    return [(int(low), int(high)) for low, high in zip(starts, ends, strict=True)]


def stored(low: int, high: int, kind: Range) -> Domain | None:
    """The values that a store of any integer from low to high can leave in a variable; None if it always faults."""
    if kind.low <= low and high <= kind.high:
        return Domain(low, high)
    if kind.wraps:
        return Domain(kind.low, kind.high)
    low, high = max(low, kind.low), min(high, kind.high)
    return Domain(low, high) if low <= high else None
