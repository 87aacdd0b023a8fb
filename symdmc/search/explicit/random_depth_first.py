"""rdfs: depth first in random order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.search.options import SearchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomDepthFirst(SearchOptions):
    """Depth first in random order: gives any trace, another one for each seed."""

    NAME: ClassVar[str] = "rdfs"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("rdfs",)
    IS_RANDOM: ClassVar[bool] = True
