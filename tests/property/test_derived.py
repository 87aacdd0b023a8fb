"""The claims of derived variables: abstraction keeps steps and errors, and adds nothing that no state is behind."""

from __future__ import annotations

from itertools import islice, product
from math import prod

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.relation.relation import Relation
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.model.expressions import TRUE, Expr, conjunction, conjuncts
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Step
from symdmc.model.system import System
from symdmc.patterndb.build import BuildOptions, BuiltLayers, build_layers, database_of
from symdmc.search.certificates.atoms import VariableTerms
from symdmc.task import compile_task
from symdmc.task.definitions import Definition, Holds
from symdmc.task.derived import completed, extended, numbers_of
from symdmc.task.merged_values import merged_by
from symdmc.task.task import Task
from tests import oracle
from tests.derived_strategies import draw_definitions
from tests.strategies import systems
from tests.timed_strategies import timed_systems

MOST_STATES = 3_000
COMPLETE = BuildOptions(complete=True)
OPTIONS = {
    "complete": COMPLETE,
    "to the initial state": BuildOptions(),
    "two layers": BuildOptions(most_layers=1),
    "inside pairs": BuildOptions(complete=True, forward_work=0),
}


def _task(data: st.DataObject, system: System) -> Task:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    asked += [ErrorCondition(name="deadlock", deadlock=True), ErrorCondition(name="fault", fault=True)]
    return compile_task(system, data.draw(st.sampled_from(asked)))


def _derived(data: st.DataObject, task: Task) -> tuple[Task, list[int]]:
    """The task with some derived variables, and a pattern of these and maybe a variable of its own."""
    chosen = draw_definitions(data.draw, task)
    richer = extended(task, chosen)
    plain = data.draw(st.sets(st.integers(0, len(task.variables) - 1), max_size=1))
    return richer, sorted({*numbers_of(richer, chosen), *plain})


def _projected(task: Task, kept: list[int], **settings: int) -> ProjectedRelation:
    order = variable_order(task, "local", 0, kept).variables
    return ProjectedRelation(Encoding(task, order), **settings)  # type: ignore[arg-type]  # names of its arguments


@pytest.mark.parametrize("merge_limit", [0, 1_000])
@settings(max_examples=60)
@given(data=st.data(), system=systems(costs=True))
def test_every_step_has_an_abstract_step_or_changes_nothing(
    merge_limit: int, data: st.DataObject, system: System
) -> None:
    task, kept = _derived(data, compile_task(system, ErrorCondition(name="nothing")))
    relation = _projected(task, kept, merge_limit=merge_limit)
    encoding, d = relation.encoding, relation.diagrams
    space = oracle.explore(system)
    starts = d.any_of(encoding.state(completed(task, task.values(state))) for state in space.initial)
    assert d.without(starts, relation.initial()) == d.false
    for state, steps in islice(space.steps.items(), 60):
        before = encoding.state(completed(task, task.values(state)))
        for step in steps:
            after = encoding.state(completed(task, task.values(step.successor)))
            same_cost = [part for part in relation.parts if part.cost == step.cost]
            reached = d.any_of(relation.image(before, part) for part in same_cost)
            assert after == before or d.without(after, reached) == d.false


@settings(max_examples=120)
@given(data=st.data(), system=systems())
def test_an_abstract_step_is_the_image_of_some_step(data: st.DataObject, system: System) -> None:
    plain = compile_task(system, ErrorCondition(name="nothing"))
    domains = [domain.array.tolist() for domain in plain.analysis.domains]
    assume(prod(map(len, domains)) <= MOST_STATES and plain.invariant == TRUE)
    task, kept = _derived(data, plain)
    relation = _projected(task, kept)
    d, encoding = relation.diagrams, relation.encoding
    expected: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for values in product(*domains):
        before = completed(task, values)
        own = expected.setdefault(tuple(before[number] for number in kept), set())
        for move in task.semantics.moves(task.state(values)):
            if isinstance(move, Step):
                after = completed(task, task.values(move.successor))
                own.add(tuple(after[number] for number in kept))
    event(f"several abstract states: {len(expected) > 1}")
    width = len(task.variables)
    for abstract, successors in islice(expected.items(), 60):
        start = encoding.state(_padded(width, kept, abstract))
        image = d.any_of(relation.image(start, part) for part in relation.parts)
        allowed = [encoding.state(_padded(width, kept, each)) for each in successors | {abstract}]
        assert d.without(image, d.any_of(allowed)) == d.false


def _padded(width: int, kept: list[int], abstract: tuple[int, ...]) -> list[int]:
    values = [0] * width
    for number, value in zip(kept, abstract, strict=True):
        values[number] = value
    return values


