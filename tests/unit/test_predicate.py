"""Canonical forms of predicates, and where predicates come from."""

from __future__ import annotations

import subprocess
import sys

import pytest

from symdmc.abstraction.predicate import Claim, Truth
from symdmc.abstraction.predicate_canonical import Canonical
from symdmc.abstraction.predicate_sources import predicates_given, predicates_of_syntax
from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.expression_parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.task.task import Task
from tests.predicates import free_task


def _task() -> Task:
    return free_task(x=(0, 9), y=(0, 9), b=(0, 1), big=(0, 100_000))


def _claim(text: str, task: Task | None = None) -> Truth:
    task = task or _task()
    return Canonical(task).claim(parse_expression(text, Scope.of(task.system)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x < 4", "x <= 3"),
        ("x < 4", "not (x >= 4)"),
        ("x < 4", "4 > x"),
        ("2 * x + 2 * y > 5", "x + y >= 3"),
        ("x - y == 0", "y == x"),
        ("x - y == 0", "3 * y == 3 * x"),
        ("big < 4", "2 * big <= 7"),
        ("b", "b == 1"),
        ("b", "not (b == 0)"),
        ("x + y - y >= 3", "x > 2"),
        ("-x - y >= -3", "x + y <= 3"),
        ("(x + 1) * (x - 1) - x * x + y >= 3", "y >= 4"),
        ("Q.a", "not (Q.b or Q.c)"),
        ("x == 9", "x >= 9"),
    ],
)
def test_two_ways_to_say_the_same_are_one_claim(one: str, other: str) -> None:
    task = _task()
    assert isinstance(_claim(one, task), Claim)
    assert _claim(one, task) == _claim(other, task)


@pytest.mark.parametrize(("text", "opposite"), [("x == 3", "x != 3"), ("x + y >= 3", "x + y < 3"), ("Q.a", "not Q.a")])
def test_a_condition_and_its_negation_are_one_predicate_with_two_signs(text: str, opposite: str) -> None:
    task = _task()
    claim, other = _claim(text, task), _claim(opposite, task)
    assert isinstance(claim, Claim)
    assert other == claim.negated()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2 * x + 2 * y > 5", "x + y >= 3"),
        ("x == 3", "x == 3"),
        ("x == y + 1", "x - y == 1"),
        ("3 * x >= 2 * y", "3 * x - 2 * y >= 0"),
        ("y > x", "x - y >= 0"),
        ("x % 2 + y > 1", "x % 2 + y >= 2"),
        ("Q.b", "Q.b"),
    ],
)
def test_the_canonical_form_reads_as_expected(text: str, shown: str) -> None:
    claim = _claim(text)
    assert isinstance(claim, Claim)
    assert str(claim.predicate) == shown


@pytest.mark.parametrize(
    ("text", "truth"),
    [("x >= 0", True), ("x > 9", False), ("x + y <= 18", True), ("2 * x == 2 * y + 1", False), ("x * 0 == 1", False)],
)
def test_what_always_or_never_holds_is_recognised(text: str, truth: bool) -> None:
    assert _claim(text) is truth


def test_a_sum_that_32_bits_may_not_hold_has_no_linear_form() -> None:
    task = free_task(u=(0, 2**31 - 1), v=(0, 2**31 - 1))
    claim = _claim("u + v >= 3", task)
    assert isinstance(claim, Claim)
    assert claim.predicate.linear is None


def test_given_predicates_are_split_into_their_conditions() -> None:
    found = predicates_given(_task(), ["x + y >= 3 and not b", "Q.a"])
    assert [str(each.predicate) for each in found] == ["x + y >= 3", "b == 1", "Q.a"]
    assert str(found[0].sources[0]) == "given x + y >= 3 and not b"


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["x * y >= 3"], "predicate 'x * y >= 3': 'x * y >= 3' is not linear: it has a product of variables; use sums"),
        (["x % 2 == 0"], "is not linear: it has the operator %"),
        (["z >= 3"], "unknown name 'z'"),
        (["x >= 2.5"], "2.5 is no integer, and all variables are; compare with 2 or the next integer"),
        (["x > 9"], "'x > 9' never holds for the values that can occur; leave it out"),
        (["x >= 0"], "'x >= 0' always holds for the values that can occur; leave it out"),
        (["x < 4", "x <= 3"], "predicate 'x <= 3': says the same as 'x < 4', given before it; leave one of them out"),
        (["x < 4", "x >= 4"], "says the same as 'x < 4'"),
        (["x >= "], "<predicate>:1:"),
    ],
)
def test_a_predicate_that_cannot_be_used_is_refused_in_one_line(texts: list[str], complaint: str) -> None:
    with pytest.raises(ModelError) as refused:
        predicates_given(_task(), texts)
    assert complaint in str(refused.value)
    assert len(refused.value.complaints) == 1
    assert "\n" not in str(refused.value)


def test_all_bad_predicates_are_reported_at_once() -> None:
    with pytest.raises(ModelError) as refused:
        predicates_given(_task(), ["x * y >= 3", "x >= 1.5", "x < 4", "4 > x"])
    assert len(refused.value.complaints) == 3


def _collected() -> Task:
    m = Builder("collected")
    m.integer("x", 0, 9)
    m.integer("y", 0, 9, initial=[range(10)])
    p = m.process("P", initial="a")
    p.location("b", invariant="y <= 3")
    p.edge("a", "b", guard="x + y < 4 or x % 3 == 1", do="x = x + 1")
    p.edge("b", "a", guard="not (x + y >= 4) and x / y == 1", do="y = y + 1")
    return m.build().task(error="P.b and x == 2")


def test_the_syntax_yields_locations_guards_invariants_and_the_error_condition() -> None:
    found = {
        str(each.predicate): [str(source) for source in each.sources] for each in predicates_of_syntax(_collected())
    }
    assert found == {
        "P.b": ["location P.a", "location P.b", "error P.b and x == 2"],
        "x + y >= 4": ["guard P: a -> b", "guard P: b -> a"],
        "x % 3 == 1": ["guard P: a -> b"],
        "y >= 4": ["invariant P.b"],
        "x == 2": ["error P.b and x == 2"],
    }


def test_sympy_is_loaded_only_where_predicates_are_made() -> None:
    program = "import sys, symdmc.abstraction.cartesian, symdmc.cli.main; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
