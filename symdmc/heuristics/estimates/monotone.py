"""hL and hU: estimates by the monotonicity abstraction, in which variables accumulate values.

hL is the layer in which the error condition first can hold when all transitions run at once. It is admissible, and
consistent: whatever holds behind a step is reached from before it at the cost of the step, so no layer is further away
than that. hU is the cost of an abstract error path found by chaining back from there; it is neither, and never less
than hL. Both call a state a dead end where all that can accumulate never satisfies the error condition; no error state
is reachable then. Where deadlocks or faults are errors, both are 0. Source: [KHL08] section 4, [KW11] section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from symdmc.heuristics.estimates.tables import estimate_of
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making, shown
from symdmc.lookup.relaxation import LAYER, PATH, AbstractStep, Relaxation
from symdmc.lookup.tables import TableGroup
from symdmc.task.relaxation.relaxed import RelaxedTask, relaxed_task
from symdmc.task.task import Task, Values

HL = "hL"
HU = "hU"


@dataclass(frozen=True, repr=False)
class Monotone:
    """hL or hU of a relaxed task; some variables may be `free`: they have all their values at all times."""

    name: str
    relaxed: RelaxedTask
    free: frozenset[int] = frozenset()
    floor: int = 0

    def __repr__(self) -> str:
        return shown(self)

    @property
    def admissible(self) -> bool:
        """hL never over-estimates."""
        return self.name == HL

    @property
    def consistent(self) -> bool:
        """So is hL along every step."""
        return self.name == HL

    @cached_property
    def relaxation(self) -> Relaxation:
        """What is looked up."""
        return Relaxation(self.relaxed, LAYER if self.name == HL else PATH, self.free)

    @property
    def groups(self) -> tuple[TableGroup, ...]:
        """The relaxation is the only table."""
        return (TableGroup((self.relaxation,)),)

    def estimate(self, values: Values) -> int | None:
        """The estimate for a state; None for a dead end."""
        return estimate_of(self.relaxation.code_of(values), self.name)

    def abstract_path(self, values: Values, *, indirect: bool = True) -> tuple[AbstractStep, ...] | None:
        """Transitions that lead to an error when values accumulate; None for a dead end.

        Without `indirect` dependencies it has only what is needed to make guards hold, and not what is needed to
        store the right values ([KHL08] footnote 7).
        """
        chained = self.relaxation.chained(values)
        return None if chained is None else chained.path(indirect=indirect)


def monotone(task: Task, name: str, *, joint: bool = True, free: frozenset[int] = frozenset()) -> Monotone:
    """hL or hU for a task.

    `joint` evaluates the parts of a transition together where they share variables. Without it every conjunct and
    every assignment is judged by itself over the declared ranges, as [KHL08] does: a weaker estimate, to compare with.
    """
    if name not in (HL, HU):
        raise ValueError(f"unknown estimate {name!r}: choose from {HL}, {HU}")
    return Monotone(name, relaxed_task(task, joint=joint), free)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonotoneOptions(HeuristicOptions):
    """An estimate of the monotonicity abstraction.

    joint: false judges every conjunct and assignment by itself, as the paper does
    """

    NAME: ClassVar[str]

    joint: bool = True

    def make(self, making: Making) -> Made:
        """The heuristic."""
        making.run.say(f"tables of transitions ({self.NAME})")
        making.task.analyse(making.run.checkpoint)
        return Made(heuristic=monotone(making.task, self.NAME, joint=self.joint))
