"""Models and questions with long flat chains are answered alike by all engines, and their certificates hold."""

from __future__ import annotations

import pytest

import symdmc
from symdmc.evidence.certify import certify
from symdmc.model.builder import Builder
from symdmc.model.question import ask
from symdmc.model.system import System

TERMS = 120


def _system(last: str) -> System:
    m = Builder("long")
    m.integer("x", 0, 5)
    m.integer("y", 0, 5)
    m.byte("z")
    p = m.process("P", initial="a")
    p.edge("a", "a", guard=" and ".join(["x < 5"] * TERMS), do=f"x = x + 1, z = {' * '.join(['x'] * TERMS)}")
    p.edge("a", "b", guard=" or ".join(["y == 3"] * TERMS + [last]), do=f"y = {' + '.join(['x'] * TERMS)} - 595")
    return m.build()


ERROR = " or ".join(["y == 5"] * TERMS)
WAYS: list[dict[str, object]] = [
    {},
    {"engine": "symbolic"},
    {"heuristic": "pdb:cegar"},
    {"heuristic": "hL"},
    {"heuristic": "merge:10"},
    {"heuristic": "pred:syntax"},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(("last", "length"), [("x == 5", 6), ("x == 6", None)])
def test_every_engine_gives_the_same_answer(way: dict[str, object], last: str, length: int | None) -> None:
    system = _system(last)
    result = symdmc.check(system, error=ERROR, certify=True, **way)  # type: ignore[arg-type]
    assert (result.verdict is symdmc.Verdict.SAFE) == (length is None)
    assert result.length == length
    if result.certificate is not None:
        assert certify(system, result.certificate, error=ask(system, error=ERROR))
    assert (result.certificate is None) == (length is not None)
