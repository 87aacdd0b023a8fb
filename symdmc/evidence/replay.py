"""Checking traces again from the model alone, by a referee that shares no code with what found them."""

from __future__ import annotations

from symdmc.errors import Code, Complaint, EvidenceRefused
from symdmc.evidence.judge.referee import Referee
from symdmc.model.fingerprint import require_fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Fault, State, Step
from symdmc.model.steps import changes
from symdmc.model.system import System
from symdmc.model.trace import Trace


def replay(system: System, trace: Trace, error: ErrorCondition | None) -> None:
    """Return if the trace is a path of the system to an error state; raise EvidenceRefused saying where it is not.

    Without an error condition, only that it is a path is checked.
    """
    require_fingerprint(trace.fingerprint, system, "the trace")
    referee = Referee(system)
    if not referee.starts_in(trace.initial):
        raise EvidenceRefused(
            Complaint(Code.TRACE_STARTS_ELSEWHERE, f"the trace does not start in an initial state of {system.name!r}")
        )
    state = trace.initial
    for number, step in enumerate(trace.steps, start=1):
        objection = _objection(referee, state, step)
        if objection is not None:
            raise EvidenceRefused(
                Complaint(Code.TRACE_DOES_NOT_REPLAY, f"step {number} of {len(trace.steps)}: {objection}")
            )
        state = step.successor
    if error is not None and not referee.is_error(state, error):
        raise EvidenceRefused(
            Complaint(
                Code.TRACE_ENDS_ELSEWHERE,
                f"the last state (after step {len(trace.steps)}) is no error state of {error.name!r}",
            )
        )


def _objection(referee: Referee, before: State, claimed: Step) -> str | None:
    """Why there is no such step from the state; None if there is."""
    match referee.outcome(claimed.edges, before):
        case None:
            return "no such step exists from the state before it"
        case Fault(_, reason):
            return f"the step faults: {reason}"
        case Step(_, cost, _) if cost != claimed.cost:
            return f"the step costs {cost}, not {claimed.cost}"
        case Step(_, _, successor) if successor != claimed.successor:
            return f"the step leads elsewhere: {_differences(successor, claimed.successor, referee.system)}"
    return None


def _differences(right: State, claimed: State, system: System) -> str:
    try:
        found = changes(right, claimed, system)
    except ValueError:
        return "the state given has another shape than those of the model"
    return ", ".join(f"{name} is {actual} after it, not {said}" for name, actual, said in found)
