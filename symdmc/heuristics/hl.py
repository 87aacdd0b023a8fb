"""hL: the layer in which the error condition first can hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.monotone import HL, MonotoneOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerEstimate(MonotoneOptions):
    """The fewest steps until the error condition can hold when variables accumulate values; admissible."""

    NAME: ClassVar[str] = HL
    EXAMPLES: ClassVar[tuple[str, ...]] = ("hL", "hL,joint=false")
