"""A derived variable has the values that its definition gives, and no others."""

from __future__ import annotations

from symdmc.model.builder import Builder
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.task import compile_task
from symdmc.task.definitions import Holds, Merged
from symdmc.task.derived import completed, extended
from symdmc.task.task import VariableKind


def test_the_domain_of_a_derived_variable_is_what_it_can_be_and_is_kept_beside_the_others() -> None:
    m = Builder("m")
    m.integer("x", 0, 9, initial=set(range(10)))
    m.process("P", initial="s").edge("s", "s", do="x = 9 - x")
    system = m.build()
    task = compile_task(system, ErrorCondition(name="nothing"))
    x = task.layout.first["x"]
    even = Holds(parse_expression("x % 2 == 0", Scope.of(system)))
    thirds = Merged(x, (((0, 2), (9, 9)), ((3, 5),), ((6, 8),)), "x=0..2,9/3..5/6..8")
    derived = extended(task, [even, thirds, even])
    first = len(task.variables)
    assert derived.definitions == {first: even, first + 1: thirds}
    assert [(each.kind, each.type.low, each.type.high) for each in derived.variables[first:]] == [
        (VariableKind.DERIVED, 0, 1),
        (VariableKind.DERIVED, 0, 2),
    ]
    assert [domain.array.tolist() for domain in derived.analysis.domains[first:]] == [[0, 1], [0, 1, 2]]
    assert derived.analysis.domains[:first] == task.analysis.domains
    assert extended(derived, [thirds]) is derived
    for values in task.initial_values():
        value = values[x]
        assert completed(derived, values)[first:] == (int(value % 2 == 0), 0 if value in (0, 1, 2, 9) else value // 3)
