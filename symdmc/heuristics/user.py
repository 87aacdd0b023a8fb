"""user: an expression of the user's as the estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.heuristics.estimates.function import FunctionHeuristic
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import Expr
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.spelling.speech import PLACE_OF_USER
from symdmc.task.closures import closure
from symdmc.task.task import Task, Values


@dataclass(frozen=True, slots=True, kw_only=True)
class User(HeuristicOptions):
    """An expression over the model's variables, as the estimate; not admissible, slow.

    expression: such as 10 - x, or 3 * P.idle + Q.idle
    """

    ARGUMENT: ClassVar[str | None] = "expression"
    FREE_TEXT: ClassVar[bool] = True
    EXAMPLES: ClassVar[tuple[str, ...]] = ("user:3",)

    expression: str

    def make(self, making: Making) -> Made:
        """The heuristic; raises ModelError where the expression is wrong."""
        scope = Scope.of(making.task.system)
        expression = parse_expression(self.expression, scope, file=str(PLACE_OF_USER))
        return Made(heuristic=user_heuristic(making.task, expression))


def user_heuristic(task: Task, expression: Expr) -> FunctionHeuristic:
    """The value of an expression that the user gives; 0 where it is negative or faults."""
    value = closure(expression, task.layout)

    def estimate(values: Values) -> int | None:
        try:
            return max(0, value(values))
        except ArithmeticFault:
            return 0

    return FunctionHeuristic("user", estimate)
