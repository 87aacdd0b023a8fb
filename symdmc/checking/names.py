"""The names of what can be chosen, for those who need not wait for the imports behind them."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.errors import Complaint, ModelError
from symdmc.spelling.suggestions import did_you_mean, listed

HEURISTICS = (
    *("blind", "fsm-max", "fsm-sum", "fsm-trail", "hamming", "formula", "blocked", "user"),
    *("hL", "hU", "merge", "aa", "pdb", "domain", "pred"),
)
"""The keys of checking.heuristics.HEURISTICS."""
RAW_ARGUMENTS = frozenset({"fsm-trail", "hamming", "user"})
"""Heuristics whose argument goes on to the end of the spelling."""
SELECTIONS: tuple[str, ...] = ("coi", "russian-doll", "dpr", "systematic", "sampled", "cegar")
"""The keys of checking.selections.SELECTIONS."""
DOMAIN_SELECTIONS = ("auto", "refine")
"""The keys of checking.derived.DOMAIN_SELECTIONS."""
PREDICATE_SOURCES = ("given", "syntax", "refine")
"""The keys of checking.predicates.PREDICATE_SELECTIONS."""
COMBINATIONS = ("max", "sum")
LOOKUPS = ("flat", "layers")
PROJECTIONS = ("exact", "syntactic")
"""The keys of patterndb.build.PROJECTIONS."""


def require_known(kind: str, name: str, known: Sequence[str]) -> None:
    """Raise ModelError unless the name is one of those that are known."""
    if name not in known:
        remedy = did_you_mean(name, known, f"choose {listed(known)}")
        raise ModelError(Complaint(f"there is no {kind} {name!r}", remedy))
