"""fsm-sum: the sum of the distances in the control graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.local_distances import fsm_heuristic
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making


@dataclass(frozen=True, slots=True, kw_only=True)
class FsmSum(HeuristicOptions):
    """The sum of the distances in the control graphs; admissible only where no step counts twice."""

    EXAMPLES: ClassVar[tuple[str, ...]] = ("fsm-sum",)

    def make(self, making: Making) -> Made:
        """The heuristic."""
        return Made(heuristic=fsm_heuristic(making.task, "sum"))
