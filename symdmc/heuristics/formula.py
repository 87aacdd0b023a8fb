"""formula: how far the error formula is from being true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.function import FunctionHeuristic, Measure, truth_measure
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.model.expressions import At, Binary, Expr, Unary
from symdmc.task.closures import closure
from symdmc.task.local_graphs import local_graphs
from symdmc.task.task import Task, Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula(HeuristicOptions):
    """How far the error formula is from being true; not admissible, slow.

    A state is a dead end where a process cannot get to a location that every error state needs.
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ("formula",)

    def make(self, making: Making) -> Made:
        """The heuristic."""
        return Made(heuristic=formula_heuristic(making.task))


def formula_heuristic(task: Task) -> FunctionHeuristic:
    """How far the error formula is from being true [ELL01]: a conjunction adds up, a disjunction has its nearer side.

    A test of a location is as far as the location is in the control graph of its process; any other part that does not
    hold counts 1. Deadlocks and faults are not formulas: the estimate is 0 where they are errors.
    """
    if task.error.deadlock or task.error.fault:
        return FunctionHeuristic("formula", lambda values: 0)
    return FunctionHeuristic("formula", _Formula(task).measure(task.error.expression, positive=True))


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
                return truth_measure(closure(formula, self.task.layout), positive)

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
