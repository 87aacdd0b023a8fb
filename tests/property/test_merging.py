"""The claims of merged abstractions: products have all steps, maps are homomorphisms, estimates are admissible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.merging import factors as merging_factors
from symdmc.abstraction.merging import pool as merging_pool
from symdmc.abstraction.merging.abstract_system import MergeOptions, _Merging, no_report
from symdmc.abstraction.merging.component import Component
from symdmc.abstraction.merging.component_loops import UNREACHED, Edges
from symdmc.abstraction.merging.factors import Factoring
from symdmc.abstraction.merging.products import products
from symdmc.abstraction.merging.shrinking import BUCKETS, Graph, classes_of
from symdmc.checking.checks import task_for
from symdmc.heuristics.merge import merge_heuristic
from symdmc.lookup.tables import DEAD_END, OUTSIDE, codes_of
from symdmc.lookup.tree import TreeTable
from symdmc.lookup.tree_unfolding import unfolded
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State, Step
from symdmc.model.system import System
from symdmc.packed.packing import pack_domains
from symdmc.task import compile_task
from symdmc.task.task import Task, Values
from tests import oracle
from tests.strategies import systems, systems_with_error

WAYS: dict[str, dict[str, Any]] = {
    "ranking": {},
    "definition": {"order": "definition"},
    "high distances first": {"buckets": "high"},
    "bisimulation": {"shrink": "bisimulation"},
}
TIGHT = {"MOST_ROWS": 6, "FEW_ROWS": 6, "MOST_PRODUCTS": 3, "FEW_PRODUCTS": 2, "MOST_ERRORS": 2}
"""Budgets that leave little: most that is no product is weakened."""


def _tighten(patch: pytest.MonkeyPatch) -> None:
    for name, value in TIGHT.items():
        patch.setattr(merging_factors, name, value)


def _check_estimates(task: Task, space: oracle.StateSpace, estimates: dict[Values, int | None]) -> None:
    distance = space.distances(task.error)
    event(f"dead ends: {None in estimates.values()}, largest: {max((e or 0 for e in estimates.values()), default=0)}")
    for state, steps in space.steps.items():
        estimate = estimates[task.values(state)]
        if estimate is None:
            assert state not in distance
        else:
            assert estimate <= distance.get(state, estimate)
        for step in steps:
            after = estimates[task.values(step.successor)]
            assert after is None or (estimate is not None and estimate <= step.cost + after)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("tight", [False, True])
@settings(max_examples=30)
@given(asked=systems_with_error(costs=True), bound=st.sampled_from((2, 3, 5, 8, 50)))
def test_estimates_are_admissible_and_consistent(
    way: str, tight: bool, asked: tuple[System, ErrorCondition], bound: int
) -> None:
    task = compile_task(*asked)
    with pytest.MonkeyPatch.context() as patch:
        if tight:
            _tighten(patch)
        heuristic = merge_heuristic(task, bound, **WAYS[way])
    space = oracle.explore(task.system)
    _check_estimates(task, space, {values: heuristic.estimate(values) for values in map(task.values, space.steps)})


@settings(max_examples=30)
@given(system=systems(costs=True), data=st.data())
def test_bisimulation_gives_the_distances_themselves(system: System, data: st.DataObject) -> None:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    task = compile_task(system, data.draw(st.sampled_from([*asked, ErrorCondition(name="never")])))
    if len(Factoring(task).kept) < sum(domain.count > 1 for domain in task.analysis.domains):
        return  # a variable with very many values is left out
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging_factors, "MOST_PRODUCTS", 1 << 20)
        patch.setattr(merging_factors, "PRODUCT_BUDGET", 1 << 30)
        heuristic = merge_heuristic(task, 2, shrink="bisimulation")
    space = oracle.explore(system)
    if any(_faults(task, state) for state in space.steps):
        return  # one part of an error condition may hold where another faults, and thus the whole
    distance = space.distances(task.error)
    if not heuristic.tables:  # no variable has a part in the error condition
        assert all(distance[state] == 0 for state in space.steps)
        return
    for state in space.steps:
        assert heuristic.estimate(task.values(state)) == distance.get(state)


def _faults(task: Task, state: State) -> bool:
    """Whether the error condition faults in a state."""
    try:
        task.semantics.evaluate(task.error.expression, state)
    except ArithmeticFault:
        return True
    return False


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Few states, each with steps of some groups, and error states of up to two products."""
    size, groups = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    number = st.integers(0, size - 1)
    steps = draw(st.sets(st.tuples(number, st.integers(0, groups - 1), number), max_size=12))
    ordered = sorted(steps)
    return Graph(
        met=np.arange(size),
        edges=Edges(
            begins=np.searchsorted([source for source, _, _ in ordered], np.arange(size + 1)).astype(np.int64),
            groups=np.array([group for _, group, _ in ordered], dtype=np.int32),
            targets=np.array([target for _, _, target in ordered], dtype=np.int32),
        ),
        marks=np.array(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)), dtype=np.int64),
        costs=np.array(draw(st.lists(st.integers(0, 1), min_size=groups, max_size=groups)), dtype=np.int64),
    )


