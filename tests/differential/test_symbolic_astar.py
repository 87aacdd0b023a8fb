"""Symbolic A* finds the shortest traces of the oracle, whatever the patterns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_of
from symdmc.checking.request import Question
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.tables.table_import import state_sets
from symdmc.errors import InternalError
from symdmc.evidence.certify import certify
from symdmc.evidence.replay import replay
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Progress, SearchResult, Stop, Verdict
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.running.run import Limits, Run
from symdmc.search.symbolic.astar import search
from symdmc.search.symbolic.estimate_sets import EstimateSets
from symdmc.search.symbolic.options import SymbolicOptions
from symdmc.task import compile_task
from symdmc.task.derived import extended, numbers_of
from symdmc.task.interaction import error_variables
from symdmc.task.task import Task
from tests import oracle
from tests.derived_strategies import draw_definitions
from tests.strategies import random_system, systems, systems_with_error

BUILDS = {
    "complete": BuildOptions(complete=True),
    "to the initial state": BuildOptions(),
    "two layers": BuildOptions(most_layers=1),
    "inside pairs": BuildOptions(complete=True, forward_work=0),
}
BOTH = ("Root", "Node1", "Client0", "Client3")


def _patterns(data: st.DataObject, task: Task, least: int = 0) -> list[list[int]]:
    numbers = st.sets(st.integers(0, len(task.variables) - 1), min_size=1)
    return [sorted(each) for each in data.draw(st.lists(numbers, min_size=least, max_size=3))]


def _named(task: Task, *names: str) -> list[int]:
    return [number for number, variable in enumerate(task.variables) if variable.name in names]


def _agrees(result: SearchResult, system: System, error: ErrorCondition) -> None:
    expected = oracle.explore(system).shortest(error)
    assert result.length == expected
    assert result.verdict is (Verdict.SAFE if expected is None else Verdict.ERROR)
    assert result.lower_bound == expected
    if result.trace is not None:
        replay(system, result.trace, error)
        assert result.shortest
        assert isinstance(result.h_initial, int)
        assert result.h_initial <= result.trace.length


@pytest.mark.parametrize("way", BUILDS)
@settings(max_examples=15)
@given(data=st.data(), question=systems_with_error(costs=True))
def test_the_trace_is_a_shortest_one_and_replays(
    way: str, data: st.DataObject, question: tuple[System, ErrorCondition]
) -> None:
    system, error = question
    task = compile_task(system, error)
    result = search(task, _patterns(data, task), build=BUILDS[way])
    event(f"{result.verdict.name}, initially {'dead' if result.h_initial == 'dead end' else 'alive'}")
    _agrees(result, system, error)


@settings(max_examples=25)
@given(data=st.data(), question=systems_with_error(costs=True))
def test_derived_variables_guide_to_shortest_traces_and_certificates(
    data: st.DataObject, question: tuple[System, ErrorCondition]
) -> None:
    system, error = question
    task = compile_task(system, error)
    chosen = draw_definitions(data.draw, task)
    richer = extended(task, chosen)
    patterns = [[*numbers_of(richer, chosen)], *_patterns(data, task)]
    result = search(task, patterns, SymbolicOptions(certify=True), extended=richer, build=BuildOptions(complete=True))
    event(f"{result.verdict.name}, initially {'dead' if result.h_initial == 'dead end' else 'alive'}")
    _agrees(result, system, error)
    assert (result.certificate is not None) == (result.verdict is Verdict.SAFE)
    if result.certificate is not None:
        assert certify(system, result.certificate, error=error)


@pytest.mark.parametrize(
    "error",
    [ErrorCondition(name="stuck", deadlock=True), ErrorCondition(name="fault", fault=True)],
    ids=lambda error: error.name,
)
@settings(max_examples=15)
@given(data=st.data(), system=systems(costs=True))
def test_deadlocks_and_faults_are_found_at_their_distance(
    error: ErrorCondition, data: st.DataObject, system: System
) -> None:
    task = compile_task(system, error)
    _agrees(search(task, _patterns(data, task)), system, error)


@pytest.mark.parametrize(
    "options",
    [
        SymbolicOptions(merge_limit=0),
        SymbolicOptions(merge_limit=10**9),
        SymbolicOptions(order="declared", sift=True),
        SymbolicOptions(backend="autoref", order="force"),
    ],
    ids=["one part a case", "one part", "sifted", "autoref"],
)
def test_no_option_changes_an_answer(options: SymbolicOptions) -> None:
    for seed in range(6):
        system = random_system(seed, costs=True)
        error = ErrorCondition(name="stuck", deadlock=True)
        task = compile_task(system, error)
        patterns = [[0], list(range(len(task.variables)))]
        _agrees(search(task, patterns, options, build=BuildOptions(backend=options.backend)), system, error)


@pytest.mark.parametrize(("height", "length"), [(2, 28), (3, 36)])
def test_the_known_lengths_of_the_arbiter_tree(height: int, length: int) -> None:
    task = task_of(f"arbiter_tree:height={height}", Question())
    whole = list(range(len(task.variables)))
    for patterns in ([], [whole[: len(whole) // 2]], [whole[::2], whole[1::2]], [whole]):
        result = search(task, patterns)
        assert result.length == length
        assert (result.engine, result.search, result.heuristic, result.direction) == (
            *("symbolic", "astar", "pdb", "forward"),
        )
        assert result.patterns == tuple(tuple(task.variables[n].name for n in pattern) for pattern in patterns)
    assert result.h_initial == length  # of the pattern of all variables


def test_estimates_leave_states_out() -> None:
    task = task_of("arbiter_tree:height=2", Question())
    counted = SymbolicOptions(count_layers=True)

    def expanded(patterns: list[list[int]]) -> int:
        return sum(layer.states or 0 for layer in search(task, patterns, counted).layers or ())

    assert expanded([list(range(len(task.variables)))]) < expanded([_named(task, *BOTH)]) <= expanded([])


def test_an_initial_state_that_is_a_dead_end_proves_safety_at_once() -> None:
    task = task_of("arbiter_tree:height=2,faulty=false", Question())
    result = search(task, [list(range(len(task.variables)))], SymbolicOptions(certify=True))
    assert (result.verdict, result.h_initial, result.layers) == (Verdict.SAFE, "dead end", ())
    assert result.reason == "the initial state is a dead end"
    assert result.certificate is not None
    certify(task.system, result.certificate)


def test_a_system_without_the_error_is_safe_when_all_is_found() -> None:
    task = task_of("arbiter_tree:height=2,faulty=false", Question())
    result = search(task, [[0]], SymbolicOptions(certify=True, count_layers=True), build=BuildOptions(most_layers=0))
    assert (result.verdict, result.stop, result.lower_bound) == (Verdict.SAFE, None, None)
    assert result.reason == "all reachable states found, none is an error state"
    assert sum(layer.states or 0 for layer in result.layers or ()) == 576
    assert result.certificate is not None
    certify(task.system, result.certificate)


@settings(max_examples=12)
@given(data=st.data(), question=systems_with_error(costs=True, faults=False))
def test_certificates_hold(data: st.DataObject, question: tuple[System, ErrorCondition]) -> None:
    system, error = question
    task = compile_task(system, error)
    result = search(task, _patterns(data, task), SymbolicOptions(certify=True))
    assert (result.certificate is not None) == (result.verdict is Verdict.SAFE)
    if result.certificate is not None:
        certify(system, result.certificate)


def test_free_steps_are_taken_before_the_next_distance() -> None:
    """A cycle of cost 0 with the way on behind it: the way back must not run in circles."""
    m = Builder("free")
    m.integer("x", 0, 5)
    p = m.process("P", initial="a")
    p.edge("a", "b", cost=0)
    p.edge("b", "c", cost=0)
    p.edge("c", "a", cost=0)
    p.edge("c", "a", guard="x < 5", do="x = x + 1")
    m.property("full", "x == 5 and P.b")
    system = m.build()
    error = ErrorCondition(name="full", expression=system.properties[0].error)
    task = compile_task(system, error)
    for patterns in ([], [[0]], [[1]], [[0, 1]]):
        _agrees(search(task, patterns), system, error)


def test_the_same_run_gives_the_same_trace_and_the_same_buckets() -> None:
    task = task_of("arbiter_tree:height=3", Question())
    patterns = [list(range(4)), list(range(4, 12))]
    first, second = (search(task, patterns, SymbolicOptions(count_layers=True)) for _ in range(2))
    assert first.trace == second.trace
    assert [replace(layer, seconds=0.0) for layer in first.layers or ()] == [
        replace(layer, seconds=0.0) for layer in second.layers or ()
    ]


def test_the_bound_of_a_search_that_was_stopped_is_no_more_than_the_length() -> None:
    task = task_of("arbiter_tree:height=5", Question())
    result = search(task, [sorted(error_variables(task))], SymbolicOptions(node_limit=20_000))
    assert (result.verdict, result.stop, result.exit_code) == (Verdict.UNKNOWN, Stop.MEMORY, 22)
    assert isinstance(result.h_initial, int)
    assert result.lower_bound is not None
    assert 0 < result.h_initial <= result.lower_bound <= 52
    assert result.reason == f"memory or node limit reached while looking for traces of length {result.lower_bound}"


@pytest.mark.parametrize(
    ("limits", "stop"), [(Limits(seconds=0.7), Stop.TIME), (Limits(memory_mb=1), Stop.MEMORY)], ids=["time", "memory"]
)
def test_a_limit_is_an_outcome(limits: Limits, stop: Stop) -> None:
    task = task_of("arbiter_tree:height=6,faulty=false", Question())
    task.analyse(lambda: None)
    result = search(task, [list(range(len(task.variables)))], SymbolicOptions(order="force"), run=Run(limits))
    assert (result.verdict, result.stop, result.trace) == (Verdict.UNKNOWN, stop, None)


def test_progress_tells_of_databases_and_lengths() -> None:
    seen: list[Progress] = []
    search(task_of("arbiter_tree:height=2", Question()), [[0, 1]], run=Run(progress=seen.append))
    phases = [each.phase for each in seen]
    assert any(phase.startswith("pattern database 1: layer") for phase in phases)
    assert any(phase.startswith("length ") for phase in phases)


# State sets


@pytest.mark.parametrize("way", BUILDS)
@settings(max_examples=12)
@given(data=st.data(), question=systems_with_error(costs=True))
def test_state_sets_hold_what_the_table_says(
    way: str, data: st.DataObject, question: tuple[System, ErrorCondition]
) -> None:
    task = compile_task(*question)
    for pattern in _patterns(data, task, 1)[:1]:
        database = build_database(task, pattern, BUILDS[way])
        encoding = Encoding(task, variable_order(task).variables)
        d, sets = encoding.diagrams, state_sets(encoding, database.table)
        assert d.any_of(sets.values()) == encoding.valid
        assert sum(encoding.count(states) for states in sets.values()) == encoding.count(encoding.valid)
        for state in list(oracle.explore(task.system).steps)[:40]:
            values = task.values(state)
            assert d.both(encoding.state(values), sets[database.table.code_of(values)]) != d.false


@settings(max_examples=15)
@given(data=st.data(), question=systems_with_error(costs=True))
def test_states_are_divided_by_their_largest_estimate(
    data: st.DataObject, question: tuple[System, ErrorCondition]
) -> None:
    task = compile_task(*question)
    databases = [build_database(task, pattern) for pattern in _patterns(data, task)]
    encoding = Encoding(task, variable_order(task).variables)
    d, estimates = encoding.diagrams, EstimateSets(encoding, databases)
    states = [task.values(state) for state in list(oracle.explore(task.system).steps)[:40]]
    divided = dict(estimates.divided(d.any_of(encoding.state(values) for values in states)))
    for values in states:
        told = [database.table.code_of(values) for database in databases]
        estimate = max(told, default=0)
        for h, some in divided.items():
            assert (d.both(encoding.state(values), some) != d.false) == (h == estimate)
        assert estimate in divided or estimate == DEAD_END


def test_a_reached_state_outside_of_a_database_is_a_bug() -> None:
    task = task_of("arbiter_tree:height=2,faulty=false", Question())
    pattern = list(range(len(task.variables)))
    database = build_database(task, pattern)
    encoding = Encoding(task, variable_order(task).variables)
    outside = state_sets(encoding, database.table)[OUTSIDE]
    with pytest.raises(InternalError, match="lies outside of the pattern database of"):
        EstimateSets(encoding, [database]).living(outside)
