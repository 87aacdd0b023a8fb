"""Bounds on the value of an expression, from bounds on its variables: coarse, but at any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from symdmc.model.arithmetic import divide
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary

Interval: TypeAlias = tuple[int, int]

EVERYTHING: Interval = (-(2**31), 2**31 - 1)
TRUTH: Interval = (0, 1)


def bounds(expression: Expr, bounds_of: Callable[[Ref | Cell | At], Interval]) -> Interval:
    """The smallest and largest value the expression can have where it does not fault."""
    match expression:
        case Literal(value):
            return value, value
        case Ref() | Cell() | At():
            return bounds_of(expression)
        case Unary("not", operand):
            low, high = bounds(operand, bounds_of)
            return (1, 1) if low == high == 0 else (0, 0) if low > 0 or high < 0 else TRUTH
        case Unary("-", operand):
            low, high = bounds(operand, bounds_of)
            return _within(-high, -low)
        case Unary(_, operand):
            low, high = bounds(operand, bounds_of)
            return ~high, ~low
        case Binary(operator, left, right):
            return _binary(operator, bounds(left, bounds_of), bounds(right, bounds_of))
        case Conditional(_, then, otherwise):
            yes, no = bounds(then, bounds_of), bounds(otherwise, bounds_of)
            return min(yes[0], no[0]), max(yes[1], no[1])
        case _:
            assert_never(expression)


def _within(low: int, high: int) -> Interval:
    """The bounds, or no bounds at all when 32 bits do not hold them."""
    return (low, high) if EVERYTHING[0] <= low and high <= EVERYTHING[1] else EVERYTHING


def _binary(operator: str, left: Interval, right: Interval) -> Interval:
    match operator:
        case "+":
            return _within(left[0] + right[0], left[1] + right[1])
        case "-":
            return _within(left[0] - right[1], left[1] - right[0])
        case "*":
            corners = [x * y for x in left for y in right]
            return _within(min(corners), max(corners))
        case "/" if right[0] > 0:
            corners = [divide(x, y) for x in left for y in right]
            return min(corners), max(corners)
        case "%" if right[0] > 0:
            rest = right[1] - 1
            return (0 if left[0] >= 0 else -rest), (min(rest, left[1]) if left[0] >= 0 else rest)
        case "&" if left[0] >= 0 or right[0] >= 0:
            return 0, min(side[1] for side in (left, right) if side[0] >= 0)
        case "|" | "^" if left[0] >= 0 and right[0] >= 0:
            return 0, (1 << max(left[1], right[1]).bit_length()) - 1
        case "==" if left[1] < right[0] or right[1] < left[0]:
            return 0, 0
        case "!=" if left[1] < right[0] or right[1] < left[0]:
            return 1, 1
        case "<" | "<=" | ">" | ">=":
            return _order(operator, left, right)
        case "==" | "!=" | "and" | "or" | "imply":
            return TRUTH
        case _:
            return EVERYTHING


def _order(operator: str, left: Interval, right: Interval) -> Interval:
    if operator in (">", ">="):
        return _order("<" if operator == ">" else "<=", right, left)
    slack = 1 if operator == "<" else 0
    if left[1] + slack <= right[0]:
        return 1, 1
    return (0, 0) if left[0] + slack > right[1] else TRUTH
