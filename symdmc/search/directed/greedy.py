"""greedy: greedy best-first search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.search.directed.options import BestFirst
from symdmc.search.directed.rules import GREEDY, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy(BestFirst):
    """Greedy best first: gives any trace."""

    NAME: ClassVar[str] = "greedy"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("greedy",)

    @property
    def rule(self) -> Rule:
        """By h only."""
        return GREEDY
