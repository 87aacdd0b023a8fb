"""Best-first search in plain Python: the naive twin of the compiled loop, and enough for tiny systems."""

from __future__ import annotations

from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Generic

from symdmc.search.directed.rules import Rule
from symdmc.search.directed.space import Explorer
from symdmc.search.walk import Place, path_to


def best_first(explorer: Explorer[Place], rule: Rule) -> None:
    """Expand by the rule, of equals the state met last; what is found is in the walk of the explorer.

    States are tested when they are expanded, and reopened when they are reached at a smaller cost, except by a greedy
    rule, which does not promise a short trace.
    """
    _BestFirst(explorer, rule).run()


class _BestFirst(Generic[Place]):
    def __init__(self, explorer: Explorer[Place], rule: Rule) -> None:
        self.explorer = explorer
        self.rule = rule
        self.cost: dict[Place, int] = {}
        self.estimate: dict[Place, int] = {}
        self.parent: dict[Place, Place | None] = {}
        self.closed: set[Place] = set()
        self.heap: list[tuple[tuple[int, int], int, int, Place]] = []
        self.age = count(0, -1)

    def run(self) -> None:
        """Search until done or stopped; then note what is open."""
        walk = self.explorer.walk
        for place, h in self.explorer.initial():
            self.estimate[place] = h
            self._push(place, 0, None)
        self._expand_best()
        walk.stored = len(self.cost)
        sums = [cost + self.estimate[place] for place, cost in self.cost.items() if place not in self.closed]
        unknown = self.explorer.cut_off or self.rule.greedy  # whose g need not be the smallest
        walk.open_bound = 0 if unknown else min(sums, default=None)

    def _expand_best(self) -> None:
        explorer, walk = self.explorer, self.explorer.walk
        while self.heap:
            _, _, g, place = heappop(self.heap)
            if place in self.closed:
                continue  # it was reached at a smaller cost since, which came first
            walk.depth, walk.stored = g, len(self.cost)
            path = partial(path_to, place, self.parent)
            if explorer.pauses() or explorer.finds_error(place, path):
                return
            steps = explorer.expand(place, path)
            if steps is None:
                return
            self.closed.add(place)
            for cost, successor in reversed(steps):  # the first one will be expanded first
                self._reach(successor, g + cost, place)
        walk.finished = not explorer.cut_off

    def _reach(self, place: Place, g: int, before: Place) -> None:
        """Open a state that is new or reached at a smaller cost than before, unless it is a dead end."""
        if place not in self.cost:
            h = self.explorer.estimate(place)
            if h is None:
                return
            self.estimate[place] = h
        elif self.rule.greedy or g >= self.cost[place]:
            return
        if place in self.closed:
            self.closed.remove(place)
            self.explorer.walk.reopened += 1
        self._push(place, g, before)

    def _push(self, place: Place, g: int, before: Place | None) -> None:
        self.cost[place], self.parent[place] = g, before
        heappush(self.heap, (self.rule.key(g, self.estimate[place]), next(self.age), g, place))
