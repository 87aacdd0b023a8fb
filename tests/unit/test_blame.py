"""Which dropped variables decide a condition in a state."""

from __future__ import annotations

import pytest

from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition, ask
from symdmc.model.state import State
from symdmc.selection.refinement.blame import Blame
from symdmc.task import Task, compile_task


def _task() -> tuple[Task, State]:
    """P is at s; x, y, z are 0, 1, 2; a is [5, 0, 7], and another variable lies behind it."""
    m = Builder("blame")
    for value, name in enumerate("xyz"):
        m.integer(name, 0, 9, initial=value)
    m.integer("a", 0, 9, initial=[5, 0, 7], size=3)
    m.integer("behind", 0, 9)
    p = m.process("P", initial="s")
    p.edge("s", "t", do="x = 1, y = 2, z = 3")
    system = m.build()
    task = compile_task(system, ErrorCondition(name="nothing"))
    return task, next(iter(task.semantics.initial_states()))


@pytest.mark.parametrize(
    ("condition", "kept", "decided_by"),
    [
        ("x == 1", "", "x"),
        ("x == 1", "x", ""),
        ("x == 1 and y == 7", "", "x"),  # either suffices; the first of equals
        ("x + y == 7 and z == 7", "", "z"),  # the fewest
        ("x == 1 and y == 7", "y", ""),
        ("x == 0 and y == 1", "", "x y"),  # true: both are needed
        ("x == 0 or y == 7", "", "x"),
        ("x == 1 or y == 7", "", "x y"),
        ("not (x == 0 or y == 1 or z == 7)", "", "x"),
        ("not (x == 1 or y == 7)", "y", "x"),
        ("x == 1 imply y == 1", "x", ""),
        ("x == 0 imply y == 7", "x", "y"),
        ("a[z] == 7", "", "a[2] z"),  # of an array the cell that is named
        ("a[z] == 7", "z", "a[2]"),
        ("a[z + 7] == 7", "", "z"),  # a fault, which z alone decides
        ("a[z + 1] == 7", "", "z"),  # as the first index beyond
        ("P.t", "", "P"),
        ("x == 0 ? y == 7 : z == 7", "x", "y"),
    ],
)
def test_the_fewest_dropped_variables_are_blamed(condition: str, kept: str, decided_by: str) -> None:
    task, state = _task()
    numbers = {variable.name: number for number, variable in enumerate(task.variables)}
    expression = ask(task.system, error=condition).expression
    blame = Blame(task, {numbers[name] for name in kept.split()})
    found = blame.deciding(expression, state)
    assert sorted(task.variables[number].name for number in found) == decided_by.split()
