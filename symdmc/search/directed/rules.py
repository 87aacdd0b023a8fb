"""What directed searches share: the rules that order states, and what such a search reports."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from symdmc.errors import Complaint, ModelError
from symdmc.model.state import State
from symdmc.outcome import Stop
from symdmc.search.walk import ListingWalk, Walk

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
        raise ModelError(Complaint(f"the weight {weight!r} is no number", "write it like 2 or 1.5")) from None
    if fraction < 1 or max(fraction.numerator, fraction.denominator) > LARGEST_WEIGHT:
        raise ModelError(Complaint(f"the weight {weight!r} is out of range", "give 1 or more, with few digits"))
    return Rule(numerator=fraction.numerator, denominator=fraction.denominator)


class DirectedWalk(Walk, Protocol):
    """What a search with a heuristic reports besides."""

    @property
    def reopened(self) -> int:
        """How often an expanded state was reached again at a smaller cost."""

    @property
    def dead_ends(self) -> int:
        """Steps to dead ends, and initial states that are dead ends."""

    @property
    def h_initial(self) -> int | None:
        """The smallest estimate of an initial state; None: all of them are dead ends, or none was looked at."""

    @property
    def open_bound(self) -> int | None:
        """The smallest g + h of an open state; None where there is none."""


class ListingDirectedWalk(DirectedWalk, ListingWalk, Protocol):
    """One that also keeps all states it meets."""


@dataclass(slots=True)
class PlainWalk:
    """A `DirectedWalk` of the searches written in plain Python."""

    finished: bool = False
    stop: Stop | None = None
    preprocessing_seconds: float = 0.0
    stored: int = 0
    expanded: int = 0
    generated: int = 0
    depth: int = 0
    deadlocks: int = 0
    faulty: int = 0
    reopened: int = 0
    dead_ends: int = 0
    h_initial: int | None = None
    open_bound: int | None = 0
    error: list[State] | None = None
    deadlock: list[State] | None = None
    fault: list[State] | None = None
    stuck: bool = False
    """A search that is not complete found no way on."""

    @property
    def tested(self) -> int:
        """Nothing is known layer by layer."""
        return 0

    def path_to_error(self) -> list[State] | None:
        """The states on the way to the error state found."""
        return self.error

    def path_to_deadlock(self) -> list[State] | None:
        """The states on the way to the first deadlock."""
        return self.deadlock

    def path_to_fault(self) -> list[State] | None:
        """The states on the way to the first state from which a step faults."""
        return self.fault