@settings(max_examples=300)
@given(graph=graphs(), buckets=st.sampled_from(BUCKETS))
def test_without_a_bound_states_are_one_exactly_if_they_are_bisimilar(graph: Graph, buckets: str) -> None:
    found, count = classes_of(graph, None, buckets)
    distance = graph.distances()
    alive = [state for state in range(len(distance)) if distance[state] < UNREACHED]
    names = {state: repr((graph.remoteness()[state], graph.marks[state])) for state in alive}
    for _ in alive:
        ends = {
            state: {
                (int(graph.edges.groups[edge]), names[int(graph.edges.targets[edge])])
                for edge in range(graph.edges.begins[state], graph.edges.begins[state + 1])
                if int(graph.edges.targets[edge]) in names
            }
            for state in alive
        }
        names = {state: repr((names[state], sorted(ends[state]))) for state in alive}
    event(f"{len(alive)} states, {count} classes")
    assert count == len(set(names.values()))
    assert {(one, other) for one in alive for other in alive if found[one] == found[other]} == {
        (one, other) for one in alive for other in alive if names[one] == names[other]
    }
    assert [state for state in range(len(distance)) if found[state] < 0] == sorted({*range(len(distance))} - {*alive})


def test_a_process_that_must_stay_where_it_is_leads_to_dead_ends() -> None:
    m = Builder("waiting")
    m.integer("x", 0, 3)
    m.process("P", initial="a").edge("a", "b")
    m.process("Q", initial="a").edge("a", "a", guard="x < 3", do="x = x + 1")
    task = task_for(m.build(), error="P.a and x == 3")
    heuristic = merge_heuristic(task, 50)
    assert [heuristic.estimate((place, 0, x)) for place in range(2) for x in range(4)] == [3, 2, 1, 0, *[None] * 4]


def test_a_process_that_never_takes_part_in_a_step_forbids_it_to_others() -> None:
    m = Builder("never")
    m.integer("x", 0, 1)
    m.integer("y", 0, 1, initial=[[0, 1]])
    p = m.process("P", initial="a")
    p.location("b", invariant="y > 1")
    p.edge("a", "b")
    p.edge("b", "a", do="x = 1")
    task = task_for(m.build(), error="x == 1")
    heuristic = merge_heuristic(task, 2, shrink="bisimulation")
    assert [heuristic.estimate(values) for values in task.initial_values()] == [None, None]


def _moved(task: Task, factoring: Factoring, values: Values) -> Iterator[tuple[int, Values]]:
    """The steps that the products permit in a state: cost, and the kept variables behind the step."""
    listed = {number: factoring.domains[number].array for number in factoring.kept}
    for step in factoring.steps():
        options = []
        for number in sorted(factoring.kept):
            own = listed[number]
            if number not in step.pairs:
                options.append([values[number]])
                continue
            here = step.pairs[number] // len(own) == np.searchsorted(own, values[number])
            options.append([int(own[pair % len(own)]) for pair in step.pairs[number][here]])
        yield from ((step.cost, after) for after in product(*options))


