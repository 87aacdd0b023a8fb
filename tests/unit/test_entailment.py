"""What each layer of entailment answers."""

from __future__ import annotations

import pytest

import symdmc
from symdmc.abstraction.cartesian.cartesian import cartesian_abstraction
from symdmc.abstraction.entailment.claims import Knowledge
from symdmc.abstraction.entailment.entailment import Entailment, EntailmentLimits, LayerName
from symdmc.abstraction.entailment.view import ConjunctionView
from symdmc.abstraction.predicates.predicate import Claim
from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.checking.checks import task_for
from symdmc.model.expressions import negation
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.patterndb.predicates import CARTESIAN, PredicateBuilder, PredicateOptions
from symdmc.task.task import Task
from tests.predicates import free_task

WIDE = free_task(u=(0, 1_000_000), v=(0, 1_000_000), w=(0, 1_000_000), x=(0, 9), y=(0, 9))


def _claims(entailment: Entailment, *texts: str) -> list[Claim]:
    scope = Scope.of(entailment.table.task.system)
    found: list[Claim] = []
    for text in texts:
        (case,) = entailment.canonical.cases(parse_expression(text, scope), limit=1)
        found.extend(case)
    return found


def _decided(known: str, asked: str, *, limits: EntailmentLimits = EntailmentLimits()) -> tuple[bool | None, str]:
    """The answer and the layer that gave it; of a negated canonical form, the answer about what was written."""
    entailment = Entailment(WIDE, limits=limits)
    (goal,) = _claims(entailment, asked)
    answer = entailment.decide(_claims(entailment, *known.split(";")), goal.predicate)
    counts = entailment.statistics()
    layer = next((name.value for name, count in counts.answered if count), "undecided")
    return (answer if answer is None or goal.holds else not answer), layer


@pytest.mark.parametrize(
    ("known", "asked", "answer", "layer"),
    [
        ("u + v >= 5", "u + v >= 3", True, "syntax"),
        ("u + v >= 5", "u + v <= 4", False, "syntax"),
        ("u - v != 2", "u - v == 2", False, "syntax"),
        ("u + v >= 3; u + v != 3", "u + v >= 4", True, "syntax"),
        ("3 * u - v != 0; 3 * u - v != -1; 3 * u - v <= 0", "3 * u - v >= -1", False, "syntax"),
        ("x == 3", "x >= 2", True, "values"),
        ("Q.a", "Q.b", False, "values"),
        ("u <= 3; v <= 4", "u + v <= 7", True, "values"),
        ("u + v <= 7", "u >= 8", False, "values"),
        ("u != 1000000; v - u <= 0", "v <= 999999", True, "values"),
        ("x + y >= 12; x - y == 0", "x >= 6", True, "rows"),
        ("x != y", "x + y >= 1", True, "rows"),
        ("x % 2 == 1; y % 2 == 1", "x + y == 3", False, "rows"),
        ("x % 2 == 1; y % 2 == 1", "x + y == 4", None, "rows"),
        ("u - v >= 3; v - w >= 4", "u - w >= 7", True, "differences"),
        ("u - v >= 3; v - w >= 4", "u - w >= 8", None, "differences"),
        ("u - v >= 3; v - w != 4", "u - w >= 8", None, "witnesses"),
        ("u + v >= 3; w - v >= 0", "u + w >= 4", None, "witnesses"),
        ("u + v >= 3; w - v >= 0", "u + w == 4", None, "witnesses"),
        ("3 * u - v == 0; u + v >= 5; v % 2 == 1", "w - v >= 0", None, "witnesses"),
        ("u + v >= 3; w - v >= 0", "u + w >= 3", True, "theory"),
        ("u + v >= 3; w - v >= 0", "u + w <= 2", False, "theory"),
        ("u + v >= 3; w - v >= 0", "u + w == 2", False, "theory"),
        ("u + v - 2 * w == 0; u - v - 2 * x == 1", "u >= 5", None, "theory"),
        ("u * v >= 3", "u * w >= 3", None, "undecided"),
    ],
)
def test_each_layer_answers_what_is_its_own(known: str, asked: str, answer: bool | None, layer: str) -> None:
    assert _decided(known, asked) == (answer, layer)


@pytest.mark.parametrize("limits", [EntailmentLimits(theory_calls=0), EntailmentLimits(theory_size=4)])
def test_beyond_the_limits_of_the_theory_a_question_is_undecided(limits: EntailmentLimits) -> None:
    assert _decided("u + v >= 3; w - v >= 0", "u + w >= 3", limits=limits) == (None, "undecided")


