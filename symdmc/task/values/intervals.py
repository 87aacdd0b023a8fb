"""Bounds on the value of an expression, from bounds on its variables: coarse, but at any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from symdmc.model.arithmetic import divide
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary

Interval: TypeAlias = tuple[int, int]

EVERYTHING: Interval = (-(2**31), 2**31 - 1)
TRUTH: Interval = (0, 1)


Leaf: TypeAlias = Ref | Cell | At


def bounds(expression: Expr, bounds_of: Callable[[Leaf], Interval]) -> Interval:
    """The smallest and largest value the expression can have where it does not fault."""
    return IntervalProgram(expression).bounds(bounds_of)


class IntervalProgram:
    """An expression made ready to be bounded again and again, as a long one is in value analysis.

    Its operators follow their operands, and each different leaf is asked for once.
    """

    def __init__(self, expression: Expr) -> None:
        self._leaves: dict[Leaf, int] = {}
        self._code = [self._instruction(part) for part in _operands_first(expression)]
        self._given: list[Interval] | None = None
        self._result = EVERYTHING

    def _instruction(self, part: Expr) -> int | Interval | Unary | Binary | Conditional:
        """The number of a leaf, the bounds of a constant, or the operator itself."""
        match part:
            case Literal(value):
                return value, value
            case Ref() | Cell() | At():
                return self._leaves.setdefault(part, len(self._leaves))
            case _:
                return part

    def bounds(self, bounds_of: Callable[[Leaf], Interval]) -> Interval:
        """The bounds of the expression; computed only if those of a leaf are not the same as the last time."""
        given = [bounds_of(leaf) for leaf in self._leaves]
        if given != self._given:
            self._given, self._result = given, self._computed(given)
        return self._result

    def _computed(self, given: list[Interval]) -> Interval:
        stack: list[Interval] = []
        for instruction in self._code:
            match instruction:
                case int():
                    stack.append(given[instruction])
                case tuple():
                    stack.append(instruction)
                case Binary(operator, _, _):
                    right, left = stack.pop(), stack.pop()
                    stack.append(_binary(operator, left, right))
                case Unary(operator, _):
                    stack.append(_unary(operator, *stack.pop()))
                case Conditional():
                    no, yes = stack.pop(), stack.pop()
                    stack.append((min(yes[0], no[0]), max(yes[1], no[1])))
                case _:
                    assert_never(instruction)
        return stack.pop()


def _operands_first(expression: Expr) -> list[Expr]:
    """The parts that are computed, operators after their operands; of a conditional both sides are, and no test."""
    found: list[Expr] = []
    pending = [expression]
    while pending:
        part = pending.pop()
        found.append(part)
        match part:
            case Binary(_, left, right):
                pending += (left, right)
            case Unary(_, operand):
                pending.append(operand)
            case Conditional(_, then, otherwise):
                pending += (then, otherwise)
            case _:
                pass
    return found[::-1]


def _unary(operator: str, low: int, high: int) -> Interval:
    match operator:
        case "not":
            return (1, 1) if low == high == 0 else (0, 0) if low > 0 or high < 0 else TRUTH
        case "-":
            return _within(-high, -low)
        case _:
            return ~high, ~low


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
