"""Entailment against brute force, and sympy's linear arithmetic against brute force and another solver."""

from __future__ import annotations

from itertools import product
from unittest.mock import patch

import z3
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.entailment import claims as entailment_claims
from symdmc.abstraction.entailment.claims import ClaimTable, Knowledge, OpenConjunction
from symdmc.abstraction.entailment.differences import DifferencesLayer
from symdmc.abstraction.entailment.entailment import ALL_LAYERS, Entailment, LayerName
from symdmc.abstraction.entailment.layers import Answer, EntailmentLayer, RowsLayer, SyntaxLayer, ValuesLayer
from symdmc.abstraction.entailment.theory import TheoryLayer, satisfiable
from symdmc.abstraction.entailment.view import Bounded, ConjunctionView
from symdmc.abstraction.entailment.witnesses import WitnessesLayer
from symdmc.abstraction.predicates import canonical as predicate_canonical
from symdmc.abstraction.predicates.predicate import Claim
from symdmc.model.expressions import At, Binary, Expr, Literal, Ref
from symdmc.model.state import State
from tests.predicates import free_task, states_of, truth_in
from tests.strategies import COMPARISONS, expressions

TASK = free_task(x=(0, 3), y=(-2, 2), z=(0, 4), w=(1, 2))
STATES = list(states_of(TASK))
VALUES = range(-3, 4)


@st.composite
def constraints(draw: st.DrawFn) -> Expr:
    """Linear constraints on some of the variables, a location, a remainder, or anything."""
    form = draw(st.integers(0, 12))
    if form == 0:
        return At("Q", draw(st.sampled_from("abc")))
    if form == 1:
        return draw(expressions(TASK.system, depth=2, faults=False))
    if form == 2:
        rest = Binary("%", Ref(draw(st.sampled_from("xyzw"))), Literal(2))
        return Binary("==", rest, Literal(draw(st.integers(0, 1))))
    names = draw(st.lists(st.sampled_from("xyzw"), min_size=1, max_size=4, unique=True))
    total: Expr = Literal(draw(st.integers(-2, 2)))
    for name in names:
        factor = draw(st.sampled_from([1, 1, 1, 2, 3]))
        total = Binary(draw(st.sampled_from("+-")), total, Binary("*", Literal(factor), Ref(name)))
    return Binary(draw(st.sampled_from(COMPARISONS)), total, Literal(draw(st.integers(-4, 6))))


@settings(max_examples=300)
@given(
    known=st.lists(constraints(), max_size=4),
    asked=constraints(),
    layers=st.sets(st.sampled_from(LayerName)).map(frozenset),
)
def test_entailment_is_sound_whichever_layers_are_on(
    known: list[Expr], asked: Expr, layers: frozenset[LayerName]
) -> None:
    entailment = Entailment(TASK, layers=layers)
    truths = [entailment.canonical.claim(each) for each in known]
    claims = [truth for truth in truths if isinstance(truth, Claim)]
    goal = entailment.canonical.claim(asked)
    satisfying = [state for state in STATES if all(truth_in(TASK, claim, state) for claim in claims)]
    if entailment.is_impossible(claims):
        event("impossible")
        assert not satisfying
    if isinstance(goal, Claim):
        answer = entailment.decide(claims, goal.predicate)
        event(f"answer {answer}")
        if answer is not None:
            assert all(truth_in(TASK, Claim(goal.predicate), state) is answer for state in satisfying)


@settings(max_examples=200)
@given(known=st.lists(constraints(), max_size=3), asked=constraints())
def test_with_all_layers_entailment_is_exact_over_few_values(known: list[Expr], asked: Expr) -> None:
    entailment = Entailment(TASK, layers=ALL_LAYERS)
    claims = [truth for truth in map(entailment.canonical.claim, known) if isinstance(truth, Claim)]
    goal = entailment.canonical.claim(asked)
    satisfying = [state for state in STATES if all(truth_in(TASK, claim, state) for claim in claims)]
    assert entailment.is_impossible(claims) is (not satisfying)
    if isinstance(goal, Claim) and satisfying:
        found = {truth_in(TASK, Claim(goal.predicate), state) for state in satisfying}
        assert entailment.decide(claims, goal.predicate) is (found.pop() if len(found) == 1 else None)


LAYERS: dict[LayerName, EntailmentLayer] = {
    LayerName.SYNTAX: SyntaxLayer(),
    LayerName.VALUES: ValuesLayer(),
    LayerName.ROWS: RowsLayer(1 << 12),
    LayerName.DIFFERENCES: DifferencesLayer(),
    LayerName.WITNESSES: WitnessesLayer(60),
    LayerName.THEORY: TheoryLayer(1 << 30, 60),
}


def _check(name: LayerName, answer: Answer, found: set[bool]) -> None:
    """The answer to a question that some states answer with yes and some with no."""
    event(f"{name.value}: {answer.value}")
    if answer is Answer.ENTAILED:
        assert False not in found
    elif answer is Answer.REFUTED:
        assert True not in found
    elif answer is Answer.OPEN and name is not LayerName.THEORY:  # that answers over the reals
        assert found == {False, True}


