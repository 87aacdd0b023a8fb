"""Updates that can be left out of a transition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from symdmc.checking.checks import task_for
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.task import compile_task
from symdmc.task.live_updates import live_updates
from symdmc.task.task import Task
from tests.strategies import systems


def _task(wraps: bool) -> Task:
    m = Builder("updates")
    for name in ("x", "y", "z", "w"):
        m.integer(name, 0, 3, wraps=wraps)
    m.process("P", initial="a").edge("a", "a", do="x = y, y = z + 1, w = x + 1, z = 2")
    return task_for(m.build(), error="w == 3")


@pytest.mark.parametrize(
    ("wanted", "targets"),
    [({"w"}, ["x", "w"]), ({"x"}, ["x"]), ({"y", "z"}, ["y", "z"]), ({"P"}, [])],
)
def test_only_what_is_stored_in_wanted_variables_or_read_on_the_way_is_live(
    wanted: set[str], targets: list[str]
) -> None:
    task = _task(wraps=True)
    numbers = {number for number, variable in enumerate(task.variables) if variable.name in wanted}
    assert [str(update.target) for update in live_updates(task, task.transitions[0], numbers)] == targets


def test_what_may_fault_is_live() -> None:
    task = _task(wraps=False)
    assert not task.analysis.faultless
    live = [str(update.target) for update in live_updates(task, task.transitions[0], set())]
    assert "w" in live


@settings(max_examples=20)
@given(system=systems())
def test_all_updates_are_live_when_everything_is_wanted(system: System) -> None:
    task = compile_task(system, ErrorCondition(name="never"))
    for transition in task.transitions:
        assert live_updates(task, transition, set(range(len(task.variables)))) == transition.updates
