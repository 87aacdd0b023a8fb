"""32-bit signed C arithmetic: by example, and against the 32-bit integers of numpy."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdmc.model.arithmetic import STRICT_BINARY, UNARY, ArithmeticFault, wrap

LOWEST, HIGHEST = -(2**31), 2**31 - 1
INT32 = st.integers(LOWEST, HIGHEST) | st.sampled_from([LOWEST, LOWEST + 1, -1, 0, 1, HIGHEST - 1, HIGHEST])


@pytest.mark.parametrize(
    ("left", "operator", "right", "value"),
    [
        (7, "/", 2, 3),
        (-7, "/", 2, -3),
        (7, "/", -2, -3),
        (-7, "/", -2, 3),
        (7, "%", 2, 1),
        (-7, "%", 2, -1),
        (7, "%", -2, 1),
        (-7, "%", -2, -1),
        (LOWEST, "/", -1, LOWEST),
        (LOWEST, "%", -1, 0),
        (HIGHEST, "+", 1, LOWEST),
        (LOWEST, "-", 1, HIGHEST),
        (65536, "*", 65536, 0),
        (1, "<<", 31, LOWEST),
        (1, "<<", 32, 1),
        (1, "<<", -1, LOWEST),
        (-8, ">>", 1, -4),
        (-1, ">>", 31, -1),
        (6, "&", 3, 2),
        (6, "^", 3, 5),
        (6, "|", 3, 7),
        (-1, "&", 255, 255),
        (2, "<", 3, 1),
        (3, "<=", 3, 1),
        (2, ">", 3, 0),
        (2, ">=", 3, 0),
        (2, "==", 2, 1),
        (2, "!=", 2, 0),
    ],
)
def test_binary_operators_yield_what_c_does(left: int, operator: str, right: int, value: int) -> None:
    assert STRICT_BINARY[operator](left, right) == value


@pytest.mark.parametrize(
    ("name", "function"),
    [("<", lt), ("<=", le), (">", gt), (">=", ge), ("==", eq), ("!=", ne)],
)
def test_comparisons_are_those_of_integers_for_less_equal_and_more(
    name: str, function: Callable[[int, int], bool]
) -> None:
    for left in (-2, -1, 0, 1, 2):
        for right in (-2, -1, 0, 1, 2):
            assert STRICT_BINARY[name](left, right) == int(function(left, right))


@pytest.mark.parametrize(
    ("operator", "operand", "value"),
    [("-", 5, -5), ("-", LOWEST, LOWEST), ("~", 0, -1), ("~", 5, -6), ("not", 0, 1), ("not", 7, 0), ("not", -1, 0)],
)
def test_unary_operators_yield_what_c_does(operator: str, operand: int, value: int) -> None:
    assert UNARY[operator](operand) == value


@pytest.mark.parametrize("operator", ["/", "%"])
@pytest.mark.parametrize("left", [LOWEST, -1, 0, 1])
def test_division_by_zero_has_no_value(operator: str, left: int) -> None:
    with pytest.raises(ArithmeticFault, match="division by zero"):
        STRICT_BINARY[operator](left, 0)


@given(INT32, INT32)
def test_sums_and_products_agree_with_32_bit_hardware(left: int, right: int) -> None:
    one, other = np.array([left], dtype=np.int32), np.array([right], dtype=np.int32)
    assert STRICT_BINARY["+"](left, right) == int((one + other)[0])
    assert STRICT_BINARY["-"](left, right) == int((one - other)[0])
    assert STRICT_BINARY["*"](left, right) == int((one * other)[0])


@given(INT32, INT32.filter(bool))
def test_division_and_remainder_fit_together(left: int, right: int) -> None:
    quotient, rest = STRICT_BINARY["/"](left, right), STRICT_BINARY["%"](left, right)
    assert wrap(quotient * right + rest) == left
    assert abs(rest) < abs(right)
    assert rest == 0 or (rest < 0) == (left < 0)


@given(INT32, INT32)
def test_every_operator_stays_within_32_bits(left: int, right: int) -> None:
    for name, operator in STRICT_BINARY.items():
        if right != 0 or name not in ("/", "%"):
            assert LOWEST <= operator(left, right) <= HIGHEST
    for unary in UNARY.values():
        assert LOWEST <= unary(left) <= HIGHEST