@pytest.mark.parametrize("tight", [False, True])
@settings(max_examples=30)
@given(system=systems(costs=True))
def test_products_have_the_steps_of_the_task(tight: bool, system: System) -> None:
    task = compile_task(system, ErrorCondition(name="never"))
    space = oracle.explore(system)
    with pytest.MonkeyPatch.context() as patch:
        if tight:
            _tighten(patch)
        factoring = Factoring(task)
        steps = factoring.steps()
        patch.setattr(factoring, "steps", lambda: steps, raising=False)
        kept = sorted(factoring.kept)
        exact = not tight and len(kept) == sum(domain.count > 1 for domain in factoring.domains)
        for state, moves in list(space.steps.items())[:40]:
            wanted = {(step.cost, tuple(task.values(step.successor)[n] for n in kept)) for step in moves}
            found = set(_moved(task, factoring, task.values(state)))
            assert wanted <= found
            assert not exact or wanted == found


def _merged(task: Task, variables: Iterable[int], options: MergeOptions) -> Component | None:
    """Some variables as one component; None where none of them ever changes."""
    merging = _Merging(task, variables, options, no_report)
    while len(merging.pool.components) > 1:
        merging._join(*merging._next(sorted(merging.pool.components)))
    return next(iter(merging.pool.components.values()), None)


@settings(max_examples=30)
@given(data=st.data(), asked=systems_with_error(costs=True), bound=st.sampled_from((2, 4, 9)))
def test_the_map_to_a_component_is_a_homomorphism(
    data: st.DataObject, asked: tuple[System, ErrorCondition], bound: int
) -> None:
    system, error = asked
    task = compile_task(system, ErrorCondition(name="expression", expression=error.expression))
    chosen = data.draw(st.sets(st.integers(0, len(task.variables) - 1), min_size=1))
    component = _merged(task, chosen, MergeOptions(bound=bound))
    if component is None:
        return
    assert component.size <= bound
    assert component.variables <= chosen
    table, space = TreeTable(component.tree), oracle.explore(system)
    place = {state: table.code_of(task.values(state)) for state in space.steps}
    starts, targets = component.steps
    edges = (
        (source, to) for row in starts for source in range(component.size) for to in targets[slice(*row[source:][:2])]
    )
    possible = {source * component.size + int(to) for source, to in edges}
    errors, distance = space.error_states(task.error), space.distances(task.error)
    for state, steps in space.steps.items():
        here = place[state]
        assert here <= component.size  # a class or a dead end, not outside
        if here == component.size:
            assert state not in distance
            continue
        assert state not in errors or component.marks[here] != 0
        assert state not in space.initial or component.initial[here]
        for step in steps:
            after = place[step.successor]
            assert after in (here, component.size) or here * component.size + after in possible


@settings(max_examples=20)
@given(asked=systems_with_error(costs=True), bound=st.sampled_from((2, 5, 20)))
def test_compiled_look_ups_of_trees_are_those_of_the_reference(
    asked: tuple[System, ErrorCondition], bound: int
) -> None:
    task = compile_task(*asked)
    heuristic = merge_heuristic(task, bound)
    packing = pack_domains(task.analysis.domains)
    choose = np.random.default_rng(0)
    states = [tuple(int(choose.choice(domain.array)) for domain in task.analysis.domains) for _ in range(50)]
    packed = np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)
    codes = codes_of(heuristic.groups, packed, packing).tolist()
    assert codes == [heuristic.groups[0].code_of(values) for values in states]
    event(f"outside: {OUTSIDE in codes}")


