"""Conditions under the monotonicity abstraction: when some combination of accumulated values satisfies them.

A condition is taken apart where that loses nothing: a disjunction always, a conjunction into parts that share no
variable. What is left is tabulated. Where a table would be too large, conjuncts are judged one by one, each as if its
variables were its own; and what is still too large may always hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary, negation
from symdmc.task.relaxation.fact_rows import FactTable, TransitionPart, fact_table, reduced
from symdmc.task.relaxation.facts import ALWAYS, Facts
from symdmc.task.relaxation.operators import Operators
from symdmc.task.task import Task
from symdmc.task.values.intervals import Interval, bounds
from symdmc.task.values.rows import TooManyRows

T = TypeVar("T")

MOST_ROWS = 1 << 13
"""Larger tables are not made."""
ROW_BUDGET = 1 << 21
"""Rows of all tables together; when they are spent, only small tables are made."""
FEW_ROWS = 1 << 8


class Conditions:
    """Finds for a condition the fact that it can hold."""

    def __init__(self, task: Task, facts: Facts, operators: Operators, *, joint: bool) -> None:
        self.task, self.facts, self.operators = task, facts, operators
        self.joint = joint
        """Parts that share a variable are judged together where their table is not too large."""
        self._rows_left = ROW_BUDGET
        self._known: dict[tuple[Expr, bool], int | None] = {}

    def holds(self, expression: Expr, truth: bool = True) -> int | None:
        """The fact that a condition has this truth value; None if it never has."""
        key = expression, truth
        if key not in self._known:
            self._known[key] = self._found(expression, truth)
        return self._known[key]

    def table(self, component: TransitionPart) -> FactTable:
        """The rows of a component; raises TooManyRows."""
        made = fact_table(self.task, self.facts, component, MOST_ROWS if self._rows_left > 0 else FEW_ROWS)
        self._rows_left -= len(made)
        return reduced(made, self.facts)

    def linked(self, parts: Sequence[T], touched: Callable[[T], Iterable[int]]) -> list[list[T]]:
        """The parts in groups that share no variable; what has one value only is shared by nobody."""
        groups: list[tuple[set[int], list[tuple[int, T]]]] = []
        for place, part in enumerate(parts):
            numbers = {number for number in touched(part) if self.facts.domains[number].count > 1}
            members = [(place, part)]
            apart = []
            for group in groups:
                if group[0].isdisjoint(numbers):
                    apart.append(group)
                else:
                    numbers |= group[0]
                    members += group[1]
            groups = [*apart, (numbers, members)]
        in_order = [sorted(members, key=lambda member: member[0]) for _, members in groups]
        return [[part for _, part in members] for members in sorted(in_order, key=lambda members: members[0][0])]

    def _found(self, expression: Expr, truth: bool) -> int | None:
        parts = _parts(expression, truth, "and")
        if len(parts) > 1:
            return self._conjunction(parts)
        (only,) = parts
        either = _parts(*only, "or")
        if len(either) > 1:
            found = (self.holds(*part) for part in either)
            return self.operators.any_of([fact] for fact in found if fact is not None)
        return self._atom(*either[0])

    def holds_all(self, expressions: Sequence[Expr]) -> int | None:
        """The fact that all of some conditions hold."""
        return self._conjunction([part for each in expressions for part in _parts(each, True, "and")])

    def _conjunction(self, parts: Sequence[tuple[Expr, bool]]) -> int | None:
        if not self.joint:
            return self.operators.all_of(self.holds(*part) for part in parts)
        groups = self.linked(parts, lambda part: self.task.layout.support(part[0]))
        return self.operators.all_of(self._together(group) for group in groups)

    def _together(self, parts: Sequence[tuple[Expr, bool]]) -> int | None:
        if len(parts) == 1:
            return self.holds(*parts[0])
        try:
            return self._tabulated([part if truth else negation(part) for part, truth in parts])
        except TooManyRows:
            return self.operators.all_of(self.holds(*part) for part in parts)

    def _atom(self, expression: Expr, truth: bool) -> int | None:
        try:
            return self._tabulated([expression if truth else negation(expression)])
        except TooManyRows:
            if isinstance(expression, Conditional):
                return self._chosen(expression, truth)
        low, high = self.bounds(expression)
        impossible = low == high == 0 if truth else low > 0 or high < 0
        return None if impossible else ALWAYS

    def _tabulated(self, parts: Sequence[Expr]) -> int | None:
        table = self.table(TransitionPart(guards=tuple(parts)))
        return self.operators.any_of(table.before.tolist())

    def _chosen(self, expression: Conditional, truth: bool) -> int | None:
        """Either side, with the condition that chooses it."""
        cases = ((True, expression.then), (False, expression.otherwise))
        both = (self.operators.all_of([self.holds(expression.condition, c), self.holds(s, truth)]) for c, s in cases)
        return self.operators.any_of([fact] for fact in both if fact is not None)

    def bounds(self, expression: Expr) -> Interval:
        """The smallest and the largest value that an expression can have."""
        layout, domains = self.task.layout, self.facts.domains

        def bounds_of(leaf: Ref | Cell | At) -> Interval:
            if isinstance(leaf, At):
                domain = domains[layout.process[leaf.process]]
                place = layout.location[leaf.process, leaf.location]
                return (0, 0) if place not in domain else (1, 1) if domain.count == 1 else (0, 1)
            chosen = [domains[number] for number in layout.targets(leaf)]
            return min(domain.low for domain in chosen), max(domain.high for domain in chosen)

        return bounds(expression, bounds_of)


def _parts(expression: Expr, truth: bool, operator: str) -> list[tuple[Expr, bool]]:
    """The parts of a conjunction (`and`) or disjunction (`or`), each with the truth value that it must have."""
    match expression:
        case Unary("not", operand):
            return _parts(operand, not truth, operator)
        case Binary("and" | "or", left, right) if (expression.operator == operator) == truth:
            return [*_parts(left, truth, operator), *_parts(right, truth, operator)]
        case Binary("imply", left, right) if (operator == "or") == truth:
            return [*_parts(left, not truth, operator), *_parts(right, truth, operator)]
        case Binary("!=", inner, Literal(0)):
            return _parts(inner, truth, operator)
    return [(expression, truth)]
