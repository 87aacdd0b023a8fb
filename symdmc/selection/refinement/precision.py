"""The precision of an abstraction: it distinguishes all values of some variables, and classes of values of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from symdmc.task.definitions import Interval, Merged
from symdmc.task.derived import extended, numbers_of
from symdmc.task.merged_values import MOST_VALUES, class_numbers, intervals_of, merged_by, values_text
from symdmc.task.task import Task
from symdmc.task.values.tabulate import Integers


@dataclass(frozen=True, slots=True, order=True)
class Distinction:
    """Some values of a variable distinguished from its others; without any, all values from each other."""

    variable: int
    inside: tuple[Interval, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all values are distinguished."""
        return not self.inside

    def bits(self, task: Task) -> int:
        """How many more bits an abstraction may need for it."""
        return (task.analysis.domains[self.variable].count - 1).bit_length() if self.is_whole else 1

    def text(self, task: Task) -> str:
        """The variable, and the values if these are not all of them."""
        variable = task.variables[self.variable]
        return variable.name if self.is_whole else f"{variable.name} in {values_text(variable, self.inside)}"


Repair: TypeAlias = frozenset[Distinction]
"""Distinctions that an abstraction lacks: adding all of them removes some flaw."""


def distinction_of(task: Task, number: int, values: Integers) -> Distinction:
    """The distinction of some values of a variable from its others."""
    return Distinction(number, intervals_of(task.analysis.domains[number], values))


@dataclass(frozen=True)
class Precision:
    """An abstraction given by its distinctions: it merges the values that none of them separates."""

    plain: Task
    """The task without derived variables."""
    distinctions: frozenset[Distinction]

    @cached_property
    def whole(self) -> frozenset[int]:
        """The variables of which all values are distinguished."""
        split = (number for number, classes in self._classes.items() if len(classes) == self._count(number))
        return frozenset((*self._asked_whole, *split))

    @cached_property
    def _asked_whole(self) -> frozenset[int]:
        return frozenset(each.variable for each in self.distinctions if each.is_whole)

    @cached_property
    def _classes(self) -> dict[int, list[Integers]]:
        """The classes of values of each other variable with distinctions."""
        found: dict[int, list[Distinction]] = {}
        for each in sorted(self.distinctions):
            if each.variable not in self._asked_whole:
                found.setdefault(each.variable, []).append(each)
        return {number: self._refined(number, own) for number, own in found.items()}

    def _refined(self, number: int, distinctions: Sequence[Distinction]) -> list[Integers]:
        classes = [self.plain.analysis.domains[number].array]
        for each in distinctions:
            apart = Merged(number, ((), each.inside), "")
            halves = ((own, class_numbers(apart, own) == 1) for own in classes)
            classes = [part for own, inside in halves for part in (own[inside], own[~inside]) if len(part)]
        return classes

    def _count(self, number: int) -> int:
        return self.plain.analysis.domains[number].count

    @cached_property
    def definitions(self) -> tuple[Merged, ...]:
        """The merged values, in the order of the variables."""
        merged = ((number, own) for number, own in self._classes.items() if 1 < len(own) < self._count(number))
        return tuple(merged_by(self.plain, number, classes) for number, classes in merged)

    @cached_property
    def task(self) -> Task:
        """The task with a derived variable for each definition."""
        return extended(self.plain, self.definitions)

    @cached_property
    def pattern(self) -> tuple[int, ...]:
        """The kept variables, by their numbers in the extended task."""
        return tuple(sorted((*self.whole, *numbers_of(self.task, self.definitions))))

    def base(self, number: int) -> int:
        """The variable of the task that a kept one shows: itself, or the one whose values are merged."""
        definition = self.task.definitions.get(number)
        return definition.variable if isinstance(definition, Merged) else number

    @cached_property
    def constant(self) -> frozenset[int]:
        """The variables that never change."""
        return frozenset(number for number in range(len(self.plain.variables)) if self._count(number) == 1)

    def known(self, values: Sequence[int]) -> frozenset[int]:
        """The variables whose values in a state the abstraction knows."""
        split = (number for number in self._classes if len(self.class_of(number, values[number])) == 1)
        return self.whole | self.constant | frozenset(split)

    def class_of(self, number: int, value: int) -> Integers:
        """The values of a variable that are merged with one of them, itself included."""
        if number in self.whole:
            return np.array([value])
        classes = self._classes.get(number) or [self.plain.analysis.domains[number].array]
        return next(own for own in classes if (own == value).any())

    def can_be_split(self, number: int) -> bool:
        """Whether the values of a variable are few enough for classes."""
        return self._count(number) <= MOST_VALUES
