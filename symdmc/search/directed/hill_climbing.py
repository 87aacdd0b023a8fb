"""Enforced hill-climbing: from the best state so far breadth first to one with a smaller estimate, and so on.

It never goes back, so it is not complete: where no better state can be reached it is stuck.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar, Generic

from symdmc.search.directed.options import DirectedSearch
from symdmc.search.directed.space import Explorer
from symdmc.search.walk import Place, path_to


@dataclass(frozen=True, slots=True, kw_only=True)
class EnforcedHillClimbing(DirectedSearch):
    """Enforced hill-climbing: gives any trace; goes on as greedy search where it is stuck."""

    NAME: ClassVar[str] = "ehc"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("ehc",)

    def walk(self, explorer: Explorer[Place]) -> None:
        """Climb from the best initial state."""
        hill_climbing(explorer)


def hill_climbing(explorer: Explorer[Place]) -> None:
    """Climb from the best initial state; the walk of the explorer says what was found, or that it is stuck."""
    initial = explorer.initial()
    if not initial:
        explorer.walk.finished = not explorer.cut_off
        return
    _Climb(explorer).run(*min(initial, key=lambda entry: entry[1]))


class _Climb(Generic[Place]):
    def __init__(self, explorer: Explorer[Place]) -> None:
        self.explorer = explorer
        self.way: list[Place] = []
        """To the best state so far, without it."""

    def run(self, place: Place, h: int) -> None:
        """Until an error is found, nothing better can be reached, or a limit or the budget ends the search."""
        better: tuple[list[Place], int] | None = ([place], h)
        while better is not None:
            path, h = better
            self.way += path[:-1]
            better = self._improve(path[-1], h)

    def _improve(self, start: Place, best: int) -> tuple[list[Place], int] | None:
        """The way from a state to the nearest one with a smaller estimate, and that estimate; None: the search ends."""
        explorer, walk = self.explorer, self.explorer.walk
        parent: dict[Place, Place | None] = {start: None}
        queue = deque([start])
        while queue:
            place = queue.popleft()

            def way(place: Place = place) -> list[Place]:
                return [*self.way, *path_to(place, parent)]

            walk.stored = max(walk.stored, len(parent))
            if explorer.pauses() or explorer.finds_error(place, way):
                return None
            steps = explorer.expand(place, way)
            if steps is None:
                return None
            for _, successor in steps:
                if successor in parent:
                    continue
                h = explorer.estimate(successor)
                if h is None:
                    continue
                parent[successor] = place
                if h < best:
                    return path_to(successor, parent), h
                queue.append(successor)
        walk.stuck = True
        return None
