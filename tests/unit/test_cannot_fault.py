"""What is said never to fault does not: every part of an expression is looked at."""

from __future__ import annotations

from itertools import permutations

import pytest

from symdmc.model.builder import Builder
from symdmc.model.expressions import Binary, Cell, Expr, Literal, Ref, Unary
from symdmc.model.question import ErrorCondition
from symdmc.task import compile_task
from symdmc.task.flatten import cannot_fault

X = Ref("x")
SAFE: tuple[Expr, ...] = (Binary("/", X, Literal(2)), Binary("%", X, Literal(-1)), Binary("+", X, X), Unary("-", X))
DIVISIONS: tuple[Expr, ...] = (Binary("/", X, Literal(0)), Binary("%", X, X), Binary("/", Literal(6), X))
UNSAFE: tuple[Expr, ...] = (*DIVISIONS, Cell("a", X), Cell("a", Literal(9)))


def _sum(parts: tuple[Expr, ...]) -> Expr:
    total, *rest = parts
    for part in rest:
        total = Binary("+", total, part)
    return total


def test_safe_parts_together_are_safe() -> None:
    for parts in permutations(SAFE, 3):
        assert cannot_fault(_sum(parts))


@pytest.mark.parametrize("unsafe", UNSAFE, ids=str)
def test_one_part_that_may_fault_is_found_wherever_it_stands(unsafe: Expr) -> None:
    for place in range(4):
        assert not cannot_fault(_sum((*SAFE[:place], unsafe, *SAFE[place:])))
    assert not cannot_fault(Cell("a", unsafe))
    assert not cannot_fault(Binary("/", unsafe, Literal(3)))


def test_a_cell_that_exists_cannot_fault_but_what_stands_beside_it_may() -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    m.integer("a", 0, 3, size=3)
    m.process("P", initial="s")
    layout = compile_task(m.build(), ErrorCondition(name="nothing")).layout
    first, last, beyond = (Cell("a", Literal(index)) for index in (0, 2, 3))
    assert cannot_fault(_sum((first, last)), layout)
    for unsafe in (beyond, Cell("a", Literal(-1)), *DIVISIONS, Cell("a", X)):
        assert not cannot_fault(_sum((first, unsafe)), layout)
        assert not cannot_fault(_sum((unsafe, last)), layout)
        assert not cannot_fault(_sum((first, last, unsafe, first)), layout)
