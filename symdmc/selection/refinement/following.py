"""Following all shortest abstract error traces at once with concrete states.

A concrete error trace found step for step is as long as the shortest abstract ones, hence a shortest one. With inserted
steps that change no kept variable [KW11, definition 8] it need not be shortest.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice

from symdmc.model.error_states import is_error_state
from symdmc.model.fingerprint import fingerprint
from symdmc.model.state import EdgeRef, State, Step
from symdmc.model.trace import Trace
from symdmc.selection.refinement.shortest_traces import ShortestTraces
from symdmc.task.task import Task


@dataclass(slots=True)
class FollowedTraces:
    """The concrete states met on shortest abstract traces."""

    came_by: dict[State, tuple[State, Step] | None] = field(default_factory=dict)
    """For each state the one before it and the step from there; None for initial states."""
    expanded: dict[int, list[State]] = field(default_factory=lambda: defaultdict(list))
    """The expanded states, by their distance to the end of the abstract traces."""
    generated: int = 0
    """Steps generated from the expanded states."""
    error: State | None = None
    """The error state at the end of a concrete trace."""

    @property
    def explored(self) -> int:
        """How many states were expanded."""
        return sum(map(len, self.expanded.values()))

    def trace(self, task: Task) -> Trace | None:
        """The error trace, if an error state was met."""
        if self.error is None:
            return None
        state, steps = self.error, list[Step]()
        while (before := self.came_by[state]) is not None:
            state, step = before
            steps.append(step)
        return Trace(
            fingerprint=fingerprint(task.system),
            property=task.error.name,
            initial=state,
            steps=tuple(reversed(steps)),
            error=task.error,
        )


def follow(task: Task, traces: ShortestTraces, most_states: int, *, inserts: bool = False) -> FollowedTraces:
    """The concrete states met on shortest abstract traces; states nearest to the end of the traces are expanded first.

    Ends at a concrete error state, when no state is left, or after `most_states` states. `inserts` permits steps in
    between that change no kept variable.
    """
    follower = _Follower(task, traces, most_states, inserts)
    follower.run()
    return follower.found


class _Follower:
    def __init__(self, task: Task, traces: ShortestTraces, most_states: int, inserts: bool) -> None:
        self.task = task
        self.traces = traces
        self.most_states = most_states
        self.inserts = inserts
        self.found = FollowedTraces()
        self._open: list[list[State]] = [[] for _ in traces.layers]

    def run(self) -> None:
        """Follow."""
        for state in islice(self.task.semantics.initial_states(), self.most_states):
            self._meet(state, self.traces.length, None)
        for _ in range(self.most_states):
            distance = next((distance for distance, states in enumerate(self._open) if states), None)
            if distance is None:
                return
            state = self._open[distance].pop()
            if distance == 0 and is_error_state(self.task.semantics, state, self.task.error):
                self.found.error = state
                return
            self.found.expanded[distance].append(state)
            self._expand(state, distance)

    def _expand(self, state: State, distance: int) -> None:
        abstract = self.traces.abstract(self.task.values(state)) if self.inserts else {}
        for move in self.task.semantics.moves(state, self._counts):
            if isinstance(move, Step):
                self.found.generated += 1
                is_inserted = self.inserts and self.traces.abstract(self.task.values(move.successor)) == abstract
                further = distance if is_inserted else distance - move.cost
                if further >= 0:
                    self._meet(move.successor, further, (state, move))

    def _counts(self, team: tuple[EdgeRef, ...]) -> bool:
        """Whether a step of these edges can be on the traces, or be inserted."""
        return self.inserts or all(edge in self.traces.edges for edge in team)

    def _meet(self, state: State, distance: int, by: tuple[State, Step] | None) -> None:
        if state not in self.found.came_by and self.traces.contain(self.task.values(state), distance):
            self.found.came_by[state] = by
            self._open[distance].append(state)
