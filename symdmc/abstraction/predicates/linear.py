"""Arithmetic as linear forms, by sympy, whose objects only this module and the theory layer of entailment know.

A linear form agrees with the expression only where 32 bits hold every intermediate value: an expression that may exceed
them over the analysed values has no form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, assert_never

from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary
from symdmc.task.task import Layout
from symdmc.task.values.domains import Domain
from symdmc.task.values.intervals import EVERYTHING, Interval


class NotLinear(Exception):
    """The expression has no linear form; the text says why."""


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A constant plus a sum of coefficient times variable, in the order of the variables; no coefficient is 0."""

    terms: tuple[tuple[int, int], ...]
    constant: int


def difference(layout: Layout, left: Expr, right: Expr) -> LinearForm:
    """The form of `left` minus `right`, without regard to 32 bits; raises NotLinear."""
    import sympy

    numbers = sorted(layout.support(left) | layout.support(right))
    whole = sympy.expand(_polynomial(layout, left) - _polynomial(layout, right))
    if not whole.free_symbols:
        return LinearForm((), int(whole))
    symbols = [_symbol(number) for number in numbers]
    polynomial = sympy.Poly(whole, *symbols, domain="ZZ")
    if polynomial.total_degree() > 1:
        raise NotLinear("a product of variables")
    found = [(number, int(polynomial.coeff_monomial(_symbol(number)))) for number in numbers]
    return LinearForm(tuple((n, c) for n, c in found if c), int(polynomial.coeff_monomial(1)))


@cache
def _symbol(number: int) -> Any:  # of sympy, which has no types
    import sympy

    return sympy.Symbol(f"v{number}", integer=True)


def _polynomial(layout: Layout, expression: Expr) -> Any:
    import sympy

    match expression:
        case Literal(value):
            return sympy.Integer(value)
        case Ref(name):
            return _symbol(layout.first[name])
        case Cell(array, Literal(index)) if 0 <= index < layout.cells[array]:
            return _symbol(layout.first[array] + index)
        case Cell():
            raise NotLinear("a computed index")
        case At():
            raise NotLinear("a location in the place of a number")
        case Unary("-", operand):
            return -_polynomial(layout, operand)
        case Binary("+", left, right):
            return _polynomial(layout, left) + _polynomial(layout, right)
        case Binary("-", left, right):
            return _polynomial(layout, left) - _polynomial(layout, right)
        case Binary("*", left, right):
            return _polynomial(layout, left) * _polynomial(layout, right)
        case Unary(operator, _) | Binary(operator, _, _):
            raise NotLinear(f"the operator {operator}")
        case Conditional():
            raise NotLinear("a conditional")
        case _:
            assert_never(expression)


def fits(expression: Expr, bounds_of: Callable[[Ref | Cell], Interval]) -> bool:
    """Whether 32 bits hold the value of every part of a sum or product, whatever values its variables have."""
    return _exact(expression, bounds_of) is not None


def _exact(expression: Expr, bounds_of: Callable[[Ref | Cell], Interval]) -> Interval | None:
    match expression:
        case Literal(value):
            return _held(value, value)
        case Ref() | Cell():
            return bounds_of(expression)
        case Unary("-", operand):
            inner = _exact(operand, bounds_of)
            return None if inner is None else _held(-inner[1], -inner[0])
        case Binary("+" | "-" | "*" as operator, left, right):
            one, other = _exact(left, bounds_of), _exact(right, bounds_of)
            if one is None or other is None:
                return None
            if operator == "-":
                other = -other[1], -other[0]
            if operator == "*":
                corners = [x * y for x in one for y in other]
                return _held(min(corners), max(corners))
            return _held(one[0] + other[0], one[1] + other[1])
    return None


def _held(low: int, high: int) -> Interval | None:
    return (low, high) if EVERYTHING[0] <= low and high <= EVERYTHING[1] else None


def range_of(terms: tuple[tuple[int, int], ...], domains: tuple[Domain, ...]) -> Interval:
    """The smallest and the largest value of a sum over the analysed values."""
    ends = [(c * domains[n].low, c * domains[n].high) for n, c in terms]
    return sum(map(min, ends)), sum(map(max, ends))
