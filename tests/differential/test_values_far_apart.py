"""A variable with few values that lie far apart: no array has a place for each integer between them."""

from __future__ import annotations

from typing import Literal

import pytest

import symdmc
from symdmc.encode.tables import export
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.search.explicit import explicit

LOWEST = -(1 << 31)
SEARCHES = [
    *(("explicit", name) for name in ("hL", "hU", "hL,joint=false", "fsm-max", "formula", "merge:4", "pred:syntax")),
    *(("explicit", name) for name in ("pdb:coi:2", "pdb:cegar", "pdb:dpr", "domain:refine", "pdb:systematic:2")),
    *(("symbolic", name) for name in ("pdb:coi:2", "pdb:cegar", "pdb:dpr")),
]


def far_apart() -> System:
    """Counts to 5; at 3 it may store the lowest integer, without which there is no way on."""
    m = symdmc.Builder("far apart")
    m.integer("mark", LOWEST, (1 << 31) - 1)
    m.integer("n", 0, 5)
    process = m.process("P", initial="s")
    process.edge("s", "s", guard="n < 5", do="n = n + 1")
    process.edge("s", "s", guard="n == 3", do=f"mark = {LOWEST}")
    process.edge("s", "t", guard="mark < 0 and n == 5")
    return m.build()


@pytest.mark.parametrize(("engine", "heuristic"), SEARCHES)
def test_no_estimate_lists_the_integers_between(
    monkeypatch: pytest.MonkeyPatch, engine: Literal["explicit", "symbolic"], heuristic: str
) -> None:
    monkeypatch.setattr(explicit, "REFERENCE_BUDGET", 0)
    for error, verdict in (("P.t", Verdict.ERROR), ("P.t and n == 4", Verdict.SAFE)):
        if heuristic == "pred:syntax":  # which keeps all predicates, or says why it cannot
            with pytest.raises(
                symdmc.UnsupportedFeature, match="'mark' lie too far apart for a look-up table; bound it"
            ):
                symdmc.check(far_apart(), error=error, heuristic=heuristic, engine=engine)
            continue
        found = symdmc.check(far_apart(), error=error, heuristic=heuristic, engine=engine, memory_limit=4_000)
        assert found.verdict is verdict, found
        assert found.length == (7 if verdict is Verdict.ERROR else None)


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_a_database_asked_for_that_has_no_table_says_why(engine: Literal["explicit", "symbolic"]) -> None:
    why = "the values of 'mark' lie too far apart for a look-up table; bound it, or leave it out of databases"
    with pytest.raises(symdmc.UnsupportedFeature, match=why):
        symdmc.check(far_apart(), error="mark < 0", heuristic="pdb", pattern="mark", engine=engine)
    with pytest.raises(symdmc.UnsupportedFeature, match=why):
        symdmc.pattern_database(far_apart(), error="mark < 0", keep="mark")


def test_a_table_with_too_many_entries_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MOST_ENTRIES", 3)
    with pytest.raises(symdmc.UnsupportedFeature, match="more than 3 entries; keep fewer variables"):
        symdmc.check(far_apart(), error="P.t", heuristic="pdb", pattern="n")
