"""Databases that were built are consistent; those that were changed are not, or still true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_for
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.patterndb.consistency import inconsistency
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.partition import partitioned_databases
from symdmc.patterndb.perimeter import requested_database
from symdmc.task.task import Task
from tests import oracle
from tests.property.test_derived_databases import _derived
from tests.property.test_pattern_database import OPTIONS, _pattern, _task
from tests.strategies import systems

BUILDS = {
    **OPTIONS,
    "syntactic": BuildOptions(complete=True, projection="syntactic"),
    "perimeter": BuildOptions(perimeter=1),
    "complete perimeter": BuildOptions(complete=True, perimeter=2),
}


@settings(max_examples=20, deadline=None)
@given(st.data(), st.sampled_from(sorted(BUILDS)))
def test_every_database_is_consistent_as_it_was_built(data: st.DataObject, build: str) -> None:
    task = _task(data, data.draw(systems(costs=True)))
    pattern = _pattern(data, task)
    assert inconsistency(task, requested_database(task, pattern, BUILDS[build])) is None


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_databases_that_share_costs_are_consistent_with_their_shares(data: st.DataObject) -> None:
    task = _task(data, data.draw(systems(costs=True)))
    for database in partitioned_databases(task, [_pattern(data, task), _pattern(data, task)]):
        assert inconsistency(task, database, shared_costs=True) is None
        assert inconsistency(task, database) is None


@settings(max_examples=80, deadline=None)
@given(st.data(), st.sampled_from(sorted(OPTIONS)))
def test_what_passes_is_true(data: st.DataObject, build: str) -> None:
    """A database with one entry changed is refused, or its estimates of reachable states are admissible."""
    task = _task(data, data.draw(systems(costs=True)))
    database = build_database(task, _pattern(data, task), OPTIONS[build])
    children = database.table.children.copy()
    assume(len(children) > 0)
    place = data.draw(st.integers(0, len(children) - 1))
    code = data.draw(st.sampled_from([0, 1, 2, 3, DEAD_END, OUTSIDE]))
    assume(children[place] < 0 and children[place] != -1 - code)
    children[place] = -1 - code
    changed = replace(database, table=replace(database.table, children=children))
    if inconsistency(task, changed) is None:
        assert_true(task, changed)


def assert_true(task: Task, database: PatternDatabase) -> None:
    space = oracle.explore(task.system)
    distances = space.distances(task.error)
    for state in space.steps:
        code = database.code(task.values(state))
        assert code != OUTSIDE
        assert state not in distances if code == DEAD_END else code <= distances.get(state, np.inf)


@settings(max_examples=20, deadline=None)
@given(data=st.data(), system=systems(costs=True))
def test_databases_of_derived_variables_are_consistent(data: st.DataObject, system: System) -> None:
    plain = _task(data, system)
    richer, kept = _derived(data, plain)
    assert inconsistency(plain, build_database(richer, kept, BuildOptions(complete=True))) is None


def counter() -> Task:
    m = Builder("counter")
    m.integer("x", 0, 3)
    m.process("P", initial="a").edge("a", "a", guard="x < 3", do="x = x + 1")
    return task_for(m.build(), error="x == 3")


def coded(task: Task, codes: Callable[[int], int]) -> PatternDatabase:
    """The database of x with other codes in the place of its estimates."""
    database = build_database(task, [task.layout.first["x"]], BuildOptions(complete=True))
    children = np.array([-1 - codes(-1 - int(entry)) for entry in database.table.children], dtype=np.int32)
    return replace(database, table=replace(database.table, children=children))


@pytest.mark.parametrize("factor", [2, 3, 4])
def test_estimates_that_skip_some_numbers_are_refused(factor: int) -> None:
    task = counter()
    raised = coded(task, lambda code: factor * code)
    assert [raised.distance((0, x)) for x in range(4)] == [3 * factor, 2 * factor, factor, 0]
    told = "a step of cost 1 leads to estimate 0 from a state with an estimate beyond 1"
    assert inconsistency(task, raised) == told
    assert inconsistency(task, coded(task, lambda code: code)) is None


@pytest.mark.parametrize("estimate", [1, 2, 3])
def test_a_dead_end_with_a_step_to_a_state_that_is_none_is_refused(estimate: int) -> None:
    task = counter()
    cut = coded(task, lambda code: DEAD_END if code >= estimate else code)
    told = f"leads to estimate {estimate - 1} from a state with an estimate beyond {estimate}"
    assert inconsistency(task, cut) == f"a step of cost 1 {told}"
