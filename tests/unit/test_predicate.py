"""Canonical forms of predicates, and where predicates come from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symdmc.abstraction.predicates.canonical import Canonical
from symdmc.abstraction.predicates.given import predicates_given
from symdmc.abstraction.predicates.predicate import Claim, Truth
from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.checking.checks import task_for
from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.parsing.parser import parse_expression
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
        (["x * y >= 3"], "<predicate>:1:1: 'x * y >= 3' is not linear: it has a product of variables; use sums"),
        (["x * x > 2"], "'x * x > 2' is not linear: it has a product of variables; use sums"),
        (["x % 2 * y >= 1"], "is not linear: it has a product of variables"),
        (
            ["big % 2 == 0"],
            "is not linear: it has the operator %, and more than 4,096 combinations of values; use sums",
        ),
        (["x / y == 2"], "is not linear: it has the operator /, and faults for some values; say before it"),
        (["a[x] == 2"], "is not linear: it has a computed index, and faults for some values"),
        (["  z >= 3"], "<predicate>:1:3: unknown name 'z'"),
        (["x >= 2.5"], "<predicate>:1:6: 2.5 is no whole number, and variables are integers; write a whole number, as"),
        (["x >= 2.5"], "as in 'x >= 3'"),
        (["x > 2.5"], "as in 'x > 2'"),
        (["x < 2.5"], "as in 'x < 3'"),
        (["x <= 2.5"], "as in 'x <= 2'"),
        (["x - y > -2.5"], "as in 'x - y > -3'"),
        (["x >= .5"], "as in 'x >= 1'"),
        (["0.5 * x >= y"], "0.5 is no whole number, and variables are integers; write whole numbers only"),
        (["x == 2.5"], "2.5 is no whole number, and variables are integers; write whole numbers only"),
        (["x + y"], "'x + y' is a number, not a condition; compare it, as in 'x + y >= 1'"),
        (["x & 1 == 1"], "is a number, not a condition; compare it, as in '(x & 1 == 1) >= 1'"),
        (["x"], "'x' is a number, not a condition"),
        (["7"], "'7' is a number, not a condition"),
        (["1 < 2"], "'1 < 2' always holds for the values that can occur; leave it out"),
        (["x > 9"], "'x > 9' never holds for the values that can occur; leave it out"),
        (["x >= 0"], "'x >= 0' always holds for the values that can occur; leave it out"),
        (["x >= 3 and x <= 2"], "'x >= 3 and x <= 2' never holds for the values that can occur; leave it out"),
        (["x + y >= 5 and x + y <= 3"], "'x + y >= 5 and x + y <= 3' never holds"),
        (["big + x >= 5 and big + x <= 3"], "never holds"),
        (["x + y >= 5 or x + y <= 6"], "'x + y >= 5 or x + y <= 6' always holds"),
        (["x == 2 and x % 2 != (y + 1) % 2 + 2"], "'x % 2 != (y + 1) % 2 + 2' always holds"),
        (["(x + y) % 2 == 3"], "'(x + y) % 2 == 3' never holds"),
        (["x < 4", "x <= 3"], "'x <= 3' is a duplicate of 'x < 4' (<predicate>:1), as it is or negated; leave one of"),
        (["x < 4", "x >= 4"], "'x >= 4' is a duplicate of 'x < 4'"),
        (["x < 4", "y < 4", "x >= 4 or y >= 4"], "a duplicate of 'x < 4' (<predicate>:1) and 'y < 4' (<predicate>:1)"),
        (["x >= "], "<predicate>:1:"),
        ([""], "<predicate>:1:1: "),
    ],
)
def test_a_predicate_that_cannot_be_used_is_refused_in_one_line(texts: list[str], complaint: str) -> None:
    with pytest.raises(ModelError) as refused:
        predicates_given(_arrayed(), texts)
    assert complaint in str(refused.value)
    assert len(refused.value.complaints) == 1
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x % 2 == 0 or y >= 3", ["x % 2 == 0", "y >= 3"]),
        ("(x & 1) == y", ["(x & 1) == y"]),
        ("6 / x == 2", ["x == 3"]),
        ("a[b] == 1", ["a[b] == 1"]),
        ("x < 2 and a[x] == 2", ["x < 2 and a[x] == 2"]),
        ("y != 0 and x / y == 2", ["y != 0 and x / y == 2"]),
        ("b", ["b == 1"]),
        ("x >= 3 and x <= 3", ["x >= 3", "x >= 4"]),
        ("x >= 2 // about 1.5", ["x >= 2"]),
    ],
)
def test_what_is_not_linear_may_be_given_where_it_has_few_values_and_never_faults(text: str, found: list[str]) -> None:
    assert [str(each.predicate) for each in predicates_given(_arrayed(), [text])] == found


def test_a_text_that_repeats_a_condition_of_another_and_adds_one_is_no_duplicate() -> None:
    found = predicates_given(_task(), ["x < 4", "x >= 4 and y >= 2"])
    assert [[source.where for source in each.sources] for each in found] == [
        ["x < 4", "x >= 4 and y >= 2"],
        ["x >= 4 and y >= 2"],
    ]


def test_all_bad_predicates_are_reported_at_once_with_file_and_line(tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("# ours\nx < 4\n  x * y >= 3\n\n4 > x  # again\nz >= 1 and q\n")
    with pytest.raises(ModelError) as refused:
        predicates_given(_task(), ["x >= 1.5", "y >= 0"], [lines, tmp_path / "missing.txt"])
    told = [str(each).replace(f"{tmp_path}/", "") for each in refused.value.complaints]
    assert [each.split(": ")[0] for each in told] == [
        *("<predicate>:1:6", "<predicate>:1:1", "lines.txt:3:3", "lines.txt:5:1", "lines.txt:6:1", "lines.txt:6:12"),
        "missing.txt",
    ]
    assert "'4 > x' is a duplicate of 'x < 4' (lines.txt:2)" in told[3]


@pytest.mark.parametrize(("content", "told"), [("", "is empty"), ("# nothing\n\n", "has no predicate")])
def test_a_file_without_a_predicate_is_refused(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "none.txt").write_text(content)
    with pytest.raises(ModelError, match=f"none.txt: {told}; "):
        predicates_given(_task(), ["x < 4"], [tmp_path / "none.txt"])


def _arrayed() -> Task:
    m = Builder("arrayed")
    for name, high in (("x", 9), ("y", 9), ("b", 1)):
        m.integer(name, 0, high, initial=[range(high + 1)])
    m.integer("big", 0, 100_000)
    m.integer("a", 0, 2, size=2)
    p = m.process("Q", initial=["a", "b"])
    p.edge("a", "b", do="big = big + 1")
    p.edge("b", "a", guard="x < 2 and a[x] < 2", do="a[x] = a[x] + 1")
    return task_for(m.build(), error="Q.a")


def _collected() -> Task:
    m = Builder("collected")
    m.integer("x", 0, 9)
    m.integer("y", 0, 9, initial=[range(10)])
    p = m.process("P", initial="a")
    p.location("b", invariant="y <= 3")
    p.edge("a", "b", guard="x + y < 4 or x % 3 == 1", do="x = x + 1")
    p.edge("b", "a", guard="not (x + y >= 4) and x / y == 1", do="y = y + 1")
    return task_for(m.build(), error="P.b and x == 2")


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
    program = "import sys, symdmc.abstraction.cartesian.cartesian, symdmc.cli.main; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
