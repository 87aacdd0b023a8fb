"""Databases with merged values by their spelling: classes that are given, and those that are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from symdmc.errors import Complaint, ModelError
from symdmc.spelling.parameters import Between

if TYPE_CHECKING:
    from symdmc.checking.making import Making
    from symdmc.checking.selections import Selecting
    from symdmc.selection.selection import Pattern, Selection
    from symdmc.task import Task
    from symdmc.task.definitions import Definition

MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class GivenClasses:
    """Classes of values that the user gives: for each variable its own."""

    texts: tuple[str, ...]

    def patterns(self, making: Making) -> list[Pattern]:
        """The one pattern of all classes; raises ModelError where one is wrong."""
        return [making.derived(given_classes(making.task, self.texts))]


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticClasses:
    """Values merged into intervals around the constants that a variable is compared with; small variables stay whole.

    small: variables with no more values than this, and locations, are kept as they are
    work: most nodes of the forward pass of the database; beyond them far variables are given up
    """

    ARGUMENT: ClassVar[str | None] = None

    small: Annotated[int, Between(0, MOST)] = 8
    work: Annotated[int, Between(1, MOST)] = 8_000_000

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The classes, and the variables beside them."""
        from symdmc.selection.domain_auto import selection_domains

        return selection_domains(task, small=self.small, work=self.work, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedClasses:
    """Classes of values that are split where a shortest abstract error trace is not real, from the error condition on.

    rounds: most refinements
    added: most splits of one refinement
    """

    ARGUMENT: ClassVar[str | None] = None

    rounds: Annotated[int, Between(0, MOST)] = 100
    added: Annotated[int, Between(1, MOST)] = 8

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The classes, and an answer if one was met."""
        from symdmc.selection.domain_refine import USUAL, selection_domains_refined

        budget = replace(USUAL, rounds=self.rounds, added=self.added)
        return selection_domains_refined(task, budget=budget, report=report)


DOMAIN_SELECTIONS: Mapping[str, type[Selecting]] = {
    "auto": AutomaticClasses,
    "refine": RefinedClasses,
}
"""What chooses classes of values, by what stands behind `domain:`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainOptions:
    """A database with merged values, such as `domain:x=0/1..9/10,y=0/1..`; admissible and consistent.

    keep: variables and processes kept beside them, names with `/` between them
    complete: build to the last layer
    perimeter: distances up to this one are exact
    """

    keep: str | None = None
    complete: bool | None = None
    perimeter: Annotated[int, Between(0, MOST)] | None = None


def given_classes(task: Task, texts: Sequence[str]) -> list[Definition]:
    """The classes of values that some texts such as `x=0/1..9/10` stand for."""
    from symdmc.task.merged_values import merged_values

    found: dict[int, Definition] = {}
    for text in texts:
        merged = merged_values(task, text)
        if merged.variable in found:
            name = task.variables[merged.variable].name
            raise ModelError(Complaint(f"the values of {name!r} are merged twice", "give its classes once", text))
        found[merged.variable] = merged
    return list(found.values())
