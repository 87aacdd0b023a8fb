"""domain:auto: values merged into intervals around the constants that a variable is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from symdmc.encode.diagrams import DiagramLimit
from symdmc.patterndb.work import SHARES, WorkBudget, forward_layers
from symdmc.selection.selection import Report, Selection, SelectionOptions, reasons_for, silent
from symdmc.spelling.parameters import Between
from symdmc.spelling.plurals import counted
from symdmc.task.compared_constants import compared_constants
from symdmc.task.definitions import Definition
from symdmc.task.derived import extended
from symdmc.task.interaction import cone_of_influence, error_variables
from symdmc.task.merged_values import MOST_VALUES, merged_by
from symdmc.task.task import Task, VariableKind

MOST = 1_000_000_000
EFFORT = 75_000_000
"""Most work of all operations on diagrams that trying one pattern takes, as `encode.diagrams.WorkLeft` counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticClasses(SelectionOptions):
    """Values merged into intervals around the constants that a variable is compared with; small variables stay whole.

    The class of a constant has nothing else in it; between two of them all values are one class. The nearest variables
    are kept, as many as the forward pass of the database allows: all of them, else half, else a quarter, ...

    small: variables with no more values than this, and locations, are kept as they are
    work: most nodes of the forward pass of the database; beyond them the variables far from the error are dropped
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ("domain:auto", "domain:auto,small=0,keep=*")

    small: Annotated[int, Between(0, MOST)] = 8
    work: Annotated[int, Between(1, MOST)] = 8_000_000

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The classes, and the variables beside them."""
        choice = _Choice(task, self.small)
        near = sorted(choice.kept, key=lambda number: (choice.layer[number], number))
        steps: list[str] = []
        while near:
            report(f"{counted(len(near), 'variable')}, can the database be built?")
            budget = WorkBudget(nodes=SHARES * self.work, effort=SHARES * EFFORT)
            try:
                forward_layers(choice.extended, choice.pattern(near), budget)
                break
            except DiagramLimit as limit:
                steps.append(f"the nearest {counted(len(near), 'variable')}: given up, {limit}")
            for number in near[len(near) // 2 :]:
                choice.dropped[number] = "the database would take too much with it"
            near = near[: len(near) // 2]
        pattern = choice.pattern(near)
        steps += [f"{task.variables[n].name}: {choice.kept[n]}" for n in sorted(near)]
        return Selection(
            name="domain:auto",
            patterns=(pattern,) if pattern else (),
            reasons=reasons_for(task, near, choice.kept, choice.dropped),
            steps=tuple(steps),
            definitions=tuple(choice.merged.values()),
        )


class _Choice:
    """What becomes of each variable, if there is room for it."""

    def __init__(self, task: Task, small: int) -> None:
        self.task, self.small = task, small
        self.layer = cone_of_influence(task, error_variables(task))
        self.kept: dict[int, str] = {}
        self.dropped: dict[int, str] = {}
        self.merged: dict[int, Definition] = {}
        self._constants = compared_constants(task)
        for number in range(len(task.variables)):
            self._decide(number)
        self.extended = extended(task, self.merged.values())

    def pattern(self, numbers: list[int]) -> tuple[int, ...]:
        """The variables, for merged ones their derived variables."""
        place = {number: len(self.task.variables) + k for k, number in enumerate(self.merged)}
        return tuple(sorted(place.get(number, number) for number in numbers))

    def _decide(self, number: int) -> None:
        variable, domain = self.task.variables[number], self.task.analysis.domains[number]
        if domain.count == 1:
            self.dropped[number] = "it never changes"
        elif number not in self.layer:
            self.dropped[number] = "it does not influence the error condition"
        elif variable.kind is VariableKind.LOCATION or domain.count <= self.small:
            self.kept[number] = "it has few values" if domain.count <= self.small else "it is a location"
        elif domain.count > MOST_VALUES:
            self.dropped[number] = f"it has {domain.count:,} values, too many for diagrams"
        elif number not in self._constants:
            self.dropped[number] = "it is compared with no constant"
        else:
            self._merge(number)

    def _merge(self, number: int) -> None:
        values = self.task.analysis.domains[number].array
        cuts = sorted({cut for constant in self._constants[number] for cut in (constant, constant + 1)})
        merged = merged_by(self.task, number, np.split(values, np.searchsorted(values, cuts)))
        if merged.count == 1:
            self.dropped[number] = "every value of it compares alike with all constants"
        else:
            self.merged[number] = merged
            self.kept[number] = f"{counted(merged.count, 'class')} around constants: {merged.text}"
