"""The claims of hL and hU: admissible and consistent, dead ends are dead; kernels say what the definition says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_for
from symdmc.heuristics.estimates.monotone import HL, HU, monotone
from symdmc.lookup.relaxation import DIRECT_PATH, LAYER, PATH, Relaxation, chain
from symdmc.lookup.tables import DEAD_END, TableGroup, codes_of
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.packed.packing import pack_domains
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.reader.load import load
from symdmc.task import compile_task
from symdmc.task.relaxation import conditions as relaxed_conditions
from symdmc.task.relaxation.relaxed import RelaxedTask, relaxed_task
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import systems_with_error

WAYS = ("joint", "single", "small tables")


def _relaxed(task: Task, way: str) -> RelaxedTask:
    """The abstraction; with small tables most parts of transitions are split."""
    with pytest.MonkeyPatch.context() as patch:
        if way == "small tables":
            patch.setattr(relaxed_conditions, "MOST_ROWS", 3)
        return relaxed_task(task, joint=way != "single")


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=60)
@given(asked=systems_with_error(costs=True))
def test_hl_is_admissible_and_consistent(way: str, asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    task = compile_task(system, error)
    space = oracle.explore(system)
    distance = space.distances(error)
    layer = Relaxation(_relaxed(task, way), LAYER)
    estimates = {state: layer.code_of(task.values(state)) for state in space.steps}
    event(f"dead ends: {DEAD_END in estimates.values()}")
    for state, steps in space.steps.items():
        if estimates[state] == DEAD_END:
            assert state not in distance
        else:
            assert estimates[state] <= distance.get(state, DEAD_END)
        for step in steps:
            after = estimates[step.successor]
            assert after == DEAD_END or estimates[state] <= step.cost + after


@settings(max_examples=40)
@given(asked=systems_with_error(costs=True), data=st.data())
def test_kernels_agree_with_the_definition_and_hu_is_not_below_hl(
    asked: tuple[System, ErrorCondition], data: st.DataObject
) -> None:
    system, error = asked
    task = compile_task(system, error)
    relaxed = relaxed_task(task)
    free = frozenset(data.draw(st.sets(st.integers(0, len(task.variables) - 1), max_size=2)))
    tables = {measure: Relaxation(relaxed, measure, free) for measure in (LAYER, PATH, DIRECT_PATH)}
    packing = pack_domains(task.analysis.domains)
    states = [task.values(state) for state in oracle.explore(system).steps][:20]
    packed = np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)
    codes = {}
    for measure, table in tables.items():
        codes[measure] = codes_of((TableGroup((table,)),), packed, packing).tolist()
        assert codes[measure] == [table.code_of(values) for values in states]
    for low, high in zip(codes[LAYER], codes[PATH], strict=True):
        assert low <= high
        assert (low == DEAD_END) == (high == DEAD_END)


@settings(max_examples=25)
@given(asked=systems_with_error(costs=True))
def test_the_abstract_path_leads_to_the_error_when_values_accumulate(asked: tuple[System, ErrorCondition]) -> None:
    task = compile_task(*asked)
    estimate = monotone(task, HU)
    relaxed = estimate.relaxed
    for values in list(task.initial_values())[:2]:
        path = estimate.abstract_path(values)
        if path is None:
            continue
        held = set(relaxed.facts.of_state(values))
        for number in [*(step.transition for step in path), -1]:
            held = _told(relaxed, held)
            if number >= 0:
                held |= _stored(relaxed, held, number)
        assert relaxed.goal in held
        assert sum(step.cost for step in path) == estimate.estimate(values)
        assert [step.layer for step in path] == sorted(step.layer for step in path)


def _told(relaxed: RelaxedTask, held: set[int]) -> set[int]:
    """The facts that hold, and those of the conditions that are satisfied by them."""
    before = None
    while held != before:
        before = held
        held = held | _stored(relaxed, held, -1)
    return held


def _stored(relaxed: RelaxedTask, held: set[int], transition: int) -> set[int]:
    found: set[int] = set()
    for operator in np.flatnonzero(relaxed.transition == transition).tolist():
        if held.issuperset(relaxed.needs(operator)):
            found.update(relaxed.after[relaxed.after_start[operator] : relaxed.after_start[operator + 1]].tolist())
    return found


@settings(max_examples=25)
@given(asked=systems_with_error(costs=True), data=st.data())
def test_with_free_variables_it_estimates_the_abstract_task(
    asked: tuple[System, ErrorCondition], data: st.DataObject
) -> None:
    """Never more than the database that drops them, and never more than with fewer of them."""
    task = compile_task(*asked)
    kept = data.draw(st.sets(st.integers(0, len(task.variables) - 1), min_size=1))
    free = frozenset(range(len(task.variables))) - kept
    relaxed = relaxed_task(task)
    database = build_database(task, sorted(kept), BuildOptions(complete=True))
    for state in list(oracle.explore(task.system).steps)[:10]:
        values = task.values(state)
        abstract, whole = (Relaxation(relaxed, LAYER, each).code_of(values) for each in (free, frozenset()))
        told = database.distance(values)
        assert abstract <= whole
        assert told is None or abstract <= told


@settings(max_examples=25)
@given(asked=systems_with_error(costs=True))
def test_what_accumulates_in_a_dead_end_is_closed_under_steps(asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    task = compile_task(system, error)
    relaxed = relaxed_task(task)
    space = oracle.explore(system)
    for state in list(space.steps)[:10]:
        found = chain(relaxed, relaxed.facts.of_state(task.values(state)), beyond_goal=True)
        pending, seen = [state], {state}
        while pending:
            for step in space.steps[pending.pop()]:
                assert all(found.is_reached(fact) for fact in relaxed.facts.of_state(task.values(step.successor)))
                if step.successor not in seen:
                    seen.add(step.successor)
                    pending.append(step.successor)


def test_the_example_of_the_paper() -> None:
    """No error path, but an abstract one of length 2 where guard and assignment are judged apart."""
    m = Builder("counter")
    m.integer("v", 0, 3)
    m.process("P", initial="a").edge("a", "a", guard="v == 0", do="v = v + 1")
    system = m.build()
    task = task_for(system, error="not (v < 2)")
    (values,) = task.initial_values()
    assert oracle.explore(system).shortest(task.error) is None
    apart = {name: monotone(task, name, joint=False) for name in (HL, HU)}
    assert [each.estimate(values) for each in apart.values()] == [2, 2]
    path = apart[HU].abstract_path(values)
    assert path is not None
    assert [(step.transition, step.layer) for step in path] == [(0, 1), (0, 2)]
    assert monotone(task, HL).estimate(values) is None  # a value is stored only out of values that satisfy the guard


def test_operands_are_indirect_dependencies() -> None:
    m = Builder("copies")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", do="x = 3")
    p.edge("a", "a", do="y = x")
    p.edge("a", "b", guard="y == 3")
    task = task_for(m.build(), error="P.b")
    (values,) = task.initial_values()
    estimate = monotone(task, HU)
    for indirect, transitions in ((True, [0, 1, 2]), (False, [1, 2])):
        path = estimate.abstract_path(values, indirect=indirect)
        assert path is not None
        assert [step.transition for step in path] == transitions
    assert monotone(task, HL).estimate(values) == 3


def test_steps_that_cost_nothing_begin_no_layer() -> None:
    m = Builder("free")
    m.integer("x", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="x < 3", do="x = x + 1", cost=0)
    p.edge("a", "b", guard="x == 3")
    task = task_for(m.build(), error="P.b")
    (values,) = task.initial_values()
    assert monotone(task, HL).estimate(values) == 1
    estimate = monotone(task, HU)
    path = estimate.abstract_path(values)
    assert path is not None
    assert [(step.transition, step.layer, step.cost) for step in path] == [(0, 0, 0)] * 3 + [(1, 1, 1)]
    assert estimate.estimate(values) == 1


@pytest.mark.parametrize("error", [ErrorCondition(name="d", deadlock=True), ErrorCondition(name="f", fault=True)])
def test_nothing_is_known_about_deadlocks_and_faults(error: ErrorCondition) -> None:
    task = compile_task(load("arbiter_tree:height=2"), error)
    for values in task.initial_values():
        assert monotone(task, HL).estimate(values) == monotone(task, HU).estimate(values) == 0


@pytest.mark.parametrize("way", WAYS)
def test_every_update_of_a_step_that_has_no_guard_is_there(way: str) -> None:
    """Both updates read what the other one stores, so that they are one part of the step, without a guard."""
    m = Builder("exchange")
    m.integer("x", 0, 3, initial=1)
    m.integer("y", 0, 3, initial=2)
    p = m.process("P", initial="a")
    p.edge("a", "a", do="x = (x + y) % 4, y = (x + y) % 4")
    for error in ("x == 3", "y == 1", "x == 0 and y == 1"):
        task = task_for(m.build(), error=error)
        distance = oracle.explore(task.system).shortest(task.error)
        assert distance is not None
        (values,) = task.initial_values()
        assert Relaxation(_relaxed(task, way), LAYER).code_of(values) <= distance
