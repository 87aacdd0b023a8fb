"""blocked: how many processes can move, for finding deadlocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.function import FunctionHeuristic, truth_measure
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.task.closures import closure
from symdmc.task.task import Task, Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked(HeuristicOptions):
    """The number of processes that can move, for finding deadlocks; not admissible, slow."""

    EXAMPLES: ClassVar[tuple[str, ...]] = ("blocked",)

    def make(self, making: Making) -> Made:
        """The heuristic."""
        return Made(heuristic=blocked_heuristic(making.task))


def blocked_heuristic(task: Task) -> FunctionHeuristic:
    """The number of processes that some step would move: 0 in a deadlock [ELL01]."""
    guarded = []
    for number in sorted(task.analysis.possible):
        transition = task.transitions[number]
        movers = frozenset(task.layout.process[branch.process] for branch in transition.fixed)
        guarded.append((truth_measure(closure(task.full_guard(transition), task.layout), positive=True), movers))

    def estimate(values: Values) -> int | None:
        active: set[int] = set()
        for blocked, movers in guarded:
            if not movers <= active and blocked(values) == 0:
                active |= movers
        return len(active)

    return FunctionHeuristic("blocked", estimate)
