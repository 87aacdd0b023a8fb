"""The words `deadlock` and `fault` in the expression of a question, where they stand like variables."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from symdmc.errors import Code, Complaint
from symdmc.model.expressions import (
    FALSE,
    TRUE,
    Binary,
    Cell,
    Conditional,
    Expr,
    Ref,
    Unary,
    conjunction,
    disjunction,
    negation,
    operands,
    walk,
)

DEADLOCK = "deadlock"
"""No step exists. A variable of this name has precedence."""
FAULT = "fault"
"""A step from the state faults. A variable of this name has precedence."""
QUESTION_WORDS = (DEADLOCK, FAULT)

_PLACE = "<error>"


def misplaced_word(expression: Expr, words: Collection[str]) -> Complaint | None:
    """What is wrong where `fault` is more than an alternative of its own, or `deadlock` stands where it is negated."""
    used = {part.name for part in walk(expression) if isinstance(part, Ref)} & set(words)
    if FAULT in used:
        return Complaint(
            Code.MISPLACED_QUESTION_WORD,
            "'fault' is only joined to other conditions by 'or'",
            "ask for it alone",
            _PLACE,
        )
    if DEADLOCK in used and not all(_asserted(expression, True)):
        remedy = "join it to other conditions with 'and' and 'or'"
        return Complaint(Code.MISPLACED_QUESTION_WORD, "'deadlock' is negated or compared", remedy, _PLACE)
    return None


def _asserted(expression: Expr, positive: bool) -> Iterator[bool]:
    """Of each `deadlock`, whether the expression can only become true where it does."""
    match expression:
        case Ref(name) if name == DEADLOCK:
            yield positive
        case Unary("not", operand):
            yield from _asserted(operand, not positive)
        case Binary("and" | "or", left, right):
            yield from _asserted(left, positive)
            yield from _asserted(right, positive)
        case Binary("imply", left, right):
            yield from _asserted(left, not positive)
            yield from _asserted(right, positive)
        case Conditional(condition, then, otherwise):
            yield not _names_deadlock(condition)
            yield from _asserted(then, positive)
            yield from _asserted(otherwise, positive)
        case _:
            yield not _names_deadlock(expression)


def _names_deadlock(expression: Expr) -> bool:
    return any(part == Ref(DEADLOCK) for part in walk(expression))


def with_word_as(value: Expr, expression: Expr) -> Expr:
    """A condition that holds where the expression does if `deadlock` is read as 0 or 1."""
    match expression:
        case Ref(name) if name == DEADLOCK:
            return value
        case Unary("not", operand):
            found = with_word_as(value, operand)
            return {TRUE: FALSE, FALSE: TRUE}.get(found, negation(found))
        case Binary("and" | "or" as operator, _, _):
            return _joined(operator, [with_word_as(value, part) for part in operands(expression, operator)])
        case Binary("imply", left, right):
            return with_word_as(value, Binary("or", negation(left), right))
        case Conditional(condition, then, otherwise):
            return Conditional(condition, with_word_as(value, then), with_word_as(value, otherwise))
        case _:
            return expression


def _joined(operator: str, parts: list[Expr]) -> Expr:
    """The parts joined by `and` or `or`; what is behind the one that decides is never looked at."""
    decisive = FALSE if operator == "and" else TRUE
    if decisive in parts:
        parts = parts[: parts.index(decisive) + 1]
        while len(parts) > 1 and not any(map(_may_fault, walk(parts[-2]))):
            del parts[-2]
    return conjunction(*parts) if operator == "and" else disjunction(*parts)


def _may_fault(part: Expr) -> bool:
    return isinstance(part, Cell) or (isinstance(part, Binary) and part.operator in ("/", "%"))
