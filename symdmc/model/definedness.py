"""Where an expression has a value: conditions that keep the fault of one alternative from hiding the others."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.model.expressions import (
    TRUE,
    Binary,
    Cell,
    Conditional,
    Expr,
    Literal,
    Unary,
    conjunction,
    disjunction,
    negation,
    operands,
)
from symdmc.model.system import System


def defined(expression: Expr, system: System) -> Expr:
    """A condition that never faults, and holds exactly where the expression does not fault."""
    match expression:
        case Cell(array, index):
            return conjunction(defined(index, system), *_inside(index, system.variable_named[array].cells))
        case Unary(_, operand):
            return defined(operand, system)
        case Binary("and" | "or" | "imply" as operator, _, _):
            parts = [expression.left, expression.right] if operator == "imply" else operands(expression, operator)
            return _looked_at(parts, operator, system)
        case Binary(operator, left, right):
            divides = operator in ("/", "%") and not (isinstance(right, Literal) and right.value != 0)
            divisor = [Binary("!=", right, Literal(0))] if divides else []
            return conjunction(defined(left, system), defined(right, system), *divisor)
        case Conditional(condition, then, otherwise):
            sides = defined(then, system), defined(otherwise, system)
            chosen = TRUE if sides == (TRUE, TRUE) else Conditional(condition, *sides)
            return conjunction(defined(condition, system), chosen)
        case _:
            return TRUE


def _inside(index: Expr, size: int) -> tuple[Expr, ...]:
    if isinstance(index, Literal) and 0 <= index.value < size:
        return ()
    return Binary("<=", Literal(0), index), Binary("<", index, Literal(size))


def _looked_at(parts: Sequence[Expr], operator: str, system: System) -> Expr:
    """That those of some operands have a value that are looked at, one after the other until one decides."""
    found: Expr = TRUE
    for part in reversed(parts):
        if found != TRUE:
            found = disjunction(part if operator == "or" else negation(part), found)
        found = conjunction(defined(part, system), found)
    return found


def any_of(expressions: Sequence[Expr], system: System) -> Expr:
    """A condition that holds where any of the expressions does, also where another one faults."""
    apart = (conjunction(defined(each, system), each) for each in expressions[:-1])
    return disjunction(*apart, *expressions[-1:])
