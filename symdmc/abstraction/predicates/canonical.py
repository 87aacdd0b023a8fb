"""Conditions to canonical claims: equivalent conditions become one predicate, as far as possible.

Over the integers `x < 4` and `x <= 3` are one predicate, and so are `2 * x + 2 * y > 5` and `x + y >= 3`; a condition
and its negation are one predicate with two signs. A condition on one variable with few values is judged value by value:
whatever its form, it becomes `x == 3` or `x >= 3` if it means that over the analysed values. Sums over several
variables become linear forms, by sympy. Any other condition stays as it is, *opaque*.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, product
from math import gcd
from typing import TypeAlias

import numpy as np

from symdmc.abstraction.predicates.linear import LinearForm, NotLinear, difference, fits, range_of
from symdmc.abstraction.predicates.predicate import (
    Claim,
    LinearConstraint,
    Predicate,
    Truth,
    leaves_of,
    location_test,
    opposite,
)
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary
from symdmc.task.task import Task, VariableKind
from symdmc.task.values.intervals import EVERYTHING, Interval
from symdmc.task.values.rows import SupportRows, TooManyRows, plain_support

MOST_VALUES = 1 << 12
"""A condition on a variable with more values is not judged value by value."""
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
NEGATED = {"<": ">=", "!=": "=="}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
Conjunction: TypeAlias = tuple[Claim, ...]
"""Claims without repetition, in order of appearance."""
Cases: TypeAlias = tuple[Conjunction, ...]
"""A disjunction of conjunctions: with none the condition never holds, with an empty one it always holds."""


class Canonical:
    """Makes canonical claims from conditions on the states of one task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.domains = task.analysis.domains
        self._leaves = leaves_of(task)
        self._known: dict[Expr, Truth] = {}

    # ---- single conditions

    def claim(self, expression: Expr) -> Truth:
        """The condition as a claim; a state in which it faults does not satisfy it."""
        if expression not in self._known:
            self._known[expression] = self._found(expression)
        return self._known[expression]

    def free(self, expression: Expr) -> tuple[int, ...]:
        """The variables with more than one value that an expression depends on."""
        return tuple(n for n in sorted(self.task.layout.support(expression)) if self.domains[n].count > 1)

    def is_total(self, expression: Expr, most_rows: int) -> bool:
        """Whether the expression surely faults for none of the analysed values."""
        try:
            return not self._rows(expression, most_rows).value(expression).faults.any()
        except TooManyRows:
            return False

    def _found(self, expression: Expr) -> Truth:
        match expression:
            case Literal(value):
                return value != 0
            case Unary("not", operand) if is_truth(operand) and self._total(operand):
                return opposite(self.claim(operand))
            case Binary("!=", operand, Literal(0)) if is_truth(operand):
                return self.claim(operand)
            case Binary("==", operand, Literal(0)) if is_truth(operand) and self._total(operand):
                return opposite(self.claim(operand))
        free = self.free(expression)
        if not free or (len(free) == 1 and self.domains[free[0]].count <= MOST_VALUES):
            return self._by_values(expression, free)
        try:
            return self.linear(expression)
        except NotLinear:
            return self._opaque(expression, free)

    def _total(self, expression: Expr) -> bool:
        """Whether the expression surely faults nowhere, by a cheap check."""
        return self.is_total(expression, MOST_VALUES)

    def _rows(self, expression: Expr, most: int, *, beside: tuple[int, ...] = ()) -> SupportRows:
        support = plain_support(self.task.layout, expression).union(beside)
        return SupportRows(self.task.layout, self.domains, support, most)

    # ---- value by value

    def mask(self, expression: Expr, variable: int) -> int:
        """The values of its only free variable for which the expression holds: a bit for each, the smallest first."""
        rows = self._rows(expression, MOST_VALUES, beside=(variable,))
        holds = rows.value(expression).holds
        positions = np.searchsorted(self.domains[variable].array, rows.column(variable)[holds])
        return sum(1 << int(position) for position in np.unique(positions))

    def _by_values(self, expression: Expr, free: tuple[int, ...]) -> Truth:
        if not free:
            return bool(self._rows(expression, MOST_VALUES).value(expression).holds.any())
        (variable,) = free
        mask, count = self.mask(expression, variable), self.domains[variable].count
        whole = (1 << count) - 1
        if mask in (0, whole):
            return mask == whole
        signed = sorted(((True, mask), (False, whole ^ mask)), key=lambda each: -each[1])
        for sign, part in signed:
            if part.bit_count() == 1:
                return Claim(self._unary(variable, "==", part.bit_length() - 1), sign)
        if self.task.variables[variable].kind is not VariableKind.LOCATION:
            for sign, part in signed:
                low = (part & -part).bit_length() - 1
                if part == whole ^ ((1 << low) - 1):
                    return Claim(self._unary(variable, ">=", low), sign)
        return self._opaque(expression, free)

    def _unary(self, variable: int, relation: str, position: int) -> Predicate:
        value = int(self.domains[variable].array[position])
        linear = LinearConstraint(((variable, 1),), relation, value)
        leaf = self._leaves[variable]
        if leaf is None:
            return Predicate(location_test(self.task, variable, value), (variable,), linear)
        return Predicate(Binary(relation, leaf, Literal(value)), (variable,), linear)

    # ---- linear constraints

    def linear(self, expression: Expr) -> Truth:
        """The condition as a linear constraint; raises NotLinear."""
        operator, left, right = _comparison(expression)
        form = self._without_constants(difference(self.task.layout, left, right))
        if not all(fits(side, self._bounds_of) for side in (left, right)):
            raise NotLinear("values that 32 bits may not hold")
        terms, bound = form.terms, -form.constant
        match operator:
            case "==":
                return self._settled(terms, "==", bound)
            case "!=":
                return opposite(self._settled(terms, "==", bound))
            case ">=":
                return self._settled(terms, ">=", bound)
            case ">":
                return self._settled(terms, ">=", bound + 1)
            case "<":
                return opposite(self._settled(terms, ">=", bound))
            case _:
                return opposite(self._settled(terms, ">=", bound + 1))

    def _bounds_of(self, leaf: Ref | Cell) -> Interval:
        (number,) = self.task.layout.targets(leaf)
        return self.domains[number].low, self.domains[number].high

    def _without_constants(self, form: LinearForm) -> LinearForm:
        """The form with variables of one value added to the constant."""
        fixed = [(n, c) for n, c in form.terms if self.domains[n].count == 1]
        constant = form.constant + sum(c * self.domains[n].low for n, c in fixed)
        return LinearForm(tuple(term for term in form.terms if term not in fixed), constant)

    def _settled(self, terms: tuple[tuple[int, int], ...], relation: str, bound: int) -> Truth:
        """The constraint divided by the common divisor of its coefficients, with a positive one in front."""
        low, high = range_of(terms, self.domains)
        if bound > high or (relation == "==" and bound < low):
            return False
        if (relation == ">=" and bound <= low) or low == high:
            return True
        divisor = gcd(*(c for _, c in terms))
        if relation == "==" and bound % divisor:
            return False
        terms, bound = tuple((n, c // divisor) for n, c in terms), -(-bound // divisor)
        if terms[0][1] > 0:
            return self._rendered(LinearConstraint(terms, relation, bound))
        turned = tuple((n, -c) for n, c in terms)
        if relation == "==":
            return self._rendered(LinearConstraint(turned, "==", -bound))
        return opposite(self._rendered(LinearConstraint(turned, ">=", 1 - bound)))

    def _rendered(self, linear: LinearConstraint) -> Truth:
        total = self._sum(linear.terms)
        if not fits(total, self._bounds_of) or not fits(Literal(linear.bound), self._bounds_of):
            raise NotLinear("values that 32 bits may not hold")
        expression = Binary(linear.relation, total, Literal(linear.bound))
        support = tuple(n for n, _ in linear.terms)
        if len(support) == 1 and self.domains[support[0]].count <= MOST_VALUES:
            return self.claim(expression)
        return Claim(Predicate(expression, support, linear))

    def _sum(self, terms: Sequence[tuple[int, int]]) -> Expr:
        result: Expr | None = None
        for number, coefficient in terms:
            leaf = self._leaves[number]
            assert leaf is not None
            part = leaf if abs(coefficient) == 1 else Binary("*", Literal(abs(coefficient)), leaf)
            result = part if result is None else Binary("+" if coefficient > 0 else "-", result, part)
        assert result is not None
        return result

    # ---- opaque conditions

    def _opaque(self, expression: Expr, free: tuple[int, ...]) -> Claim:
        if not is_truth(expression):
            expression = Binary("!=", expression, Literal(0))
        operator, left, right = _uniform(expression)
        if operator is not None and operator in NEGATED and self._total(expression):
            return Claim(Predicate(Binary(NEGATED[operator], left, right), free), False)
        return Claim(Predicate(expression if operator is None else Binary(operator, left, right), free))

    # ---- conditions as disjunctions of conjunctions

    def cases(self, expression: Expr, *, holds: bool = True, limit: int) -> Cases:
        """At most `limit` conjunctions of which one holds wherever the condition holds (or is false, without a fault).

        They say no more than the condition. A part that would need more of them becomes one opaque claim.
        """
        match expression:
            case Unary("not", operand):
                return self.cases(operand, holds=not holds, limit=limit)
            case Binary("and" | "or" as operator, left, right):
                sides = ((left, holds), (right, holds))
                return self._joined(expression, holds, sides, both=(operator == "and") == holds, limit=limit)
            case Binary("imply", left, right):
                return self._joined(expression, holds, ((left, not holds), (right, holds)), both=not holds, limit=limit)
            case Binary("!=", operand, Literal(0)) if is_truth(operand):
                return self.cases(operand, holds=holds, limit=limit)
            case Binary("==", operand, Literal(0)) if is_truth(operand):
                return self.cases(operand, holds=not holds, limit=limit)
            case Conditional(condition, then, otherwise):
                chosen = Binary("and", condition, then if holds else Unary("not", then))
                other = Binary("and", Unary("not", condition), otherwise if holds else Unary("not", otherwise))
                return self._joined(expression, holds, ((chosen, True), (other, True)), both=False, limit=limit)
        return _alone(self._signed(expression, holds))

    def _signed(self, expression: Expr, holds: bool) -> Truth:
        truth = self.claim(expression)
        return truth if holds else opposite(truth)

    def _joined(
        self, expression: Expr, holds: bool, sides: Sequence[tuple[Expr, bool]], *, both: bool, limit: int
    ) -> Cases:
        parts = [self.cases(side, holds=truth, limit=limit) for side, truth in sides]
        joined = _product(parts) if both else reduced([case for part in parts for case in part])
        if len(joined) <= limit:
            return joined
        if not both:
            return _alone(self._signed(expression, holds))
        # The side with few cases keeps them.
        wide = max(range(len(parts)), key=lambda place: len(parts[place]))
        parts[wide] = _alone(self._signed(*sides[wide]))
        joined = _product(parts)
        return joined if len(joined) <= limit else _alone(self._signed(expression, holds))


def is_truth(expression: Expr) -> bool:
    """Whether the value of an expression can only be 0 or 1."""
    match expression:
        case At() | Unary("not", _):
            return True
        case Binary(operator, _, _):
            return operator in ("and", "or", "imply", *COMPARISONS)
        case Literal(value):
            return value in (0, 1)
        case Conditional(_, then, otherwise):
            return is_truth(then) and is_truth(otherwise)
        case _:
            return False


def _uniform(expression: Expr) -> tuple[str | None, Expr, Expr]:
    """A comparison by `>=`, `<`, `==` or `!=`, a constant on the right side; the operator is None if it is none."""
    if not isinstance(expression, Binary) or expression.operator not in COMPARISONS:
        return None, expression, expression
    operator, left, right = expression.operator, expression.left, expression.right
    if isinstance(left, Literal):
        operator, left, right = MIRRORED[operator], right, left
    if operator not in (">", "<="):
        return operator, left, right
    if isinstance(right, Literal) and right.value < EVERYTHING[1]:
        return ">=" if operator == ">" else "<", left, Literal(right.value + 1)
    return MIRRORED[operator], right, left


def _comparison(expression: Expr) -> tuple[str, Expr, Expr]:
    match expression:
        case Binary(operator, left, right) if operator in COMPARISONS:
            return operator, left, right
        case Binary("and" | "or" | "imply" as operator, _, _):
            raise NotLinear(f"the operator {operator}")
        case _:
            return "!=", expression, Literal(0)


def _alone(truth: Truth) -> Cases:
    if isinstance(truth, Claim):
        return ((truth,),)
    return ((),) if truth else ()


def _product(parts: Sequence[Cases]) -> Cases:
    joined = (tuple(dict.fromkeys(chain.from_iterable(choice))) for choice in product(*parts))
    return reduced([case for case in joined if not contradictory(case)])


def contradictory(case: Conjunction) -> bool:
    """Whether a conjunction has a claim and its opposite."""
    return any(claim.negated() in case for claim in case if claim.holds)


def reduced(cases: Sequence[Conjunction]) -> Cases:
    """The conjunctions without those that imply another one, in the same order."""
    found: dict[Conjunction, frozenset[Claim]] = {}
    for case in cases:
        claims = frozenset(case)
        if not any(other <= claims for other in found.values()):
            found = {kept: other for kept, other in found.items() if not claims <= other}
            found[case] = claims
    return tuple(found)
