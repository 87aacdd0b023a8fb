"""Bounds of expressions: no value lies outside of them, and where it matters they are the closest there are."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from symdmc.model.arithmetic import STRICT_BINARY, UNARY, ArithmeticFault
from symdmc.model.expressions import BINARY_PRECEDENCE, At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary
from symdmc.task.values.intervals import EVERYTHING, Interval, IntervalProgram, bounds

LOWEST, HIGHEST = -(2**31), 2**31 - 1
NEAR = range(-3, 4)
FAR = (LOWEST, LOWEST + 1, -70000, -1, 0, 1, 31, 32, 70000, HIGHEST - 1, HIGHEST)
PROGRAMS: dict[Expr, IntervalProgram] = {}
"""Each is asked for the bounds of its expression again and again, while those of the variables change."""
LOGIC = {
    "and": lambda left, right: int(left != 0 and right != 0),
    "or": lambda left, right: int(left != 0 or right != 0),
    "imply": lambda left, right: int(left == 0 or right != 0),
}


def _values(operator: str, lefts: list[int], rights: list[int]) -> list[int]:
    function = STRICT_BINARY.get(operator) or LOGIC[operator]
    found = []
    for left, right in product(lefts, rights):
        try:
            found.append(function(left, right))
        except ArithmeticFault:
            continue
    return found


def _bounds(expression: Expr, x: Interval, y: Interval = (0, 0)) -> Interval:
    def bounds_of(leaf: Ref | Cell | At) -> Interval:
        return x if leaf == Ref("x") else y

    found = bounds(expression, bounds_of)
    assert PROGRAMS.setdefault(expression, IntervalProgram(expression)).bounds(bounds_of) == found
    return found


@pytest.mark.parametrize("operator", list(BINARY_PRECEDENCE))
def test_no_value_of_an_operator_lies_outside_of_its_bounds(operator: str) -> None:
    expression = Binary(operator, Ref("x"), Ref("y"))
    for points in (NEAR, FAR):
        intervals = list(combinations_with_replacement(points, 2))
        for x, y in product(intervals, intervals):
            lefts, rights = ([p for p in points if low <= p <= high] for low, high in (x, y))
            low, high = _bounds(expression, x, y)
            assert all(low <= value <= high for value in _values(operator, lefts, rights)), (x, y)


@pytest.mark.parametrize("operator", ["+", "-", "*", "<", "<=", ">", ">="])
def test_small_sums_products_and_comparisons_have_the_closest_bounds(operator: str) -> None:
    intervals = list(combinations_with_replacement(NEAR, 2))
    for x, y in product(intervals, intervals):
        values = _values(operator, list(range(x[0], x[1] + 1)), list(range(y[0], y[1] + 1)))
        assert _bounds(Binary(operator, Ref("x"), Ref("y")), x, y) == (min(values), max(values)), (x, y)


@pytest.mark.parametrize("operator", list(UNARY))
def test_signs_and_negations_have_the_closest_bounds(operator: str) -> None:
    for x in combinations_with_replacement(NEAR, 2):
        values = [UNARY[operator](value) for value in range(x[0], x[1] + 1)]
        assert _bounds(Unary(operator, Ref("x")), x) == (min(values), max(values))


@pytest.mark.parametrize(
    ("operator", "x", "y", "expected"),
    [
        ("&", (-5, 9), (0, 3), (0, 3)),
        ("&", (0, 3), (-5, 9), (0, 3)),
        ("&", (0, 9), (0, 3), (0, 3)),
        ("|", (0, 5), (0, 2), (0, 7)),
        ("^", (0, 5), (0, 8), (0, 15)),
        ("%", (0, 9), (1, 4), (0, 3)),
        ("%", (0, 2), (1, 8), (0, 2)),
        ("%", (-9, 9), (1, 4), (-3, 3)),
        ("/", (-9, 9), (2, 4), (-4, 4)),
        ("==", (0, 3), (4, 5), (0, 0)),
        ("==", (0, 4), (4, 5), (0, 1)),
        ("!=", (4, 5), (0, 3), (1, 1)),
        ("!=", (4, 5), (0, 4), (0, 1)),
        ("+", (1, 1), (HIGHEST, HIGHEST), EVERYTHING),
        ("/", (1, 1), (0, 4), EVERYTHING),
    ],
)
def test_bounds_that_keep_domains_small(operator: str, x: Interval, y: Interval, expected: Interval) -> None:
    assert _bounds(Binary(operator, Ref("x"), Ref("y")), x, y) == expected


def test_a_choice_is_bounded_by_both_of_its_branches() -> None:
    choice = Conditional(Ref("z"), Ref("x"), Ref("y"))
    assert _bounds(choice, (0, 1), (5, 7)) == (0, 7)
    assert _bounds(choice, (5, 7), (0, 1)) == (0, 7)
    assert _bounds(Unary("-", Literal(LOWEST)), (0, 0)) == EVERYTHING
