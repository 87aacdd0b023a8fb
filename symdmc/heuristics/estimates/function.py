"""Estimates computed state by state in plain Python, without look-up tables, at the speed of Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.heuristics.heuristic import shown
from symdmc.lookup.tables import TableGroup
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.task.closures import Closure
from symdmc.task.task import Values

Measure: TypeAlias = Callable[[Values], int | None]
"""The estimate of a state; None for a dead end."""


@dataclass(frozen=True, slots=True, repr=False)
class FunctionHeuristic:
    """What a function says about a state; not admissible."""

    name: str
    estimate: Measure
    admissible: bool = False
    consistent: bool = False
    groups: tuple[TableGroup, ...] | None = None
    floor: int = 0

    def __repr__(self) -> str:
        return shown(self)


def truth_measure(value: Closure, positive: bool) -> Measure:
    """0 where the value is as it should be, else 1; a fault is not as it should be."""

    def truth(values: Values) -> int | None:
        try:
            return int((value(values) != 0) != positive)
        except ArithmeticFault:
            return 1

    return truth
