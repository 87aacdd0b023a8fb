"""Definitions of derived variables: whether a condition holds, or the class of the value of another variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from symdmc.model.expressions import Cell, Expr, Ref

Interval: TypeAlias = tuple[int, int]
"""The first and the last of some consecutive values."""


@dataclass(frozen=True, slots=True)
class Holds:
    """1 where a condition holds, else 0; a condition that faults does not hold."""

    condition: Expr

    @property
    def text(self) -> str:
        """How it is written, never like a variable."""
        written = str(self.condition)
        return f"{written} != 0" if isinstance(self.condition, Ref | Cell) else written

    @property
    def count(self) -> int:
        """How many values there are, from 0 on."""
        return 2


@dataclass(frozen=True, slots=True)
class Merged:
    """The number of the class that the value of a variable of the task is in."""

    variable: int
    classes: tuple[tuple[Interval, ...], ...]
    """The values of each class, ascending; no value is in two of them, and every value that can occur is in one."""
    text: str
    """How it is written, such as `x=0/1..9/10`."""

    @property
    def count(self) -> int:
        """How many values there are, from 0 on."""
        return len(self.classes)

    def class_of(self, value: int) -> int | None:
        """The class that a value is in; None for a value that cannot occur."""
        for number, intervals in enumerate(self.classes):
            if any(low <= value <= high for low, high in intervals):
                return number
        return None


Definition: TypeAlias = Holds | Merged
