"""Merged values against every pattern: what is measured, and which patterns count."""

from __future__ import annotations

from benchmarks.domains import Measured, lines, patterns_of, unbeaten
from symdmc.checking.checks import task_of
from symdmc.checking.request import Question


def _measured(states: int, explored: int) -> Measured:
    return Measured(kept=("x",), states=states, nodes=1, h_initial=1, explored=explored)


def test_a_pattern_that_a_smaller_one_beats_is_left_out() -> None:
    small, large, worse, best = _measured(1, 90), _measured(5, 50), _measured(6, 50), _measured(9, 10)
    assert unbeaten([best, worse, large, small]) == [small, large, best]


def test_every_pattern_has_some_variable_of_the_error_condition() -> None:
    task = task_of("fischer:n=2", Question())
    asked = task.layout.support(task.error.expression)
    found = list(patterns_of(task))
    several = sum(domain.count > 1 for domain in task.analysis.domains)
    assert len(set(found)) == len(found) == 2**several - 2 ** (several - len(asked))
    assert all(asked & set(pattern) for pattern in found)


def test_the_table_has_the_classes_first() -> None:
    table = list(lines(task_of("fischer:n=2", Question())))
    assert table[0].startswith("| kept |")
    assert table[2].endswith(" |")
    assert table[-1].startswith("\nBy nodes: ")
