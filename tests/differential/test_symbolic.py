"""Decision diagrams agree with the brute force of the oracle."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import islice

import pytest
from hypothesis import given, settings

from symdmc.encode.encoding import Encoding
from symdmc.encode.order import ORDERS, variable_order
from symdmc.encode.relation import Relation
from symdmc.errors import UnsupportedFeature
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Limits, Stop
from symdmc.registry.models import load
from symdmc.search.resources import Watch
from symdmc.search.supervision import supervise
from symdmc.search.symbolic import explore
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import systems

NOTHING = ErrorCondition(name="nothing")


def _encoded(system: System, order: str, backend: str) -> Relation:
    task = compile_task(system, NOTHING)
    return Relation(Encoding(task, variable_order(task, order).variables, backend=backend))


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
    assert found.faults is None


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_gives_the_same_count(order: str) -> None:
    assert explore(compile_task(load("arbiter_tree:height=2,faulty=false"), NOTHING), order=order).states == 576


def test_more_states_than_could_be_listed_are_counted() -> None:
    found = explore(compile_task(load("arbiter_tree:height=4,faulty=false"), NOTHING))
    assert found.states == 13_958_643_712
    assert found.deadlocks == 0
    assert found.order is not None
    assert len(found.order) == 32


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
    found = explore(task, limits=limits, node_limit=node_limit, order="force")
    assert found.stop is stop
    assert found.states is None


def test_what_is_too_wide_for_diagrams_is_refused_not_approximated() -> None:
    system = load("hanoi:disks=2")
    wide = _wide()
    assert explore(compile_task(system, NOTHING)).states is not None
    with pytest.raises(UnsupportedFeature, match="too large for decision diagrams"):
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
    ended = supervise(die, Watch(Limits()), seen.append)
    assert (ended.result, ended.report, ended.stop) == (None, 1, Stop.MEMORY)


def test_what_the_child_raises_is_raised_here() -> None:
    def fail(send: Callable[[int], None]) -> int:
        raise UnsupportedFeature("no")

    with pytest.raises(UnsupportedFeature, match="no"):
        supervise(fail, Watch(Limits()), lambda report: None)


def _wide() -> System:
    m = Builder("wide")
    m.short("x")
    m.short("y")
    p = m.process("P", initial="a")
    p.edge("a", "a", do="x = x * 5 + 3")
    p.edge("a", "a", do="y = y * 7 + x")
    return m.build()
