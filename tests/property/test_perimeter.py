"""The claims of perimeter databases: exact inside, admissible and consistent everywhere, dead ends are dead."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_for, task_of
from symdmc.checking.request import Question
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.patterndb.consistency import inconsistency
from symdmc.patterndb.perimeter import build_perimeter, joined_database, requested_database
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import systems_with_error

OPTIONS = {
    "complete": BuildOptions(complete=True),
    "to the initial state": BuildOptions(),
    "inside pairs": BuildOptions(complete=True, forward_work=0),
}


def _pattern(data: st.DataObject, task: Task) -> list[int]:
    return sorted(data.draw(st.sets(st.integers(0, len(task.variables) - 1), min_size=1)))


@pytest.mark.parametrize("way", OPTIONS)
@settings(max_examples=25)
@given(data=st.data(), question=systems_with_error(costs=True), radius=st.integers(0, 4))
def test_estimates_are_admissible_and_consistent_and_exact_inside(
    way: str, data: st.DataObject, question: tuple[System, ErrorCondition], radius: int
) -> None:
    system, error = question
    task = compile_task(system, error)
    database = build_perimeter(task, _pattern(data, task), radius, OPTIONS[way])
    space = oracle.explore(system)
    distance = space.distances(error)
    estimates = {state: database.distance(task.values(state)) for state in space.steps}
    event(f"complete: {database.beyond is None}")
    assert database.radius <= radius
    for state, steps in space.steps.items():
        estimate, exact = estimates[state], distance.get(state)
        assert estimate == exact if exact is not None and exact <= database.radius else True
        assert estimate is None or estimate > database.radius or estimate == exact
        if estimate is None:
            assert exact is None
        elif exact is not None:
            assert estimate <= exact
        for step in steps:
            after = estimates[step.successor]
            assert after is None or (estimate is not None and estimate <= step.cost + after)


@settings(max_examples=25)
@given(data=st.data(), question=systems_with_error(costs=True), radius=st.integers(0, 3))
def test_one_table_answers_as_the_two_do(
    data: st.DataObject, question: tuple[System, ErrorCondition], radius: int
) -> None:
    task = compile_task(*question)
    database = build_perimeter(task, _pattern(data, task), radius)
    joined = joined_database(task, database)
    states = [task.values(state) for state in oracle.explore(task.system).steps]
    for values in states[:80]:
        assert joined.distance(values) == database.distance(values)
    initial = [database.distance(values) for values in task.initial_values()]
    assert joined.h_initial == min((each for each in initial if each is not None), default=None)


@settings(max_examples=25)
@given(data=st.data(), question=systems_with_error(costs=True), radius=st.integers(0, 2))
def test_a_perimeter_never_lowers_an_estimate(
    data: st.DataObject, question: tuple[System, ErrorCondition], radius: int
) -> None:
    task = compile_task(*question)
    pattern, complete = _pattern(data, task), BuildOptions(complete=True)
    plain, database = build_database(task, pattern, complete), build_perimeter(task, pattern, radius, complete)
    for state in oracle.explore(task.system).steps:
        before, after = plain.distance(task.values(state)), database.distance(task.values(state))
        assert after is None or (before is not None and before <= after)


def test_a_perimeter_of_radius_0_is_the_pattern_database_but_for_what_only_looks_like_an_error() -> None:
    """Where pairs of values exclude no error state; else the perimeter begins with fewer of them."""
    m = Builder("counters")
    for name in ("x", "y"):
        m.integer(name, 0, 3)
        process = m.process(f"P{name}", initial="a")
        process.edge("a", "a", guard=f"{name} < 3", do=f"{name} = {name} + 1")
        process.edge("a", "a", do=f"{name} = 0")
    m.property("both", "x == 3 and y == 3")
    system = m.build()
    task = compile_task(system, ErrorCondition(name="both", expression=system.properties[0].error))
    pattern = [number for number, variable in enumerate(task.variables) if variable.name == "x"]
    complete = BuildOptions(complete=True)
    plain, database = build_database(task, pattern, complete), build_perimeter(task, pattern, 0, complete)
    space = oracle.explore(system)
    errors = space.error_states(task.error)
    for state in space.steps:
        expected = plain.distance(task.values(state))
        assert expected == 3 - state.values[0][0]
        assert database.distance(task.values(state)) == (1 if expected == 0 and state not in errors else expected)


def test_a_large_perimeter_is_exact() -> None:
    task = task_of("arbiter_tree:height=2", Question())
    database = build_perimeter(task, [0], 1_000)
    assert database.beyond is None
    assert min(database.distance(values) or 0 for values in task.initial_values()) == 28
    assert joined_database(task, database) is database.perimeter


def test_a_perimeter_improves_the_estimate_of_the_initial_state() -> None:
    task = task_of("arbiter_tree:height=3", Question())
    pattern = list(range(5))
    plain = build_database(task, pattern)
    estimates = [joined_database(task, build_perimeter(task, pattern, radius)).h_initial or 0 for radius in (0, 4, 8)]
    assert (plain.h_initial or 0) <= estimates[0] <= estimates[1] <= estimates[2] <= 36
    assert estimates[0] < estimates[2]


def test_a_perimeter_that_outgrows_its_budget_is_smaller_and_right() -> None:
    task = task_of("arbiter_tree:height=3", Question())
    whole = build_perimeter(task, [0, 1], 20)
    small = build_perimeter(task, [0, 1], 20, BuildOptions(node_limit=5_000))
    assert 0 <= small.radius < whole.radius == 20
    assert not small.perimeter.complete
    for values in task.initial_values():
        near, far = small.distance(values), whole.distance(values)
        assert near is not None
        assert far is not None
        assert near <= far <= 36


def test_what_lies_outside_of_the_abstraction_lies_outside_of_one_table_too() -> None:
    """Steps change two of three bits at a time: an error state that cannot be reached leads to others of its kind."""
    m = Builder("parity")
    for name in "abc":
        m.integer(name, 0, 1)
    process = m.process("P", initial="s")
    for one, other in ("ab", "bc", "ac"):
        process.edge("s", "s", do=f"{one} = 1 - {one}, {other} = 1 - {other}")
    task = task_for(m.build(), error="a + b + c >= 2")
    database = requested_database(task, range(len(task.variables)), BuildOptions(perimeter=0))
    assert inconsistency(task, database) is None


@settings(max_examples=10)
@given(data=st.data(), question=systems_with_error(costs=True), radius=st.none() | st.integers(0, 2))
def test_a_database_has_the_perimeter_that_was_asked_for(
    data: st.DataObject, question: tuple[System, ErrorCondition], radius: int | None
) -> None:
    task = compile_task(*question)
    pattern, options = _pattern(data, task), BuildOptions(complete=True)
    found = requested_database(task, pattern, replace(options, perimeter=radius))
    asked = (
        build_database(task, pattern, options) if radius is None else build_perimeter(task, pattern, radius, options)
    )
    for state in oracle.explore(task.system).steps:
        assert found.distance(task.values(state)) == asked.distance(task.values(state))


def test_a_perimeter_is_part_of_a_database_where_it_was_asked_for() -> None:
    task = task_of("arbiter_tree:height=2", Question())
    plain, exact = (requested_database(task, [0], BuildOptions(perimeter=radius)) for radius in (None, 1_000))
    assert plain.h_initial is not None
    assert plain.h_initial < 28 == exact.h_initial
