"""The inputs of the reading benchmark, and that what is read of large ones is linear in the text."""

from __future__ import annotations

import time

import pytest

from benchmarks.reading import COLUMNS, SHAPES, Input, measure
from symdmc.model.suspicions import suspicions
from symdmc.reader.dve import read_dve

LARGE = {"locations": 20_000, "processes": 2_000, "edges": 2_000, "variables": 1_500}
SECONDS = 20
"""A machine under load needs some seconds for each; what is quadratic, minutes."""


@pytest.mark.parametrize("name", SHAPES)
def test_inputs_are_the_same_for_the_same_seed(name: str) -> None:
    text = SHAPES[name].text(300, 1)
    assert text == SHAPES[name].text(300, 1)
    (row,) = measure(Input(name, 300, 1))
    assert tuple(row) == COLUMNS


@pytest.mark.parametrize("name", LARGE)
def test_large_inputs_do_not_take_quadratic_time(name: str) -> None:
    begin = time.process_time()
    measure(Input(name, LARGE[name], 1))
    suspicions(read_dve(SHAPES[name].text(LARGE[name] // 2, 1), name=name, file=name))
    assert time.process_time() - begin < SECONDS