@settings(max_examples=80)
@given(data=st.data(), system=systems())
def test_error_states_are_those_with_an_error_state_behind_them(data: st.DataObject, system: System) -> None:
    plain = _task(data, system)
    assume(not plain.error.deadlock and not plain.error.fault)
    domains = [domain.array.tolist() for domain in plain.analysis.domains]
    assume(prod(map(len, domains)) <= MOST_STATES)
    task, kept = _derived(data, plain)
    relation = _projected(task, kept)
    d, encoding = relation.diagrams, relation.encoding
    found = ErrorStates(relation).within(encoding.valid)
    behind = [(encoding.state(completed(task, values)), values) for values in product(*domains)]
    expected = d.any_of(node for node, values in behind if task.semantics.holds(_lawful(task), task.state(values)))
    assert d.both(found, d.any_of(node for node, _ in behind)) == expected


def _lawful(task: Task) -> Expr:
    """The error condition, and the invariants that speak of the same variables."""
    support, error = task.layout.support, task.error.expression
    near = [each for each in conjuncts(task.invariant) if not support(error).isdisjoint(support(each))]
    return conjunction(error, *near)


def _judged(system: System, task: Task, built: BuiltLayers) -> None:
    """Estimates are admissible and consistent, and dead ends are dead."""
    space = oracle.explore(system)
    distance = space.distances(task.error)
    estimates = {state: built.distance(task.values(state)) for state in space.steps}
    event(f"dead ends: {any(estimate is None for estimate in estimates.values())}")
    event(f"estimates above 0: {any(estimates.values())}")
    for state, steps in space.steps.items():
        estimate = estimates[state]
        if estimate is None:
            assert state not in distance
        else:
            assert estimate <= distance.get(state, estimate)
        for step in steps:
            after = estimates[step.successor]
            assert after is None or (estimate is not None and estimate <= step.cost + after)


@pytest.mark.parametrize("way", OPTIONS)
@settings(max_examples=25)
@given(data=st.data(), system=systems(costs=True))
def test_estimates_are_admissible_and_consistent(way: str, data: st.DataObject, system: System) -> None:
    task, kept = _derived(data, _task(data, system))
    built = build_layers(task, kept, OPTIONS[way])
    _judged(system, task, built)
    starts = [built.distance(task.values(state)) for state in oracle.explore(system).initial]
    least = min((each for each in starts if each is not None), default=None)
    assert not starts or database_of(built).h_initial == least


@settings(max_examples=25)
@given(data=st.data(), asked=timed_systems())
def test_estimates_are_admissible_and_consistent_where_time_passes(
    data: st.DataObject, asked: tuple[System, ErrorCondition]
) -> None:
    task, kept = _derived(data, compile_task(*asked))
    _judged(asked[0], task, build_layers(task, kept, COMPLETE))


@settings(max_examples=40)
@given(data=st.data(), system=systems(costs=True))
def test_more_definitions_never_lower_the_estimate(data: st.DataObject, system: System) -> None:
    task, larger = _derived(data, _task(data, system))
    smaller = sorted(data.draw(st.sets(st.sampled_from(larger), min_size=1)))
    coarse, fine = (build_layers(task, pattern, COMPLETE) for pattern in (smaller, larger))
    for state in oracle.explore(system).steps:
        before, after = coarse.distance(task.values(state)), fine.distance(task.values(state))
        assert after is None or (before is not None and before <= after)


@pytest.mark.parametrize("way", ["predicates", "classes"])
@settings(max_examples=30)
@given(data=st.data(), system=systems(costs=True))
def test_telling_all_values_apart_is_projection(way: str, data: st.DataObject, system: System) -> None:
    plain = _task(data, system)
    narrow = [number for number, domain in enumerate(plain.analysis.domains) if domain.count <= 6]
    assume(narrow)
    kept = sorted(data.draw(st.sets(st.sampled_from(narrow), min_size=1, max_size=3)))
    told: list[Definition] = []
    for number in kept:
        values = plain.analysis.domains[number].array
        if way == "classes":
            told.append(merged_by(plain, number, [values[k : k + 1] for k in range(len(values))]))
        else:
            told += [Holds(VariableTerms(plain).within(number, [(value, value)])) for value in values.tolist()]
    task = extended(plain, told)
    derived = build_layers(task, numbers_of(task, told), COMPLETE)
    projected = build_layers(plain, kept, COMPLETE)
    for state in oracle.explore(system).steps:
        assert derived.distance(plain.values(state)) == projected.distance(plain.values(state))


@settings(max_examples=20)
@given(data=st.data(), system=systems(costs=True))
def test_a_perimeter_keeps_derived_variables_at_their_values(data: st.DataObject, system: System) -> None:
    task, _ = _derived(data, compile_task(system, ErrorCondition(name="nothing")))
    order = variable_order(task, "local", 0).variables
    relation = Relation(Encoding(task, order), merge_limit=1_000, frames=True)
    encoding, d = relation.encoding, relation.diagrams
    space = oracle.explore(system)
    states = {state: encoding.state(completed(task, task.values(state))) for state in space.steps}
    assert relation.initial() == d.any_of(states[state] for state in space.initial)
    for state, steps in islice(space.steps.items(), 40):
        image = d.any_of(relation.image(states[state], part) for part in relation.parts)
        assert image == d.any_of(states[step.successor] for step in steps)
