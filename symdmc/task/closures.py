"""Expressions as Python functions of the values of a state: faster than walking the expression each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from symdmc.model.arithmetic import STRICT_BINARY, UNARY, ArithmeticFault
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary
from symdmc.task.task import Layout, Values

Closure: TypeAlias = Callable[[Values], int]


def closure(expression: Expr, layout: Layout) -> Closure:
    """A function that returns the value of the expression in a state, and raises ArithmeticFault where it faults."""
    match expression:
        case Literal(value):
            return lambda values: value
        case Ref(name):
            number = layout.first[name]
            return lambda values: values[number]
        case At(process, location):
            number, place = layout.place(process, location)
            return lambda values: int(values[number] == place)
        case Cell(array, index):
            return _cell(layout.first[array], layout.cells[array], closure(index, layout))
        case Unary(operator, operand):
            apply, inner = UNARY[operator], closure(operand, layout)
            return lambda values: apply(inner(values))
        case Binary(operator, left, right):
            return _binary(operator, closure(left, layout), closure(right, layout))
        case Conditional(condition, then, otherwise):
            test, yes, no = closure(condition, layout), closure(then, layout), closure(otherwise, layout)
            return lambda values: yes(values) if test(values) else no(values)
        case _:
            assert_never(expression)


def _cell(first: int, cells: int, index: Closure) -> Closure:
    def cell(values: Values) -> int:
        place = index(values)
        if not 0 <= place < cells:
            raise ArithmeticFault("an index out of range")
        return values[first + place]

    return cell


def _binary(operator: str, left: Closure, right: Closure) -> Closure:
    match operator:
        case "and":
            return lambda values: int(left(values) != 0 and right(values) != 0)
        case "or":
            return lambda values: int(left(values) != 0 or right(values) != 0)
        case "imply":
            return lambda values: int(left(values) == 0 or right(values) != 0)
    apply = STRICT_BINARY[operator]
    return lambda values: apply(left(values), right(values))
