"""What a trace or certificate calls its question, held to what that name means in the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symdmc.errors import Code, Complaint, EvidenceRefused, ModelError
from symdmc.model.expressions import FALSE, TRUE, Expr, operands
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition, condition_of, deadlock_condition
from symdmc.model.question_words import DEADLOCK, FAULT
from symdmc.model.scope import Scope
from symdmc.model.system import System

NO_STATE = "none"
"""The error states of a condition that is plainly false, in words."""


def condition_in_words(error: ErrorCondition) -> str:
    """Which states are error states, in words that do not depend on the name of the condition."""
    parts = [
        str(error.expression) if error.expression != FALSE else "",
        _deadlock_in_words(error) if error.deadlock else "",
        "a step faults" if error.fault else "",
    ]
    return " or ".join(part for part in parts if part) or NO_STATE


def _deadlock_in_words(error: ErrorCondition) -> str:
    return "no step exists" if error.deadlock_where == TRUE else f"no step exists where {error.deadlock_where}"


def honestly_named(error: ErrorCondition, system: System) -> ErrorCondition:
    """The condition under its name, if the name means it in the model and says no more, or else under its own words.

    Raises EvidenceRefused where the name means something else: a property of the model with another condition, or an
    expression that is not the condition.
    """
    meanings = list(_meanings(error.name, system))
    agreeing = [_parts(meaning) == _parts(error) for meaning in meanings]
    if meanings and not any(agreeing):
        meant, found = condition_in_words(meanings[0]), condition_in_words(error)
        raise EvidenceRefused(
            Complaint(
                Code.OTHER_QUESTION,
                f"it names {error.name!r}, which means: {meant}; its error states are others: {found}",
            )
        )
    if meanings and all(agreeing) and _is_plain(error.name):
        return error
    words = condition_in_words(error)
    return replace(error, name=words if words != NO_STATE else "false")


def _meanings(name: str, system: System) -> Iterator[ErrorCondition]:
    """Every condition that a question can mean by the name."""
    if name in system.property_named:
        yield condition_of(name, system.property_named[name].error, system)
    if name == DEADLOCK:
        yield deadlock_condition(system)
    if name == FAULT:
        yield ErrorCondition(name=name, fault=True)
    try:
        yield condition_of(name, parse_expression(name, Scope.of(system).of_question()), system)
    except ModelError:
        return


def _is_plain(name: str) -> bool:
    """Whether there is nothing in the name but what it means: a comment could say anything, on lines of its own too."""
    return " ".join(name.split()) == name and "//" not in name and "/*" not in name


def _parts(error: ErrorCondition) -> tuple[frozenset[Expr], bool, frozenset[Expr], bool]:
    """The condition, however its alternatives are grouped."""
    alternatives = (operands(each, "or") for each in (error.expression, error.deadlock_where))
    expressions, where = (frozenset(parts) - {FALSE} for parts in alternatives)
    return expressions, error.deadlock, where, error.fault
