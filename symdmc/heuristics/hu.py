"""hU: the length of a relaxed error path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.monotone import HU, MonotoneOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class PathEstimate(MonotoneOptions):
    """The length of an error path on which variables accumulate values; not admissible."""

    NAME: ClassVar[str] = HU
    EXAMPLES: ClassVar[tuple[str, ...]] = ("hU",)
