"""What the nodes of a certificate test: that a variable of a task has one of some values, in the model language."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.model.expressions import At, Binary, Cell, Expr, Literal, Ref, conjunction, disjunction
from symdmc.task.task import Task, VariableKind


class VariableTerms:
    """The variables of a task as expressions of the model language."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._terms: dict[int, Expr] = {}
        for name, first in task.layout.first.items():
            cells = task.layout.cells[name]
            if task.variables[first].name == name:
                self._terms[first] = Ref(name)
            else:
                self._terms |= {first + k: Cell(name, Literal(k)) for k in range(cells)}

    def within(self, number: int, intervals: Sequence[tuple[int, int]]) -> Expr:
        """The variable has a value in one of the intervals."""
        variable = self.task.variables[number]
        if variable.kind is VariableKind.LOCATION:
            places = [place for low, high in intervals for place in range(low, high + 1)]
            return disjunction(*(At(variable.name, variable.value_names[place]) for place in places))
        term = self._terms[number]
        return disjunction(*(_between(term, low, high) for low, high in intervals))


def _between(term: Expr, low: int, high: int) -> Expr:
    if low == high:
        return Binary("==", term, Literal(low))
    return conjunction(Binary(">=", term, Literal(low)), Binary("<=", term, Literal(high)))
