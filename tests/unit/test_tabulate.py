"""Expressions evaluated in many rows at once, or as functions, have the values and the faults of the semantics."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from symdmc.model.arithmetic import UNARY, ArithmeticFault
from symdmc.model.builder import Builder
from symdmc.model.expressions import BINARY_PRECEDENCE, At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary
from symdmc.model.question import ErrorCondition
from symdmc.task import Task, compile_task
from symdmc.task.closures import closure
from symdmc.task.values.domains import Domain
from symdmc.task.values.rows import SupportRows, plain_support

LOWEST, HIGHEST = -(2**31), 2**31 - 1
VALUES = (LOWEST, -7, -1, 0, 1, 2, 5, 31, 33, 65536, HIGHEST)
X, Y = Ref("x"), Ref("y")
DIVISION = Binary("/", Literal(6), X)
"""Faults where x is 0."""
FORMS: list[Expr] = [
    *(Binary(operator, X, Y) for operator in BINARY_PRECEDENCE),
    *(Unary(operator, X) for operator in UNARY),
    *(Binary(operator, DIVISION, Y) for operator in ("and", "or", "imply", "+")),
    *(Binary(operator, Y, DIVISION) for operator in ("and", "or", "imply", "+")),
    Unary("-", DIVISION),
    Conditional(X, DIVISION, Y),
    Conditional(X, Y, DIVISION),
    Conditional(DIVISION, X, Y),
    Cell("a", X),
    Cell("a", DIVISION),
    Binary("+", Cell("a", X), Cell("a", Y)),
]


@pytest.fixture(scope="module")
def task() -> Task:
    m = Builder("m")
    m.integer("x", LOWEST, HIGHEST)
    m.integer("y", LOWEST, HIGHEST)
    m.integer("a", 0, 9, size=3, initial=[4, 5, 6])
    m.process("P", initial="s").edge("s", "t")
    return compile_task(m.build(), ErrorCondition(name="nothing"))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_row_has_the_value_or_the_fault_of_the_reference_semantics(form: Expr, task: Task) -> None:
    layout, (start,) = task.layout, task.initial_values()
    read = {layout.first["x"], layout.first["y"]}
    listed = Domain.of(np.array(VALUES, dtype=np.int64))
    domains = [listed if number in read else Domain(value, value) for number, value in enumerate(start)]
    rows = SupportRows(layout, domains, read | plain_support(layout, form), 1 << 12)
    column = rows.value(form)
    xs, ys = (rows.column(number).tolist() for number in sorted(read))
    assert sorted(zip(xs, ys, strict=True)) == sorted(product(VALUES, VALUES))
    for x, y, value, fault in zip(xs, ys, column.values.tolist(), column.faults.tolist(), strict=True):
        values = list(start)
        values[layout.first["x"]], values[layout.first["y"]] = x, y
        try:
            expected = task.semantics.evaluate(form, task.state(values))
        except ArithmeticFault:
            assert fault, (x, y)
        else:
            assert (value, fault) == (expected, False), (x, y)


@pytest.mark.parametrize("form", [*FORMS, At("P", "s"), At("P", "t")], ids=str)
def test_a_function_has_the_value_or_the_fault_of_the_reference_semantics(form: Expr, task: Task) -> None:
    (start,), function = task.initial_values(), closure(form, task.layout)
    for x, y in product((*VALUES, 3, -2), VALUES):
        values = list(start)
        values[task.layout.first["x"]], values[task.layout.first["y"]] = x, y
        try:
            expected = task.semantics.evaluate(form, task.state(values))
        except ArithmeticFault:
            with pytest.raises(ArithmeticFault):
                function(tuple(values))
        else:
            assert function(tuple(values)) == expected, (x, y)
