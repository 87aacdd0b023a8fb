"""Each rule about what fits together in a request refuses what it is about, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from symdmc.checking.request import check_request
from symdmc.checking.rules import RULES, RefusedRequest

BROKEN: tuple[dict[str, Any], ...] = (
    {"search": "astar"},
    {"search": "bfs", "heuristic": "hL"},
    {"engine": "symbolic", "search": "dfs"},
    {"direction": "forward"},
    {"seed": 1},
    {"engine": "symbolic", "heuristic": "pdb:dpr", "direction": "forward"},
    {"heuristic": "pdb:dpr", "pattern": "x"},
    {"heuristic": "pdb:dpr", "predicate": "x > 1"},
    {"heuristic": "pdb"},
    {"heuristic": "pred:given"},
    {"heuristic": "hL", "complete": True},
    {"heuristic": "domain:auto", "projection": "syntactic"},
    {"heuristic": "hL", "perimeter": 1},
    {"combine": "sum"},
    {"engine": "symbolic", "heuristic": "pdb:dpr", "combine": "max"},
    {"heuristic": ("pdb:dpr", "hL"), "combine": "sum"},
    {"heuristic": ("pdb:dpr", "hL"), "lookup": "layers"},
    {"heuristic": "pdb:dpr", "combine": "sum", "lookup": "layers"},
    {"heuristic": "pdb:dpr", "combine": "sum", "perimeter": 1},
    {"heuristic": "pdb:dpr", "lookup": "layers", "perimeter": 1},
    {"heuristic": "pdb", "database": "a.pdb", "lookup": "layers"},
    {"heuristic": ("pdb:dpr", "pdb:dpr,work=5"), "combine": "sum"},
    {"engine": "symbolic", "heuristic": ("pdb:dpr", "hL")},
    {"engine": "symbolic", "heuristic": ("pdb:cegar", "pdb:dpr,order=force")},
    {"engine": "symbolic", "heuristic": ("pdb:cegar", "pdb:dpr,work=5")},
)
"""For each rule in its place a request that breaks it, and none before it."""
FITTING: tuple[dict[str, Any], ...] = (
    {},
    {"search": "rdfs", "seed": 1},
    {"engine": "symbolic", "direction": "forward", "seed": 1},
    {"engine": "symbolic", "heuristic": ("pdb:dpr", "domain:auto")},
    {"heuristic": ("pdb:dpr", "domain:auto"), "combine": "sum"},
    {"heuristic": "pdb:dpr", "lookup": "layers"},
    {"heuristic": ("pdb:dpr", "hL"), "perimeter": 1, "projection": "syntactic"},
    {"heuristic": ("pdb", "hL"), "pattern": "x"},
    {"heuristic": ("pdb:dpr,work=5", "pdb:cegar,order=force")},
)


@pytest.mark.parametrize(
    ("rule", "options"), list(zip(RULES, BROKEN, strict=True)), ids=lambda each: getattr(each, "what", "")
)
def test_what_breaks_a_rule_is_told_by_it(rule: Any, options: dict[str, Any]) -> None:
    with pytest.raises(RefusedRequest) as caught:
        check_request(**options)
    words = re.escape(rule.what)
    for placeholder in ("SEARCH", "HEURISTIC", "OPTION"):
        words = words.replace(placeholder, ".+")
    assert re.fullmatch(words, caught.value.told[0].what)


@pytest.mark.parametrize("options", FITTING)
def test_what_fits_together_is_taken(options: dict[str, Any]) -> None:
    check_request(**options)
