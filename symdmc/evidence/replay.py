"""Checking traces again from the model alone, by the reference semantics."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.errors import EvidenceRefused
from symdmc.model.fingerprint import require_fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.steps import changes
from symdmc.model.system import System
from symdmc.model.trace import Trace


def replay(system: System, trace: Trace, error: ErrorCondition | None) -> None:
    """Return if the trace is a path of the system to an error state; raise EvidenceRefused saying where it is not.

    Without an error condition, only that it is a path is checked.
    """
    require_fingerprint(trace.fingerprint, system, "the trace")
    semantics = Semantics(system)
    if not semantics.is_initial(trace.initial):
        raise EvidenceRefused(f"the trace does not start in an initial state of {system.name!r}")
    state = trace.initial
    for number, step in enumerate(trace.steps, start=1):
        objection = _objection(semantics, state, step)
        if objection is not None:
            raise EvidenceRefused(f"step {number} of {len(trace.steps)}: {objection}")
        state = step.successor
    if error is not None and not is_error_state(semantics, state, error):
        raise EvidenceRefused(f"the last state (after step {len(trace.steps)}) is no error state of {error.name!r}")


def is_error_state(
    semantics: Semantics, state: State, error: ErrorCondition, moves: Sequence[Step | Fault] | None = None
) -> bool:
    """Whether the state is an error state: the expression holds, it has no step, or a step from it faults.

    `moves` are those of the semantics from the state, where they are known.
    """
    if semantics.holds(error.expression, state):
        return True
    if not error.deadlock and not error.fault:
        return False
    moves = list(semantics.moves(state)) if moves is None else moves
    stuck = not any(isinstance(move, Step) for move in moves)
    return (error.deadlock and stuck) or (error.fault and any(isinstance(move, Fault) for move in moves))


def _objection(semantics: Semantics, before: State, step: Step) -> str | None:
    """Why there is no such step from the state; None if there is."""
    asked = semantics.moves(before, lambda edges: edges == step.edges)
    moves = [move for move in asked if move.edges == step.edges]
    if step in moves:
        return None
    for move in moves:
        match move:
            case Fault(_, reason):
                return f"the step faults: {reason}"
            case Step(_, cost, _) if cost != step.cost:
                return f"the step costs {cost}, not {step.cost}"
            case Step(_, _, successor):
                return f"the step leads elsewhere: {_differences(successor, step.successor, semantics.system)}"
    return "no such step exists from the state before it"


def _differences(right: State, claimed: State, system: System) -> str:
    try:
        found = changes(right, claimed, system)
    except ValueError:
        return "the state given has another shape than those of the model"
    return ", ".join(f"{name} is {actual} after it, not {said}" for name, actual, said in found)