def test_the_same_question_is_answered_from_the_cache() -> None:
    entailment = Entailment(WIDE)
    known, (goal,) = _claims(entailment, "u + v >= 3", "w - v >= 0"), _claims(entailment, "u + w >= 3")
    assert [entailment.decide(order, goal.predicate) for order in (known, known[::-1])] == [True, True]
    found = entailment.statistics()
    assert dict(found.answered)[LayerName.CACHE] == 1
    assert (found.queries, found.theory_calls) == (2, 1)


def test_what_a_spent_limit_left_undecided_is_asked_again_when_that_is_renewed() -> None:
    entailment = Entailment(WIDE, limits=EntailmentLimits(theory_calls=1))
    known = _claims(entailment, "u + v >= 3", "w - v >= 0")
    goals = _claims(entailment, "u + w >= 3", "u + w >= 2")
    assert [entailment.decide(known, goal.predicate) for goal in goals] == [True, None]
    assert [entailment.decide(known, goal.predicate) for goal in goals] == [True, None]
    entailment.renew()
    assert [entailment.decide(known, goal.predicate) for goal in goals] == [True, True]
    found = entailment.statistics()
    assert (found.queries, found.undecided, found.theory_calls) == (6, 1, 2)
    assert dict(found.answered)[LayerName.CACHE] == 3


def test_every_abstraction_may_hand_as_many_problems_to_sympy() -> None:
    task = task_for(symdmc.load("flow_control"))
    found = [each.predicate for each in predicates_of_syntax(task)]
    builder = PredicateBuilder(task, PredicateOptions(kind=CARTESIAN))
    builder.entailment = Entailment(task, limits=EntailmentLimits(theory_calls=16))
    builder.abstraction(found[:-2])
    assert 0 < builder.entailment.statistics().theory_calls <= 16
    abstraction = builder.abstraction(found)
    counts = builder.entailment.statistics()
    assert counts.theory_calls > 16
    assert counts.undecided == 0
    assert abstraction.size == cartesian_abstraction(task, found).cubes


def test_witnesses_are_given_up_beyond_their_limit() -> None:
    known, asked = "u + v >= 3; w - v >= 0", "u + w >= 4"
    assert _decided(known, asked, limits=EntailmentLimits(witness_tries=0)) == (None, "theory")


def test_a_view_has_the_values_that_claims_and_bounds_leave_to_a_variable() -> None:
    entailment = Entailment(free_task(x=(0, 4000), y=(-3, 3)))
    claims = _claims(entailment, "x % 3 == 1", "x >= 100", "x + y <= 3000")
    view = ConjunctionView(entailment.table, entailment.table.knowledge(claims) or Knowledge())
    x, y = entailment.table.task.layout.first["x"], entailment.table.task.layout.first["y"]
    assert view.domain(x).array.tolist() == [value for value in range(100, 3004) if value % 3 == 1]
    assert view.domain(y).array.tolist() == list(range(-3, 4))


def test_what_is_not_linked_to_a_question_does_not_matter_to_it() -> None:
    entailment = Entailment(WIDE)
    (goal,) = _claims(entailment, "u >= 7")
    for other in ("x == 3", "x == 4", "v - w >= 5"):
        assert entailment.decide(_claims(entailment, "u >= 5", other), goal.predicate) is None
    assert dict(entailment.statistics().answered)[LayerName.CACHE] == 2


@pytest.mark.parametrize(
    ("known", "impossible"),
    [
        ("x == 3; x >= 4", True),
        ("Q.a; Q.b", True),
        ("u + v >= 3; u <= 1; v <= 1", True),
        ("u - v >= 1; v - w >= 1; w - u >= -1", True),
        ("u + v >= 3; u + w >= 3; v + w >= 3; u + v + w <= 4", True),
        ("u + v >= 3; u + w >= 3; v + w >= 3; u + v + w <= 5", False),
        ("x + y == 3; x - y == 0", True),
        ("x % 2 == 1; x == y; x + y == 4", True),
        ("x % 2 == 1; x == y; x + y == 6", False),
        ("x % 2 == 0; x + 2 * u == 1", True),
        ("x % 2 == 0; x + 2 * u == 2", False),
    ],
)
def test_a_conjunction_that_nothing_satisfies_is_impossible(known: str, impossible: bool) -> None:
    entailment = Entailment(WIDE)
    assert entailment.is_impossible(_claims(entailment, *known.split(";"))) is impossible


def test_a_claim_that_may_fault_says_nothing_more_than_where_it_holds() -> None:
    task: Task = free_task(x=(0, 3), y=(0, 3))
    entailment = Entailment(task)
    scope = Scope.of(task.system)
    divides = parse_expression("6 / x >= 4", scope)
    (case,) = entailment.canonical.cases(negation(divides), limit=1)
    (goal,) = entailment.canonical.cases(parse_expression("x == 0", scope), limit=1)
    assert entailment.decide(case, goal[0].predicate) is None
