"""What walks over explicit states have found, as results.

The steps between the states of a trace are found again by the reference semantics.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from symdmc.errors import InternalError
from symdmc.model.fingerprint import fingerprint
from symdmc.model.state import Fault, State, Step
from symdmc.model.steps import step_label
from symdmc.model.trace import Trace
from symdmc.outcome import FaultReport, SearchResult, Verdict
from symdmc.running.run import Run
from symdmc.search.walk import Walk
from symdmc.spelling.plurals import counted
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


def result_of(task: Task, walk: Walk, run: Run, *, proves: bool = True) -> SearchResult:
    """What a walk has found, and what it took; which search it was and why it ended is still to be said.

    `proves` says whether there is no error state where a finished walk has met none.
    """
    path = walk.path_to_error()
    trace = None if path is None else trace_through(task, path)
    verdict = Verdict.ERROR if trace is not None else Verdict.SAFE if walk.finished and proves else Verdict.UNKNOWN
    return SearchResult(
        verdict=verdict,
        reason="",
        property=task.error.name,
        stop=walk.stop,
        trace=trace,
        faults=fault_report(task, walk),
        explored=walk.expanded,
        generated=walk.generated,
        stored=walk.stored,
        seconds=round(run.seconds, 3),
        preprocessing_seconds=round(walk.preprocessing_seconds, 3),
        peak_memory_mb=run.peak_memory_mb(),
    )


def stop_reason(walk: Walk) -> str:
    """Which limit ended a walk, and how far it had come."""
    stopped = "stopped" if walk.stop is None else walk.stop.words
    return f"{stopped} after {counted(walk.stored, 'state')} at depth {walk.depth}"


def fault_report(task: Task, walk: Walk) -> FaultReport | None:
    """How many expanded states had a faulting step, with the way to the first of them.

    None where no fault was met but dead ends were passed over, behind which some may be. Where value analysis excludes
    all faults, there are none behind dead ends either.
    """
    states = walk.path_to_fault()
    if states is None:
        hidden = walk.dead_ends > 0 and not task.analysis.faultless
        return None if hidden else FaultReport(states=0, first=None, reason=None)
    faults = (move for move in task.semantics.moves(states[-1]) if isinstance(move, Fault))
    reason = next(faults, None)
    if reason is None:
        raise InternalError("a search met a fault that the reference semantics does not have")
    first = trace_through(task, states, claims_error=False)
    return FaultReport(states=walk.faulty, first=first, reason=f"{_place(task, reason, states[-1])}: {reason.reason}")


def _place(task: Task, fault: Fault, state: State) -> str:
    """Where the edges of the step stand in the text of the model, if that is known, and the step in words."""
    edges = (task.system.processes[process].edges[number] for process, number in fault.edges)
    spans = [str(edge.span) for edge in edges if edge.span is not None]
    return ": ".join((*([" and ".join(spans)] if spans else []), step_label(Step(fault.edges, 0, state), task.system)))
