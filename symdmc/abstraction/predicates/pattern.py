"""Predicates as kept variables of an extended task.

Predicates on one variable with few values become one variable: the classes of values on which all of them agree, or the
variable itself if they distinguish all values. So predicates on all locations of a process become the process, and
several thresholds of a counter become one variable instead of many bits. The abstraction is the same; diagrams and
look-up tables are smaller, and bits that contradict each other have no code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.abstraction.predicates.canonical import MOST_VALUES, Canonical
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.task.definitions import Definition, Holds
from symdmc.task.derived import extended, numbers_of
from symdmc.task.merged_values import merged_by
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True)
class PredicateTest:
    """A predicate in an abstraction: it is true where a kept variable has one of some values."""

    variable: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicatePattern:
    """A task extended by derived variables for predicates, and which of its variables to keep."""

    task: Task
    pattern: tuple[int, ...]
    """The variables to keep, by number in the extended task."""
    tests: tuple[PredicateTest, ...]
    """The test of each predicate."""


def predicate_pattern(task: Task, predicates: Sequence[Predicate]) -> PredicatePattern:
    """The pattern whose abstract states are distinguished by the predicates, and by nothing else."""
    canonical = Canonical(task)
    own: dict[int, list[Predicate]] = {}
    for each in predicates:
        if _is_judged(task, each):
            own.setdefault(each.support[0], []).append(each)
    grouped = {variable: _Classes(task, canonical, variable, own[variable]) for variable in sorted(own)}
    linked = [Holds(each.expression) for each in predicates if not _is_judged(task, each)]
    definitions = [each.definition for each in grouped.values()]
    made = extended(task, (*(each for each in definitions if each is not None), *linked))

    def tested(predicate: Predicate) -> PredicateTest:
        if _is_judged(task, predicate):
            return grouped[predicate.support[0]].tested(made, predicate)
        return PredicateTest(numbers_of(made, [Holds(predicate.expression)])[0], (1,))

    found = tuple(map(tested, predicates))
    return PredicatePattern(task=made, pattern=tuple(sorted({each.variable for each in found})), tests=found)


def _is_judged(task: Task, predicate: Predicate) -> bool:
    """Whether a predicate is about one variable with few values."""
    return len(predicate.support) == 1 and task.analysis.domains[predicate.support[0]].count <= MOST_VALUES


class _Classes:
    """The classes of values of one variable on which some predicates agree."""

    def __init__(self, task: Task, canonical: Canonical, variable: int, predicates: Iterable[Predicate]) -> None:
        self.variable = variable
        self.masks = {each: canonical.mask(each.expression, variable) for each in predicates}
        self.values = task.analysis.domains[variable].array
        places: dict[tuple[bool, ...], list[int]] = {}
        for place in range(len(self.values)):
            places.setdefault(tuple(bool(mask >> place & 1) for mask in self.masks.values()), []).append(place)
        self.classes = [np.array(each) for each in places.values()]
        self.definition: Definition | None = None
        """The classes as a derived variable; None: the variable itself."""
        if len(self.classes) < len(self.values):
            self.definition = merged_by(task, variable, [self.values[each] for each in self.classes])

    def tested(self, task: Task, predicate: Predicate) -> PredicateTest:
        """The test of a predicate on the variable, or on its classes in the extended task."""
        mask = self.masks[predicate]
        if self.definition is None:
            true = (int(value) for place, value in enumerate(self.values) if mask >> place & 1)
            return PredicateTest(self.variable, tuple(true))
        (number,) = numbers_of(task, [self.definition])
        first = (int(each[0]) for each in self.classes)
        return PredicateTest(number, tuple(k for k, place in enumerate(first) if mask >> place & 1))
