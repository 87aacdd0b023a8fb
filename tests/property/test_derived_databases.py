"""The claims of databases with derived variables: tables, files, sums, state sets and certificates say the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_for
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.tables.table_import import state_sets
from symdmc.errors import ModelError
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.lookup.tables import DEAD_END, DERIVED, OUTSIDE, SUM
from symdmc.model.builder import Builder
from symdmc.model.expressions import Binary, Literal, Ref
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.packed.packing import pack_domains
from symdmc.patterndb.build import BuildOptions, build_database, build_layers
from symdmc.patterndb.partition import partitioned_databases
from symdmc.patterndb.perimeter import build_perimeter, joined_database
from symdmc.patterndb.store import read_database, write_database
from symdmc.search.certificates.certificate import table_diagram
from symdmc.task import compile_task
from symdmc.task.definitions import Holds
from symdmc.task.derived import extended, numbers_of
from symdmc.task.task import Task
from tests import oracle
from tests.certificates import satisfies
from tests.derived_strategies import draw_definitions
from tests.strategies import systems

COMPLETE = BuildOptions(complete=True)


def _task(data: st.DataObject, system: System) -> Task:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    return compile_task(system, data.draw(st.sampled_from([*asked, ErrorCondition(name="deadlock", deadlock=True)])))


def _derived(data: st.DataObject, task: Task) -> tuple[Task, list[int]]:
    chosen = draw_definitions(data.draw, task)
    richer = extended(task, chosen)
    plain = data.draw(st.sets(st.integers(0, len(task.variables) - 1), max_size=1))
    return richer, sorted({*numbers_of(richer, chosen), *plain})


@pytest.mark.parametrize("options", [COMPLETE, BuildOptions(), BuildOptions(complete=True, forward_work=0)])
@settings(max_examples=30)
@given(data=st.data(), system=systems(costs=True))
def test_tables_answer_as_the_layers_do(options: BuildOptions, data: st.DataObject, system: System) -> None:
    plain = _task(data, system)
    task, kept = _derived(data, plain)
    built = build_layers(task, kept, options)
    database = build_database(task, kept, options)
    event(f"sums or nested diagrams: {database.table.kind == DERIVED}")
    packing = pack_domains(plain.analysis.domains)
    states = [plain.values(state) for state in oracle.explore(system).steps][:60]
    packed = np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)
    for values, code in zip(states, database.codes(packed, packing), strict=True):
        told = built.distance(values)
        assert code == database.code(values) == (DEAD_END if told is None else told)


@settings(max_examples=30)
@given(data=st.data(), system=systems(costs=True))
def test_a_database_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, system: System
) -> None:
    plain = _task(data, system)
    task, kept = _derived(data, plain)
    database = build_database(task, kept, COMPLETE)
    folder: Path = tmp_path_factory.mktemp("databases")
    write_database(folder / "a.json", database)
    read = read_database(folder / "a.json", plain)
    write_database(folder / "b.json", read)
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes()
    for state in oracle.explore(system).steps:
        assert read.code(plain.values(state)) == database.code(state)


def test_whether_a_variable_is_not_zero_is_told_apart_from_the_variable(tmp_path: Path) -> None:
    m = Builder("counter")
    m.integer("x", 0, 2)
    m.process("P", initial="a").edge("a", "a", guard="x < 2", do="x = x + 1")
    plain = task_for(m.build(), error="x == 2")
    task = extended(plain, [Holds(Ref("x"))])
    write_database(tmp_path / "x.json", build_database(task, range(1, 3), COMPLETE))
    read = read_database(tmp_path / "x.json", plain)
    assert set(read.pattern) == {"x", "x != 0"}
    assert [read.distance((0, x)) for x in range(3)] == [2, 1, 0]


@settings(max_examples=30)
@given(data=st.data(), system=systems(costs=True))
def test_state_sets_and_certificates_have_the_states_of_the_table(data: st.DataObject, system: System) -> None:
    plain = _task(data, system)
    task, kept = _derived(data, plain)
    table = build_database(task, kept, COMPLETE).table
    encoding = Encoding(plain, variable_order(plain).variables)
    sets, d = state_sets(encoding, table), encoding.diagrams
    dead = table_diagram(plain, table, DEAD_END)
    for state in list(oracle.explore(system).steps)[:60]:
        values = plain.values(state)
        code = table.code_of(values)
        assert code != OUTSIDE
        assert d.both(encoding.state(values), sets.get(code, d.false)) != d.false
        assert satisfies(plain.semantics, dead, state) == (code == DEAD_END)


@settings(max_examples=25)
@given(data=st.data(), system=systems(costs=True))
def test_the_sum_of_partitioned_databases_is_admissible_and_consistent(data: st.DataObject, system: System) -> None:
    plain = _task(data, system)
    chosen = draw_definitions(data.draw, plain)
    task = extended(plain, chosen)
    everything = [*range(len(plain.variables)), *numbers_of(task, chosen)]
    patterns = [sorted(data.draw(st.sets(st.sampled_from(everything), min_size=1, max_size=4))) for _ in range(2)]
    databases = partitioned_databases(task, patterns, COMPLETE)
    heuristic = database_heuristic(plain, databases, SUM)
    space = oracle.explore(system)
    distance = space.distances(plain.error)
    estimates = {state: heuristic.estimate(plain.values(state)) for state in space.steps}
    for state, steps in space.steps.items():
        estimate = estimates[state]
        if estimate is None:
            assert state not in distance
            continue
        assert estimate <= distance.get(state, estimate)
        for step in steps:
            after = estimates[step.successor]
            assert after is None or estimate <= step.cost + after


def test_a_sum_that_counts_a_step_twice_by_what_definitions_read_is_refused() -> None:
    m = Builder("counter")
    m.integer("x", 0, 3)
    m.process("P", initial="a").edge("a", "a", guard="x < 3", do="x = x + 1")
    plain = task_for(m.build(), error="x == 3")
    chosen = [Holds(Binary(">=", Ref("x"), Literal(least))) for least in (2, 3)]
    task = extended(plain, chosen)
    databases = [build_database(task, numbers_of(task, [each]), COMPLETE) for each in chosen]
    with pytest.raises(ModelError, match="2 times, but it costs 1; partition the costs"):
        database_heuristic(plain, databases, SUM)


@settings(max_examples=25)
@given(data=st.data(), system=systems(costs=True), radius=st.integers(0, 2))
def test_a_perimeter_is_exact_inside_and_admissible_beyond(data: st.DataObject, system: System, radius: int) -> None:
    plain = _task(data, system)
    task, kept = _derived(data, plain)
    assume(task is not plain)
    perimeter = build_perimeter(task, kept, radius)
    database = joined_database(task, perimeter)
    space = oracle.explore(system)
    distance = space.distances(plain.error)
    for state, steps in space.steps.items():
        estimate = database.distance(plain.values(state))
        assert estimate == perimeter.distance(plain.values(state))
        if estimate is None:
            assert state not in distance
            continue
        assert estimate <= distance.get(state, estimate)
        assert state not in distance or distance[state] > radius or estimate == distance[state]
        for step in steps:
            after = database.distance(plain.values(step.successor))
            assert after is None or estimate <= step.cost + after
