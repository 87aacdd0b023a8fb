"""States in a row to traces: the steps between them are found again by the reference semantics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from symdmc.errors import InternalError
from symdmc.model.fingerprint import fingerprint
from symdmc.model.state import Fault, State, Step
from symdmc.model.steps import step_label
from symdmc.model.trace import Trace
from symdmc.outcome import FaultReport
from symdmc.task.task import Task


def trace_through(task: Task, states: Sequence[State], *, claims_error: bool = True) -> Trace:
    """The trace that visits the states; of several steps between two states the cheapest, then the first, is taken."""
    steps = tuple(_step(task, before, after) for before, after in pairwise(states))
    return Trace(
        fingerprint=fingerprint(task.system),
        property=task.error.name,
        initial=states[0],
        steps=steps,
        error=task.error if claims_error else None,
    )


def _step(task: Task, before: State, after: State) -> Step:
    found = task.semantics.steps_between(before, after)
    if not found:
        raise InternalError("a search took a step that the reference semantics does not have")
    return min(found, key=lambda step: step.cost)


def fault_report(task: Task, count: int, states: Sequence[State]) -> FaultReport:
    """How many expanded states had a faulting step, with the way to the first of them."""
    if count == 0:
        return FaultReport(states=0, first=None, reason=None)
    faults = (move for move in task.semantics.moves(states[-1]) if isinstance(move, Fault))
    reason = next(faults, None)
    if reason is None:
        raise InternalError("a search met a fault that the reference semantics does not have")
    where = _place(task, reason, states[-1])
    return FaultReport(
        states=count, first=trace_through(task, states, claims_error=False), reason=f"{where}: {reason.reason}"
    )


def _place(task: Task, fault: Fault, state: State) -> str:
    """Where the edges of the step stand in the text of the model, if that is known, and the step in words."""
    edges = (task.system.processes[process].edges[number] for process, number in fault.edges)
    spans = [str(edge.span) for edge in edges if edge.span is not None]
    return ": ".join((*([" and ".join(spans)] if spans else []), step_label(Step(fault.edges, 0, state), task.system)))
