"""Spellings of heuristics for tests: every entry of the registries is in at least one of them."""

from __future__ import annotations

SPELLINGS = (
    *("blind", "fsm-max", "fsm-sum", "formula", "blocked", "user:3", "pdb,keep=*", "pdb,keep=*,perimeter=1"),
    *("hL", "hU", "hL,joint=false", "pdb:coi:1", "pdb:russian-doll", "pdb:dpr", "pdb:dpr,inner=fsm"),
    *("pdb:systematic:2", "pdb:sampled,samples=20,databases=5", "pdb:cegar"),
    *("pred:syntax", "pred:syntax,b=1,kind=cartesian", "pred:syntax,b=all,kind=exact,complete=false"),
    *("pred:syntax,b=1,combine=partition", "pred:syntax,b=1,kind=cartesian,combine=partition"),
    *("pred:syntax,b=1,combine=sum", "pred:refine,b=2,r=2", "pred:refine,b=all,r=4,stop=never,traces=one"),
    *("pred:refine,b=all,r=3,stop=never,kind=cartesian,complete=false",),
    *("merge:4", "merge:20,order=definition,buckets=high", "aa,shrink=bisimulation"),
)
"""Of all heuristics that any task can have."""
SELECTED = tuple(text for text in SPELLINGS if text.startswith("pdb:"))
NEEDS_A_TRACE = ("fsm-trail", "hamming")
TOGETHER = (("fsm-max", "blind"), ("fsm-sum", "pdb,keep=*"))
"""Several at once."""
