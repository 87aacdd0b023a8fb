"""The recipe of merged abstractions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from symdmc.checking.making import Making
from symdmc.spelling.parameters import Between

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic

LARGEST_BOUND = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Distances in an abstraction made by composing and shrinking; admissible and consistent.

    bound: most states of a part that is composed further
    order: which parts are composed next: those that meet closest to the error, or the first two
    buckets: refine states close to the error first, or those far away
    shrink: keep distances as far as the bound permits, or everything, without a bound
    """

    bound: Annotated[int, Between(2, LARGEST_BOUND)] = 50
    order: Literal["ranking", "definition"] = "ranking"
    buckets: Literal["low", "high"] = "low"
    shrink: Literal["distance", "bisimulation"] = "distance"

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.merge import merge_heuristic

        def told(phase: str) -> None:
            making.run.checkpoint()
            making.run.say(phase)

        making.task.analyse(making.run.checkpoint)
        return merge_heuristic(
            making.task, self.bound, order=self.order, buckets=self.buckets, shrink=self.shrink, report=told
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeByItsOtherName(Merge):
    """The same as merge.

    bound: as there
    order: as there
    buckets: as there
    shrink: as there
    """
