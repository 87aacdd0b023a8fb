"""A variable with more values than diagrams can hold: selections leave it out, and say so."""

from __future__ import annotations

import pytest

import symdmc
from symdmc.model.system import System
from symdmc.search.explicit import explicit

HEURISTICS = (
    *("domain:refine", "domain:auto", "domain:auto,keep=x", "pdb:cegar", "pdb:dpr", "pdb:coi", "pdb:coi:2"),
    *("pdb:systematic:2", "pdb:sampled", "pdb:russian-doll"),
)


def counting(top: int) -> System:
    """Counts far; what it has counted decides in one process, and nothing in another one."""
    m = symdmc.Builder("counting")
    m.integer("n", 0, top)
    m.integer("x", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard=f"n + 7 <= {top}", do="n = n + 7")
    p.edge("a", "b", guard="n >= 20", do="x = 1")
    p.edge("b", "c", guard="n > 50 and x == 1", do="x = 2")
    q = m.process("Q", initial="s")
    q.edge("s", "t")
    q.edge("t", "u")
    return m.build()


@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("error", ["P.c and n > 60 and x == 2 and Q.u", "P.c and Q.u", "P.b and x == 2"])
def test_a_selection_leaves_out_what_diagrams_cannot_hold(
    monkeypatch: pytest.MonkeyPatch, heuristic: str, error: str
) -> None:
    monkeypatch.setattr(explicit, "REFERENCE_BUDGET", 0)
    system = counting(100_000)
    plain = symdmc.check(system, error=error)
    found = symdmc.check(system, error=error, heuristic=heuristic)
    assert (found.verdict, found.length, found.shortest) == (plain.verdict, plain.length, plain.shortest)
    (report,) = found.selections
    told = " ".join((*report.steps, *report.remarks, *(reason.why for reason in report.reasons)))
    assert not any("n" in pattern for pattern in report.patterns) or "left out" in told


def test_a_pattern_that_was_asked_for_is_refused() -> None:
    with pytest.raises(symdmc.UnsupportedFeature, match="variable 'n' can have 100,001 values, too many"):
        symdmc.check(counting(100_000), error="P.c", heuristic="pdb", pattern="P,x")
