"""Conditions with too many values to list: what is not known to be impossible is never called a dead end."""

from __future__ import annotations

import pytest

from symdmc import Builder, System, check
from symdmc.model.question import ErrorCondition, ask
from symdmc.task.relaxation import conditions
from tests import oracle

CONDITIONS = [
    "not (x + y)",
    "not (x - y)",
    "not (x + y and x * y)",
    "not (x + y or x * y)",
    "x + y == 0 and not x * y",
    "(x + y) imply (x * y)",
    "(x + y ? x * y : y < 3)",
    "not (x + y ? x * y + 1 : y - 3)",
    "x - y > 2",
    "not (x - y - 5)",
]


def _system(low: int, high: int, start: int) -> System:
    m = Builder("m")
    m.integer("x", low, high, initial=start)
    m.integer("y", low, high, initial=start)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard=f"x > {low}", do="x = x - 1")
    p.edge("s", "s", guard=f"y > {low}", do="y = y - 1")
    p.edge("s", "s", guard=f"y < {high}", do="y = y + 1")
    return m.build()


@pytest.mark.parametrize("text", CONDITIONS)
@pytest.mark.parametrize(("low", "high", "start"), [(0, 4, 3), (-4, 0, -1), (-2, 3, 2)])
@pytest.mark.parametrize("heuristic", ["hL", "hU"])
@pytest.mark.parametrize("most_rows", [3, 1 << 13])
def test_an_error_that_is_reachable_is_found(
    text: str, low: int, high: int, start: int, heuristic: str, most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions, "MOST_ROWS", most_rows)
    monkeypatch.setattr(conditions, "FEW_ROWS", most_rows)
    system = _system(low, high, start)
    asked: ErrorCondition = ask(system, error=text)
    expected = oracle.explore(system).shortest(asked)
    result = check(system, error=text, heuristic=heuristic, search="astar")
    assert (result.verdict.value == "safe") == (expected is None)
    assert not result.shortest or result.length == expected
