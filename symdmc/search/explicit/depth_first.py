"""dfs: depth first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.search.options import SearchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthFirst(SearchOptions):
    """Depth first: gives any trace."""

    NAME: ClassVar[str] = "dfs"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("dfs",)
