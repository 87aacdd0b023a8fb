"""Merged values as users write them: `x=0/1..9/10` has three classes.

Classes stand between slashes. A class is a value, a range of values (`1..9`; `10..` goes on to the largest, `..0`
begins with the smallest), or several of them with `+` in between. Values of a process are its locations, by name.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdmc.errors import Code, Complaint, ModelError
from symdmc.spelling.speech import LIST_NAMES
from symdmc.spelling.suggestions import did_you_mean
from symdmc.task.definitions import Interval, Merged
from symdmc.task.task import Task, TaskVariable, VariableKind
from symdmc.task.values.domains import Domain, runs
from symdmc.task.values.tabulate import Integers

MOST_VALUES = 1 << 16
"""The values of variables with more values than this cannot be merged: no diagram represents such variables."""


def _text(variable: TaskVariable, classes: Sequence[Sequence[Interval]]) -> str:
    """The variable and its classes, as `merged_values` reads them."""
    return f"{variable.name}={'/'.join(values_text(variable, own) for own in classes)}"


def values_text(variable: TaskVariable, intervals: Sequence[Interval]) -> str:
    """Some values of a variable, as a class is written."""
    return "+".join(_piece(variable, each) for each in intervals)


def _piece(variable: TaskVariable, interval: Interval) -> str:
    low, high = (_value_text(variable, value) for value in interval)
    return low if low == high else f"{low}..{high}"


def _value_text(variable: TaskVariable, value: int) -> str:
    return variable.value_names[value] if variable.kind is VariableKind.LOCATION else str(value)


def merged_values(task: Task, text: str) -> Merged:
    """The definition that a text means; ModelError says in one line what is wrong with it."""
    name, equals, classes = text.partition("=")
    if not (name.strip() and equals and classes.strip()):
        raise ModelError(Complaint(Code.WRONG_CLASSES, f"{text!r} has no classes", "write them like x=0/1..9/10"))
    number = _number(task, name.strip())
    return _Reading(task, number, text).merged(classes)


def _number(task: Task, name: str) -> int:
    numbers = {each.name: number for number, each in enumerate(task.variables) if each.kind is not VariableKind.DERIVED}
    if name not in numbers:
        remedy = did_you_mean(name, list(numbers), str(LIST_NAMES))
        raise ModelError(
            Complaint(Code.UNKNOWN_NAME, f"there is no variable {name!r} whose values could be merged", remedy)
        )
    return numbers[name]


def merged_by(task: Task, number: int, classes: Sequence[Integers]) -> Merged:
    """The definition with these classes of values, each sorted, in the order of their first values."""
    ordered = sorted((each for each in classes if len(each)), key=lambda each: int(each[0]))
    intervals = tuple(intervals_of(task.analysis.domains[number], each) for each in ordered)
    return Merged(number, intervals, _text(task.variables[number], intervals))


def class_numbers(merged: Merged, values: Integers) -> Integers:
    """The class of each of some values; 0 for those that cannot occur."""
    numbers = np.zeros(len(values), dtype=np.int64)
    for number, intervals in enumerate(merged.classes):
        for low, high in intervals:
            numbers[(values >= low) & (values <= high)] = number
    return numbers


def intervals_of(domain: Domain, values: Integers) -> tuple[Interval, ...]:
    """Sorted values as intervals, which may contain values that are not in the domain and so cannot occur."""
    return tuple(runs(values, np.searchsorted(domain.array, values)))


class _Reading:
    """Reads the classes of one variable."""

    def __init__(self, task: Task, number: int, text: str) -> None:
        self.task, self.number, self.text = task, number, text
        self.variable = task.variables[number]
        self.domain = task.analysis.domains[number]
        if self.domain.count > MOST_VALUES:
            raise self._fault(
                Code.TOO_LARGE, f"{self.variable.name!r} can have {self.domain.count:,} values", "bound it"
            )

    def merged(self, classes: str) -> Merged:
        """The definition with these classes; every value that can occur must be in exactly one."""
        values = self.domain.array
        owner = np.full(len(values), -1)
        for number, words in enumerate(classes.split("/")):
            for word in words.split("+"):
                low, high = self._interval(word.strip())
                inside = (values >= low) & (values <= high)
                twice = values[inside & (owner >= 0)]
                if len(twice):
                    raise self._fault(
                        Code.WRONG_CLASSES, f"{self._named(int(twice[0]))} is in two classes", "name each value once"
                    )
                owner[inside] = number
        missing = values[owner < 0]
        if len(missing):
            what = f"{self.variable.name!r} can also be {self._named(int(missing[0]))}, which is in no class"
            raise self._fault(Code.WRONG_CLASSES, what, "name every value it can have; `10..` means 10 and more")
        return merged_by(self.task, self.number, [values[owner == number] for number in range(int(owner.max()) + 1)])

    def _named(self, value: int) -> str:
        return _value_text(self.variable, value)

    def _interval(self, word: str) -> Interval:
        first, dots, last = word.partition("..")
        if not dots:
            value = self._value(first)
            return value, value
        low = self._value(first) if first else self.domain.low
        high = self._value(last) if last else self.domain.high
        if low > high and first and last:
            raise self._fault(Code.EMPTY_RANGE, f"the range {word} is empty", "write the smaller value first")
        return low, high

    def _value(self, word: str) -> int:
        if self.variable.kind is VariableKind.LOCATION:
            if word not in self.variable.value_names:
                remedy = did_you_mean(word, self.variable.value_names, "name a location of it")
                raise self._fault(Code.UNKNOWN_NAME, f"{self.variable.name!r} has no location {word!r}", remedy)
            return self.variable.value_names.index(word)
        try:
            return int(word)
        except ValueError:
            raise self._fault(Code.WRONG_CLASSES, f"{word!r} is no value", "write classes like 0/1..9/10") from None

    def _fault(self, code: Code, what: str, remedy: str) -> ModelError:
        return ModelError(Complaint(code, what, remedy, self.text))
