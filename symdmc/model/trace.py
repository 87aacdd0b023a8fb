"""Traces: a first state and the steps from it, with the fingerprint of the system they belong to."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

from symdmc.model.question import ErrorCondition
from symdmc.model.state import State, Step
from symdmc.spelling.abridged import brief


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Trace:
    """A path through a system."""

    fingerprint: str
    """The fingerprint of the system that the trace belongs to."""
    property: str
    """The question that the trace answers."""
    initial: State
    steps: tuple[Step, ...]
    error: ErrorCondition | None = None
    """The condition that the last state is claimed to satisfy; None for a path without such a claim."""

    @builtins.property
    def length(self) -> int:
        """The sum of the costs of the steps."""
        return sum(step.cost for step in self.steps)

    @builtins.property
    def final(self) -> State:
        """The state the trace ends in."""
        return self.steps[-1].successor if self.steps else self.initial

    @builtins.property
    def states(self) -> tuple[State, ...]:
        """All states on the way, the first and the last included."""
        return (self.initial, *(step.successor for step in self.steps))

    def __repr__(self) -> str:
        return brief("Trace", self.property, steps=len(self.steps), length=self.length)
