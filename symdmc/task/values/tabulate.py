"""Expressions evaluated in many states at once with numpy, faults included; agrees with `model.semantics`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary

Integers: TypeAlias = NDArray[np.int64]
Truths: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Column:
    """The value of an expression in every row, and the rows where it faults (values there have no meaning)."""

    values: Integers
    faults: Truths

    @property
    def holds(self) -> Truths:
        """The rows where the expression is true."""
        holds: Truths = (self.values != 0) & ~self.faults
        return holds


class Rows(Protocol):
    """The states in which expressions are evaluated: each array has one entry for each state."""

    @property
    def count(self) -> int:
        """How many rows there are."""

    def scalar(self, name: str) -> Integers:
        """The values of a scalar variable."""

    def cell(self, array: str, index: Integers) -> Column:
        """The values of the cells at these indices, row by row; a fault where there is no such cell."""

    def at(self, process: str, location: str) -> Integers:
        """1 in the rows where the process is at the location."""


def wrap(values: Integers) -> Integers:
    """Each value cut to 32 bits with sign."""
    return ((values + 0x8000_0000) & 0xFFFF_FFFF) - 0x8000_0000


def _quotient(left: Integers, right: Integers) -> Integers:
    safe = np.where(right == 0, 1, right)
    quotient = np.abs(left) // np.abs(safe)
    return wrap(np.where((left < 0) == (safe < 0), quotient, -quotient))


def _remainder(left: Integers, right: Integers) -> Integers:
    safe = np.where(right == 0, 1, right)
    rest = np.abs(left) % np.abs(safe)
    return np.where(left < 0, -rest, rest)


_STRICT: dict[str, Callable[[Integers, Integers], Integers]] = {
    "*": lambda left, right: wrap(left * right),
    "/": _quotient,
    "%": _remainder,
    "+": lambda left, right: wrap(left + right),
    "-": lambda left, right: wrap(left - right),
    "<<": lambda left, right: wrap(left << (right & 31)),
    ">>": lambda left, right: left >> (right & 31),
    "&": lambda left, right: left & right,
    "^": lambda left, right: left ^ right,
    "|": lambda left, right: left | right,
    "<": lambda left, right: (left < right).astype(np.int64),
    "<=": lambda left, right: (left <= right).astype(np.int64),
    ">": lambda left, right: (left > right).astype(np.int64),
    ">=": lambda left, right: (left >= right).astype(np.int64),
    "==": lambda left, right: (left == right).astype(np.int64),
    "!=": lambda left, right: (left != right).astype(np.int64),
}

_UNARY: dict[str, Callable[[Integers], Integers]] = {
    "-": lambda operand: wrap(-operand),
    "~": lambda operand: ~operand,
    "not": lambda operand: (operand == 0).astype(np.int64),
}


def tabulate(expression: Expr, rows: Rows) -> Column:
    """The values of the expression in every row."""
    match expression:
        case Literal(value):
            return Column(np.full(rows.count, value, dtype=np.int64), _none(rows))
        case Ref(name):
            return Column(rows.scalar(name), _none(rows))
        case At(process, location):
            return Column(rows.at(process, location), _none(rows))
        case Cell(array, index):
            place = tabulate(index, rows)
            found = rows.cell(array, np.where(place.faults, -1, place.values))
            return Column(found.values, found.faults | place.faults)
        case Unary(operator, operand):
            inner = tabulate(operand, rows)
            return Column(_UNARY[operator](inner.values), inner.faults)
        case Binary("and" | "or" | "imply" as operator, left, right):
            return _short_circuit(operator, tabulate(left, rows), tabulate(right, rows))
        case Binary(operator, left, right):
            first, second = tabulate(left, rows), tabulate(right, rows)
            faults = first.faults | second.faults
            if operator in "/%":
                faults = faults | (second.values == 0)
            return Column(_STRICT[operator](first.values, second.values), faults)
        case Conditional(condition, then, otherwise):
            chosen = tabulate(condition, rows)
            yes, no = tabulate(then, rows), tabulate(otherwise, rows)
            truth = chosen.values != 0
            faults = chosen.faults | np.where(truth, yes.faults, no.faults)
            return Column(np.where(truth, yes.values, no.values), faults)
        case _:
            assert_never(expression)


def _none(rows: Rows) -> Truths:
    return np.zeros(rows.count, dtype=np.bool_)


def _short_circuit(operator: str, left: Column, right: Column) -> Column:
    first, second = left.values != 0, right.values != 0
    asked = ~first if operator == "or" else first
    match operator:
        case "and":
            truth = first & second
        case "or":
            truth = first | second
        case _:
            truth = ~first | second
    return Column(truth.astype(np.int64), left.faults | (asked & ~left.faults & right.faults))
