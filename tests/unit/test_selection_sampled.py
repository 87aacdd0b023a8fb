"""Hill climbing over sampled states on systems that can be checked by hand."""

from __future__ import annotations

import pytest

from symdmc.model.builder import Builder
from symdmc.model.question import ask
from symdmc.patterndb.build import build_database
from symdmc.reader.load import load
from symdmc.selection.measures.sampling import sampled_states
from symdmc.selection.sampled import Sampled
from symdmc.selection.selection import Selection
from symdmc.task import Task, compile_task


def _stages(*, lock: bool = False) -> Task:
    """P can end once Q has counted to 5; R counts too and does not matter. With a lock P can never end."""
    m = Builder("stages")
    for name in ("q", "r", "open"):
        m.integer(name, 0, 5)
    m.process("P", initial="s").edge("s", "t", guard="q == 5" + (" and open == 1" if lock else ""))
    m.process("Q", initial="s").edge("s", "s", guard="q < 5", do="q = q + 1")
    m.process("R", initial="s").edge("s", "s", do="r = (r + 1) % 6")
    m.process("S", initial="s").edge("s", "t", guard="open == 2", do="open = 1")
    system = m.build()
    return compile_task(system, ask(system, error="P.t"))


def _names(task: Task, chosen: Selection) -> list[list[str]]:
    return [[task.variables[number].name for number in pattern] for pattern in chosen.patterns]


def test_what_raises_the_estimates_is_added_and_nothing_else() -> None:
    task = _stages()
    chosen = Sampled(samples=50).select(task)
    assert _names(task, chosen) == [["P", "q"]]
    assert len(chosen.steps) == 1
    assert chosen.steps[0].startswith("+ q: raises the estimates most: ")
    why = {reason.variable: reason.why for reason in chosen.reasons}
    assert why["P"] == "the error condition reads it"
    assert why["r"] == "never raised the estimates most"
    assert why["open"] == "it never changes"


def test_a_pattern_that_proves_safety_ends_the_climb() -> None:
    system = load("arbiter_tree", height=2, faulty=False)
    task = compile_task(system, ask(system))
    chosen = Sampled(samples=50).select(task)
    assert build_database(task, chosen.patterns[0]).proves_safety
    assert chosen.steps[-1].endswith("with it no initial state reaches the error")


def test_budgets_count_databases() -> None:
    system = load("arbiter_tree", height=2)
    task = compile_task(system, ask(system))
    chosen = Sampled(samples=20, databases=2).select(task)
    assert len(chosen.patterns[0]) <= 3
    assert chosen.steps[-1] == "the budget of databases is spent"
    assert Sampled(samples=20, work=0).select(task).patterns == ()


def test_samples_are_reachable_and_the_same_for_the_same_seed() -> None:
    task = _stages()
    states = sampled_states(task, 30, 8, seed=3)
    assert states == sampled_states(task, 30, 8, seed=3) != sampled_states(task, 30, 8, seed=4)
    q = task.layout.first["q"]
    assert len(states) == 30
    assert {values[q] for values in states} > {0}
    assert max(values[q] for values in states) <= 5


@pytest.mark.parametrize("steps", [0, 5])
def test_walks_end_where_there_is_no_step(steps: int) -> None:
    m = Builder("once")
    m.process("P", initial="s").edge("s", "t")
    system = m.build()
    task = compile_task(system, ask(system, error="P.t"))
    found = set(sampled_states(task, 20, steps, seed=0))
    assert found == ({(0,)} if steps == 0 else {(0,), (1,)})
