"""Limits, interrupts, progress and repeatability of explicit search."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from symdmc.checking.checks import task_for
from symdmc.kernel.loops.exhaustive import BATCH, COUNTERS, RANDOM, _shuffle
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Progress, Stop, Verdict
from symdmc.running.run import Limits, Run, resident_bytes
from symdmc.search.explicit import explicit
from symdmc.search.explicit.explicit import exhaustive_walk, explore, search
from symdmc.search.explicit.reference import reference_walk
from symdmc.task import compile_task
from tests.components import UNDIRECTED

CHECKOUT = Path(__file__).parents[2]
NOTHING = ErrorCondition(name="nothing")


def _counters(count: int, values: int) -> System:
    """`values` to the power of `count` states."""
    m = Builder("counters")
    for i in range(count):
        m.integer(f"x{i}", 0, values - 1)
        m.process(f"P{i}", initial="a").edge("a", "a", do=f"x{i} = (x{i} + 1) % {values}")
    return m.build()


HUGE = _counters(9, 16)


def test_a_time_limit_is_an_outcome_with_a_lower_bound() -> None:
    search(task_for(_counters(2, 3), error="x0 + x1 > 99"), compiled=True)  # nothing is left to be compiled
    result = search(task_for(HUGE, error="x0 + x1 > 99"), run=Run(Limits(seconds=1.0)))
    assert result.verdict is Verdict.UNKNOWN
    assert result.stop is Stop.TIME
    assert result.exit_code == 21
    assert result.lower_bound is not None
    assert result.lower_bound > 1
    assert result.seconds < 10


def test_a_memory_limit_is_an_outcome() -> None:
    limits = Limits(memory_mb=(resident_bytes() >> 20) + 300, seconds=300)
    result = explore(compile_task(HUGE, NOTHING), run=Run(limits))
    assert result.stop is Stop.MEMORY
    assert result.exit_code == 22
    assert result.states is None
    assert result.stored > 100_000


@pytest.fixture
def heeds_interrupts() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, even where whoever started the tests ignores it."""
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, kept)


@pytest.mark.usefixtures("heeds_interrupts")
def test_an_interrupt_is_answered_within_a_second() -> None:
    task = compile_task(HUGE, NOTHING)
    explore(compile_task(_counters(2, 3), NOTHING), compiled=True)  # nothing is left to be compiled
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(1.5, interrupt)
    timer.start()
    result = explore(task, run=Run(Limits(seconds=30)))
    answered = time.monotonic()
    timer.join()
    assert result.stop is Stop.INTERRUPT
    assert result.exit_code == 130
    assert answered - sent[0] < 1.0


def test_progress_is_reported_and_grows() -> None:
    seen: list[Progress] = []
    explore(compile_task(_counters(2, 3), NOTHING), compiled=True)  # nothing is left to be compiled
    explore(compile_task(HUGE, NOTHING), run=Run(Limits(seconds=5), seen.append))
    explored = [progress.explored for progress in seen if not progress.phase]
    assert len(explored) > 2
    assert explored == sorted(explored)
    assert seen[0].phase == "analysing values"


def test_tiny_systems_never_wait_for_the_compiled_engine() -> None:
    code = (
        "import sys, symdmc\n"
        "m = symdmc.Builder('t'); m.process('P', initial='a').edge('a', 'b')\n"
        "m.property('at_b', 'P.b')\n"
        "result = symdmc.check(m.build())\n"
        "assert result.length == 1, result\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=CHECKOUT)


@pytest.mark.parametrize("order", ["bfs", "dfs", "rdfs"])
def test_the_same_seed_gives_the_same_trace_under_any_hash_seed(order: str) -> None:
    code = (
        "import symdmc, json\n"
        "from symdmc.model.files.trace_format import trace_to_json\n"
        "system = symdmc.load('arbiter_tree', height=3)\n"
        f"result = symdmc.check(system, search={order!r}{', seed=5' if order == 'rdfs' else ''})\n"
        "print(json.dumps(trace_to_json(result.trace, system)), result.explored, result.generated, result.stored)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            cwd=CHECKOUT,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("0", "1", "31337")
    }
    assert len(outputs) == 1


def test_different_seeds_walk_differently() -> None:
    task = task_for(_counters(4, 6), error="x0 + x1 + x2 + x3 == 17")
    lengths = {search(task, order="rdfs", seed=seed, compiled=True).length for seed in range(6)}
    assert len(lengths) > 1


def test_several_initial_states_are_all_searched() -> None:
    m = Builder("starts")
    m.integer("x", 0, 9, initial=(2, 7))
    m.process("P", initial=["a", "b"]).edge("a", "a", guard="x < 9", do="x = x + 1")
    system = m.build()
    found = explore(compile_task(system, NOTHING), compiled=True)
    assert (found.states, found.depth) == (8 + 2, 4)
    assert search(task_for(system, error="x == 8"), compiled=True).length == 1


def test_a_free_step_does_not_count() -> None:
    m = Builder("free")
    m.integer("x", 0, 5)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="x < 5", do="x = x + 1", cost=0)
    p.edge("a", "b", guard="x == 1")
    p.edge("a", "c", guard="x == 5")
    p.edge("b", "d")
    p.edge("c", "d", cost=0)
    result = search(task_for(m.build(), error="P.d"), compiled=True)
    assert result.length == 1
    assert result.trace is not None
    assert len(result.trace.steps) == 7


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(ValueError, match="choose from bfs, dfs, rdfs"):
        search(task_for(HUGE, error="x0 == 1"), order="best")


