"""The reference walk, the interpreter and the machine code all agree with the brute force of the oracle."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.evidence.replay import replay
from symdmc.kernel.machine import opcodes as op
from symdmc.kernel.machine.compiler import compile_program
from symdmc.kernel.machine.machine import expand
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.running.run import Run
from symdmc.search.explicit import compiled as compiled_search
from symdmc.search.explicit.compiled import CompiledWalk, compiled_walk
from symdmc.search.explicit.explicit import explore, search
from symdmc.task import Task, compile_task
from tests import oracle
from tests.components import UNDIRECTED
from tests.strategies import random_system, systems, systems_with_error

NOTHING = ErrorCondition(name="nothing")
ENGINES = ("reference", "interpreter", "machine code")


def _choose(engine: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Make searches use an engine; what to pass as `compiled`."""
    monkeypatch.setattr(compiled_search, "NATIVE_FROM", 0 if engine == "machine code" else 1 << 62)
    monkeypatch.setattr(compiled_search, "FIRST_SLICE", 1 if engine == "machine code" else 1 << 12)
    return engine != "reference"


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60)
@given(system=systems(costs=True))
def test_every_engine_explores_exactly_the_reachable_states(engine: str, system: System) -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = explore(compile_task(system, NOTHING), compiled=_choose(engine, patch))
    truth = oracle.explore(system)
    assert found.states == len(truth.steps)
    assert found.transitions == truth.transitions
    assert found.depth == truth.depth
    assert found.deadlocks == len(truth.deadlocks)
    assert found.faults is not None
    assert found.faults.states == len(truth.faulting)
    assert (found.first_deadlock is None) == (not truth.deadlocks)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60)
@given(question=systems_with_error(costs=True))
def test_every_engine_finds_a_shortest_trace_that_replays(engine: str, question: tuple[System, ErrorCondition]) -> None:
    system, error = question
    with pytest.MonkeyPatch.context() as patch:
        result = search(compile_task(system, error), compiled=_choose(engine, patch))
    expected = oracle.explore(system).shortest(error)
    assert result.verdict is (Verdict.SAFE if expected is None else Verdict.ERROR)
    assert result.length == expected
    assert result.lower_bound == expected
    if result.trace is not None:
        assert result.shortest
        replay(system, result.trace, error)


@pytest.mark.parametrize("order", [order for order in UNDIRECTED if order != "bfs"])
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=30)
@given(question=systems_with_error(costs=True), seed=st.integers(0, 5))
def test_depth_first_verdicts_are_right_and_never_called_shortest_wrongly(
    engine: str, order: str, question: tuple[System, ErrorCondition], seed: int
) -> None:
    system, error = question
    with pytest.MonkeyPatch.context() as patch:
        result = search(compile_task(system, error), order=order, seed=seed, compiled=_choose(engine, patch))
    expected = oracle.explore(system).shortest(error)
    assert result.verdict is (Verdict.SAFE if expected is None else Verdict.ERROR)
    if result.trace is not None:
        replay(system, result.trace, error)
        assert not result.shortest or result.length == expected
        assert (result.lower_bound or 0) <= (expected or 0)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=30)
@given(question=systems_with_error(costs=True), slack=st.integers(-2, 2))
def test_a_bound_hides_exactly_the_longer_traces(
    engine: str, question: tuple[System, ErrorCondition], slack: int
) -> None:
    system, error = question
    expected = oracle.explore(system).shortest(error)
    bound = max(0, (expected or 3) + slack)
    with pytest.MonkeyPatch.context() as patch:
        result = search(compile_task(system, error), bound=bound, compiled=_choose(engine, patch))
    if expected is not None and expected <= bound:
        assert (result.verdict, result.length) == (Verdict.ERROR, expected)
    else:
        assert (result.verdict, result.lower_bound) == (Verdict.UNKNOWN, bound + 1)


def _walked(task: Task) -> CompiledWalk:
    walk = compiled_walk(task, order="bfs", seed=0, run=Run(), bound=None, explore=True)
    assert isinstance(walk, CompiledWalk)
    return walk


def _expanded(walk: CompiledWalk, number: int) -> tuple[list[State], bool]:
    """The successors of a stored state as the kernel gives them, and whether a step faults."""
    count, trouble = expand(walk.machine, walk.store.states, number * walk.words, 0)
    rows = (walk.machine.successors[k * walk.words : (k + 1) * walk.words] for k in range(count))
    return [walk.task.state(walk.packing.unpack(row)) for row in rows], trouble == op.FAULT


@settings(max_examples=60)
@given(system=systems())
def test_successors_are_those_of_the_reference_semantics_state_by_state(system: System) -> None:
    walk = _walked(compile_task(system, NOTHING))
    semantics = Semantics(system)
    for number in range(walk.stored):
        moves = list(semantics.moves(walk._state(number)))
        successors, faults = _expanded(walk, number)
        assert Counter(successors) == Counter(move.successor for move in moves if isinstance(move, Step))
        assert faults == any(isinstance(move, Fault) for move in moves)


@settings(max_examples=40)
@given(system=systems())
def test_machine_code_gives_the_same_successors_in_the_same_order(system: System) -> None:
    walk = _walked(compile_task(system, NOTHING))
    interpreted = [_expanded(walk, number) for number in range(walk.stored)]
    walk.use_native_code()
    assert [_expanded(walk, number) for number in range(walk.stored)] == interpreted


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_the_compiled_engine_agrees_on_many_fixed_systems(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        system = random_system(seed, costs=seed % 2 == 0)
        found = explore(compile_task(system, NOTHING), compiled=True)
        truth = oracle.explore(system)
        assert (found.states, found.transitions, found.depth) == (len(truth.steps), truth.transitions, truth.depth), (
            seed
        )


@settings(max_examples=40)
@given(system=systems(costs=True))
def test_packing_is_one_to_one(system: System) -> None:
    task = compile_task(system, NOTHING)
    packing = compile_program(task).packing
    for state in oracle.explore(system).steps:
        values = task.values(state)
        assert packing.unpack(np.array(packing.pack(values), dtype=np.int64)) == values
        assert task.state(values) == state
