"""The recipes of heuristics without an abstraction of their own: what the papers compare with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symdmc.checking.making import Making

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.model.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Blind:
    """Nothing but the costs of the steps; admissible and consistent."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics import blind

        return blind.Blind(making.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class FsmMax:
    """The largest distance in the control graph of any process; admissible and consistent."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.fsm import fsm_heuristic

        return fsm_heuristic(making.task, "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class FsmSum:
    """The sum of the distances in the control graphs; admissible only where no step counts twice."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.fsm import fsm_heuristic

        return fsm_heuristic(making.task, "sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class FsmTrail:
    """The sum of the distances in the control graphs to the end of an error trace; not admissible.

    trace: a file written by `check --trace`
    """

    trace: str

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.fsm import trail_heuristic

        return trail_heuristic(making.task, _end_of(self.trace, making))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hamming:
    """The number of variables that differ from the end of an error trace; not admissible.

    trace: a file written by `check --trace`
    """

    trace: str

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.fsm import hamming_heuristic

        return hamming_heuristic(making.task, _end_of(self.trace, making))


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """How far the error formula is from being true; not admissible, slow."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.measured import formula_heuristic

        return formula_heuristic(making.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """The number of processes that can move, for finding deadlocks; not admissible, slow."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.measured import blocked_heuristic

        return blocked_heuristic(making.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An expression over the model's variables, as the estimate; not admissible, slow.

    expression: such as 10 - x, or 3 * P.idle + Q.idle
    """

    expression: str

    def make(self, making: Making) -> Heuristic:
        """The heuristic."""
        from symdmc.heuristics.measured import user_heuristic
        from symdmc.model.parsing.parser import parse_expression
        from symdmc.model.scope import Scope

        scope = Scope.of(making.task.system)
        return user_heuristic(making.task, parse_expression(self.expression, scope, file="--heuristic user"))


def _end_of(path: str, making: Making) -> State:
    """The last state of the trace in a file."""
    from symdmc.model.files.trace_format import read_trace

    return read_trace(Path(path), making.task.system).final