def test_very_many_initial_states_end_at_the_limit_not_in_a_hang() -> None:
    m = Builder("starts")
    for i in range(12):
        m.integer(f"x{i}", 0, 9, initial=tuple(range(10)))
    m.process("P", initial="a").edge("a", "a")
    result = search(task_for(m.build(), error="x0 > 9"), run=Run(Limits(seconds=1.0)))
    assert result.stop is Stop.TIME
    assert result.seconds < 5


def test_a_time_limit_also_ends_value_analysis() -> None:
    m = Builder("wide")
    for name in "abcdefgh":
        m.short(name)
    p = m.process("P", initial="s")
    for one, other in zip("abcdefgh", "bcdefgha", strict=True):
        p.edge("s", "s", do=f"{one} = {one} * 3 + {other} * {other} + 7")
    result = search(task_for(m.build(), error="a == 5 and b == 5"), run=Run(Limits(seconds=0.02)), compiled=True)
    assert result.stop is Stop.TIME
    assert result.explored == 0


def test_a_receiver_whose_guard_faults_forbids_the_broadcast_before_anything_is_stored() -> None:
    m = Builder("radio")
    m.integer("x", 0, 3)
    m.integer("zero", 0, 1)
    m.broadcast("tick")
    m.process("S", initial="a").edge("a", "b", sync="tick!", do="x = 3")
    m.process("R", initial="a").edge("a", "b", sync="tick?", guard="1 / zero == 1")
    task = compile_task(m.build(), NOTHING)
    for compiled in (False, True):
        found = explore(task, compiled=compiled)
        assert (found.states, found.faults and found.faults.states) == (1, 1)


def test_where_the_successors_of_one_state_would_fill_the_memory_the_compiled_engine_starts() -> None:
    m = Builder("wide")
    m.integer("x", 0, 1, size=4_000)
    process = m.process("P", initial="a")
    for cell in range(4_000):
        process.edge("a", "a", guard=f"x[{cell}] == 1", do=f"x[{cell}] = 0")
    task = task_for(m.build(), error="x[1] == 1")
    assert explicit.reference_budget(task, None) == 0
    assert explicit.reference_budget(task_for("arbiter_tree:height=2"), None) > 100
    result = search(task)
    assert (result.verdict, result.stored) == (Verdict.SAFE, 1)


@pytest.mark.parametrize("budget", ["REFERENCE_EDGES", "REFERENCE_CELLS"])
@pytest.mark.parametrize("order", UNDIRECTED)
def test_a_system_too_large_for_any_budget_of_the_reference_semantics_is_searched(
    order: str, budget: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explicit, budget, 0)  # as if it had more edges than that, or states of more cells
    system = _counters(2, 3)
    assert search(task_for(system, error="x0 + x1 == 4"), order=order).verdict is Verdict.ERROR
    assert search(task_for(system, error="x0 + x1 == 5"), order=order).verdict is Verdict.SAFE
    assert explore(compile_task(system, NOTHING)).states == 9


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("order", ["dfs", "rdfs"])
def test_depth_first_a_trace_is_called_shortest_only_where_it_has_no_step(order: str, compiled: bool) -> None:
    m = Builder("two ways")
    process = m.process("P", initial="a")
    process.edge("a", "goal")
    process.edge("a", "b", cost=0)
    process.edge("b", "goal", cost=0)
    system = m.build()
    found = [search(task_for(system, error="P.goal"), order=order, seed=seed, compiled=compiled) for seed in range(8)]
    assert 1 in {result.length for result in found}
    assert {(result.shortest, result.lower_bound) for result in found} == {(False, 0)}
    at_once = search(task_for(system, error="P.a"), order=order, compiled=compiled)
    assert (at_once.length, at_once.shortest, at_once.lower_bound) == (0, True, 0)


