"""Estimates computed state by state in plain Python: by the error formula, by blocked processes, by the user.

None of them is admissible; searches with them find traces, not shortest ones. They run without look-up tables, at the
speed of Python. Only `formula` knows dead ends: where a process cannot get to a location that every error state needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.lookup.tables import TableGroup
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import At, Binary, Expr, Unary
from symdmc.task.closures import Closure, closure
from symdmc.task.local_graphs import local_graphs
from symdmc.task.task import Task, Values

Measure: TypeAlias = Callable[[Values], int | None]
"""The estimate of a state; None for a dead end."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a function says about a state; not admissible."""

    name: str
    estimate: Measure
    admissible: bool = False
    consistent: bool = False
    groups: tuple[TableGroup, ...] | None = None
    floor: int = 0


def user_heuristic(task: Task, expression: Expr) -> Measured:
    """The value of an expression that the user gives; 0 where it is negative or faults."""
    value = closure(expression, task.layout)

    def estimate(values: Values) -> int | None:
        try:
            return max(0, value(values))
        except ArithmeticFault:
            return 0

    return Measured("user", estimate)


def formula_heuristic(task: Task) -> Measured:
    """How far the error formula is from being true [ELL01]: a conjunction adds up, a disjunction has its nearer side.

    A test of a location is as far as the location is in the control graph of its process; any other part that does not
    hold counts 1. Deadlocks and faults are not formulas: the estimate is 0 where they are errors.
    """
    if task.error.deadlock or task.error.fault:
        return Measured("formula", lambda values: 0)
    return Measured("formula", _Formula(task).measure(task.error.expression, positive=True))


class _Formula:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.graphs = local_graphs(task)

    def measure(self, formula: Expr, *, positive: bool) -> Measure:
        """How far the formula, or its opposite, is from being true."""
        match formula:
            case Unary("not", inner):
                return self.measure(inner, positive=not positive)
            case Binary("and" | "or" as operator, left, right):
                sides = [self.measure(side, positive=positive) for side in (left, right)]
                return _total(sides) if (operator == "and") == positive else _nearest(sides)
            case Binary("imply", left, right):
                sides = [self.measure(left, positive=not positive), self.measure(right, positive=positive)]
                return _nearest(sides) if positive else _total(sides)
            case At(process, location) if positive:
                return self._walk(process, location)
            case _:
                return _truth(closure(formula, self.task.layout), positive)

    def _walk(self, process: str, location: str) -> Measure:
        number = self.task.layout.process[process]
        distances = self.graphs[number].distances([self.task.layout.location[process, location]])
        return lambda values: distances[values[number]]


def _total(sides: Sequence[Measure]) -> Measure:
    def total(values: Values) -> int | None:
        spent = 0
        for side in sides:
            measured = side(values)
            if measured is None:
                return None
            spent += measured
        return spent

    return total


def _nearest(sides: Sequence[Measure]) -> Measure:
    def nearest(values: Values) -> int | None:
        return min((each for side in sides if (each := side(values)) is not None), default=None)

    return nearest


def _truth(value: Closure, positive: bool) -> Measure:
    """0 where the value is as it should be, else 1; a fault is not as it should be."""

    def truth(values: Values) -> int | None:
        try:
            return int((value(values) != 0) != positive)
        except ArithmeticFault:
            return 1

    return truth


def blocked_heuristic(task: Task) -> Measured:
    """The number of processes that some step would move: 0 in a deadlock [ELL01]."""
    guarded = []
    for number in sorted(task.analysis.possible):
        transition = task.transitions[number]
        movers = frozenset(task.layout.process[branch.process] for branch in transition.fixed)
        guarded.append((_truth(closure(task.full_guard(transition), task.layout), positive=True), movers))

    def estimate(values: Values) -> int | None:
        active: set[int] = set()
        for blocked, movers in guarded:
            if not movers <= active and blocked(values) == 0:
                active |= movers
        return len(active)

    return Measured("blocked", estimate)
