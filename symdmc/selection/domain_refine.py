"""domain:refine: classes of values, split where a shortest abstract error trace needs values that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from symdmc.encode.encoding import MOST_VALUES
from symdmc.model.expressions import Binary, Conditional, Expr, Unary
from symdmc.selection.refinement.precision import Distinction, distinction_of
from symdmc.selection.refinement.refinement import Budget, RefinementStart, refined
from symdmc.selection.selection import Report, Selection, SelectionOptions, silent
from symdmc.spelling.parameters import MANY, Between, Unspelled
from symdmc.task.task import Task

BUDGET = Budget(values=MOST_VALUES)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedClasses(SelectionOptions):
    """Classes of values that are split where a shortest abstract error trace is not real, from the error condition on.

    The first classes are those that the tests of the error condition distinguish. Where concrete states cannot follow
    an abstract trace, the values for which the failing condition is as it is there become a class of their own. The
    answer is as that of `pdb:cegar`.

    rounds: most refinements
    added: most splits of one refinement
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ("domain:refine", "domain:refine,rounds=1,added=1")

    rounds: Annotated[int, Between(0, MANY)] = BUDGET.rounds
    added: Annotated[int, Between(1, MANY)] = BUDGET.added
    budget: Annotated[Budget, Unspelled()] = BUDGET

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The classes, and the answer if one was met."""
        start = tuple(dict.fromkeys(_tests(task, task.error.expression)))
        budget = replace(self.budget, rounds=self.rounds, added=self.added)
        return refined(task, RefinementStart(name="domain:refine", distinctions=start, splits=True), budget, report)


def _tests(task: Task, condition: Expr) -> Iterator[Distinction]:
    """For each test of one variable in a condition, the values for which it holds against the rest."""
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
