"""What a caller may ask of a directed search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from symdmc.search.directed.best_first_reference import best_first
from symdmc.search.directed.rules import Rule
from symdmc.search.directed.space import Explorer
from symdmc.search.options import SearchOptions
from symdmc.search.walk import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectedSearch(SearchOptions, ABC):
    """A search that a heuristic guides."""

    IS_DIRECTED: ClassVar[bool] = True
    PROVES: ClassVar[bool] = True
    """Where it ends without an error state, there is none."""

    @property
    def rule(self) -> Rule | None:
        """The rule of a best-first search, which the compiled loop knows too; None for any other search."""
        return None

    @property
    def factor(self) -> str | None:
        """A trace found with an admissible heuristic is at most this many times as long as a shortest one."""
        return None

    @abstractmethod
    def walk(self, explorer: Explorer[Place]) -> None:
        """Search in plain Python; the walk of the explorer says what was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestFirst(DirectedSearch):
    """A search that expands the open state that its rule prefers."""

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """The rule."""

    def walk(self, explorer: Explorer[Place]) -> None:
        """Expand by the rule."""
        best_first(explorer, self.rule)
