"""The claims of pattern databases: admissible, consistent, dead ends are dead; tables say what the layers say."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_for
from symdmc.encode.tables import export
from symdmc.errors import EvidenceRefused, ModelError
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.lookup.tables import DEAD_END, MAX, OUTSIDE, SUM
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.packed.packing import pack_domains
from symdmc.patterndb.build import BuildOptions, build_database, build_layers
from symdmc.patterndb.database import FORWARD, PAIRS, PatternDatabase
from symdmc.patterndb.partition import partitioned_databases
from symdmc.patterndb.store import digest, read_database, write_database
from symdmc.reader.load import load
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import systems

OPTIONS = {
    "complete": BuildOptions(complete=True),
    "to the initial state": BuildOptions(),
    "two layers": BuildOptions(most_layers=1),
    "inside pairs": BuildOptions(complete=True, forward_work=0),
}


def _task(data: st.DataObject, system: System) -> Task:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    asked += [ErrorCondition(name="deadlock", deadlock=True), ErrorCondition(name="fault", fault=True)]
    return compile_task(system, data.draw(st.sampled_from(asked)))


def _pattern(data: st.DataObject, task: Task) -> list[int]:
    return sorted(data.draw(st.sets(st.integers(0, len(task.variables) - 1), min_size=1)))


@pytest.mark.parametrize("way", OPTIONS)
@settings(max_examples=25)
@given(data=st.data(), system=systems(costs=True))
def test_estimates_are_admissible_and_consistent(way: str, data: st.DataObject, system: System) -> None:
    task = _task(data, system)
    database = build_database(task, _pattern(data, task), OPTIONS[way])
    space = oracle.explore(system)
    assume(space.initial)  # else nothing is said of where it would start
    distance = space.distances(task.error)
    estimates = {state: database.distance(task.values(state)) for state in space.steps}
    event(f"dead ends: {any(estimate is None for estimate in estimates.values())}")
    for state, steps in space.steps.items():
        estimate = estimates[state]
        if estimate is None:
            assert state not in distance
        elif state in distance:
            assert estimate <= distance[state]
        for step in steps:
            after = estimates[step.successor]
            assert after is None or (estimate is not None and estimate <= step.cost + after)
    initial = [estimates[state] for state in space.initial]
    least = min((each for each in initial if each is not None), default=None)
    assert database.h_initial == least
    assert database.restriction == (PAIRS if way == "inside pairs" else FORWARD)


@settings(max_examples=20)
@given(data=st.data(), system=systems(costs=True))
def test_a_database_of_all_variables_is_exact(data: st.DataObject, system: System) -> None:
    task = _task(data, system)
    database = build_database(task, range(len(task.variables)), BuildOptions(complete=True))
    space = oracle.explore(system)
    distance = space.distances(task.error)
    for state in space.steps:
        assert database.distance(task.values(state)) == distance.get(state)


@settings(max_examples=20)
@given(data=st.data(), system=systems(costs=True))
def test_a_larger_pattern_never_estimates_less(data: st.DataObject, system: System) -> None:
    task = _task(data, system)
    larger = _pattern(data, task)
    smaller = sorted(data.draw(st.sets(st.sampled_from(larger), min_size=1)))
    complete = BuildOptions(complete=True)
    coarse, fine = (build_database(task, pattern, complete) for pattern in (smaller, larger))
    for state in oracle.explore(system).steps:
        before, after = coarse.distance(task.values(state)), fine.distance(task.values(state))
        assert after is None or (before is not None and before <= after)


@pytest.mark.parametrize("wide", [export.MANY_BITS, 0])
@pytest.mark.parametrize("way", OPTIONS)
@settings(max_examples=15)
@given(data=st.data(), system=systems(costs=True))
def test_tables_answer_as_the_layers_do(way: str, wide: int, data: st.DataObject, system: System) -> None:
    task = _task(data, system)
    pattern = _pattern(data, task)
    built = build_layers(task, pattern, OPTIONS[way])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "MANY_BITS", wide)
        database = build_database(task, pattern, OPTIONS[way])
    packing = pack_domains(task.analysis.domains)
    states = [task.values(state) for state in oracle.explore(system).steps][:60]
    packed = np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)
    codes = database.codes(packed, packing)
    for values, code in zip(states, codes, strict=True):
        told = built.distance(values)
        assert code == (DEAD_END if told is None else told)


@settings(max_examples=15)
@given(data=st.data(), system=systems(costs=True))
def test_the_states_of_all_codes_are_all_abstract_states(data: st.DataObject, system: System) -> None:
    task = _task(data, system)
    built = build_layers(task, _pattern(data, task), BuildOptions(complete=True))
    database = build_database(task, sorted(built.encoding.kept), BuildOptions(complete=True))
    counts = database.states_by_code()
    for layer in built.layers:
        assert counts[layer.depth] == built.encoding.count(built.rings[layer.depth])
    inside = sum(count for code, count in counts.items() if code != OUTSIDE)
    assert inside == built.encoding.count(built.restriction)
    assert inside + counts.get(OUTSIDE, 0) == built.encoding.count(built.encoding.valid)


@pytest.mark.parametrize("way", OPTIONS)
@settings(max_examples=20)
@given(data=st.data(), system=systems(costs=True))
def test_the_sum_of_partitioned_databases_is_admissible_and_consistent(
    way: str, data: st.DataObject, system: System
) -> None:
    task = _task(data, system)
    patterns = [_pattern(data, task) for _ in range(data.draw(st.integers(2, 3)))]
    databases = partitioned_databases(task, patterns, OPTIONS[way])
    heuristic = database_heuristic(task, databases, SUM)
    space = oracle.explore(system)
    distance = space.distances(task.error)
    estimates = {state: heuristic.estimate(task.values(state)) for state in space.steps}
    alone = build_database(task, patterns[0], OPTIONS[way])
    for state, steps in space.steps.items():
        estimate, first = estimates[state], alone.distance(task.values(state))
        if estimate is None:
            assert state not in distance
            continue
        assert first is not None
        assert first <= estimate
        assert estimate <= distance.get(state, estimate)
        for step in steps:
            after = estimates[step.successor]
            assert after is None or estimate <= step.cost + after


def _counting(error: str) -> Task:
    """x counts to 3, each time by an edge of its own."""
    m = Builder("counter")
    m.integer("x", 0, 9)
    process = m.process("P", initial="a")
    for value in range(3):
        process.edge("a", "a", guard=f"x == {value}", do=f"x = {value + 1}")
    return task_for(m.build(), error=error)


@pytest.mark.parametrize("most_layers", range(4))
def test_a_partial_database_takes_the_costs_of_steps_into_its_last_layer(most_layers: int) -> None:
    task = _counting("x == 3")
    pattern = [task.layout.first["x"]]
    first, second = partitioned_databases(task, [pattern, pattern], BuildOptions(most_layers=most_layers))
    assert first.costs == tuple(int(value >= 2 - most_layers) for value in range(3))
    for x in range(4):
        assert (first.distance((0, x)) or 0) + (second.distance((0, x)) or 0) <= 3 - x


@pytest.mark.parametrize("most_layers", range(4))
def test_only_a_database_of_which_all_initial_states_are_dead_ends_proves_safety(most_layers: int) -> None:
    options = BuildOptions(most_layers=most_layers)
    for error, least in (("x == 3", min(3, most_layers + 1)), ("x == 0", 0), ("x > 3", None)):
        task = _counting(error)
        database = build_database(task, [task.layout.first["x"]], options)
        assert (database.h_initial, database.proves_safety) == (least, least is None)


def test_a_state_with_one_value_that_cannot_occur_lies_outside() -> None:
    task = _counting("x == 3")
    database = build_database(task, range(len(task.variables)), BuildOptions(complete=True))
    assert [database.code((0, x)) for x in (3, 2, 4, 9)] == [0, 1, OUTSIDE, OUTSIDE]


def test_a_sum_that_counts_a_step_twice_is_refused(tree: Task) -> None:
    databases = [build_database(tree, pattern) for pattern in ([0, 1], [1, 2])]
    with pytest.raises(ModelError, match=r"the sum would count .* 2 times, but it costs 1; partition the costs"):
        database_heuristic(tree, databases, SUM)
    assert database_heuristic(tree, databases).combination == MAX


# Files


@pytest.fixture
def tree() -> Task:
    system = load("arbiter_tree:height=2")
    return compile_task(system, ErrorCondition(name="both", expression=system.properties[0].error))


@pytest.fixture
def database(tree: Task) -> PatternDatabase:
    return build_database(tree, range(4), BuildOptions(complete=True))


def test_a_database_is_read_as_it_was_written(tree: Task, database: PatternDatabase, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_database(path, database)
    read = read_database(path, tree)
    write_database(tmp_path / "b.json", read)
    assert path.read_bytes() == (tmp_path / "b.json").read_bytes()
    for state in oracle.explore(tree.system).steps:
        assert read.distance(tree.values(state)) == database.distance(tree.values(state))


def test_a_database_of_another_question_is_refused(tree: Task, database: PatternDatabase, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_database(path, database)
    other = compile_task(tree.system, ErrorCondition(name="deadlock", deadlock=True))
    with pytest.raises(ModelError, match="belongs to another model or error condition; build it again"):
        read_database(path, other)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"schema": "symdmc-database/3"', '"schema": "symdmc-database/2"', 'has the format "symdmc-database/2", not'),
        ('"schema": "symdmc-database/3"', '"schema": [0]', "has the format a list, not"),
        ('"schema"', '"schemes"', "is no pattern database"),
        ('"root": ', '"root": 99999', "is damaged"),
        ('"root": ', '"root": 99999999999', r"lies outside -2147483648\.\.2147483647"),
        ('"h_initial": ', '"h_initial": 9', "is damaged"),
        ('"layers": [', '"layers": [{"depth": 1, "nodes": 1, "seconds": 0},', "is damaged"),
        ('"seconds": ', '"seconds": -', "a number of seconds is expected"),
        ('"low": {\n  "0"', '"low": {\n  "00"', "is under a key that is no variable"),
        ('"low": {\n  "0"', '"low": {\n  "17"', "is damaged"),
        ('"values": {\n  "0": "', '"values": {\n  "0": "AQAAAAAAAAA', "is no array of integers in base64"),
        ('"complete": true', '"complete": 1', "stands where true or false is expected"),
        ('"restriction": "forward"', '"restriction": "none"', "is no restriction"),
        ('"children": "', '"children": "?', "is no array of integers in base64"),
        ('"low": {', '"lower": {', "key 'low' is missing"),
    ],
)
def test_a_damaged_file_gets_one_line(
    tree: Task, database: PatternDatabase, tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    """Even where its digest is that of what it now says."""
    path = tmp_path / "a.json"
    write_database(path, database)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"sha256": digest(document)}))
    with pytest.raises(ModelError, match=complaint):
        read_database(path, tree)


def test_every_single_character_counts(tree: Task, database: PatternDatabase, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_database(path, database)
    text = path.read_text()
    chance = random.Random(1)
    for place in [*chance.sample(range(len(text)), 300), *(text.index('"children"') + 20 + k for k in range(100))]:
        if not (text[place].isalnum() or text[place] == "/"):
            continue
        other = "1" if text[place] != "1" else "2"
        path.write_text(text[:place] + other + text[place + 1 :])
        with pytest.raises((ModelError, EvidenceRefused)):
            read_database(path, tree)


def test_known_distances_of_the_arbiter_tree() -> None:
    system = load("arbiter_tree:height=3")
    task = compile_task(system, ErrorCondition(name="both", expression=system.properties[0].error))
    names = {"Root", "Node1", "Node2", "Node3", "Node4", "Node5", "Node6", "Node7"}
    names |= {"Client0", "Client1", "Client6", "Client7"}
    pattern = [number for number, variable in enumerate(task.variables) if variable.name in names]
    assert build_database(task, pattern).h_initial == 36
    correct = load("arbiter_tree:height=3,faulty=false")
    task = compile_task(correct, ErrorCondition(name="both", expression=correct.properties[0].error))
    assert build_database(task, pattern).proves_safety


@pytest.mark.parametrize("most", [0, 1, 3, 5, 9])
def test_a_partial_database_has_as_many_layers_as_asked_for(most: int) -> None:
    m = Builder("counting")
    m.integer("x", 0, 5)
    m.process("P", initial="a").edge("a", "a", guard="x < 5", do="x = x + 1")
    task = task_for(m.build(), error="x == 5")
    database = build_database(task, [task.layout.first["x"]], BuildOptions(complete=True, most_layers=most))
    assert len(database.layers) == min(most, 5) + 1
    assert [database.distance((0, x)) for x in range(6)] == [min(5 - x, most + 1) for x in range(6)]
