"""Abstract traces replayed in the system: the same transitions from initial states."""

from __future__ import annotations

from itertools import islice

from symdmc.model.error_states import is_error_state
from symdmc.model.state import State, Step
from symdmc.model.trace import Trace
from symdmc.selection.predicates.traces import TraceSteps
from symdmc.selection.refinement.following import FollowedTraces
from symdmc.task.task import Task

MOST_STATES = 100
"""States kept after each step; broadcasts and several initial states make more than one."""


def real_trace(task: Task, steps: TraceSteps) -> Trace | None:
    """A trace of the system that takes exactly these transitions and ends in an error state, if one is found."""
    found = FollowedTraces()
    here = list(islice(task.semantics.initial_states(), MOST_STATES))
    found.came_by.update(dict.fromkeys(here))
    for number in steps:
        behind: dict[State, tuple[State, Step]] = {}
        for state in here:
            behind.update((step.successor, (state, step)) for step in task.steps_of(task.transitions[number], state))
        fresh = {state: by for state, by in behind.items() if state not in found.came_by}
        here = list(islice(fresh, MOST_STATES))
        found.came_by.update({state: fresh[state] for state in here})
    found.error = next((state for state in here if is_error_state(task.semantics, state, task.error)), None)
    return found.trace(task)
