"""Derived variables follow the state after a step, however the step is made."""

from __future__ import annotations

import pytest

from symdmc.abstraction.projection import projection
from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.model.system import System
from symdmc.patterndb.build import BuildOptions, build_database, build_layers
from symdmc.reader.load import load
from symdmc.task import Task, compile_task
from symdmc.task.compared_constants import compared_constants
from symdmc.task.definitions import Definition, Holds
from symdmc.task.derived import completed, extended, numbers_of
from symdmc.task.interaction import footprint
from symdmc.task.merged_values import merged_values
from symdmc.task.task import VariableKind
from tests import oracle

NOTHING = ErrorCondition(name="nothing")
COMPLETE = BuildOptions(complete=True)


def _predicates(system: System, *texts: str) -> list[Definition]:
    return [Holds(parse_expression(text, Scope.of(system))) for text in texts]


def _extended(system: System, *texts: str, error: ErrorCondition = NOTHING) -> Task:
    return extended(compile_task(system, error), _predicates(system, *texts))


def _abstract_steps(system: System, *texts: str) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All steps of the exact abstraction between different abstract states that a state is behind."""
    task = _extended(system, *texts)
    plain = len(task.variables) - len(task.definitions)
    relation = ProjectedRelation(Encoding(task, sorted(task.definitions)))
    found = set()
    for state in oracle.explore(system).steps:
        values = completed(task, task.values(state))
        image = relation.diagrams.any_of(
            relation.image(relation.encoding.state(values), part) for part in relation.parts
        )
        found |= {(values[plain:], after) for after in _listed(relation, image, plain)}
    return {(before, after) for before, after in found if before != after}


def _listed(relation: ProjectedRelation, states: Node, plain: int) -> list[tuple[int, ...]]:
    found = []
    while states != relation.diagrams.false:
        values = relation.encoding.pick(states)
        found.append(values[plain:])
        states = relation.diagrams.without(states, relation.encoding.state(values))
    return found


def test_the_extended_task_has_the_derived_variables_behind_its_own() -> None:
    system = load("fischer:n=2")
    plain = compile_task(system, NOTHING)
    task = extended(plain, _predicates(system, "id == 0", "P1.critical and id != 1", "id == 0"))
    *own, first, second = task.variables
    assert tuple(own) == plain.variables
    assert [first.name, second.name] == ["id == 0", "P1.critical and id != 1"]
    assert {first.kind, second.kind} == {VariableKind.DERIVED}
    assert extended(task, _predicates(system, "id == 0")) is task
    assert task.fingerprint == plain.fingerprint
    assert task.analysis.domains[: len(plain.variables)] == plain.analysis.domains


def test_a_transition_writes_what_depends_on_what_it_writes() -> None:
    m = Builder("two")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    m.process("P", initial="a").edge("a", "a", do="x = y")
    task = _extended(m.build(), "x >= 2", "y >= 2", "x < y")
    _, _, _, large_x, large_y, less = range(len(task.variables))
    touched = footprint(task, task.transitions[0])
    assert touched.writes.issuperset({large_x, less})
    assert large_y not in touched.writes
    assert large_y in touched.reads


def test_location_predicates_see_the_locations_after_the_step() -> None:
    m = Builder("places")
    m.integer("x", 0, 1)
    m.process("P", initial="a").edge("a", "b", do="x = P.a")  # 1: updates see the location before the step
    assert _abstract_steps(m.build(), "P.a", "x == 1") == {((1, 0), (0, 1))}
    assert _abstract_steps(m.build(), "P.b and x == 1") == {((0,), (1,))}


def test_a_broadcast_moves_only_those_that_receive() -> None:
    m = Builder("radio")
    m.broadcast("go")
    m.integer("x", 0, 1, initial=[[0, 1]])
    m.process("S", initial="s").edge("s", "t", sync="go!")
    m.process("R", initial="a").edge("a", "b", sync="go?", guard="x == 1")
    assert _abstract_steps(m.build(), "R.b or S.s", "x == 1") == {((1, 0), (0, 0))}
    assert _abstract_steps(m.build(), "S.t and R.a") == {((0,), (1,))}
    assert _abstract_steps(m.build(), "R.b", "x == 1") == {((0, 1), (1, 1))}


def test_passed_values_are_those_before_the_step() -> None:
    m = Builder("swap")
    m.channel("c", values=1)
    m.integer("x", 0, 3, initial=3)
    m.integer("y", 0, 3, initial=0)
    m.process("S", initial="s").edge("s", "t", sync="c!{x}", do="x = 0")
    m.process("R", initial="a").edge("a", "b", sync="c?{y}")
    assert _abstract_steps(m.build(), "S.s", "x > y", "x + y == 3") == {((1, 1, 1), (0, 0, 1))}


def test_commitment_forbids_steps_of_the_abstraction_too() -> None:
    m = Builder("hurry")
    m.integer("x", 0, 1)
    p = m.process("P", initial="a")
    p.location("c", committed=True)
    p.edge("a", "c")
    p.edge("c", "d")
    m.process("Q", initial="q").edge("q", "q", do="x = 1")
    steps = _abstract_steps(m.build(), "P.c", "x == 1")
    assert ((1, 0), (1, 1)) not in steps
    assert ((0, 0), (0, 1)) in steps


def test_a_cell_with_a_computed_index_may_be_any_of_the_array() -> None:
    m = Builder("cells")
    m.integer("a", 0, 2, size=2)
    m.integer("i", 0, 1, initial=[[0, 1]])
    m.process("P", initial="s").edge("s", "t", do="a[i] = 2")
    system = m.build()
    steps = {((1, 0, 0), (0, 1, 0)), ((1, 0, 0), (0, 0, 1))}
    assert _abstract_steps(system, "P.s", "a[0] == 2", "a[1] == 2") == steps
    assert _abstract_steps(system, "a[i] == 2") == {((0,), (1,))}
    assert _abstract_steps(system, "a[1 - i] == 2") == set()


def test_a_byte_wraps_around() -> None:
    m = Builder("byte")
    m.byte("b", initial=250)
    m.process("P", initial="a").edge("a", "a", do="b = b + 4")
    assert _abstract_steps(m.build(), "b >= 250", "b < 4") == {
        ((1, 0), (0, 1)),
        ((0, 1), (0, 0)),
        ((0, 0), (1, 0)),
    }


def test_a_condition_that_faults_does_not_hold() -> None:
    m = Builder("fault")
    m.integer("x", 0, 3)
    m.process("P", initial="a").edge("a", "a", guard="x < 3", do="x = x + 1")
    system = m.build()
    task = _extended(system, "6 / x == 2", "6 / x != 2")
    values = [completed(task, task.values(state))[-2:] for state in oracle.explore(system).steps]
    assert values == [(0, 0), (0, 1), (0, 1), (1, 0)]
    database = build_database(task, sorted(task.definitions), COMPLETE)
    assert all(database.code(task.values(state)) >= 0 for state in oracle.explore(system).steps)


def test_several_initial_states_stay_correlated() -> None:
    m = Builder("starts")
    m.integer("x", 0, 3, initial=[[0, 1, 2, 3]])
    m.process("P", initial="a").edge("a", "b")
    task = _extended(m.build(), "x >= 1", "x >= 2", "x == 3")
    relation = ProjectedRelation(Encoding(task, sorted(task.definitions)))
    plain = len(task.variables) - 3
    assert sorted(_listed(relation, relation.initial(), plain)) == [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]


def test_a_pattern_without_a_variable_of_the_error_condition_is_always_in_error() -> None:
    m = Builder("apart")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="x < 3", do="x = x + 1")
    p.edge("a", "a", guard="y < 3", do="y = y + 1")
    system = m.build()
    error = ErrorCondition(name="y", expression=parse_expression("y == 3", Scope.of(system)))
    task = _extended(system, "x >= 2", "y >= 1", error=error)
    about_x, about_y = numbers_of(task, task.definitions.values())
    assert build_database(task, [about_x]).h_initial == 0
    assert build_database(task, [about_y]).h_initial == 1


def test_leaving_definitions_out_of_large_diagrams_is_coarser_and_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    system = load("fischer:n=2,faulty=true")
    error = ErrorCondition(name="both", expression=system.properties[0].error)
    texts = ("P1.critical and P2.critical", "id == 1", "id == 2", "P1->x >= 2", "P2->x >= 2", "P1.waiting")
    task = _extended(system, *texts, error=error)
    kept = sorted(task.definitions)
    exact = build_layers(task, kept, COMPLETE)
    monkeypatch.setattr(projection, "MOST_LINKED", 0)
    loose = build_layers(task, kept, COMPLETE)
    space = oracle.explore(system)
    distance = space.distances(error)
    for state in space.steps:
        weak, strong = loose.distance(task.values(state)), exact.distance(task.values(state))
        assert strong is None or (weak is not None and weak <= strong)
        assert strong is None or strong <= distance.get(state, strong)


# Merged values


@pytest.fixture
def counter() -> Task:
    m = Builder("counter")
    m.integer("x", 0, 20)
    p = m.process("P", initial="low")
    p.edge("low", "low", guard="x < 10", do="x = x + 1")
    p.edge("low", "high", guard="x + 2 == 12")
    return compile_task(m.build(), NOTHING)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("x=0/1..9/10", "x=0/1..9/10"),
        ("x=10/0..9", "x=0..9/10"),
        ("x=..3/4..", "x=0..3/4..10"),
        ("x=0+2/1+3..", "x=0+2/1+3..10"),
        ("P=low/high", "P=low/high"),
        ("x=0..", "x=0..10"),
        ("x=-5..4/5..100", "x=0..4/5..10"),
    ],
)
def test_classes_are_read_and_written(counter: Task, text: str, read: str) -> None:
    merged = merged_values(counter, text)
    assert merged.text == read
    assert merged_values(counter, read) == merged


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x=0/1..9", "'x' can also be 10, which is in no class"),
        ("x=0..5/5..10", "5 is in two classes"),
        ("x=0/9..1/10", "the range 9..1 is empty"),
        ("x=zero/1..10", "'zero' is no value"),
        ("z=0/1", "there is no variable 'z'"),
        ("P=low/hi", "'P' has no location 'hi'"),
        ("x=", "has no classes"),
    ],
)
def test_wrong_classes_get_one_line(counter: Task, text: str, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint) as caught:
        merged_values(counter, text)
    assert len(str(caught.value).splitlines()) == 1


def test_constants_are_found_where_variables_are_compared(counter: Task) -> None:
    (number,) = counter.layout.first.values()
    assert compared_constants(counter) == {number: frozenset({10})}
