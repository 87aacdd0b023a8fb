"""What chooses the patterns and predicates of databases, with the reasons: one file for each selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdmc.spelling.components import Table

if TYPE_CHECKING:
    from symdmc.selection.selection import SelectionOptions

SELECTIONS: Table[SelectionOptions] = Table(
    "selection",
    {
        "pdb:coi": "symdmc.selection.coi:ConeOfInfluence",
        "pdb:russian-doll": "symdmc.selection.russian_doll:RussianDoll",
        "pdb:dpr": "symdmc.selection.dpr:DownwardRefinement",
        "pdb:systematic": "symdmc.selection.systematic:Systematic",
        "pdb:sampled": "symdmc.selection.sampled:Sampled",
        "pdb:cegar": "symdmc.selection.cegar:Cegar",
        "domain:auto": "symdmc.selection.domain_auto:AutomaticClasses",
        "domain:refine": "symdmc.selection.domain_refine:RefinedClasses",
        "pred:given": "symdmc.selection.pred_given:GivenPredicates",
        "pred:syntax": "symdmc.selection.pred_syntax:SyntaxPredicates",
        "pred:refine": "symdmc.selection.pred_refine:RefinedPredicates",
    },
)
"""Each selection by its name in a spelling: the heuristic that it is for, a colon, its own name."""
