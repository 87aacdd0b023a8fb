"""A table written as a diagram of a certificate has the states to which the table gives the code, and no others."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from symdmc.evidence.certificate import Diagram
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.model.builder import Builder
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.model.state import State
from symdmc.search.certificates.certificate import table_diagram
from symdmc.task import Task, compile_task
from symdmc.task.definitions import Holds, Merged
from symdmc.task.derived import completed, extended
from tests.look_up_tables import table_of


def _extended() -> Task:
    m = Builder("m")
    m.integer("x", 0, 5, initial=set(range(6)))
    m.integer("y", 0, 3, initial=set(range(4)))
    m.process("P", initial=["s", "t"]).edge("s", "t")
    system = m.build()
    task = compile_task(system, ErrorCondition(name="nothing"))
    holds = [Holds(parse_expression(text, Scope.of(system))) for text in ("x < y", "(x + y) % 2 == 0")]
    x = task.layout.first["x"]
    return extended(task, [*holds, Merged(x, (((0, 1), (5, 5)), ((2, 3),), ((4, 4),)), "x=0..1,5/2..3/4")])


def _holds(task: Task, diagram: Diagram, state: State) -> bool:
    reference = diagram.root
    while reference > 1:
        atom, low, high = diagram.nodes[reference - 2]
        reference = high if task.semantics.holds(diagram.atoms[atom], state) else low
    return reference == 1


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("code", [DEAD_END, 2, 7])
def test_a_table_and_its_diagram_agree_on_every_state(seed: int, code: int) -> None:
    task, choose = _extended(), random.Random(seed)
    pattern = tuple(choose.sample(range(len(task.variables)), choose.randint(1, 4)))
    states = [completed(task, values) for values in task.initial_values()]
    rows = sorted({tuple(values[number] for number in pattern) for values in states})
    codes = {row: choose.choice((2, 2, DEAD_END)) for row in rows if choose.random() < 0.9}
    made = table_of(codes, pattern, task.analysis.domains) if codes else None
    if made is None:
        return
    definitions = {number: task.definitions[number] for number in pattern if number in task.definitions}
    diagram = table_diagram(task, replace(made, definitions=definitions), code)
    for values in states:
        told = codes.get(tuple(values[number] for number in pattern), OUTSIDE)
        assert _holds(task, diagram, task.state(values)) == (told == code)
