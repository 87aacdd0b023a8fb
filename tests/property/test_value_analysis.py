"""The claims of value analysis, held against all steps of random systems."""

from __future__ import annotations

from itertools import islice, product

import pytest
from hypothesis import given, settings

from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Fault, State, Step
from symdmc.model.system import System
from symdmc.task import Task, compile_task
from symdmc.task.values import analysis as values
from symdmc.task.values.analysis import analyse_values
from tests import oracle
from tests.strategies import systems

NOTHING = ErrorCondition(name="nothing")


def _in_box(task: Task, state: State) -> bool:
    return all(value in domain for value, domain in zip(task.values(state), task.analysis.domains, strict=True))


@settings(max_examples=60)
@given(system=systems())
def test_every_reachable_state_is_in_the_box(system: System) -> None:
    task = compile_task(system, NOTHING)
    assert all(_in_box(task, state) for state in oracle.explore(system).steps)


@pytest.mark.parametrize(("most_rows", "growths"), [(1 << 16, 40), (12, 40), (1, 1)])
@settings(max_examples=40)
@given(system=systems())
def test_the_box_is_closed_under_steps_at_every_precision(most_rows: int, growths: int, system: System) -> None:
    task = compile_task(system, NOTHING)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "MOST_ROWS", most_rows)
        patch.setattr(values, "GROWTHS", growths)
        analysis = analyse_values(task)
    box = product(
        *(domain.array.tolist() if domain.count < 50 else [domain.low, domain.high] for domain in analysis.domains)
    )
    for point in islice(box, 150):
        state = task.state(point)
        try:
            moves = list(task.semantics.moves(state))
        except ArithmeticFault:  # an invariant may fault outside the reachable states
            continue
        for move in moves:
            if isinstance(move, Step):
                after = task.values(move.successor)
                assert all(value in domain for value, domain in zip(after, analysis.domains, strict=True))
            assert not (analysis.faultless and isinstance(move, Fault))


@settings(max_examples=60)
@given(system=systems())
def test_faultless_is_only_said_of_systems_without_faults(system: System) -> None:
    task = compile_task(system, NOTHING)
    assert not (task.analysis.faultless and oracle.explore(system).faulting)


@settings(max_examples=40)
@given(system=systems(faults=False))
def test_transitions_left_out_as_impossible_never_run(system: System) -> None:
    task = compile_task(system, NOTHING)
    dead = [t for number, t in enumerate(task.transitions) if number not in task.analysis.possible]
    for state in oracle.explore(system).steps:
        assert not any(task.semantics.holds(task.full_guard(transition), state) for transition in dead)
