"""What can be asked about a system: which of its states are error states."""

from __future__ import annotations

from dataclasses import dataclass

from symdmc.model.expressions import FALSE, Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCondition:
    """The error states: those where `expression` holds, those without a step, those from which a step faults."""

    name: str
    """How the question is called in reports: the property's name, or the expression's text."""
    expression: Expr = FALSE
    deadlock: bool = False
    fault: bool = False
