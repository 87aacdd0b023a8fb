"""Brute force from the definitions: what the engines must agree with. Shares the model and nothing else with them."""

from __future__ import annotations

from dataclasses import dataclass

from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.system import System


@dataclass(frozen=True)
class StateSpace:
    """All reachable states with all their steps, and those from which a step faults."""

    semantics: Semantics
    initial: tuple[State, ...]
    steps: dict[State, list[Step]]
    faulting: frozenset[State]
    depth: int
    """The largest number of transitions needed to reach a state."""

    @property
    def transitions(self) -> int:
        return sum(len(steps) for steps in self.steps.values())

    @property
    def deadlocks(self) -> set[State]:
        return {state for state, steps in self.steps.items() if not steps}

    def error_states(self, error: ErrorCondition) -> set[State]:
        """The reachable error states."""
        holds = self.semantics.holds
        return (
            {state for state in self.steps if holds(error.expression, state)}
            | {state for state in self.deadlocks if error.deadlock and holds(error.deadlock_where, state)}
            | (self.faulting if error.fault else set())
        )

    def distances(self, error: ErrorCondition) -> dict[State, int]:
        """The cost of a cheapest path to an error state, for every reachable state that has one."""
        distance = dict.fromkeys(self.error_states(error), 0)
        changed = True
        while changed:
            changed = False
            for state, steps in self.steps.items():
                for step in steps:
                    through = distance.get(step.successor)
                    if through is not None and through + step.cost < distance.get(state, through + step.cost + 1):
                        distance[state] = through + step.cost
                        changed = True
        return distance

    def shortest(self, error: ErrorCondition) -> int | None:
        """The length of a shortest error trace, or None if there is none."""
        distance = self.distances(error)
        return min((distance[state] for state in self.initial if state in distance), default=None)


def explore(system: System) -> StateSpace:
    """The reachable part of a system, level by level."""
    semantics = Semantics(system)
    initial = tuple(semantics.initial_states())
    steps: dict[State, list[Step]] = {}
    faulting: set[State] = set()
    level, depth = set(initial), -1
    while level:
        depth += 1
        for state in level:
            moves = list(semantics.moves(state))
            steps[state] = [move for move in moves if isinstance(move, Step)]
            if any(isinstance(move, Fault) for move in moves):
                faulting.add(state)
        level = {step.successor for state in level for step in steps[state]} - steps.keys()
    return StateSpace(semantics, initial, steps, frozenset(faulting), max(depth, 0))
