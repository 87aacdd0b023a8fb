"""Regression of predicates over updates, and the layers of a cartesian abstraction."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from symdmc.abstraction.cartesian.cartesian import CartesianLimits, cartesian_abstraction
from symdmc.abstraction.cartesian.cubes import CartesianAbstraction, Cube
from symdmc.abstraction.cartesian.regression import Regression
from symdmc.abstraction.entailment.entailment import Entailment, LayerName
from symdmc.abstraction.predicates.given import predicates_given
from symdmc.abstraction.predicates.predicate import Claim
from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.checking.checks import task_for
from symdmc.model.builder import Builder
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.task.task import Task


def _task(do: str, error: str = "P.a", guard: str = "true") -> Task:
    m = Builder("updates")
    m.integer("x", 0, 9, initial=[range(10)])
    m.integer("y", 0, 9, initial=[range(10)])
    m.byte("b", initial=[range(256)])
    m.short("s", initial=[range(-5, 1000)])
    m.integer("i", 0, 2, initial=[range(3)])
    m.integer("c", 0, 3, size=3, initial=[range(4), range(4), range(4)])
    p = m.process("P", initial="a")
    p.edge("a", "a", guard=guard, do=do)
    p.edge("a", "a", do="s = s + 30000")
    return task_for(m.build(), error=error)


def _before(do: str, claim: str) -> list[str]:
    """What must hold before the updates so that the claim holds after them: one text for each case."""
    task = _task(do)
    entailment = Entailment(task)
    wanted = entailment.canonical.claim(parse_expression(claim, Scope.of(task.system)))
    assert isinstance(wanted, Claim)
    table = entailment.table
    options = Regression(table).options(0, table.claim(wanted))
    return [" and ".join(str(Claim(table.predicates[n >> 1], not n & 1)) for n in each) for each in options]


@pytest.mark.parametrize(
    ("do", "claim", "before"),
    [
        ("x = 3", "x == 3", [""]),
        ("x = 3", "x == 4", []),
        ("x = 3", "y >= 4", ["y >= 4"]),
        ("x = y", "x >= 4", ["y >= 4"]),
        ("x = y, y = x", "x - y == 0", [""]),
        ("b = b + 1", "b == 0", ["b == 255"]),
        ("b = b + 1", "b >= 1", ["not (b == 255)"]),
        ("x = y / 2", "x == 2", ["y / 2 == 2"]),
        ("x = x * y", "x >= 2", ["x * y >= 0 and not (x * y >= 10) and x * y >= 2"]),
        ("x = c[i]", "x == 2", ["c[i] == 2"]),
        ("c[i] = 2", "c[1] == 2", ["i == 1", "not (i == 1) and c[1] == 2"]),
        ("c[i] = 3", "c[1] == 2", ["not (i == 1) and c[1] == 2"]),
    ],
)
def test_what_must_hold_before_an_update(do: str, claim: str, before: list[str]) -> None:
    assert _before(do, claim) == before


def test_a_store_that_may_wrap_over_many_values_is_split() -> None:
    assert _before("s = s + y", "s >= 5") == ["not (y + s >= 32768) and y + s >= 5"]
    assert _before("s = s + y", "s < 5") == ["not (y + s >= 32768) and not (y + s >= 5)", "y + s >= 32768"]


def _chain(high: int) -> Task:
    """A counter and two others that share what it counts; the sum of these never exceeds it."""
    m = Builder("chain")
    for name in ("u", "v", "w"):
        m.integer(name, 0, high)
    p = m.process("P", initial="a")
    p.edge("a", "b", do="u = u + 1", guard=f"u < {high}")
    p.edge("b", "a", guard="v + w < u", do="v = v + 1")
    p.edge("b", "a", guard="v + w < u", do="w = w + 1")
    return task_for(m.build(), error="P.a and v + w > u")


def test_predicates_on_several_variables_with_many_values_prove_what_projection_cannot() -> None:
    task = _chain(1_000_000)
    found = [each.predicate for each in predicates_of_syntax(task)]
    assert [str(each) for each in found] == ["P.b", "u >= 1000000", "u - v - w >= 1", "u - v - w >= 0"]
    abstraction = cartesian_abstraction(task, found)
    assert abstraction.complete
    (start,) = task.semantics.initial_states()
    assert abstraction.estimate(task, start) is None
    assert dict(abstraction.entailment.answered)[LayerName.WITNESSES] > 0


def _free_steps() -> tuple[Task, CartesianAbstraction]:
    m = Builder("free")
    p = m.process("P", initial="a")
    for source, target, cost in (("a", "b", 1), ("b", "c", 0), ("c", "d", 1), ("d", "e", 0)):
        p.edge(source, target, cost=cost)
    task = task_for(m.build(), error="P.e")
    return task, cartesian_abstraction(task, [each.predicate for each in predicates_of_syntax(task)])


def test_steps_of_cost_0_stay_in_their_layer() -> None:
    task, abstraction = _free_steps()
    assert [len(layer) for layer in abstraction.layers] == [2, 2, 1]
    (start,) = task.semantics.initial_states()
    assert abstraction.estimate(task, start) == 2


@pytest.mark.parametrize(("cubes", "estimate"), [(1, 0), (2, 1), (4, 2), (5, 2)])
def test_a_partial_abstraction_answers_one_more_than_its_last_layer(cubes: int, estimate: int) -> None:
    task, _ = _free_steps()
    found = [each.predicate for each in predicates_of_syntax(task)]
    abstraction = cartesian_abstraction(task, found, limits=CartesianLimits(cubes=cubes))
    (start,) = task.semantics.initial_states()
    assert abstraction.complete is (cubes == 5)
    assert abstraction.estimate(task, start) == estimate


def test_a_limit_on_questions_leaves_a_partial_abstraction() -> None:
    task, whole = _free_steps()
    abstraction = cartesian_abstraction(task, whole.predicates, limits=CartesianLimits(calls=1))
    assert not abstraction.complete
    assert abstraction.layers == ()
    (start,) = task.semantics.initial_states()
    assert abstraction.estimate(task, start) == 0


def test_a_disjunction_in_the_error_condition_gives_several_cubes() -> None:
    task = _task("x = x + 1", error="x == 3 or x == 5 and y >= 4")
    found = [each.predicate for each in predicates_given(task, ["x == 3", "x == 5", "y >= 4"])]
    abstraction = cartesian_abstraction(task, found, limits=CartesianLimits(layers=0))
    assert set(abstraction.layers[0]) == {Cube(0b001, 0b010), Cube(0b110, 0b001)}


@pytest.mark.parametrize("name", ["deadlock", "fault"])
def test_where_deadlocks_or_faults_are_asked_for_nothing_is_excluded(name: str) -> None:
    m = Builder("stops")
    m.process("P", initial="a").edge("a", "b")
    task = task_for(m.build(), deadlock=name == "deadlock", error="fault" if name == "fault" else None)
    abstraction = cartesian_abstraction(task, [each.predicate for each in predicates_of_syntax(task)])
    assert abstraction.layers == ((Cube(0, 0),),)


PROGRAM = """
from symdmc.abstraction.cartesian.cartesian import cartesian_abstraction
from symdmc.abstraction.predicates.sources import predicates_of_syntax
import symdmc
task = symdmc.task_for("line_segment:instance=C1")
found = predicates_of_syntax(task)
from symdmc.abstraction.cartesian.cartesian import CartesianLimits
made = cartesian_abstraction(task, [each.predicate for each in found], limits=CartesianLimits(cubes=200))
print(found, made)
"""


def test_the_same_input_gives_the_same_abstraction_whatever_the_hash_seed() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert b"Cube" in runs[0]
