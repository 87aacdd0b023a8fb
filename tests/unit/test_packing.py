"""Packed states: where each field lies, at the edges of words."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from symdmc.packed.packing import pack_domains
from symdmc.task.values.domains import Domain


@pytest.mark.parametrize(
    ("widths", "places", "words"),
    [
        ([], [], 1),
        ([0, 0], [(0, 0), (0, 0)], 1),
        ([8, 56], [(0, 0), (0, 8)], 1),
        ([8, 57], [(0, 0), (1, 0)], 2),
        ([32, 33, 32], [(0, 0), (1, 0), (0, 32)], 2),
        ([33, 33, 31, 31], [(0, 0), (1, 0), (0, 33), (1, 33)], 2),
        ([32] * 5, [(0, 0), (0, 32), (1, 0), (1, 32), (2, 0)], 3),
    ],
)
def test_a_field_lies_in_the_first_word_with_room_and_crosses_none(
    widths: list[int], places: list[tuple[int, int]], words: int
) -> None:
    packing = pack_domains([Domain(-3, (1 << width) - 4) for width in widths])
    assert [(field.word, field.shift) for field in packing.fields] == places
    assert (packing.words, packing.bits) == (words, sum(widths))


@pytest.mark.parametrize("low", [0, -1, 5, -(2**31)])
@pytest.mark.parametrize("widths", [(1, 2, 1), (31, 32, 1, 2), (32, 32, 32), (63, 2)])
def test_what_is_packed_is_unpacked_again_at_the_ends_of_every_range(widths: tuple[int, ...], low: int) -> None:
    domains = [Domain(low, low + (1 << width) - 1) for width in widths]
    packing = pack_domains(domains)
    for values in product(*((domain.low, domain.high) for domain in domains)):
        words = packing.pack(values)
        assert all(-(2**63) <= word < 2**63 for word in words)
        assert packing.unpack(np.array(words, dtype=np.int64)) == values
        for field, value in zip(packing.fields, values, strict=True):
            assert words[field.word] & field.placed_mask == field.placed(value)
