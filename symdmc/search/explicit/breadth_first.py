"""bfs: breadth first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.search.options import SearchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class BreadthFirst(SearchOptions):
    """Breadth first: gives a shortest trace."""

    NAME: ClassVar[str] = "bfs"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("bfs",)
    IS_OPTIMAL: ClassVar[bool] = True
    IS_SYMBOLIC: ClassVar[bool] = True
