"""What a walk over explicit states reports, whoever walked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from symdmc.model.state import State
from symdmc.outcome import Stop
from symdmc.packed.packing import Packing


class Walk(Protocol):
    """The counts of a walk and the way to the states it kept note of."""

    @property
    def finished(self) -> bool:
        """Nothing is left to expand, or an error state was found."""

    @property
    def stop(self) -> Stop | None:
        """The limit that ended it, if any."""

    @property
    def preprocessing_seconds(self) -> float:
        """Spent on value analysis and compilation."""

    @property
    def stored(self) -> int:
        """Different states met."""

    @property
    def expanded(self) -> int:
        """States expanded."""

    @property
    def generated(self) -> int:
        """Steps taken."""

    @property
    def depth(self) -> int:
        """Of the state expanded last."""

    @property
    def deadlocks(self) -> int:
        """Expanded states without a step."""

    @property
    def faulty(self) -> int:
        """Expanded states from which a step faults."""

    @property
    def tested(self) -> int:
        """Every state nearer than this was tested for the error condition."""

    def path_to_error(self) -> list[State] | None:
        """The states on the way to the error state found."""

    def path_to_deadlock(self) -> list[State] | None:
        """The states on the way to the first deadlock."""

    def path_to_fault(self) -> list[State] | None:
        """The states on the way to the first state from which a step faults."""


class PackedStates(NamedTuple):
    """States as the compiled engine keeps them."""

    words: NDArray[np.int64]
    """One state in each row, none twice."""
    packing: Packing


class ListingWalk(Walk, Protocol):
    """A walk that keeps all states it meets."""

    def states(self) -> Iterator[State]:
        """All states met."""

    def packed(self) -> PackedStates | None:
        """The same states as they are packed; None where they are not."""
