"""Which states are error states, by the reference semantics."""

from __future__ import annotations

from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step


def is_error_state(semantics: Semantics, state: State, error: ErrorCondition) -> bool:
    """Whether the state is an error state: the expression holds, it has no step, or a step from it faults."""
    if semantics.holds(error.expression, state):
        return True
    if not error.deadlock and not error.fault:
        return False
    moves = list(semantics.moves(state))
    stuck = not any(isinstance(move, Step) for move in moves)
    if error.deadlock and stuck and semantics.holds(error.deadlock_where, state):
        return True
    return error.fault and any(isinstance(move, Fault) for move in moves)
