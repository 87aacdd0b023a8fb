"""32-bit signed C arithmetic, the one definition of what every operator yields (docs/expressions.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType


class ArithmeticFault(ArithmeticError):
    """A value does not exist: division by zero, an index out of range, or a value outside the range of a variable."""


def wrap(value: int) -> int:
    """The 32-bit signed integer with the same low 32 bits."""
    return ((value + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000


def divide(left: int, right: int) -> int:
    """The quotient rounded toward zero."""
    if right == 0:
        raise ArithmeticFault("division by zero")
    quotient = abs(left) // abs(right)
    return wrap(quotient if (left < 0) == (right < 0) else -quotient)


def remainder(left: int, right: int) -> int:
    """The remainder of the division, with the sign of the dividend."""
    if right == 0:
        raise ArithmeticFault("division by zero")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def shift_left(left: int, right: int) -> int:
    """`left` shifted by the low five bits of `right`."""
    return wrap(left << (right & 31))


def shift_right(left: int, right: int) -> int:
    """`left` shifted by the low five bits of `right`, keeping the sign."""
    return left >> (right & 31)


STRICT_BINARY: Mapping[str, Callable[[int, int], int]] = MappingProxyType(
    {
        "*": lambda left, right: wrap(left * right),
        "/": divide,
        "%": remainder,
        "+": lambda left, right: wrap(left + right),
        "-": lambda left, right: wrap(left - right),
        "<<": shift_left,
        ">>": shift_right,
        "&": lambda left, right: left & right,
        "^": lambda left, right: left ^ right,
        "|": lambda left, right: left | right,
        "<": lambda left, right: int(left < right),
        "<=": lambda left, right: int(left <= right),
        ">": lambda left, right: int(left > right),
        ">=": lambda left, right: int(left >= right),
        "==": lambda left, right: int(left == right),
        "!=": lambda left, right: int(left != right),
    }
)
"""The operators that evaluate both sides; `and`, `or` and `imply` evaluate the right side only when needed."""

UNARY: Mapping[str, Callable[[int], int]] = MappingProxyType(
    {
        "-": lambda operand: wrap(-operand),
        "~": lambda operand: ~operand,
        "not": lambda operand: int(operand == 0),
    }
)
