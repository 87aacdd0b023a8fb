"""The claims of projection: steps and error states are kept, and nothing is added but what dropping asks for."""

from __future__ import annotations

from itertools import islice, product

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.checking.checks import check_task, task_for
from symdmc.checking.request import check_request
from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.evidence.certify import certify
from symdmc.model.builder import Builder
from symdmc.model.expressions import TRUE, At
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Step
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.task import compile_task
from symdmc.task.task import Task
from symdmc.task.variable_names import pattern_numbers
from tests import oracle
from tests.strategies import systems

MOST_STATES = 3_000
DEADLOCK = ErrorCondition(name="deadlock", deadlock=True)
HERE = ErrorCondition(name="here", deadlock=True, deadlock_where=At("P0", "a"))
FAULT = ErrorCondition(name="fault", fault=True)


def _projected(task: Task, kept: list[int], **settings: int) -> ProjectedRelation:
    order = variable_order(task, "local", 0, kept).variables
    return ProjectedRelation(Encoding(task, order), **settings)  # type: ignore[arg-type]  # names of its arguments


def _drawn_pattern(data: st.DataObject, task: Task) -> list[int]:
    return sorted(data.draw(st.sets(st.integers(0, len(task.variables) - 1), min_size=1)))


def _image(relation: ProjectedRelation, states: Node) -> Node:
    return relation.diagrams.any_of(relation.image(states, part) for part in relation.parts)


@pytest.mark.parametrize("merge_limit", [0, 1_000])
@settings(max_examples=40)
@given(data=st.data(), system=systems(costs=True))
def test_every_step_has_an_abstract_step_or_changes_nothing(
    merge_limit: int, data: st.DataObject, system: System
) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    relation = _projected(task, _drawn_pattern(data, task), merge_limit=merge_limit)
    encoding, d = relation.encoding, relation.diagrams
    for state, steps in islice(oracle.explore(system).steps.items(), 60):
        before = encoding.state(task.values(state))
        for step in steps:
            after = encoding.state(task.values(step.successor))
            same_cost = [part for part in relation.parts if part.cost == step.cost]
            reached = d.any_of(relation.image(before, part) for part in same_cost)
            assert after == before or d.without(after, reached) == d.false


@settings(max_examples=60)
@given(data=st.data(), system=systems())
def test_an_abstract_step_is_the_image_of_some_step(data: st.DataObject, system: System) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    domains = [domain.array.tolist() for domain in task.analysis.domains]
    size = 1
    for domain in domains:
        size *= len(domain)
    assume(size <= MOST_STATES and task.invariant == TRUE)  # invariants of what is not touched are not asked for
    kept = _drawn_pattern(data, task)
    relation = _projected(task, kept)
    d, encoding = relation.diagrams, relation.encoding
    expected: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for values in product(*domains):
        for move in task.semantics.moves(task.state(values)):
            if isinstance(move, Step):
                after = task.values(move.successor)
                expected.setdefault(tuple(values[n] for n in kept), set()).add(tuple(after[n] for n in kept))
    event(f"dropped: {len(domains) - len(kept)}")
    for before, afters in expected.items():
        source = [0] * len(domains)
        for number, value in zip(kept, before, strict=True):
            source[number] = value
        found = _image(relation, encoding.state(source))
        for after in afters - {before}:
            target = [0] * len(domains)
            for number, value in zip(kept, after, strict=True):
                target[number] = value
            assert d.without(encoding.state(target), found) == d.false
            found = d.without(found, encoding.state(target))
        assert d.without(found, encoding.state(source)) == d.false


@pytest.mark.parametrize("error", [DEADLOCK, HERE, FAULT], ids=lambda error: error.name)
@settings(max_examples=40)
@given(data=st.data(), system=systems())
def test_every_error_state_maps_to_an_abstract_error_state(
    error: ErrorCondition, data: st.DataObject, system: System
) -> None:
    task = compile_task(system, error)
    relation = _projected(task, _drawn_pattern(data, task))
    encoding, d = relation.encoding, relation.diagrams
    errors = ErrorStates(relation).within(encoding.valid)
    space = oracle.explore(system)
    error_states = space.error_states(error)
    for state in islice(space.steps, 80):
        if state in error_states:
            assert d.without(encoding.state(task.values(state)), errors) == d.false


