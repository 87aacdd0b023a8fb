"""Refinement by classes of values on systems that can be checked by hand: what is split, why, and what is answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symdmc.checking.checks import check_task
from symdmc.checking.request import check_request
from symdmc.evidence.certify import certify
from symdmc.evidence.replay import replay
from symdmc.model.builder import Builder
from symdmc.model.question import ask
from symdmc.outcome import Verdict
from symdmc.patterndb.build import build_database
from symdmc.patterndb.work import WorkBudget
from symdmc.selection.domain_refine import RefinedClasses
from symdmc.selection.refinement.flaws import RefinementStep, flaws_at
from symdmc.selection.refinement.narrowing import narrowed
from symdmc.selection.refinement.precision import Distinction, Precision
from symdmc.selection.refinement.shortest_traces import DirectionMemory, shortest_traces
from symdmc.selection.selection import Selection
from symdmc.task import Task, compile_task
from symdmc.task.derived import extended


def _classes(chosen: Selection) -> list[str]:
    return [definition.text for definition in chosen.definitions]


def _proves(task: Task, chosen: Selection) -> bool:
    (pattern,) = chosen.patterns
    return build_database(extended(task, chosen.definitions), pattern).proves_safety


def _together() -> Task:
    """x goes up to 3,000 and from there back to 0, together with a location; the alarm needs the one without the other.

    The value of x alone proves nothing, nor does the location; and y, which goes along, is of no account.
    """
    m = Builder("together")
    m.integer("x", 0, 4095)
    m.integer("y", 0, 4095)
    p = m.process("P", initial="low")
    p.edge("low", "low", guard="x < 2000", do="x = x + 1, y = y < 4095 ? y + 1 : 0")
    p.edge("low", "high", guard="x == 2000", do="x = 2001")
    p.edge("high", "high", guard="x < 3000", do="x = x + 1")
    p.edge("high", "low", guard="x >= 3000", do="x = 0")
    p.edge("low", "alarm", guard="x > 2000")
    system = m.build()
    return compile_task(system, ask(system, error="P.alarm"))


def test_failing_guards_split_values_at_their_boundaries() -> None:
    task = _together()
    chosen = RefinedClasses().select(task)
    assert chosen.answer is None
    assert _classes(chosen) == ["x=0..1999/2000/2001..3000"]
    assert _proves(task, chosen)
    reasons = {reason.variable: reason for reason in chosen.reasons}
    assert reasons["x"].why.startswith("x=0..1999/2000/2001..3000: the system forbids P: low -> alarm")
    assert not reasons["y"].kept
    assert any(step.startswith("x in 0..2000 is distinguished: the system forbids") for step in chosen.steps)


def _lock() -> Task:
    m = Builder("lock")
    m.integer("lock", 0, 9)
    for number, name in enumerate(("P", "Q"), 1):
        p = m.process(name, initial="out")
        p.edge("out", "tries")
        p.edge("tries", "in", guard="lock == 0", do=f"lock = {number}")
        p.edge("in", "out", do="lock = 0")
    r = m.process("R", initial="a")
    r.edge("a", "a", guard="lock >= 1", do="lock = lock < 9 ? lock + 1 : 1")
    system = m.build()
    return compile_task(system, ask(system, error="P.in and Q.in"))


def test_values_are_split_only_as_conditions_ask() -> None:
    task = _lock()
    chosen = RefinedClasses().select(task)
    assert chosen.steps[0] == "P in in is distinguished: the error condition reads it"
    assert _classes(chosen) == ["lock=0/1..9"]  # that it is free, which is all that matters
    assert _proves(task, chosen)
    reasons = {reason.variable: reason for reason in chosen.reasons}
    assert reasons["P"].why == "the error condition reads it"
    assert not reasons["R"].kept


def _counting() -> Task:
    """P may go to its end at 5, which takes 5 steps, and one more."""
    m = Builder("counting")
    m.integer("x", 0, 9)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 9", do="x = x + 1")
    p.edge("s", "t", guard="x >= 5")
    system = m.build()
    return compile_task(system, ask(system, error="P.t"))


def test_a_trace_that_was_followed_step_for_step_is_shortest() -> None:
    task = _counting()
    chosen = RefinedClasses().select(task)
    answer = chosen.answer
    assert answer is not None
    assert answer.trace is not None
    assert answer.shortest
    assert answer.length == 6
    assert answer.search == "domain:refine"
    replay(task.system, answer.trace, task.error)
    assert _classes(chosen) == ["x=0/1/2/3/4/5..9"]


def test_out_of_rounds_the_classes_so_far_are_kept_and_a_trace_with_steps_inserted_is_not_shortest() -> None:
    task = _counting()
    chosen = RefinedClasses(rounds=2).select(task)
    assert _classes(chosen) == ["x=0..3/4/5..9"]
    answer = chosen.answer
    assert answer is not None
    assert not answer.shortest
    assert answer.length == 6
    assert answer.lower_bound == 3
    assert chosen.steps[-1] == (
        "with steps inserted that change nothing that is distinguished, an abstract error trace is real"
    )


def test_values_of_two_variables_that_fail_together_are_set_apart_as_a_box() -> None:
    m = Builder("pair")
    m.integer("x", 0, 9, initial=3)
    m.integer("y", 0, 9, initial=2)
    m.process("P", initial="s").edge("s", "s", do="x = x < 9 ? x + 1 : 0, y = y < 9 ? y + 1 : 0")
    system = m.build()
    task = compile_task(system, ask(system, error="x < y"))
    precision = Precision(task, frozenset())
    x, y = task.layout.first["x"], task.layout.first["y"]
    way = narrowed(precision, [x, y], [0, 3, 2], lambda state: not task.semantics.holds(task.error.expression, state))
    assert way == {Distinction(x, ((2, 9),)), Distinction(y, ((0, 2),))}
    alone = narrowed(precision, [x, y], [0, 3, 2], None)
    assert alone == {Distinction(x, ((3, 3),)), Distinction(y, ((2, 2),))}


def test_a_value_is_set_apart_from_those_with_which_a_step_would_end_on_the_traces() -> None:
    """The step ends off the traces since y is 0 there: x, which no state before the step has either, says nothing."""
    m = Builder("copied")
    m.integer("x", 0, 2)
    m.integer("y", 0, 1)
    m.integer("z", 0, 2)
    m.process("P", initial="s").edge("s", "s", do="x = z == 2 ? 0 : 2, y = z == 0 ? 0 : 1")
    m.process("Q", initial="s").edge("s", "s", do="z = z < 2 ? z + 1 : 0")
    system = m.build()
    task = compile_task(system, ask(system, error="y == 1"))
    x, y, z = (task.layout.first[name] for name in "xyz")
    precision, work = Precision(task, frozenset({Distinction(x), Distinction(y)})), 1_000_000
    budget = WorkBudget(nodes=work, effort=work)
    traces = shortest_traces(precision.task, precision.pattern, budget, lambda _: None, DirectionMemory(), work)
    assert traces is not None
    step = RefinementStep(precision, traces, splits=True)
    (flaw,) = flaws_at(step, [next(task.semantics.initial_states())], 1)
    assert flaw.repairs == (frozenset({Distinction(z, ((0, 0),))}),)


@pytest.mark.parametrize("made", [_together, _lock])
def test_a_proof_by_classes_has_a_certificate_that_holds(made: Callable[[], Task]) -> None:
    task = made()
    result = check_task(task, check_request(heuristic="domain:refine", certify=True))
    assert result.verdict is Verdict.SAFE
    assert result.explored == 0
    assert result.certificate is not None
    assert certify(task.system, result.certificate, error=task.error)
