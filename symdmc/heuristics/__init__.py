"""What estimates distances: one file for each heuristic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdmc.spelling.components import Table

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import HeuristicOptions

HEURISTICS: Table[HeuristicOptions] = Table(
    "heuristic",
    {
        "blind": "symdmc.heuristics.blind:BlindOptions",
        "fsm-max": "symdmc.heuristics.fsm_max:FsmMax",
        "fsm-sum": "symdmc.heuristics.fsm_sum:FsmSum",
        "fsm-trail": "symdmc.heuristics.fsm_trail:FsmTrail",
        "hamming": "symdmc.heuristics.hamming:Hamming",
        "formula": "symdmc.heuristics.formula:Formula",
        "blocked": "symdmc.heuristics.blocked:Blocked",
        "user": "symdmc.heuristics.user:User",
        "hL": "symdmc.heuristics.hl:LayerEstimate",
        "hU": "symdmc.heuristics.hu:PathEstimate",
        "merge": "symdmc.heuristics.merge:Merge",
        "aa": "merge",
        "pdb": "symdmc.heuristics.pdb:PatternDatabases",
        "domain": "symdmc.heuristics.domain:MergedValues",
        "pred": "symdmc.heuristics.pred:PredicateDatabases",
    },
)
"""Each heuristic by its name in a spelling."""
