"""The stack of the compiled engine has room for every expression: nothing checks its bounds while it runs."""

from __future__ import annotations

import pytest

from symdmc.kernel.machine.compiler import compile_program
from symdmc.model.builder import Builder
from symdmc.model.expressions import Binary, Cell, Conditional, Expr, Unary
from symdmc.model.question import ErrorCondition
from symdmc.task import compile_task


def _needed(expression: Expr) -> int:
    """How many values wait at the most while the expression is evaluated from left to right."""
    match expression:
        case Binary("and" | "or" | "imply", left, right):
            return max(_needed(left), _needed(right))
        case Binary(_, left, right):
            return max(_needed(left), 1 + _needed(right))
        case Conditional(condition, then, otherwise):
            return max(map(_needed, (condition, then, otherwise)))
        case Unary(_, operand):
            return _needed(operand)
        case Cell(_, index):
            return _needed(index)
    return 1


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x + (x + (x + x))",
        "((x + x) + x) + x",
        "x > 1 and x + (x + x) > 2",
        "1 + (x > 1 and 1 + (x < 3 and 1 + (x + x)))",
        "1 + (x > 1 or 1 + (x < 3 or 1 + (x + x)))",
        "1 + (x > 1 imply 1 + (x < 3 imply 1 + (x + x)))",
        "1 + (x > 1 ? 1 + (x < 3 ? 1 + (x + x) : x) : 1 + (x + (x + x)))",
        "1 + -(1 + -(1 + a[1 + a[x]]))",
    ],
)
def test_there_is_room_for_every_value_that_waits(text: str) -> None:
    m = Builder("m")
    m.integer("x", 0, 3, initial={0, 1, 2, 3})
    m.integer("a", 0, 3, size=4, initial=[0, 1, 2, 3])
    m.process("P", initial="s").edge("s", "t", guard=f"({text}) > 0")
    system = m.build()
    (edge,) = system.processes[0].edges
    needed = _needed(edge.guard)
    size = compile_program(compile_task(system, ErrorCondition(name="nothing"))).stack_size
    assert needed <= size <= needed + 1