@settings(max_examples=400)
@given(
    known=st.lists(constraints(), max_size=4),
    asked=constraints(),
    most_values=st.sampled_from([predicate_canonical.MOST_VALUES, 1]),
)
def test_each_layer_alone_agrees_with_brute_force(known: list[Expr], asked: Expr, most_values: int) -> None:
    """Also with what the layers before have found. With a most of one value, claims about single variables are sums."""
    with (
        patch.object(predicate_canonical, "MOST_VALUES", most_values),
        patch.object(entailment_claims, "MOST_VALUES", most_values),
    ):
        table = ClaimTable(TASK)
        truths = map(table.canonical.claim, known)
        claims = [truth for truth in truths if isinstance(truth, Claim)]
        goal, knowledge = table.canonical.claim(asked), table.knowledge(claims)
        satisfying = [state for state in STATES if all(truth_in(TASK, claim, state) for claim in claims)]
        if knowledge is None:
            assert not satisfying
            return
        shared = ConjunctionView(table, knowledge)
        for name, layer in LAYERS.items():
            for view in (ConjunctionView(table, knowledge), shared):
                _check(name, layer.refute(view), {False, True} if satisfying else {True})
        if isinstance(goal, Claim):
            about = table.about(
                OpenConjunction(dict(knowledge.values), dict.fromkeys(knowledge.linked)), goal.predicate.support
            )
            found = {truth_in(TASK, Claim(goal.predicate), state) for state in STATES if _is_known(table, about, state)}
            shared = ConjunctionView(table, about)
            for name, layer in LAYERS.items():
                for view in (ConjunctionView(table, about), shared):
                    _check(name, layer.decide(view, goal.predicate), found)


def _is_known(table: ClaimTable, knowledge: Knowledge, state: State) -> bool:
    """Whether a state satisfies a conjunction."""
    values, domains = TASK.values(state), TASK.analysis.domains
    return all(
        mask >> domains[number].array.tolist().index(values[number]) & 1 for number, mask in knowledge.values
    ) and all(truth_in(TASK, Claim(table.predicates[claim >> 1], not claim & 1), state) for claim in knowledge.linked)


@st.composite
def sums(draw: st.DrawFn) -> list[Bounded]:
    """Bounds of sums over up to four variables."""
    count = draw(st.integers(1, 9))
    found: list[Bounded] = []
    for _ in range(count):
        factors = draw(st.lists(st.integers(-3, 3), min_size=4, max_size=4).filter(any))
        low = draw(st.none() | st.integers(-8, 8))
        high = draw(st.integers(-8, 8) if low is None else st.none() | st.integers(low, 12))
        found.append(Bounded(tuple((n, c) for n, c in enumerate(factors) if c), low, high))
    return found


def _within(each: Bounded, values: tuple[int, ...]) -> bool:
    total = sum(factor * values[number] for number, factor in each.terms)
    return (each.low is None or total >= each.low) and (each.high is None or total <= each.high)


def _by_z3(problem: list[Bounded]) -> bool:
    solver, reals = z3.Solver(), z3.Reals("a b c d")
    for each in problem:
        total = z3.Sum([factor * reals[number] for number, factor in each.terms])
        solver.add(*([] if each.low is None else [total >= each.low]))
        solver.add(*([] if each.high is None else [total <= each.high]))
    return bool(solver.check() == z3.sat)


@settings(max_examples=150)
@given(problem=sums())
def test_sympy_agrees_with_brute_force_and_with_another_solver(problem: list[Bounded]) -> None:
    answer = satisfiable(problem)
    event(f"satisfiable {answer}")
    assert answer is _by_z3(problem)
    if not answer:
        assert not any(all(_within(each, values) for each in problem) for values in product(VALUES, repeat=4))


@settings(max_examples=100)
@given(asked=st.lists(constraints(), min_size=1, max_size=6), drawn=st.integers(1, 2**8 - 1))
def test_what_is_left_of_a_variable_decides_predicates_on_it_alone(asked: list[Expr], drawn: int) -> None:
    entailment = Entailment(TASK)
    truths = map(entailment.canonical.claim, asked)
    for predicate in [truth.predicate for truth in truths if isinstance(truth, Claim)]:
        number = entailment.table.predicate(predicate)
        variable = entailment.table.variables[number]
        if variable < 0:
            continue
        left = drawn & entailment.table.whole(variable)
        values = TASK.analysis.domains[variable].array.tolist()
        states = [state for state in STATES if left >> values.index(TASK.values(state)[variable]) & 1]
        found = {truth_in(TASK, Claim(predicate), state) for state in states}
        event(f"predicate {number}: {found}")
        assert not found or entailment.decide_values(number, left) is (found.pop() if len(found) == 1 else None)
