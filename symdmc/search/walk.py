"""What a walk over explicit states reports, whoever walked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from symdmc.model.state import State
from symdmc.outcome import Stop
from symdmc.packed.packing import Packing

Place = TypeVar("Place", bound=Hashable)
"""A state as a search writes it."""


@dataclass(eq=False)
class Walk:
    """The counts of a walk and the way to the states it kept note of."""

    finished: bool = False
    """Nothing is left to expand, or an error state was found."""
    stop: Stop | None = None
    """The limit that ended it, if any."""
    preprocessing_seconds: float = 0.0
    """Spent on value analysis and compilation."""
    stored: int = 0
    """Different states met."""
    expanded: int = 0
    """States expanded."""
    generated: int = 0
    """Steps taken."""
    depth: int = 0
    """Of the state expanded last."""
    deadlocks: int = 0
    """Expanded states without a step."""
    faulty: int = 0
    """Expanded states from which a step faults."""
    reopened: int = 0
    """How often an expanded state was reached again at a smaller cost."""
    dead_ends: int = 0
    """Steps to dead ends, and initial states that are dead ends."""
    h_initial: int | None = None
    """The smallest estimate of an initial state; None: all of them are dead ends, or none was looked at."""
    open_bound: int | None = 0
    """The smallest g + h of an open state; None where there is none."""
    stuck: bool = False
    """A search that is not complete found no way on."""
    error: list[State] | None = None
    deadlock: list[State] | None = None
    fault: list[State] | None = None

    @property
    def tested(self) -> int:
        """Every state nearer than this was tested for the error condition, where states are visited layer by layer."""
        return self.depth

    def path_to_error(self) -> list[State] | None:
        """The states on the way to the error state found."""
        return self.error

    def path_to_deadlock(self) -> list[State] | None:
        """The states on the way to the first deadlock."""
        return self.deadlock

    def path_to_fault(self) -> list[State] | None:
        """The states on the way to the first state from which a step faults."""
        return self.fault


class PackedStates(NamedTuple):
    """States as the compiled engine keeps them."""

    words: NDArray[np.int64]
    """One state in each row, none twice."""
    packing: Packing


class ListingWalk(Walk, ABC):
    """A walk that keeps all states it meets."""

    @abstractmethod
    def states(self) -> Iterator[State]:
        """All states met."""

    @abstractmethod
    def packed(self) -> PackedStates | None:
        """The same states as they are packed; None where they are not."""


def path_to(place: Place, parent: Mapping[Place, Place | None]) -> list[Place]:
    """The way to a state, the first one first."""
    path: list[Place] = [place]
    while (before := parent[path[-1]]) is not None:
        path.append(before)
    return path[::-1]
