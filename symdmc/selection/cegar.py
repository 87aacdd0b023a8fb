"""pdb:cegar: refinement with whole variables: those that forbid the shortest abstract error traces are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from symdmc.encode.encoding import MOST_VALUES
from symdmc.selection.refinement.precision import Distinction
from symdmc.selection.refinement.refinement import Budget, RefinementStart, refined
from symdmc.selection.selection import Report, Selection, SelectionOptions, silent
from symdmc.spelling.parameters import MANY, Between, Unspelled
from symdmc.task.task import Task

BUDGET = Budget(effort=1_200_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cegar(SelectionOptions):
    """A pattern that grows from the error condition by what stops its shortest abstract traces.

    It ends with a pattern that proves the error unreachable, or that has a real error trace among its shortest ones:
    that trace is the answer, and a shortest one. When the budget ends refinement, the pattern so far is returned, and
    a trace found by inserting steps, if any, is the answer, which need not be a shortest one.

    rounds: most refinements
    added: most variables that one refinement adds
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ("pdb:cegar", "pdb:cegar,rounds=1,added=1")

    rounds: Annotated[int, Between(0, MANY)] = BUDGET.rounds
    added: Annotated[int, Between(1, MANY)] = BUDGET.added
    budget: Annotated[Budget, Unspelled()] = BUDGET

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The pattern, and the answer if one was met."""
        values = min(self.budget.values, MOST_VALUES)
        budget = replace(self.budget, rounds=self.rounds, added=self.added, values=values)
        return refined(task, RefinementStart(name="cegar", distinctions=_start(task), splits=False), budget, report)


def _start(task: Task) -> tuple[Distinction, ...]:
    """The variables of the error condition, those with the most values last."""
    domains = task.analysis.domains
    asked_for = task.layout.support(task.error.expression)
    start = [number for number in asked_for if 1 < domains[number].count <= MOST_VALUES]
    return tuple(Distinction(number) for number in sorted(start, key=lambda number: (domains[number].count, number)))
