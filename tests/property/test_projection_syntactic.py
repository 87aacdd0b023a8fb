"""The claims of syntactic dropping: it only ever adds steps, more of them than exact projection."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.projection import weakening
from symdmc.abstraction.projection.syntactic import SyntacticRelation
from symdmc.abstraction.projection.weakening import Weakening
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.model.builder import Builder
from symdmc.model.expressions import TRUE, negation
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.patterndb.database import PatternDatabase
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import expressions, systems, systems_with_error


def _pattern(data: st.DataObject, task: Task) -> list[int]:
    return sorted(data.draw(st.sets(st.integers(0, len(task.variables) - 1), min_size=1)))


def _database(task: Task, pattern: list[int], projection: str) -> PatternDatabase:
    return build_database(task, pattern, BuildOptions(complete=True, projection=projection))


@pytest.mark.parametrize("most_choices", [0, 6])
@settings(max_examples=40)
@given(data=st.data(), system=systems(costs=True))
def test_every_step_has_an_abstract_step_or_changes_nothing(
    most_choices: int, data: st.DataObject, system: System
) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    order = variable_order(task, "local", 0, _pattern(data, task)).variables
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weakening, "MOST_CHOICES", most_choices)
        relation = SyntacticRelation(Encoding(task, order))
    _check_steps(task, relation, oracle.explore(system))


def _check_steps(task: Task, relation: SyntacticRelation, space: oracle.StateSpace) -> None:
    """Every step, from the first states at least, has an abstract step of its cost, or changes nothing."""
    encoding, d = relation.encoding, relation.diagrams
    for state, steps in islice(space.steps.items(), 60):
        before = encoding.state(task.values(state))
        for step in steps:
            after = encoding.state(task.values(step.successor))
            same_cost = [part for part in relation.parts if part.cost == step.cost]
            reached = d.any_of(relation.image(before, part) for part in same_cost)
            assert after == before or d.without(after, reached) == d.false


@settings(max_examples=40)
@given(data=st.data(), question=systems_with_error(costs=True))
def test_estimates_are_admissible_and_consistent_and_never_above_those_of_exact_projection(
    data: st.DataObject, question: tuple[System, ErrorCondition]
) -> None:
    system, error = question
    task = compile_task(system, error)
    pattern = _pattern(data, task)
    coarse, exact = (_database(task, pattern, each) for each in ("syntactic", "exact"))
    space = oracle.explore(system)
    distance = space.distances(error)
    estimates = {state: coarse.distance(task.values(state)) for state in space.steps}
    fine = {state: exact.distance(task.values(state)) for state in space.steps}
    event(f"weaker: {estimates != fine}")
    for state, steps in space.steps.items():
        estimate, better = estimates[state], fine[state]
        assert better is None or (estimate is not None and estimate <= better)
        assert estimate is not None or state not in distance
        assert estimate is None or estimate <= distance.get(state, estimate)
        for step in steps:
            after = estimates[step.successor]
            assert after is None or (estimate is not None and estimate <= step.cost + after)


@settings(max_examples=200)
@given(data=st.data(), system=systems())
def test_a_weaker_condition_holds_wherever_the_condition_does(data: st.DataObject, system: System) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    kept = frozenset(_pattern(data, task))
    condition = data.draw(expressions(system, depth=4))
    weak, opposite = (Weakening(task, kept).condition(condition, holds=holds) for holds in (True, False))
    assert task.layout.support(weak) | task.layout.support(opposite) <= kept
    event(f"says something: {weak != TRUE}")
    space = oracle.explore(system)
    for state in islice(space.steps, 40):
        if space.semantics.holds(condition, state):
            assert space.semantics.holds(weak, state)
        elif space.semantics.holds(negation(condition), state):
            assert space.semantics.holds(opposite, state)


def test_exact_projection_sees_more_than_syntactic_dropping() -> None:
    """Of `x + y == 3` nothing is left without y, but x can only be 2 or 3 there, because y is at most 1."""
    m = Builder("sum")
    m.integer("x", 0, 3)
    m.integer("y", 0, 1)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="x < 3", do="x = x + 1")
    p.edge("a", "a", do="y = 1 - y")
    p.edge("a", "b", guard="x + y == 3")
    m.property("there", "P.b")
    system = m.build()
    task = compile_task(system, ErrorCondition(name="there", expression=system.properties[0].error))
    kept = [number for number, variable in enumerate(task.variables) if variable.name != "y"]
    assert _database(task, kept, "syntactic").h_initial == 1
    assert _database(task, kept, "exact").h_initial == 3


def test_a_variable_that_is_set_to_a_dropped_one_gets_any_value() -> None:
    m = Builder("copy")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="y < 3", do="y = y + 1")
    p.edge("a", "b", do="x = y")
    m.property("three", "x == 3")
    system = m.build()
    task = compile_task(system, ErrorCondition(name="three", expression=system.properties[0].error))
    kept = [number for number, variable in enumerate(task.variables) if variable.name != "y"]
    assert _database(task, kept, "syntactic").h_initial == 1


def test_a_reception_that_depends_on_what_is_dropped_may_happen_or_not() -> None:
    for error, distance in (("P.b and x == 0", 1), ("P.b and x == 1", 1), ("P.a and x == 1", None)):
        m = Builder("optional")
        m.integer("x", 0, 1)
        m.integer("y", 0, 1, initial=[[0, 1]])
        m.broadcast("c")
        m.process("P", initial="a").edge("a", "b", sync="c!")
        m.process("Q", initial="a").edge("a", "a", sync="c?", guard="y == 1", do="x = 1")
        m.property("asked", error)
        assert _without("y", m.build()).h_initial == distance


@pytest.mark.parametrize("updates", ["x = y, z = x", "x = y, a[x] = 1, z = a[1]"])
def test_what_is_read_behind_an_update_to_a_dropped_value_has_any_value(updates: str) -> None:
    m = Builder("chain")
    m.integer("x", 0, 1)
    m.integer("y", 0, 1, initial=[[0, 1]])
    m.integer("z", 0, 1)
    m.integer("a", 0, 1, size=2)
    m.process("P", initial="a").edge("a", "b", do=updates)
    m.property("asked", "z == 1")
    assert _without("y", m.build()).h_initial == 1


def _without(name: str, system: System) -> PatternDatabase:
    """The database of the only property that keeps all variables but one."""
    task = compile_task(system, ErrorCondition(name="asked", expression=system.properties[0].error))
    kept = [number for number, variable in enumerate(task.variables) if variable.name != name]
    return _database(task, kept, "syntactic")
