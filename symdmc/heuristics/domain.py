"""domain: databases in which values of a variable are merged into classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

from symdmc.errors import Code, Complaint, ModelError
from symdmc.heuristics.estimates.patterns import Kept, PatternHeuristic, selection_spelled
from symdmc.heuristics.heuristic import Making
from symdmc.spelling.parameters import Unspelled
from symdmc.spelling.spelled import Spelled
from symdmc.task.definitions import Definition
from symdmc.task.merged_values import merged_values
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedValues(PatternHeuristic):
    """A database with merged values, such as `domain:x=0/1..9/10,y=0/1..`; admissible and consistent.

    keep: variables and processes kept beside them, names with `/` between them
    """

    ARGUMENT: ClassVar[str | None] = "classes"
    IS_PROJECTED_EXACTLY: ClassVar[bool] = True

    classes: Annotated[tuple[str, ...], Unspelled()] = ()
    """Classes of values that are given, for each variable its own."""

    @classmethod
    def read(cls, words: Spelled) -> Self:
        """The heuristic of a spelling such as `domain:x=0/1..9/10,y=0/1..` or `domain:auto`."""
        argument = words.argument
        if argument is None:
            remedy = "write them like domain:x=0/1..9/10, or domain:auto"
            raise ModelError(Complaint(Code.MISSING_ARGUMENT, "there are no classes", remedy, words.text))
        own, rest = words.split(each.name for each in cls.parameters())
        if "=" in argument:
            classes = (argument, *(f"{name}={values}" for name, values in rest.options.items()))
            return replace(own.into(cls), classes=classes)
        inner = replace(rest, name=argument)
        return replace(own.into(cls), chosen_by=selection_spelled("choice of classes", "domain", inner))

    def kept(self, making: Making) -> list[Kept]:
        """The classes, and what is kept besides."""
        if self.chosen_by is not None:
            return self.kept_by_selection(making)
        making.task.analyse(making.run.checkpoint)
        return [(*self.kept_besides(making.task), *given_classes(making.task, self.classes))]


def given_classes(task: Task, texts: Sequence[str]) -> list[Definition]:
    """The classes of values that some texts such as `x=0/1..9/10` stand for."""
    found: dict[int, Definition] = {}
    for text in texts:
        merged = merged_values(task, text)
        if merged.variable in found:
            name = task.variables[merged.variable].name
            raise ModelError(
                Complaint(Code.GIVEN_TWICE, f"the values of {name!r} are merged twice", "give its classes once", text)
            )
        found[merged.variable] = merged
    return list(found.values())