def test_a_visit_of_all_states_that_is_stopped_has_none_of_them() -> None:
    task = task_for("arbiter_tree:height=2")
    walk = exhaustive_walk(task, Run())
    assert walk is not None
    assert walk.finished
    assert exhaustive_walk(task, Run(Limits(seconds=0.0))) is None


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("first", [0, 1])
def test_of_several_steps_between_two_states_a_trace_has_the_cheapest(first: int, compiled: bool) -> None:
    m = Builder("both")
    process = m.process("P", initial="a")
    for cost in (first, 1 - first):
        process.edge("a", "b", cost=cost)
    result = search(task_for(m.build(), error="P.b"), compiled=compiled)
    assert (result.length, result.shortest, result.lower_bound) == (0, True, 0)


@pytest.mark.parametrize("order", UNDIRECTED)
@pytest.mark.parametrize("most", [1, 7, 50])
def test_the_budget_of_the_reference_semantics_counts_states_and_steps(order: str, most: int) -> None:
    """From the only initial state on, each of the 81 states has four steps."""
    task = compile_task(_counters(4, 3), NOTHING)
    walk = reference_walk(task, order=order, seed=0, run=Run(), budget=most, explore=True)
    assert not walk.finished
    assert (walk.expanded, walk.generated) == (-(-(most - 1) // 5), 4 * -(-(most - 1) // 5))


@pytest.mark.parametrize("compiled", [False, True])
def test_a_fault_is_told_with_the_way_to_it_and_none_where_none_was_met(compiled: bool) -> None:
    m = Builder("faulting")
    m.integer("x", 0, 2)
    p = m.process("P", initial="a")
    p.edge("a", "b", do="x = 1")
    p.edge("b", "b", guard="x < 2", do="x = x + 2")
    faulty = search(task_for(m.build(), error="x == 2"), compiled=compiled).faults
    assert faulty is not None
    assert faulty.first is not None
    assert (faulty.states, faulty.first.length) == (1, 1)
    m = Builder("perhaps")
    m.integer("x", 0, 2)
    m.integer("y", 0, 2)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="x < 2", do="x = x + 1, y = y + 1")  # that y stays below 3 is more than analysis sees
    faultless = search(task_for(m.build(), error="x == 2 and y == 0"), compiled=compiled).faults
    assert faultless is not None
    assert (faultless.states, faultless.first) == (0, None)


@pytest.mark.parametrize("compiled", [False, True])
def test_an_error_state_is_found_where_deadlocks_are_looked_for_as_well(compiled: bool) -> None:
    m = Builder("round")
    m.integer("x", 0, 4)
    m.process("P", initial="a").edge("a", "a", do="x = (x + 1) % 5")
    result = search(task_for(m.build(), error="x == 3", deadlock=True), compiled=compiled)
    assert (result.verdict, result.length, result.shortest) == (Verdict.ERROR, 3, True)


@pytest.mark.parametrize("compiled", [False, True])
def test_the_nearest_of_a_deadlock_and_an_error_state_is_found_in_a_layer_of_several_batches(compiled: bool) -> None:
    """All states of the layer but the last, which is a deadlock, have the error state as a successor."""
    m = Builder("wide")
    m.integer("x", 0, 999)
    process = m.process("P", initial="a")
    most = 2 * BATCH
    for value in range(1, most):
        process.edge("a", "b", do=f"x = {value}")
    process.edge("b", "c", guard=f"x < {most - 1}", do="x = 999")
    result = search(task_for(m.build(), error="x == 999", deadlock=True), compiled=compiled)
    assert (result.verdict, result.length, result.shortest) == (Verdict.ERROR, 1, True)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_step_beyond_the_bound_does_not_hide_free_ones_that_follow_it(compiled: bool) -> None:
    m = Builder("bounded")
    process = m.process("P", initial="a")
    process.edge("a", "b")
    process.edge("a", "c", cost=0)
    result = search(task_for(m.build(), error="P.c"), bound=0, compiled=compiled)
    assert (result.verdict, result.length) == (Verdict.ERROR, 0)


@pytest.mark.parametrize("words", [1, 3])
def test_successors_are_shuffled_whole_by_the_numbers_of_xorshift(words: int) -> None:
    count, mask, value = 50, (1 << 64) - 1, 88172645463325252
    states = np.arange(count * words, dtype=np.int64)
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[RANDOM] = value
    expected = [list(range(k * words, (k + 1) * words)) for k in range(count)]
    for k in range(count - 1, 0, -1):
        value ^= value << 13 & mask
        value ^= value >> 7
        value ^= value << 17 & mask
        other = (value >> 11) % (k + 1)
        expected[k], expected[other] = expected[other], expected[k]
    _shuffle(states, count, words, counters)
    assert states.reshape(count, words).tolist() == expected
