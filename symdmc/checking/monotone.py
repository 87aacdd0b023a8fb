"""The recipes of hL and hU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdmc.checking.making import Making

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerEstimate:
    """How many steps it takes at least until the error condition can hold when variables accumulate values; admissible.

    joint: false judges every conjunct and assignment by itself, as the paper does
    """

    joint: bool = True

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        return _monotone(making, "hL", self.joint)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathEstimate:
    """The length of an error path on which variables accumulate values; not admissible.

    joint: false judges every conjunct and assignment by itself, as the paper does
    """

    joint: bool = True

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        return _monotone(making, "hU", self.joint)


def _monotone(making: Making, name: str, joint: bool) -> Heuristic:
    from symdmc.heuristics.monotone import monotone

    making.run.say(f"tables of transitions ({name})")
    making.task.analyse(making.run.checkpoint)
    return monotone(making.task, name, joint=joint)
