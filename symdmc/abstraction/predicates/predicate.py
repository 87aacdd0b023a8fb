"""Predicates: conditions on the states of a task that an abstraction distinguishes, each in canonical form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary, negation
from symdmc.task.task import Layout, Task, VariableKind


@dataclass(frozen=True, slots=True)
class LinearConstraint:
    """The sum of coefficient times variable is at least (`>=`) or exactly (`==`) the bound."""

    terms: tuple[tuple[int, int], ...]
    """Numbers of variables, in the order of the task, with their coefficients; the first coefficient is positive."""
    relation: str
    bound: int


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition that is true or false in every state of the analysed values.

    Equal predicates are equal values: the canonical form is made by `canonical.Canonical`.
    """

    expression: Expr
    """The predicate in the arithmetic of the model; never faults where all variables have analysed values."""
    support: tuple[int, ...]
    """The variables it depends on, in the order of the task, without those of one value."""
    linear: LinearConstraint | None = None
    """The predicate as a linear constraint, for a location test on the number of the location; None: opaque."""

    def __str__(self) -> str:
        return str(self.expression)


@dataclass(frozen=True, slots=True)
class Claim:
    """A predicate or its negation: conjunctions consist of claims."""

    predicate: Predicate
    holds: bool = True

    @property
    def expression(self) -> Expr:
        """The claim as a condition."""
        return self.predicate.expression if self.holds else negation(self.predicate.expression)

    def negated(self) -> Claim:
        """The opposite claim."""
        return Claim(self.predicate, not self.holds)

    def __str__(self) -> str:
        return str(self.expression)


Truth: TypeAlias = bool | Claim
"""A condition in canonical form: a claim, or whether it always or never holds."""


def opposite(truth: Truth) -> Truth:
    """The negation."""
    return truth.negated() if isinstance(truth, Claim) else not truth


def leaves_of(task: Task) -> tuple[Ref | Cell | None, ...]:
    """For each variable of the task the expression that reads it; None for the location of a process."""
    layout = task.layout
    result: list[Ref | Cell | None] = [None] * len(task.variables)
    scalars = {number for number, each in enumerate(task.variables) if not each.name.endswith("]")}
    for name, first in layout.first.items():
        for position in range(layout.cells[name]):
            number = first + position
            result[number] = Ref(name) if number in scalars else Cell(name, Literal(position))
    return tuple(result)


def location_test(task: Task, variable: int, number: int) -> At:
    """The condition that a process is at its location with this number."""
    process = task.variables[variable]
    assert process.kind is VariableKind.LOCATION
    return At(process.name, process.value_names[number])


def substituted(layout: Layout, expression: Expr, values: Mapping[int, Expr]) -> Expr:
    """The expression with variables replaced by other expressions; a location is replaced by its number.

    A cell with a computed index becomes a choice between the replaced cells of its array and the array as it is.
    """
    match expression:
        case Literal():
            return expression
        case Ref(name):
            return values.get(layout.first[name], expression)
        case At(process, location):
            value = values.get(layout.process[process])
            if value is None:
                return expression
            assert isinstance(value, Literal)
            return Literal(int(value.value == layout.location[process, location]))
        case Cell(array, index):
            return _cell(layout, array, substituted(layout, index, values), values)
        case Unary(operator, operand):
            return Unary(operator, substituted(layout, operand, values))
        case Binary(operator, left, right):
            return Binary(operator, substituted(layout, left, values), substituted(layout, right, values))
        case Conditional(condition, then, otherwise):
            sides = (substituted(layout, each, values) for each in (condition, then, otherwise))
            return Conditional(*sides)
        case _:
            assert_never(expression)


def _cell(layout: Layout, array: str, index: Expr, values: Mapping[int, Expr]) -> Expr:
    first, plain = layout.first[array], Cell(array, index)
    if isinstance(index, Literal) and 0 <= index.value < layout.cells[array]:
        return values.get(first + index.value, plain)
    result: Expr = plain
    for place in reversed(range(layout.cells[array])):
        if first + place in values:
            result = Conditional(Binary("==", index, Literal(place)), values[first + place], result)
    return result