@settings(max_examples=30)
@given(system=systems(costs=True))
def test_keeping_all_variables_changes_nothing(system: System) -> None:
    task = compile_task(system, DEADLOCK)
    relation = _projected(task, list(range(len(task.variables))))
    encoding, d = relation.encoding, relation.diagrams
    for state, steps in islice(oracle.explore(system).steps.items(), 60):
        here = encoding.state(task.values(state))
        after = d.any_of(encoding.state(task.values(step.successor)) for step in steps)
        assert _image(relation, here) == after
        assert (ErrorStates(relation).within(here) == here) == (not steps)


@pytest.mark.parametrize("pattern", ["P", "P,x"])
def test_wide_variables_that_are_dropped_lie_between_each_other(pattern: str) -> None:
    m = Builder("wide")
    m.integer("x", 0, 40_000)
    m.integer("y", 0, 40_000)
    q = m.process("Q", initial="a")
    q.edge("a", "a", guard="y < 40000", do="y = y + 1")
    q.edge("a", "a", guard="x + y <= 40000", do="x = x + y")
    m.process("P", initial="s").edge("s", "t", guard="x + y == 39999")
    task = task_for(m.build(), error="P.t")
    database = build_database(task, pattern_numbers(task, pattern))
    assert database.h_initial is not None
    assert database.h_initial >= 1


def test_steps_start_where_the_invariants_hold() -> None:
    m = Builder("waiting")
    m.integer("t", 0, 2)
    p = m.process("P", initial="a")
    p.location("b", invariant="t <= 1")
    p.edge("a", "b", do="t = 0")
    p.edge("b", "c", guard="t >= 2")
    m.process("Time", initial="s").edge("s", "s", do="t = t < 2 ? t + 1 : 2", cost=0)
    task = task_for(m.build(), error="P.c")
    assert build_database(task, [0]).proves_safety
    result = check_task(task, check_request(heuristic="pdb", pattern="P", certify=True))
    assert (result.verdict, result.explored) == (Verdict.SAFE, 0)
    assert result.certificate is not None
    assert certify(task.system, result.certificate)


def test_error_states_are_those_in_which_the_invariants_hold() -> None:
    m = Builder("waiting")
    m.integer("t", 0, 2)
    p = m.process("P", initial="a")
    p.location("c", invariant="t <= 1")
    p.edge("a", "a", guard="t < 2", do="t = t + 1")
    p.edge("a", "c", do="t = 0")
    task = task_for(m.build(), error="P.c")
    database = build_database(task, pattern_numbers(task, "t"), BuildOptions(complete=True))
    assert [database.distance((0, value)) for value in range(3)] == [0, 0, 1]


def test_a_system_whose_initial_state_breaks_an_invariant_has_no_abstract_states() -> None:
    m = Builder("nowhere")
    m.integer("x", 0, 1)
    m.process("P", initial="a").location("a", invariant="0")
    m.process("Q", initial="a").edge("a", "b")
    task = task_for(m.build(), error="Q.b and x == 0")
    assert build_database(task, pattern_numbers(task, "Q")).proves_safety


@pytest.mark.parametrize("deadlock", [True, False])
def test_states_that_break_an_invariant_are_neither_deadlocks_nor_faulty(deadlock: bool) -> None:
    m = Builder("always")
    m.integer("x", 0, 1, initial=1)
    m.process("P", initial="a").location("a", invariant="x == 1")
    q = m.process("Q", initial="a")
    q.edge("a", "b", guard="1 / x == 1", do="x = 0, x = 1")
    q.edge("b", "a")
    task = task_for(m.build(), deadlock=deadlock, fault=not deadlock)
    assert task.analysis.domains[task.layout.first["x"]].count == 2
    assert build_database(task, pattern_numbers(task, "Q")).proves_safety
