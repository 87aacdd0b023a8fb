"""domain:refine: classes of values, split where a shortest abstract error trace needs values that are not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from symdmc.encode.encoding import MOST_VALUES
from symdmc.model.expressions import Binary, Conditional, Expr, Unary
from symdmc.selection.refinement.precision import Distinction, distinction_of
from symdmc.selection.refinement.refinement import Budget, RefinementStart, refined
from symdmc.selection.selection import Selection
from symdmc.task.task import Task

USUAL = Budget(values=MOST_VALUES)


def selection_domains_refined(
    task: Task, *, budget: Budget = USUAL, report: Callable[[str], None] = lambda words: None
) -> Selection:
    """One pattern of classes that proves the error unreachable, or has a real error trace among its shortest ones.

    It starts with the classes that the tests of the error condition tell apart. Where concrete states cannot follow,
    the values for which the failing condition is as it is there become a class of their own. Answers are as those of
    `selection_cegar`.
    """
    start = tuple(dict.fromkeys(_tests(task, task.error.expression)))
    return refined(task, RefinementStart(name="domain:refine", distinctions=start, splits=True), budget, report)


def _tests(task: Task, condition: Expr) -> Iterator[Distinction]:
    """For each test of one variable in a condition the values for which it holds, told apart from the others."""
    match condition:
        case Unary("not", operand):
            yield from _tests(task, operand)
        case Binary("and" | "or" | "imply", left, right):
            yield from (each for part in (left, right) for each in _tests(task, part))
        case Conditional(test, then, otherwise):
            yield from (each for part in (test, then, otherwise) for each in _tests(task, part))
        case _:
            support = task.layout.support(condition)
            if len(support) == 1:
                yield from _test_of(task, condition, *support)


def _test_of(task: Task, condition: Expr, number: int) -> Iterator[Distinction]:
    domain = task.analysis.domains[number]
    if domain.count > MOST_VALUES:
        return
    values = [variable.initial[0] for variable in task.variables]
    holding = []
    for value in domain.array.tolist():
        values[number] = value
        if task.semantics.holds(condition, task.state(values)):
            holding.append(value)
    if 0 < len(holding) < domain.count:
        yield distinction_of(task, number, np.array(holding))
