"""Decision diagrams agree with the brute force of the oracle."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_of
from symdmc.checking.request import Question
from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import ORDERS, variable_order
from symdmc.encode.relation.part import Part
from symdmc.encode.relation.relation import Relation
from symdmc.encode.sets.images import Images
from symdmc.errors import Code, Complaint, UnsupportedFeature
from symdmc.evidence.replay import replay
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Stop, Verdict
from symdmc.reader.load import load
from symdmc.running.run import Limits, Run
from symdmc.running.supervision import supervise
from symdmc.search.symbolic import options as symbolic_options
from symdmc.search.symbolic.options import BACKENDS, DIRECTIONS, SymbolicOptions
from symdmc.search.symbolic.symbolic import Engine, Report, Told, _searched, explore, search
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import random_system, systems, systems_with_error

NOTHING = ErrorCondition(name="nothing")


def _encoding(system: System, order: str = "local", backend: str = "cudd") -> Encoding:
    task = compile_task(system, NOTHING)
    return Encoding(task, variable_order(task, order).variables, backend=backend)


def _encoded(system: System, order: str, backend: str) -> Relation:
    return Relation(_encoding(system, order, backend))


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
@settings(max_examples=25)
@given(system=systems(costs=True))
def test_images_and_preimages_are_the_steps_of_the_reference_semantics(backend: str, system: System) -> None:
    relation = _encoded(system, "local", backend)
    encoding, d = relation.encoding, relation.diagrams
    values = encoding.task.values
    space = oracle.explore(system)
    for state, steps in islice(space.steps.items(), 40):
        single = encoding.state(values(state))
        after = d.any_of(relation.image(single, part) for part in relation.parts)
        assert after == d.any_of(encoding.state(values(step.successor)) for step in steps)
        for step in steps[:3]:
            target = encoding.state(values(step.successor))
            before = d.any_of(relation.preimage(target, part) for part in relation.parts)
            assert d.without(single, before) == d.false


@settings(max_examples=30)
@given(system=systems())
def test_states_and_deadlocks_are_counted_exactly(system: System) -> None:
    found = explore(compile_task(system, NOTHING))
    truth = oracle.explore(system)
    assert (found.states, found.deadlocks) == (len(truth.steps), len(truth.deadlocks))
    assert found.faults is None or (found.faults.states == 0 and not truth.faulting)
    layered = explore(compile_task(system, NOTHING), SymbolicOptions(layered=True, count_layers=True))
    assert (layered.states, layered.deadlocks) == (len(truth.steps), len(truth.deadlocks))
    assert (layered.transitions, layered.depth) == (truth.transitions, truth.depth)
    assert layered.layers is not None
    assert sum(layer.states or 0 for layer in layered.layers) == len(truth.steps)


def test_the_options_name_every_order() -> None:
    assert symbolic_options.ORDERS == ORDERS


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_gives_the_same_count(order: str) -> None:
    assert (
        explore(compile_task(load("arbiter_tree:height=2,faulty=false"), NOTHING), SymbolicOptions(order=order)).states
        == 576
    )


@pytest.mark.parametrize("direction", DIRECTIONS)
@settings(max_examples=60)
@given(question=systems_with_error(costs=True))
def test_every_direction_finds_a_shortest_trace_that_replays(
    direction: str, question: tuple[System, ErrorCondition]
) -> None:
    system, error = question
    result = search(compile_task(system, error), SymbolicOptions(direction=direction))
    expected = oracle.explore(system).shortest(error)
    assert result.length == expected
    assert result.verdict is (Verdict.SAFE if expected is None else Verdict.ERROR)
    if result.trace is not None:
        replay(system, result.trace, error)
        assert result.shortest
        assert result.lower_bound == expected


OPTIONS = {
    "one part a case": SymbolicOptions(merge_limit=0),
    "small parts": SymbolicOptions(merge_limit=50),
    "one part": SymbolicOptions(merge_limit=10**9),
    "sifted": SymbolicOptions(order="declared", sift=True),
    "autoref": SymbolicOptions(backend="autoref", order="force"),
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_no_option_changes_an_answer(name: str, direction: str) -> None:
    for seed in range(12):
        system = random_system(seed, costs=True)
        error = ErrorCondition(name="stuck", deadlock=True)
        result = search(compile_task(system, error), replace(OPTIONS[name], direction=direction))
        assert result.length == oracle.explore(system).shortest(error), seed


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("layered", [False, True])
def test_no_option_changes_which_states_are_reached(name: str, layered: bool) -> None:
    for seed in range(12):
        system = random_system(seed, costs=True)
        found = explore(compile_task(system, NOTHING), replace(OPTIONS[name], layered=layered))
        assert found.states == len(oracle.explore(system).steps), seed


def test_every_direction_finds_the_known_lengths_of_the_arbiter_tree() -> None:
    task = task_of("arbiter_tree:height=3", Question())
    for direction in DIRECTIONS:
        assert search(task, SymbolicOptions(direction=direction)).length == 36


def test_the_same_run_gives_the_same_trace_and_the_same_layers() -> None:
    task = task_of("arbiter_tree:height=3", Question())
    first, second = (search(task, SymbolicOptions(count_layers=True)) for _ in range(2))
    assert first.trace == second.trace
    assert [(layer.depth, layer.states, layer.nodes) for layer in first.layers or ()] == [
        (layer.depth, layer.states, layer.nodes) for layer in second.layers or ()
    ]


def test_the_bound_of_a_search_that_was_stopped_is_no_more_than_the_length() -> None:
    task = task_of("arbiter_tree:height=5", Question())
    for direction in ("forward", "bidirectional"):
        result = search(task, SymbolicOptions(direction=direction, node_limit=20_000))
        assert (result.verdict, result.stop, result.exit_code) == (Verdict.UNKNOWN, Stop.MEMORY, 22)
        assert result.lower_bound is not None
        assert 0 < result.lower_bound <= 52
        assert result.layers
        assert result.peak_nodes is not None


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_whatever_was_told_last_the_bound_is_no_more_than_the_length(direction: str) -> None:
    """The last layer has an error trace: with all that is told the bound is the length."""
    task, options = task_of("arbiter_tree:height=2", Question()), SymbolicOptions(direction=direction)
    task.analyse(lambda: None)
    told, bounds = Told(task, Run()), list[int]()

    def send(report: Report) -> None:
        told(report)
        bounds.append(told.lower_bound())

    _searched(Engine(task, variable_order(task), options, Run(), send))
    assert sorted(bounds) == bounds
    assert set(range(1, 28)) < set(bounds)
    assert bounds[-1] == 28


def test_an_image_that_outgrows_the_memory_is_split_by_parts_and_by_states(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = Relation(_encoding(load("arbiter_tree:height=2")), merge_limit=10**9, frames=True)
    d, plain = relation.diagrams, relation.image
    states = relation.initial()
    for _ in range(6):
        states = d.either(states, Images(relation).after(states))

    def confined(some: Node, part: Part) -> Node:
        if part.relation is not None or d.size(some) > d.size(states) * 3 // 4:
            raise DiagramLimit
        return plain(some, part)

    expected = Images(relation).after(states)
    monkeypatch.setattr(relation, "image", confined)
    images = Images(relation)
    assert images.after(states) == expected
    assert images.splits > 1


def test_an_image_that_cannot_be_split_further_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = Relation(_encoding(load("arbiter_tree:height=2")))

    def refused(some: Node, part: Part) -> Node:
        raise DiagramLimit

    monkeypatch.setattr(relation, "image", refused)
    with pytest.raises(DiagramLimit):
        Images(relation).after(relation.initial())


@settings(max_examples=25)
@given(system=systems(), chosen=st.integers(0, 2**16))
def test_image_and_preimage_are_adjoint(system: System, chosen: int) -> None:
    relation = _encoded(system, "local", "cudd")
    d, encoding = relation.diagrams, relation.encoding
    states = [encoding.state(encoding.task.values(state)) for state in islice(oracle.explore(system).steps, 16)]
    some = d.any_of(state for place, state in enumerate(states) if chosen >> place & 1)
    others = d.any_of(state for place, state in enumerate(states) if not chosen >> place & 1)
    for part in relation.parts:
        ahead = d.both(relation.image(some, part), others) != d.false
        assert ahead == (d.both(some, relation.preimage(others, part)) != d.false)


@settings(max_examples=25)
@given(system=systems())
def test_what_is_encoded_is_decoded_again(system: System) -> None:
    encoding = _encoding(system)
    for state in islice(oracle.explore(system).steps, 50):
        values = encoding.task.values(state)
        assert encoding.pick(encoding.state(values)) == values
        assert encoding.count(encoding.state(values)) == 1


@settings(max_examples=15)
@given(system=systems())
def test_both_back_ends_reach_the_same_states(system: System) -> None:
    states = len(oracle.explore(system).steps)
    for backend in BACKENDS:
        assert explore(compile_task(system, NOTHING), SymbolicOptions(backend=backend)).states == states


@settings(max_examples=25)
@given(system=systems())
def test_a_relation_that_learns_has_all_steps_from_what_it_has_learned(system: System) -> None:
    encoding = _encoding(system)
    whole, learning = Relation(encoding), Relation(encoding, learns=True)
    states = whole.initial()
    for _ in range(4):
        learning.learn(states)
        after = Images(learning).after(states)
        assert after == Images(whole).after(states)
        states = encoding.diagrams.either(states, after)


def test_more_states_than_could_be_listed_are_counted() -> None:
    found = explore(compile_task(load("arbiter_tree:height=4,faulty=false"), NOTHING))
    assert found.states == 13_958_643_712
    assert found.deadlocks == 0
    assert found.order is not None
    assert len(found.order) == 32


@pytest.mark.parametrize("height", [2, 3, 4, 5, 6])
def test_the_correct_arbiter_tree_has_as_many_states_as_the_formula_says(height: int) -> None:
    found = explore(compile_task(load(f"arbiter_tree:height={height},faulty=false"), NOTHING))
    assert found.states == (2 * height + 5) * 2 ** (2 ** (height + 1) - 2)


def test_picked_states_are_states_of_the_set() -> None:
    relation = _encoded(load("hanoi:disks=3"), "local", "cudd")
    chosen = relation.encoding.pick(relation.initial())
    assert relation.encoding.state(chosen) == relation.initial()


@pytest.mark.parametrize(
    ("limits", "node_limit", "stop"),
    [(Limits(seconds=0.7), None, Stop.TIME), (Limits(), 500, Stop.MEMORY), (Limits(memory_mb=1), None, Stop.MEMORY)],
)
def test_a_limit_is_an_outcome(limits: Limits, node_limit: int | None, stop: Stop) -> None:
    task = compile_task(load("arbiter_tree:height=6,faulty=false"), NOTHING)
    task.analyse(lambda: None)
    found = explore(task, SymbolicOptions(node_limit=node_limit, order="force"), run=Run(limits))
    assert found.stop is stop
    assert found.states is None


def test_what_is_too_wide_for_diagrams_is_refused_not_approximated() -> None:
    system = load("hanoi:disks=2")
    wide = _wide()
    assert explore(compile_task(system, NOTHING)).states is not None
    with pytest.raises(UnsupportedFeature, match="needs a decision diagram of more than"):
        explore(compile_task(wide, NOTHING))


def test_a_variable_with_too_many_values_is_refused() -> None:
    m = Builder("huge")
    m.integer("x", 0, 1_000_000)
    m.process("P", initial="a").edge("a", "a", guard="x < 1000000", do="x = x + 1")
    with pytest.raises(UnsupportedFeature, match="variable 'x' can have 1,000,001 values"):
        explore(compile_task(m.build(), NOTHING))


def test_a_child_that_dies_of_memory_is_an_outcome() -> None:
    def die(send: Callable[[int], None]) -> int:
        send(1)
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    seen: list[int] = []
    ended = supervise(die, Run(), seen.append)
    assert (ended.result, ended.report, ended.stop) == (None, 1, Stop.MEMORY)


def test_what_the_child_raises_is_raised_here() -> None:
    def fail(send: Callable[[int], None]) -> int:
        raise UnsupportedFeature(Complaint(Code.TOO_LARGE_FOR_DIAGRAMS, "no"))

    with pytest.raises(UnsupportedFeature, match="no"):
        supervise(fail, Run(), lambda report: None)


def _wide() -> System:
    m = Builder("wide")
    m.short("x")
    m.short("y")
    p = m.process("P", initial="a")
    p.edge("a", "a", do="x = x * 5 + 3")
    p.edge("a", "a", do="y = y * x + 1")
    return m.build()
