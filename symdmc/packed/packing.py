"""Where each variable of a task lies in the 64-bit words of a packed state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdmc.task.task import Values
from symdmc.task.values.domains import Domain

WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Field:
    """The bits of one variable: it holds `low` + (word >> shift & mask); a mask of 0 means that it never changes."""

    word: int
    shift: int
    mask: int
    low: int

    @property
    def placed_mask(self) -> int:
        """The bits of the field where they lie in the word, as a signed 64-bit integer."""
        return signed(self.mask << self.shift)

    def placed(self, value: int) -> int:
        """A value of the variable where it lies in the word, as a signed 64-bit integer."""
        return signed((value - self.low) << self.shift)


@dataclass(frozen=True, slots=True)
class Packing:
    """The fields of all variables; a field never crosses a word."""

    fields: tuple[Field, ...]
    words: int
    bits: int

    def pack(self, values: Sequence[int]) -> list[int]:
        """The words of a state."""
        words = [0] * self.words
        for field, value in zip(self.fields, values, strict=True):
            words[field.word] |= (value - field.low) << field.shift
        return [signed(word) for word in words]

    def unpack(self, words: NDArray[np.int64]) -> Values:
        """The values of a packed state."""
        return tuple(((int(words[f.word]) >> f.shift) & f.mask) + f.low for f in self.fields)


def pack_domains(domains: Sequence[Domain]) -> Packing:
    """A packing with as many bits for each variable as its range of values needs, in the first word with room."""
    fields: list[Field] = []
    used: list[int] = [0]
    for domain in domains:
        bits = (domain.high - domain.low).bit_length()
        word = next((w for w, taken in enumerate(used) if taken + bits <= WORD_BITS), len(used))
        if word == len(used):
            used.append(0)
        fields.append(Field(word, used[word] if bits else 0, (1 << bits) - 1, domain.low))
        used[word] += bits
    return Packing(tuple(fields), len(used), sum(used))


def signed(word: int) -> int:
    """The signed 64-bit integer with the same bits."""
    return (word + (1 << 63)) % (1 << 64) - (1 << 63)
