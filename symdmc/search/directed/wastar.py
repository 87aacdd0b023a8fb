"""wastar: A* in which estimates weigh more than costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.search.directed.options import BestFirst
from symdmc.search.directed.rules import Rule, weighted


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedAStar(BestFirst):
    """A* with a weight W: gives a trace at most W times as long as a shortest one with an admissible heuristic.

    weight: 1 or more, such as 2, 1.5 or 7/4
    """

    NAME: ClassVar[str] = "wastar"
    ARGUMENT: ClassVar[str | None] = "weight"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("wastar:2", "wastar:1.5")

    weight: str

    def __post_init__(self) -> None:
        weighted(self.weight)

    @property
    def spelling(self) -> str:
        """With the weight."""
        return f"{self.NAME}:{self.weight}"

    @property
    def factor(self) -> str:
        """The weight."""
        return self.weight

    @property
    def rule(self) -> Rule:
        """By g plus the weighted h, then h."""
        return weighted(self.weight)
