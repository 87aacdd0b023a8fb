"""The canonical form of a condition means what the condition means, over all analysed values."""

from __future__ import annotations

import re
from itertools import islice

from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.predicates.canonical import Canonical
from symdmc.abstraction.predicates.given import predicates_given
from symdmc.abstraction.predicates.predicate import Claim, substituted
from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.errors import ModelError
from symdmc.model.expressions import Binary, Expr, Literal, Ref, Unary
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.model.system import System
from symdmc.task import compile_task
from tests.predicates import free_task, holds, states_of, truth_in
from tests.strategies import COMPARISONS, expressions, systems, systems_with_error

FREE = free_task(x=(0, 4), y=(-3, 3), z=(1, 2))
MOST_STATES = 400


@st.composite
def sums(draw: st.DrawFn, depth: int = 3) -> Expr:
    """Sums, differences and products with constants, also ones that 32 bits do not hold."""
    form = draw(st.integers(0, 6)) if depth else draw(st.integers(0, 1))
    if form == 0:
        return Literal(draw(st.sampled_from([-2, 0, 1, 2, 3, 2**30])))
    if form == 1:
        return Ref(draw(st.sampled_from("xyz")))
    if form == 2:
        return Unary("-", draw(sums(depth=depth - 1)))
    if form == 3:
        return Binary("*", Literal(draw(st.integers(-3, 3))), draw(sums(depth=depth - 1)))
    return Binary(draw(st.sampled_from("+-")), draw(sums(depth=depth - 1)), draw(sums(depth=depth - 1)))


@st.composite
def comparisons(draw: st.DrawFn) -> Expr:
    return Binary(draw(st.sampled_from(COMPARISONS)), draw(sums()), draw(sums()))


@settings(max_examples=300)
@given(comparison=comparisons())
def test_a_canonical_comparison_means_what_it_meant(comparison: Expr) -> None:
    truth = Canonical(FREE).claim(comparison)
    event("linear" if isinstance(truth, Claim) and truth.predicate.linear else "other")
    for state in states_of(FREE):
        assert truth_in(FREE, truth, state) == holds(FREE, comparison, state)


@settings(max_examples=150)
@given(data=st.data(), system=systems())
def test_a_canonical_condition_means_what_it_meant(data: st.DataObject, system: System) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    condition = data.draw(expressions(system))
    truth = Canonical(task).claim(condition)
    for state in islice(states_of(task), MOST_STATES):
        assert truth_in(task, truth, state) == holds(task, condition, state)


@settings(max_examples=150)
@given(data=st.data(), system=systems(), limit=st.sampled_from([1, 2, 8]))
def test_one_of_the_cases_holds_where_a_condition_does(data: st.DataObject, system: System, limit: int) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    condition = data.draw(expressions(system, depth=4))
    cases = Canonical(task).cases(condition, limit=limit)
    assert len(cases) <= max(limit, 1)
    for state in islice(states_of(task), MOST_STATES):
        found = any(all(truth_in(task, claim, state) for claim in case) for case in cases)
        assert found or not holds(task, condition, state)


@settings(max_examples=100)
@given(asked=systems_with_error())
def test_predicates_of_the_syntax_never_fault(asked: tuple[System, ErrorCondition]) -> None:
    task = compile_task(*asked)
    found = [each.predicate for each in predicates_of_syntax(task)]
    assert len(set(found)) == len(found)
    for state in islice(states_of(task), 100):
        for predicate in found:
            task.semantics.evaluate(predicate.expression, state)


@settings(max_examples=100)
@given(data=st.data(), system=systems())
def test_substitution_reads_the_other_values(data: st.DataObject, system: System) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    condition = data.draw(expressions(system))
    first = next(states_of(task))
    values: dict[int, Expr] = {number: Literal(value) for number, value in enumerate(task.values(first))}
    told = substituted(task.layout, condition, values)
    for state in islice(states_of(task), 20):
        assert holds(task, told, state) == holds(task, condition, first)


@st.composite
def given_conditions(draw: st.DrawFn) -> Expr:
    """Comparisons, some joined, and now and then any expression at all."""
    form = draw(st.integers(0, 5))
    if form == 0:
        return draw(expressions(FREE.system, depth=2))
    if form == 1:
        return Binary(draw(st.sampled_from(["and", "or", "imply"])), draw(comparisons()), draw(comparisons()))
    if form == 2:
        return Unary("not", draw(comparisons()))
    left = draw(st.sampled_from("xyz"))
    right = draw(st.one_of(sums(depth=1), st.builds(Literal, st.integers(-3, 5))))
    return Binary(draw(st.sampled_from(COMPARISONS)), Ref(left), right)


@settings(max_examples=300)
@given(conditions=st.lists(given_conditions(), min_size=1, max_size=3))
def test_given_texts_become_predicates_that_tell_states_apart_or_are_refused_for_a_reason(
    conditions: list[Expr],
) -> None:
    states = list(states_of(FREE))
    try:
        found = predicates_given(FREE, map(str, conditions))
    except ModelError as refused:
        event("refused")
        for complaint in refused.complaints:
            assert complaint.remedy
            assert "\n" not in str(complaint)
            settled = re.fullmatch("'(.*)' (always|never) holds for the values that can occur", complaint.what)
            if settled is not None:
                condition = parse_expression(settled[1], Scope.of(FREE.system))
                assert {holds(FREE, condition, state) for state in states} == {settled[2] == "always"}
        return
    event("accepted")
    told: dict[tuple[bool, ...], tuple[bool, ...]] = {}
    for state in states:
        bits = tuple(bool(FREE.semantics.evaluate(each.predicate.expression, state)) for each in found)
        truths = tuple(holds(FREE, condition, state) for condition in conditions)
        assert told.setdefault(bits, truths) == truths
    for each in found:
        assert len({holds(FREE, each.predicate.expression, state) for state in states}) == 2


@settings(max_examples=300)
@given(condition=given_conditions())
def test_the_linear_form_of_a_predicate_means_what_its_expression_does(condition: Expr) -> None:
    truth = Canonical(FREE).claim(condition)
    if not isinstance(truth, Claim) or truth.predicate.linear is None:
        return
    linear = truth.predicate.linear
    event(f"variables: {len(linear.terms)}")
    for state in states_of(FREE):
        values = FREE.values(state)
        total = sum(factor * values[number] for number, factor in linear.terms)
        holds_there = total >= linear.bound if linear.relation == ">=" else total == linear.bound
        assert holds_there == holds(FREE, truth.predicate.expression, state)
