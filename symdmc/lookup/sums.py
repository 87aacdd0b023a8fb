"""Tests of several variables at once, for decision diagrams in look-up tables: a sum against a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.packed.arrays import Int32s
from symdmc.packed.packing import Packing

# What stands where a variable has the word of its field, for tests that read no single field.
BOUNDED_SUM = -1
NESTED = -2
# A sum: how many terms it has, its bound, the classes of 0 and 1, then the terms.
SUM_TERMS = 1
SUM_BOUND = 2
SUM_CLASSES = 3
SUM_HEAD = 5
# A term: its field and its factor.
TERM_WORD = 0
TERM_SHIFT = 1
TERM_MASK = 2
TERM_FACTOR = 3
TERM = 4
# A nested diagram: where its root is, then the class of each of its codes.
NESTED_ROOT = 1
NESTED_CLASSES = 2


@dataclass(frozen=True, slots=True)
class BoundedSum:
    """1 where a sum of variables of the task, each times a factor, is at most a bound; else 0."""

    terms: tuple[tuple[int, int], ...]
    """Variables and factors."""
    bound: int

    def code_of(self, values: Sequence[int]) -> int:
        """The outcome for a state given by its values: the reference for the compiled test."""
        return int(sum(factor * values[variable] for variable, factor in self.terms) <= self.bound)

    def block(self, packing: Packing, classes: Sequence[int]) -> Int32s:
        """The test of packed states; `classes` has the class of 0 and that of 1. Contents count from their lowest."""
        fields = [(packing.fields[variable], factor) for variable, factor in self.terms]
        bound = self.bound - sum(factor * field.low for field, factor in fields)
        most = sum(abs(factor) * field.mask for field, factor in fields)
        if most >= 1 << 31 or any(field.mask >= 1 << 31 for field, _ in fields):
            raise ValueError("a sum is too large for a look-up table")
        within = min(max(bound, -most - 1), most)  # the same outcomes, and it fits
        terms = (part for field, factor in fields for part in (field.word, field.shift, field.mask, factor))
        return np.array([BOUNDED_SUM, len(fields), within, *classes, *terms], dtype=np.int32)
