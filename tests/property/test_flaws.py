"""What refinement holds for a flaw is one, and its repairs remove it: said of all states that an abstraction merges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from symdmc.model.error_states import is_error_state
from symdmc.model.expressions import FALSE
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.patterndb.work import WorkBudget
from symdmc.selection.refinement.flaws import Flaw, RefinementStep, flaws_at, name_of
from symdmc.selection.refinement.following import follow
from symdmc.selection.refinement.precision import Distinction, Precision
from symdmc.selection.refinement.shortest_traces import DirectionMemory, shortest_traces
from symdmc.task import compile_task
from symdmc.task.task import Task, Transition
from tests.strategies import systems_with_error

MOST_ALIKE = 500
"""At most this many of the states that are merged with one are looked at."""
NODES, EFFORT = 1_000_000, 100_000_000


def refinement_step(task: Task, data: st.DataObject, *, splits: bool) -> RefinementStep:
    """An abstraction that keeps a few variables whole, and its shortest error traces."""
    whole = data.draw(st.frozensets(st.sampled_from(range(len(task.variables))), max_size=3))
    precision = Precision(task, frozenset(map(Distinction, whole)))
    budget, directions = WorkBudget(nodes=NODES, effort=EFFORT), DirectionMemory()
    traces = shortest_traces(precision.task, precision.pattern, budget, lambda _: None, directions, NODES)
    assume(traces is not None)
    assert traces is not None
    return RefinementStep(precision, traces, splits)


def alike(precision: Precision, state: State) -> Iterator[State]:
    """States that keep the invariants and that the abstraction does not tell from a state."""
    task, values = precision.plain, precision.plain.values(state)
    classes = [precision.class_of(number, value).tolist() for number, value in enumerate(values)]
    states = (task.state(chosen) for chosen in islice(product(*classes), MOST_ALIKE))
    return (each for each in states if task.semantics.holds(task.invariant, each))


def continues(step: RefinementStep, transition: Transition, state: State, distance: int) -> bool:
    """Whether a transition leads a state to where a shortest abstract trace is nearer to its end by the cost."""
    ends = step.task.steps_of(transition, state)
    nearer = [(step.task.values(each.successor), distance - each.cost) for each in ends if each.cost <= distance]
    return any(step.traces.contain(values, left) for values, left in nearer)


def is_left(step: RefinementStep, flaw: Flaw, transition: Transition | None, finer: Precision, state: State) -> bool:
    """Whether a finer abstraction still merges a state with one that does what the flaw is about."""
    task = step.task
    if transition is not None:
        return any(continues(step, transition, each, flaw.distance) for each in alike(finer, state))
    error = replace(task.error, deadlock=False, fault=False)
    if flaw.what == "a deadlock":
        error = replace(error, expression=FALSE, deadlock=True)
    return any(is_error_state(task.semantics, each, error) for each in alike(finer, state))


def stopped(step: RefinementStep) -> Iterator[tuple[State, int]]:
    """Some concrete states on shortest abstract traces, with their distances to the end of these."""
    expanded = follow(step.task, step.traces, 20).expanded
    return ((state, distance) for distance, states in expanded.items() for state in states)


@pytest.mark.parametrize("splits", [False, True], ids=["variables", "classes"])
@settings(max_examples=60)
@given(asked=systems_with_error(costs=True, faults=False), data=st.data())
def test_any_repair_of_a_flaw_removes_it(
    splits: bool, asked: tuple[System, ErrorCondition], data: st.DataObject
) -> None:
    task = compile_task(*asked)
    step = refinement_step(task, data, splits=splits)
    checked = 0
    for state, distance in stopped(step):
        for flaw in flaws_at(step, [state], distance):
            named = [each for each in task.transitions if name_of(each) == flaw.what]
            if len(named) > 1 or flaw.what.startswith("a fault"):
                continue  # it is not known which transition is meant
            for repair in flaw.repairs:
                checked += 1
                finer = Precision(task, step.precision.distinctions | repair)
                assert not is_left(step, flaw, named[0] if named else None, finer, state)
    event(f"repairs: {min(checked, 3)}")


@pytest.mark.parametrize("splits", [False, True], ids=["variables", "classes"])
@settings(max_examples=60)
@given(asked=systems_with_error(faults=False), data=st.data())
def test_where_traces_end_in_a_state_that_is_no_error_state_there_is_a_flaw(
    splits: bool, asked: tuple[System, ErrorCondition], data: st.DataObject
) -> None:
    system, error = asked
    task = compile_task(system, replace(error, deadlock=False, fault=False))
    step = refinement_step(task, data, splits=splits)
    ends = [state for state, distance in stopped(step) if distance == 0]
    for state in ends:
        assert is_error_state(task.semantics, state, task.error) or "the error condition" in {
            flaw.what for flaw in flaws_at(step, [state], 0)
        }
    event(f"ends: {min(len(ends), 3)}")
