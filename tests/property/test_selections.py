"""What every pattern selection promises: valid patterns, a reason for each variable, and answers that are right."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import event, given, settings

from symdmc.checking.checks import task_for
from symdmc.evidence.replay import replay
from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.patterndb.build import build_database
from symdmc.selection.cegar import BUDGET, Cegar
from symdmc.selection.domain_refine import RefinedClasses
from symdmc.selection.refinement.refinement import Budget
from symdmc.selection.selection import Selection, SelectionOptions
from symdmc.task import compile_task
from symdmc.task.definitions import Merged
from symdmc.task.derived import extended
from symdmc.task.task import Task
from tests import oracle
from tests.components import SELECTED
from tests.strategies import systems_with_error

LITTLE_WORK = Budget(work=400, database_work=400, states=5)
CHOOSING = {
    text: HEURISTICS.read(text).selection(DatabaseRequest()) for text in SELECTED if not text.startswith("pred:given")
} | {
    "cegar with little work": Cegar(budget=LITTLE_WORK),
    "domain:refine with little work": RefinedClasses(budget=LITTLE_WORK),
}
"""All examples of selections, but for predicates that are given."""
OF_PATTERNS = {text: each for text, each in CHOOSING.items() if not text.startswith("pred:")}
OF_PREDICATES = {text: each for text, each in CHOOSING.items() if text.startswith("pred:")}


@pytest.mark.parametrize("name", OF_PATTERNS)
@settings(max_examples=25)
@given(asked=systems_with_error(costs=True))
def test_selections_have_valid_patterns_reasons_and_right_answers(
    name: str, asked: tuple[System, ErrorCondition]
) -> None:
    system, error = asked
    task = compile_task(system, error)
    chosen = chosen_by(name, task)
    for pattern in chosen.patterns:
        assert pattern
        assert list(pattern) == sorted(set(pattern))
        assert set(pattern) <= set(range(len(task.variables) + len(chosen.definitions)))
    assert [reason.variable for reason in chosen.reasons] == [variable.name for variable in task.variables]
    kept = {task.variables[_base(task, chosen, number)].name for pattern in chosen.patterns for number in pattern}
    assert {reason.variable for reason in chosen.reasons if reason.kept} == kept
    assert all(reason.why for reason in chosen.reasons)
    _check_answer(task, chosen, oracle.explore(system).shortest(error))


@pytest.mark.parametrize("name", OF_PREDICATES)
@settings(max_examples=12)
@given(asked=systems_with_error(costs=True))
def test_selections_of_predicates_have_reasons_and_right_answers(
    name: str, asked: tuple[System, ErrorCondition]
) -> None:
    system, error = asked
    task = compile_task(system, error)
    chosen = chosen_by(name, task)
    assert chosen.patterns == ()
    kept = {str(predicate) for part in chosen.predicates for predicate in part}
    assert kept <= {reason.variable for reason in chosen.reasons if reason.kept}
    assert all(reason.why for reason in chosen.reasons)
    _check_answer(task, chosen, oracle.explore(system).shortest(error))


def chosen_by(name: str, task: Task) -> Selection:
    """What a selection chooses."""
    selection = CHOOSING[name]
    assert selection is not None
    return selection.select(task)


def _base(task: Task, chosen: Selection, number: int) -> int:
    """The variable of the task that one of a pattern is, or whose values it merges."""
    if number < len(task.variables):
        return number
    definition = chosen.definitions[number - len(task.variables)]
    assert isinstance(definition, Merged)
    return definition.variable


def _check_answer(task: Task, chosen: Selection, shortest: int | None) -> None:
    answer = chosen.answer
    event(f"answer: {None if answer is None else (answer.verdict, answer.shortest)}")
    if answer is not None:
        assert answer.verdict is Verdict.ERROR
        assert answer.trace is not None
        assert shortest is not None
        replay(task.system, answer.trace, task.error)
        assert answer.lower_bound is not None
        assert answer.lower_bound <= shortest
        assert answer.trace.length == shortest if answer.shortest else answer.trace.length >= shortest


REFINEMENTS: dict[str, SelectionOptions] = {
    "cegar": Cegar(budget=replace(BUDGET, values=1 << 16)),
    "domain:refine": RefinedClasses(rounds=1_000),
}


@pytest.mark.parametrize("name", REFINEMENTS)
@settings(max_examples=40)
@given(asked=systems_with_error(costs=True))
def test_refinement_to_the_end_decides_the_question(name: str, asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    task = compile_task(system, error)
    shortest = oracle.explore(system).shortest(error)
    chosen = REFINEMENTS[name].select(task)
    event(f"error reachable: {shortest is not None}, classes: {len(chosen.definitions)}, steps: {len(chosen.steps)}")
    if shortest is None:
        assert chosen.answer is None
        richer = extended(task, chosen.definitions)
        assert chosen.patterns == () or build_database(richer, chosen.patterns[0]).proves_safety
    else:
        assert chosen.answer is not None
        assert chosen.answer.shortest
        assert chosen.answer.length == shortest


@pytest.mark.parametrize("name", REFINEMENTS)
def test_refinement_goes_on_where_steps_without_cost_lead_around_in_circles(name: str) -> None:
    m = Builder("circle")
    m.integer("x", 0, 2, initial=1)
    for variable, first in (("bad", 0), ("u", 0), ("v", 1)):
        m.boolean(variable, initial=first)
    p = m.process("P", initial="a")
    p.edge("a", "b", do="bad = (x == 2 ? 1 : bad)", cost=0)
    p.edge("b", "a", do="x = u + v, u = 1 - u, v = 1 - v", cost=0)
    task = task_for(m.build(), error="bad")
    chosen = REFINEMENTS[name].select(task)
    assert build_database(extended(task, chosen.definitions), chosen.patterns[0]).proves_safety


def test_selections_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import symdmc\n"
        "from tests.property.test_selections import CHOOSING, chosen_by\n"
        "task = symdmc.task_for(symdmc.load('arbiter_tree', height=2))\n"
        "print([chosen_by(name, task) for name in CHOOSING])\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
