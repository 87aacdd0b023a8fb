"""fsm-max: the largest distance in the control graph of any process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.local_distances import fsm_heuristic
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making


@dataclass(frozen=True, slots=True, kw_only=True)
class FsmMax(HeuristicOptions):
    """The largest distance in the control graph of any process; admissible and consistent."""

    EXAMPLES: ClassVar[tuple[str, ...]] = ("fsm-max",)

    def make(self, making: Making) -> Made:
        """The heuristic."""
        return Made(heuristic=fsm_heuristic(making.task, "max"))
