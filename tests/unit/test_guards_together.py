"""Broadcasts and lockstep labels whose guards may fault: the task has exactly the steps of the reference semantics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import TypeAlias

import pytest

from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Step
from symdmc.model.system import Location, Process, System
from symdmc.running.run import Run
from symdmc.search.explicit.compiled import CompiledWalk, compiled_walk
from symdmc.search.explicit.explicit import explore
from symdmc.task import compile_task
from tests import oracle

Make: TypeAlias = Callable[[str, str, str, str], System]
GUARDS = ("1", "0", "x > 1", "6 / x > 2", "6 / (x - 1) != 6")


def _broadcast(own: str, first: str, second: str, third: str) -> System:
    """A sender; a process with two receiving edges; one with one."""
    m = Builder("m")
    m.integer("x", 0, 3, initial={0, 1, 2, 3})
    m.integer("y", 0, 3)
    m.integer("z", 0, 3)
    m.broadcast("c")
    m.process("P", initial="s").edge("s", "t", sync="c!", guard=own)
    q = m.process("Q", initial="s")
    q.edge("s", "t", sync="c?", guard=first, do="y = 1")
    q.edge("s", "u", sync="c?", guard=second)
    m.process("R", initial="s").edge("s", "t", sync="c?", guard=third, do="z = 2")
    return m.build()


def _held_up(own: str, first: str, second: str, third: str) -> System:
    """The broadcast while a process is at a committed location that it cannot leave: no step, but faults count."""
    system = _broadcast(own, first, second, third)
    stuck = Process(name="K", initial=("k",), locations=(Location(name="k", committed=True),), edges=())
    return replace(system, processes=(*system.processes, stuck))


def _lockstep(own: str, first: str, second: str, third: str) -> System:
    """The same with a label that all have to join; one edge leaves from elsewhere."""
    m = Builder("m")
    m.integer("x", 0, 3, initial={0, 1, 2, 3})
    m.lockstep("c")
    m.process("P", initial="s").edge("s", "t", sync="c", guard=own)
    q = m.process("Q", initial=["s", "u"])
    q.edge("s", "t", sync="c", guard=first)
    q.edge("u", "t", sync="c", guard=second)
    q.edge("s", "u", sync="c", guard=third)
    return m.build()


@pytest.mark.parametrize("make", [_broadcast, _held_up, _lockstep])
def test_a_guard_that_faults_forbids_what_it_forbids_in_the_reference_semantics(make: Make) -> None:
    for guards in product(GUARDS[2:4], GUARDS, GUARDS[1:], GUARDS[2:]):
        system = make(*guards)
        task = compile_task(system, ErrorCondition(name="nothing"))
        truth = oracle.explore(system)
        found = explore(task, compiled=True)
        assert found.faults is not None
        assert (found.states, found.transitions) == (len(truth.steps), truth.transitions), guards
        walk = compiled_walk(task, order="bfs", seed=0, run=Run(), bound=None, explore=True)
        assert isinstance(walk, CompiledWalk)
        rows = (walk.store.states[k * walk.words : (k + 1) * walk.words] for k in range(walk.stored))
        assert {task.state(walk.packing.unpack(row)) for row in rows} == truth.steps.keys(), guards
        assert (found.deadlocks, found.faults.states) == (len(truth.deadlocks), len(truth.faulting)), guards


@pytest.mark.parametrize("make", [_broadcast, _lockstep])
def test_the_transitions_of_a_task_are_the_steps_of_its_system(make: Make) -> None:
    for guards in product(GUARDS[2:4], GUARDS[1:4], GUARDS[2:]):
        system = make(guards[0], *guards)
        task = compile_task(system, ErrorCondition(name="nothing"))
        for state in task.semantics.initial_states():
            steps = [move for move in task.semantics.moves(state) if isinstance(move, Step)]
            found = [step for transition in task.transitions for step in task.steps_of(transition, state)]
            assert Counter(map(repr, found)) == Counter(map(repr, steps)), guards
