"""What every pattern selection promises: valid patterns, a reason for each variable, and answers that are right."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import event, given, settings

from symdmc.evidence.replay import replay
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.patterndb.build import build_database
from symdmc.selection.cegar import selection_cegar
from symdmc.selection.domain_auto import selection_domains
from symdmc.selection.domain_refine import USUAL, selection_domains_refined
from symdmc.selection.refinement.refinement import Budget
from symdmc.selection.sampled import selection_sampled
from symdmc.selection.selection import Selection
from symdmc.selection.systematic import selection_systematic
from symdmc.task import compile_task
from symdmc.task.definitions import Merged
from symdmc.task.derived import extended
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import systems_with_error

SELECTIONS: dict[str, Callable[[Task], Selection]] = {
    "cegar": selection_cegar,
    "cegar in few rounds": lambda task: selection_cegar(task, rounds=1, added=1),
    "cegar with little work": lambda task: selection_cegar(task, work=400, database_work=400, states=5),
    "domain:auto": selection_domains,
    "domain:refine": selection_domains_refined,
    "domain:refine in few rounds": lambda task: selection_domains_refined(task, budget=Budget(rounds=2, added=1)),
    "domain:refine with little work": lambda task: selection_domains_refined(
        task, budget=Budget(work=400, database_work=400, states=5)
    ),
    "sampled": lambda task: selection_sampled(task, samples=20, databases=12),
    "systematic:2": lambda task: selection_systematic(task, patterns=12),
}


@pytest.mark.parametrize("name", SELECTIONS)
@settings(max_examples=25)
@given(asked=systems_with_error(costs=True))
def test_selections_have_valid_patterns_reasons_and_right_answers(
    name: str, asked: tuple[System, ErrorCondition]
) -> None:
    system, error = asked
    task = compile_task(system, error)
    chosen = SELECTIONS[name](task)
    for pattern in chosen.patterns:
        assert pattern
        assert list(pattern) == sorted(set(pattern))
        assert set(pattern) <= set(range(len(task.variables) + len(chosen.definitions)))
    assert [reason.variable for reason in chosen.reasons] == [variable.name for variable in task.variables]
    kept = {task.variables[_base(task, chosen, number)].name for pattern in chosen.patterns for number in pattern}
    assert {reason.variable for reason in chosen.reasons if reason.kept} == kept
    assert all(reason.why for reason in chosen.reasons)
    _check_answer(task, chosen, oracle.explore(system).shortest(error))


def _base(task: Task, chosen: Selection, number: int) -> int:
    """The variable of the task that one of a pattern is, or whose values it merges."""
    if number < len(task.variables):
        return number
    definition = chosen.definitions[number - len(task.variables)]
    assert isinstance(definition, Merged)
    return definition.variable


def _check_answer(task: Task, chosen: Selection, shortest: int | None) -> None:
    answer = chosen.answer
    event(f"answer: {answer and (answer.verdict, answer.shortest)}")
    if answer is not None:
        assert answer.verdict is Verdict.ERROR
        assert answer.trace is not None
        assert shortest is not None
        replay(task.system, answer.trace, task.error)
        assert answer.lower_bound is not None
        assert answer.lower_bound <= shortest
        assert answer.trace.length == shortest if answer.shortest else answer.trace.length >= shortest


REFINEMENTS: dict[str, Callable[[Task], Selection]] = {
    "cegar": lambda task: selection_cegar(task, values=1 << 16),
    "domain:refine": lambda task: selection_domains_refined(task, budget=replace(USUAL, rounds=1_000)),
}


@pytest.mark.parametrize("name", REFINEMENTS)
@settings(max_examples=40)
@given(asked=systems_with_error(costs=True))
def test_refinement_to_the_end_decides_the_question(name: str, asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    task = compile_task(system, error)
    shortest = oracle.explore(system).shortest(error)
    chosen = REFINEMENTS[name](task)
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
    task = m.build().task(error="bad")
    chosen = REFINEMENTS[name](task)
    assert build_database(extended(task, chosen.definitions), chosen.patterns[0]).proves_safety


@pytest.mark.parametrize(
    ("room", "name"),
    [
        ("cegar", "selection_cegar"),
        ("domain_refine", "selection_domains_refined"),
        ("sampled", "selection_sampled"),
        ("systematic", "selection_systematic"),
    ],
)
def test_selections_do_not_depend_on_the_hash_seed(room: str, name: str) -> None:
    program = (
        "import symdmc\n"
        f"from symdmc.selection.{room} import {name}\n"
        "from symdmc.checking.checks import Question, task_of\n"
        "task = task_of(symdmc.load('arbiter_tree', height=2), Question())\n"
        f"print({name}(task))\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1
