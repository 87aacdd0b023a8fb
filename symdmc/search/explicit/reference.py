"""Search by the reference semantics: the naive twin of the compiled engine, and enough for tiny systems.

It needs neither value analysis nor compiled code, so it answers at once; a budget ends it early.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from symdmc.model.state import Fault, State, Step
from symdmc.running.run import Run
from symdmc.running.signals import stop_of
from symdmc.search.walk import ListingWalk, path_to
from symdmc.task.task import Task


@dataclass(eq=False)
class ReferenceWalk(ListingWalk):
    """What a search by the reference semantics has met so far."""

    parent: dict[State, State | None] = field(default_factory=dict)

    def states(self) -> Iterator[State]:
        """All states met."""
        return iter(self.parent)

    def packed(self) -> None:
        """They are not packed."""


def reference_walk(
    task: Task,
    *,
    order: str,
    seed: int,
    run: Run,
    budget: int,
    bound: int | None = None,
    explore: bool = False,
) -> ReferenceWalk:
    """Search in the given order (bfs, dfs, rdfs) or explore everything.

    The budget counts states expanded and steps taken; `finished` stays False when it ends.
    """
    search = _Search(task, random.Random(seed) if order == "rdfs" else None, explore)
    try:
        if order == "bfs":
            search.breadth_first(run, budget, bound)
        else:
            search.depth_first(run, budget)
    except KeyboardInterrupt as interrupt:
        search.walk.stop = stop_of(interrupt)
    search.walk.stored = len(search.walk.parent)
    return search.walk


class _Search:
    def __init__(self, task: Task, shuffler: random.Random | None, explore: bool) -> None:
        self.task = task
        self.shuffler = shuffler
        self.explore = explore
        self.walk = ReferenceWalk()
        self.seen_initially = 0

    def breadth_first(self, run: Run, budget: int, bound: int | None) -> None:
        """Layer by layer; a step of cost 0 stays in its layer (when exploring, every step leads to the next)."""
        walk = self.walk
        layer = self._initial(budget)
        closed: set[State] = set()
        distance = dict.fromkeys(layer, 0)
        while layer:
            following: list[State] = []
            position = 0
            while position < len(layer):
                state = layer[position]
                position += 1
                if state in closed:
                    continue
                closed.add(state)
                if self._pauses(run, budget) or self._is_goal(state):
                    return
                steps = self._expand(state)
                if walk.finished:
                    return
                for step in steps:
                    reached = walk.depth + (1 if self.explore else step.cost)
                    known = distance.get(step.successor)
                    if (known is not None and known <= reached) or (bound is not None and reached > bound):
                        continue
                    distance[step.successor] = reached
                    walk.parent[step.successor] = state
                    (layer if reached == walk.depth else following).append(step.successor)
            layer = [state for state in following if state not in closed]
            walk.depth += 1 if layer else 0
        walk.finished = True

    def depth_first(self, run: Run, budget: int) -> None:
        """The state met last is expanded first."""
        walk = self.walk
        pending = self._initial(budget)
        if any(self._is_goal(state) for state in pending):
            return
        while pending:
            state = pending.pop()
            if self._pauses(run, budget):
                return
            steps = self._expand(state)
            if walk.finished:
                return
            for successor in self._ordered(step.successor for step in steps):
                if successor not in walk.parent:
                    walk.parent[successor] = state
                    pending.append(successor)
                    if self._is_goal(successor):
                        return
        walk.finished = True

    def _initial(self, budget: int) -> list[State]:
        """The initial states, as far as the budget reaches, at least one, so that none means that there is none.

        They count as steps.
        """
        states = list(dict.fromkeys(islice(self.task.semantics.initial_states(), max(budget, 1))))
        self.walk.parent = dict.fromkeys(states)
        self.seen_initially = len(states)
        return states

    def _pauses(self, run: Run, budget: int) -> bool:
        self.walk.stop = run.stop()
        visited = self.seen_initially + self.walk.expanded + self.walk.generated
        return self.walk.stop is not None or visited >= budget

    def _is_goal(self, state: State) -> bool:
        if self.explore or not self.task.semantics.holds(self.task.error.expression, state):
            return False
        self.walk.error, self.walk.finished = self._way(state), True
        return True

    def _ordered(self, states: Iterable[State]) -> list[State]:
        """Last the one to expand first."""
        ordered = list(states)[::-1]
        if self.shuffler is not None:
            self.shuffler.shuffle(ordered)
        return ordered

    def _expand(self, state: State) -> list[Step]:
        walk, error = self.walk, self.task.error
        moves = list(self.task.semantics.moves(state))
        steps = [move for move in moves if isinstance(move, Step)]
        faults = any(isinstance(move, Fault) for move in moves)
        walk.expanded += 1
        walk.generated += len(steps)
        if not steps:
            walk.deadlocks += 1
            walk.deadlock = walk.deadlock or self._way(state)
        if faults:
            walk.faulty += 1
            walk.fault = walk.fault or self._way(state)
        stuck = error.deadlock and not steps and self.task.semantics.holds(error.deadlock_where, state)
        if not self.explore and (stuck or (error.fault and faults)):
            walk.error, walk.finished = self._way(state), True
        return steps

    def _way(self, state: State) -> list[State]:
        return path_to(state, self.walk.parent)
