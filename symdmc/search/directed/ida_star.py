"""Iterative-deepening A*: depth-first searches with a growing bound on g + h.

States met in one iteration are kept with the smallest cost at which they were met, so that none is searched twice at
the same cost and steps that cost nothing cannot lead in circles. What one iteration has reached the next one reaches at
no larger cost, so it passes over a state at any larger one: with a consistent heuristic no state is then searched twice
in an iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic

from symdmc.search.directed.options import DirectedSearch
from symdmc.search.directed.space import Explorer
from symdmc.search.walk import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class IterativeDeepeningAStar(DirectedSearch):
    """Iterative-deepening A*: gives a shortest trace with an admissible heuristic."""

    NAME: ClassVar[str] = "idastar"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("idastar",)
    IS_OPTIMAL: ClassVar[bool] = True

    def walk(self, explorer: Explorer[Place]) -> None:
        """Search with a growing bound."""
        ida_star(explorer)


def ida_star(explorer: Explorer[Place]) -> None:
    """Search; what is found is in the explorer's walk. With an admissible heuristic the trace is a shortest one."""
    walk = explorer.walk
    initial = explorer.initial()
    bound = walk.h_initial  # none where some initial states were not looked at
    known: dict[Place, int] = {}
    while bound is not None:
        walk.open_bound = bound
        iteration = _Iteration(explorer, bound, known)
        if not iteration.run(initial):
            return
        bound, known = iteration.beyond, iteration.cost
    walk.finished, walk.open_bound = not explorer.cut_off, 0 if explorer.cut_off else None


class _Iteration(Generic[Place]):
    """One depth-first search among the states whose g + h does not exceed the bound."""

    def __init__(self, explorer: Explorer[Place], bound: int, known: Mapping[Place, int]) -> None:
        self.explorer = explorer
        self.bound = bound
        self.known = known
        """The costs at which the iteration before has reached states."""
        self.beyond: int | None = None
        """The smallest g + h met above the bound: the next bound, as nothing lies between."""
        self.cost: dict[Place, int] = {}
        self.path: list[Place] = []

    def run(self, initial: list[tuple[Place, int]]) -> bool:
        """Whether everything within the bound was searched without an error, a limit or the end of the budget."""
        waiting = [self._within((h, 0, place) for place, h in initial)]
        while waiting:
            if (entered := next(waiting[-1], None)) is None:
                waiting.pop()
                if self.path:
                    self.path.pop()
                continue
            place, g = entered
            if g >= self.cost.get(place, g + 1) or g > self.known.get(place, g):
                continue
            self.cost[place] = g
            self.path.append(place)
            steps = self._expand(place, g)
            if steps is None:
                return False
            waiting.append(self._within(steps))
        return True

    def _expand(self, place: Place, g: int) -> list[tuple[int, int, Place]] | None:
        """The successors that are no dead ends with h and g, the smallest h first; None when the search ends here."""
        explorer, walk = self.explorer, self.explorer.walk
        walk.stored, walk.depth = max(walk.stored, len(self.cost)), g
        if explorer.pauses() or explorer.finds_error(place, lambda: self.path):
            return None
        steps = explorer.expand(place, lambda: self.path)
        if steps is None:
            return None
        estimated = ((explorer.estimate(successor), g + cost, successor) for cost, successor in steps)
        return sorted(((h, g, t) for h, g, t in estimated if h is not None), key=lambda entry: entry[0])

    def _within(self, entries: Iterable[tuple[int, int, Place]]) -> Iterator[tuple[Place, int]]:
        """States and costs within the bound; notes the smallest sum above it."""
        for h, g, place in entries:
            if g + h <= self.bound:
                yield place, g
            elif self.beyond is None or g + h < self.beyond:
                self.beyond = g + h
