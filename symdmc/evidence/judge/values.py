"""What an expression is worth in one state, and what a variable keeps of a value; as docs/expressions.md says.

Written apart from `model.semantics` and `model.arithmetic`, so that a slip in one of them is not a slip in both.
"""

from __future__ import annotations

from copy import copy
from typing import assert_never

from symdmc.errors import InternalError
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Target, Unary
from symdmc.model.state import State
from symdmc.model.system import Range, System

WORD = 1 << 32
"""Arithmetic is modulo this, and the upper half of the words are the negative numbers."""


class NoValue(Exception):
    """There is no value: the reason is a division by zero, an index outside an array or a value outside a range."""


class Board:
    """One state as it changes during a step: where each process is, and what each variable holds."""

    def __init__(self, system: System, state: State) -> None:
        self.system = system
        self.place = {process.name: at for process, at in zip(system.processes, state.locations, strict=True)}
        self.held = {each.name: list(cells) for each, cells in zip(system.storage, state.values, strict=True)}
        self.is_urgent: bool | None = None
        """Whether some process is at a committed location; None while nobody has asked."""

    def copied(self) -> Board:
        """The same state, to be changed."""
        other = copy(self)
        other.place, other.held = dict(self.place), {name: list(cells) for name, cells in self.held.items()}
        return other

    def state(self) -> State:
        """The state as it is now."""
        return State(tuple(self.place.values()), tuple(tuple(cells) for cells in self.held.values()))

    def holds(self, condition: Expr) -> bool:
        """Whether a condition is true; one without a value is not."""
        try:
            return self.value(condition) != 0
        except NoValue:
            return False

    def value(self, expression: Expr) -> int:
        """What the expression is worth; raises NoValue where it is worth nothing."""
        match expression:
            case Literal(value):
                return value
            case Ref(name):
                return self.held[name][0]
            case Cell(array, index):
                return self.held[array][self._index(array, index)]
            case At(process, location):
                return 1 if self.place[process] == location else 0
            case Unary(operator, operand):
                return _of_one(operator, self.value(operand))
            case Conditional(condition, then, otherwise):
                return self.value(otherwise) if self.value(condition) == 0 else self.value(then)
            case Binary("and" | "or" | "imply" as operator, left, right):
                return self._decided(operator, left, right)
            case Binary(operator, left, right):
                first = self.value(left)
                return _of_two(operator, first, self.value(right))
            case _:
                assert_never(expression)

    def _decided(self, operator: str, left: Expr, right: Expr) -> int:
        """`and`, `or`, `imply`: the left side may decide alone."""
        first = self.value(left) != 0
        match operator, first:
            case "and", False:
                return 0
            case ("or", True) | ("imply", False):
                return 1
        return 1 if self.value(right) != 0 else 0

    def _index(self, array: str, index: Expr) -> int:
        place, last = self.value(index), len(self.held[array]) - 1
        if place < 0 or place > last:
            raise NoValue(f"index {place} of {array} is outside 0..{last}")
        return place

    def put(self, target: Target, value: int) -> None:
        """Store a value where the target says, cut to what the variable there can hold."""
        name = target.name if isinstance(target, Ref) else target.array
        place = 0 if isinstance(target, Ref) else self._index(name, target.index)
        self.held[name][place] = kept(self.system.variable_named[name].type, value)


def kept(kind: Range, value: int) -> int:
    """What a variable of this kind keeps of a value."""
    size = kind.high - kind.low + 1
    turns = (value - kind.low) // size
    if turns != 0 and not kind.wraps:
        raise NoValue(f"{value} is outside {kind.low}..{kind.high}")
    return value - turns * size


def word(value: int) -> int:
    """The number from -2^31 to 2^31 - 1 that the last 32 bits of a value stand for."""
    bits = value % WORD
    return bits - WORD if bits >= WORD // 2 else bits


def _of_one(operator: str, value: int) -> int:
    match operator:
        case "-":
            return word(-value)
        case "~":
            return -1 - value
        case "not":
            return 1 if value == 0 else 0
    raise InternalError(f"there is no operator {operator!r}")


def _of_two(operator: str, left: int, right: int) -> int:
    match operator:
        case "+":
            return word(left + right)
        case "-":
            return word(left - right)
        case "*":
            return word(left * right)
        case "/" | "%":
            return _divided(operator, left, right)
        case "<<":
            return word(left * (1 << right % 32))
        case ">>":
            return left // (1 << right % 32)
        case "&":
            return word((left % WORD) & (right % WORD))
        case "|":
            return word((left % WORD) | (right % WORD))
        case "^":
            return word((left % WORD) ^ (right % WORD))
        case "==":
            return 1 if left == right else 0
        case "!=":
            return 0 if left == right else 1
        case "<":
            return 1 if left < right else 0
        case "<=":
            return 0 if left > right else 1
        case ">":
            return 1 if left > right else 0
        case ">=":
            return 0 if left < right else 1
    raise InternalError(f"there is no operator {operator!r}")


def _divided(operator: str, left: int, right: int) -> int:
    """The quotient without its fraction, or what the division leaves of the left side, with its sign."""
    if right == 0:
        raise NoValue("division by zero")
    quotient, rest = divmod(left, right)
    if rest != 0 and (left < 0) != (right < 0):  # rounded down, and so away from zero
        quotient, rest = quotient + 1, rest - right
    return word(quotient) if operator == "/" else rest
