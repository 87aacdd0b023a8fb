"""The claims of databases of predicates: they say what their abstraction says, and combinations keep their promises."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.cartesian.cartesian import CartesianLimits, cartesian_abstraction
from symdmc.abstraction.predicates.pattern import predicate_pattern
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.heuristics.estimates.databases import database_heuristic, plain_sum
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.patterndb.cartesian import cartesian_database
from symdmc.patterndb.predicates import KINDS, PredicateOptions, predicate_databases
from symdmc.selection.pred_syntax import SyntaxPredicates
from symdmc.selection.predicates.split import network_parts
from symdmc.task import compile_task
from symdmc.task.definitions import Holds
from symdmc.task.derived import completed, extended, numbers_of
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import systems_with_error
from tests.timed_strategies import timed_systems

Asked = tuple[System, ErrorCondition]
FEW = CartesianLimits(cubes=300)
ASKED = st.one_of(systems_with_error(costs=True), timed_systems())
COMPLETE = BuildOptions(complete=True)


def _some(data: st.DataObject, task: Task) -> list[Predicate]:
    """Some of the predicates of the syntax, at least one."""
    found = [each.predicate for each in predicates_of_syntax(task)]
    return data.draw(st.lists(st.sampled_from(found), min_size=1, unique=True)) if found else []


def _less(one: int | None, other: int | None) -> bool:
    """Whether an estimate is at most as large; a dead end is larger than any number."""
    return other is None or (one is not None and one <= other)


@settings(max_examples=80)
@given(data=st.data(), asked=ASKED, cubes=st.sampled_from([5, 300]))
def test_a_cartesian_database_says_what_the_set_trie_says(data: st.DataObject, asked: Asked, cubes: int) -> None:
    task = compile_task(*asked)
    abstraction = cartesian_abstraction(task, _some(data, task), limits=CartesianLimits(cubes=cubes))
    database = cartesian_database(task, abstraction)
    estimates = {state: abstraction.estimate(task, state) for state in oracle.explore(task.system).steps}
    event("complete" if abstraction.complete else "partial")
    assert all(database.distance(state) == estimate for state, estimate in estimates.items())
    initial = [abstraction.estimate(task, task.state(values)) for values in task.initial_values()]
    assert database.h_initial == min((each for each in initial if each is not None), default=None)


@settings(max_examples=60)
@given(data=st.data(), asked=ASKED)
def test_cartesian_is_at_most_exact_and_exact_at_most_the_distance(data: st.DataObject, asked: Asked) -> None:
    task = compile_task(*asked)
    predicates = _some(data, task)
    cartesian = cartesian_abstraction(task, predicates, limits=FEW)
    (exact,) = predicate_databases(task, [predicates], PredicateOptions(kind="exact", build=COMPLETE))
    space = oracle.explore(task.system)
    distances = space.distances(task.error)
    for state in space.steps:
        distance = exact.distance(state)
        assert _less(cartesian.estimate(task, state), distance)
        assert _less(distance, distances.get(state))


@settings(max_examples=60)
@given(data=st.data(), asked=ASKED)
def test_predicates_joined_into_variables_are_the_same_abstraction_as_one_bit_each(
    data: st.DataObject, asked: Asked
) -> None:
    task = compile_task(*asked)
    predicates = _some(data, task)
    joined = predicate_pattern(task, predicates)
    bits = [Holds(each.expression) for each in predicates]
    apart = extended(task, bits)
    one = build_database(joined.task, joined.pattern, COMPLETE)
    other = build_database(apart, numbers_of(apart, bits), COMPLETE)
    event(f"{len(bits) - len(joined.pattern)} fewer variables")
    for state in oracle.explore(task.system).steps:
        assert one.distance(state) == other.distance(state)
        values = completed(joined.task, task.values(state))
        truths = [values[each.variable] in each.values for each in joined.tests]
        assert truths == [task.semantics.holds(each.expression, state) for each in predicates]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(asked=ASKED, most=st.sampled_from([1, 2, None]), complete=st.booleans())
def test_partitioned_sums_are_admissible_and_consistent(
    kind: str, asked: Asked, most: int | None, complete: bool
) -> None:
    task = compile_task(*asked)
    parts = SyntaxPredicates(b="all" if most is None else str(most)).select(task).predicates
    options = PredicateOptions(kind=kind, limits=FEW, build=BuildOptions(complete=complete))
    databases = predicate_databases(task, parts, options, partition=True)
    made = database_heuristic(task, databases, "sum")
    event(f"{len(databases)} parts")
    space = oracle.explore(task.system)
    distances = space.distances(task.error)
    estimates = {state: made.estimate(task.values(state)) for state in space.steps}
    for state, steps in space.steps.items():
        assert _less(estimates[state], distances.get(state))
        for step in steps:
            after = estimates[step.successor]
            assert after is None or _less(estimates[state], step.cost + after)


@settings(max_examples=40)
@given(asked=ASKED)
def test_the_plain_sum_is_labelled_and_its_dead_ends_are_dead(asked: Asked) -> None:
    task = compile_task(*asked)
    databases = predicate_databases(
        task, SyntaxPredicates(b="1").select(task).predicates, PredicateOptions(build=COMPLETE)
    )
    made = plain_sum(databases)
    assert made.admissible == made.consistent == (len(databases) <= 1)
    space = oracle.explore(task.system)
    distances = space.distances(task.error)
    for state in space.steps:
        estimate = made.estimate(task.values(state))
        assert estimate is not None or state not in distances
        assert estimate is None or estimate == sum(database.distance(state) or 0 for database in databases)


@settings(max_examples=40)
@given(asked=ASKED, most=st.integers(1, 4))
def test_parts_have_few_processes_and_cover_the_error_condition(asked: Asked, most: int) -> None:
    task = compile_task(*asked)
    parts = network_parts(task, most)
    names = [name for part in parts for name in part.processes]
    event(f"{len(parts)} parts")
    assert all(1 <= len(part.processes) <= most for part in parts)
    assert len(names) == len(set(names))
    kept = {
        predicate
        for part in SyntaxPredicates(b="all" if most is None else str(most)).select(task).predicates
        for predicate in part
    }
    found = predicates_of_syntax(task)
    assert all(each.predicate in kept for each in found if any(source.kind == "error" for source in each.sources))
