"""The rules that order the states of a directed search."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symdmc.errors import Code, Complaint, ModelError

LARGEST_WEIGHT = 1_000_000
"""Of the numerator and the denominator, so that all sums fit into 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Which of the open states comes first; smaller is better."""

    greedy: bool = False
    numerator: int = 1
    denominator: int = 1

    def key(self, g: int, h: int) -> tuple[int, int]:
        """By f, then h; greedy: by h, then the farthest from the initial states, which leads out of plateaus."""
        return (h, -g) if self.greedy else (self.denominator * g + self.numerator * h, h)


ASTAR = Rule()
GREEDY = Rule(greedy=True)


def weighted(weight: str) -> Rule:
    """The rule of weighted A* for a weight such as "2", "1.5" or "7/4"; raises ModelError for one below 1."""
    try:
        fraction = Fraction(weight)
    except (ValueError, ZeroDivisionError):
        raise ModelError(
            Complaint(Code.WRONG_OPTION_VALUE, f"the weight {weight!r} is no number", "write it like 2 or 1.5")
        ) from None
    if fraction < 1 or max(fraction.numerator, fraction.denominator) > LARGEST_WEIGHT:
        raise ModelError(
            Complaint(
                Code.WRONG_OPTION_VALUE, f"the weight {weight!r} is out of range", "give 1 or more, with few digits"
            )
        )
    return Rule(numerator=fraction.numerator, denominator=fraction.denominator)
