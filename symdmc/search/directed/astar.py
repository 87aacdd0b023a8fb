"""astar: A* search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.search.directed.options import BestFirst
from symdmc.search.directed.rules import ASTAR, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class AStar(BestFirst):
    """A*: gives a shortest trace with an admissible heuristic."""

    NAME: ClassVar[str] = "astar"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("astar",)
    IS_OPTIMAL: ClassVar[bool] = True
    IS_SYMBOLIC: ClassVar[bool] = True

    @property
    def rule(self) -> Rule:
        """By f, then h."""
        return ASTAR
