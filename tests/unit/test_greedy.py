"""Greedy search expands a state once, however cheaply it is reached again."""

from __future__ import annotations

import pytest

from symdmc.model.builder import Builder
from symdmc.model.question import ask
from tests.differential.test_best_first import ENGINES, _inconsistent, _question, _search


@pytest.mark.parametrize("engine", ENGINES)
def test_greedy_search_reopens_nothing(engine: str) -> None:
    m = Builder("grid")
    m.integer("x", 0, 6)
    m.integer("y", 0, 6)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 6", do="x = x + 1")
    p.edge("s", "s", guard="y < 6", do="y = y + 1")
    p.edge("s", "s", guard="x + 3 <= 6", do="x = x + 3")
    p.edge("s", "s", guard="y > 0 and x > 3", do="y = y - 1")
    system = m.build()
    question = _question(system, ask(system, error="x == 6 and y == 3"))
    for seed in range(12):
        result = _search(question, _inconsistent(question, seed), "greedy", engine)
        assert result.reopened == 0
        assert result.length is not None