@settings(max_examples=25)
@given(system=systems(costs=True), data=st.data(), bound=st.sampled_from((2, 5, 50)), tight=st.booleans())
def test_dead_ends_stay_dead_ends_from_every_state_within_the_analysed_values(
    system: System, data: st.DataObject, bound: int, tight: bool
) -> None:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    task = compile_task(system, data.draw(st.sampled_from([*asked, ErrorCondition(name="never")])))
    domains = task.analysis.domains
    if prod(domain.count for domain in domains) > 3000:
        return
    with pytest.MonkeyPatch.context() as patch:
        if tight:
            _tighten(patch)
        heuristic = merge_heuristic(task, bound)
    for table in heuristic.tables:
        assert isinstance(table, TreeTable)
        diagram = unfolded(table, DEAD_END)
        assert diagram is not None
        for values in product(*(domain.array.tolist() for domain in domains)):
            is_dead = table.code_of(values) == DEAD_END
            assert is_dead == (diagram.code_of(values) == DEAD_END)
            if is_dead:
                state = task.state(values)
                assert not task.semantics.holds(task.error.expression, state)
                moves = task.semantics.moves(state)
                after = [task.values(move.successor) for move in moves if isinstance(move, Step)]
                assert all(table.code_of(each) == DEAD_END for each in after)


@settings(max_examples=20)
@given(asked=systems_with_error(costs=True), order=st.sampled_from(("ranking", "definition")))
def test_products_that_are_too_large_make_the_abstraction_coarser(
    asked: tuple[System, ErrorCondition], order: str
) -> None:
    task = compile_task(*asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging_pool, "MOST_PAIRS", 12)
        patch.setattr(merging_pool, "MOST_EDGES", 40)
        heuristic = merge_heuristic(task, 50, order=order)
    space = oracle.explore(task.system)
    _check_estimates(task, space, {values: heuristic.estimate(values) for values in map(task.values, space.steps)})


@given(
    rows=st.sets(st.tuples(*(st.integers(0, 2) for _ in range(3))), min_size=1),
    budget=st.sampled_from((1, 2, 4, 1000)),
)
def test_products_have_all_rows_and_with_enough_of_them_no_others(rows: set[tuple[int, ...]], budget: int) -> None:
    columns = [np.array(column, dtype=np.int64) for column in zip(*sorted(rows), strict=True)]
    found = products(columns, budget)
    assert 1 <= len(found) <= budget
    covered = [row for each in found for row in product(*(values.tolist() for values in each))]
    assert rows <= set(covered)
    assert budget < 1000 or sorted(covered) == sorted(rows)


def test_what_a_step_surely_stores_is_all_that_a_weakened_step_stores() -> None:
    m = Builder("weakened")
    m.integer("x", 0, 3, initial=[range(4)])
    m.integer("y", 0, 1, initial=[range(2)])
    m.integer("v", 0, 2, size=2)
    m.process("P", initial="a").edge("a", "b", guard="P.a + x + y > 1", do="x = 3, v[y] = 2")
    task = compile_task(m.build(), ErrorCondition(name="never"))
    with pytest.MonkeyPatch.context() as patch:
        _tighten(patch)
        factoring = Factoring(task)
        (step,) = factoring.steps()
    moves = {}
    for number, pairs in step.pairs.items():
        listed = factoring.domains[number].array.tolist()
        moves[task.variables[number].name] = {(listed[p // len(listed)], listed[p % len(listed)]) for p in pairs}
    assert moves == {
        "P": {(0, 1)},
        "x": {(0, 3), (1, 3), (2, 3), (3, 3)},
        "v[0]": {(0, 0), (0, 2), (2, 2)},
        "v[1]": {(0, 0), (0, 2), (2, 2)},
    }


def test_in_the_order_of_definition_the_first_two_are_merged_first() -> None:
    m = Builder("ordered")
    for name in ("P", "Q", "R", "S"):
        m.process(name, initial="a").edge("a", "b")
    task = task_for(m.build(), error="P.b and Q.b and R.b and S.b")
    merging = _Merging(task, range(4), MergeOptions(bound=50, order="definition"), no_report)
    found = []
    while len(numbers := merging._relevant()) > 2:
        merging._join(*merging._next(numbers))
        found.append(max((each.variables for each in merging.pool.components.values()), key=len))
    assert found == [{0, 1}, {0, 1, 2}]
