"""Systematic patterns of a system that can be checked by hand."""

from __future__ import annotations

from symdmc.model.builder import Builder
from symdmc.model.question import ask
from symdmc.selection.selection import Selection
from symdmc.selection.systematic import Systematic
from symdmc.task import Task, compile_task


def _chain(error: str = "a == 1") -> Task:
    """d is read to write c, c to write b, b to write a; e reads a and influences nothing; k never changes."""
    m = Builder("chain")
    for name in "abcdek":
        m.integer(name, 0, 3, initial=0)
    p = m.process("P", initial="s")
    for written, read in ("ab", "bc", "cd", "ea"):
        p.edge("s", "s", guard=f"{read} == 0", do=f"{written} = {written} + 1 - k")
    p.edge("s", "s", do="d = 1")
    system = m.build()
    return compile_task(system, ask(system, error=error))


def _names(task: Task, chosen: Selection) -> list[str]:
    return ["".join(task.variables[number].name for number in pattern) for pattern in chosen.patterns]


def _why(chosen: Selection, variable: str) -> str:
    return next(reason.why for reason in chosen.reasons if reason.variable == variable)


def test_patterns_follow_the_influence_backward_from_the_error_condition() -> None:
    task = _chain()
    assert _names(task, Systematic(size=1).select(task)) == ["a"]
    assert _names(task, Systematic(size=2).select(task)) == ["ab"]
    chosen = Systematic(size=3).select(task)
    assert chosen.name == "systematic:3"
    assert _names(task, chosen) == ["abc"]
    assert _why(chosen, "a") == "matters to the error condition: it is in 1 pattern"
    assert _why(chosen, "e") == "has no influence on the error condition within 3 variables"
    assert _why(chosen, "k") == "it never changes"


def test_variables_that_one_part_of_the_error_condition_reads_belong_together() -> None:
    joint, apart = _chain("b + d == 4"), _chain("b == 1 and d == 1")
    assert _names(joint, Systematic(size=2).select(joint)) == ["bc", "bd"]
    assert _names(apart, Systematic(size=2).select(apart)) == ["d", "bc"]
    assert _names(apart, Systematic(size=3).select(apart)) == ["bcd"]


def test_the_number_of_patterns_and_their_values_are_limited_and_the_reasons_say_so() -> None:
    task = _chain("a + b + c == 9")
    cut = Systematic(size=3, patterns=2).select(task)
    assert _names(task, cut) == ["a", "b"]
    assert "cut after 2 patterns" in cut.steps
    assert _why(cut, "c").endswith("or only in patterns behind the first 2")
    small = Systematic(size=3, values=15).select(task)
    assert _names(task, small) == ["a", "b", "c"] or all(len(name) < 3 for name in _names(task, small))
    assert _why(small, "d") != ""
