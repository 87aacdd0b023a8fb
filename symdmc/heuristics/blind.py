"""blind: the heuristic that knows nothing but the costs of the transitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making, shown
from symdmc.lookup.tables import TableGroup
from symdmc.task.task import Task, Values


@dataclass(frozen=True, repr=False)
class Blind:
    """0 in an error state, else the smallest cost of any transition; admissible and consistent.

    Where deadlocks or faults are errors, only the steps of a state tell whether it is one: the estimate is 0 then.
    """

    task: Task
    name: str = "blind"
    admissible: bool = True
    consistent: bool = True
    groups: tuple[TableGroup, ...] | None = ()

    def __repr__(self) -> str:
        return shown(self)

    @cached_property
    def floor(self) -> int:
        """The smallest cost of any transition, as far as it may be used."""
        if self.task.error.deadlock or self.task.error.fault:
            return 0
        return min((transition.cost for transition in self.task.transitions), default=0)

    def estimate(self, values: Values) -> int | None:
        """The estimate for a state; it is never a dead end."""
        if self.floor == 0:
            return 0
        state = self.task.state(values)
        return 0 if self.task.semantics.holds(self.task.error.expression, state) else self.floor


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindOptions(HeuristicOptions):
    """Nothing but the costs of the steps; admissible and consistent."""

    EXAMPLES: ClassVar[tuple[str, ...]] = ("blind",)

    def make(self, making: Making) -> Made:
        """The heuristic."""
        return Made(heuristic=Blind(making.task))
