"""Which dropped variables decide the truth of a condition in a state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Ref, Unary, walk
from symdmc.model.state import State
from symdmc.task.task import Task


class Blame:
    """Finds the dropped variables that, with the kept ones, make a condition true or false.

    For a condition on the state after a transition, `sources` maps each changed variable to those that its value comes
    from.
    """

    def __init__(self, task: Task, kept: Collection[int], sources: Mapping[int, frozenset[int]] = MappingProxyType({})):
        self.task = task
        self.kept = frozenset(kept)
        self.sources = sources

    def deciding(self, condition: Expr, state: State) -> frozenset[int]:
        """Few dropped variables whose values, with those of the kept ones, settle the truth of the condition.

        Of several parts that each settle it, the one with the fewest dropped variables counts.
        """
        return self.dropped(self.settling(condition, state), state)

    def settling(self, condition: Expr, state: State) -> tuple[Expr, ...]:
        """Parts of a condition, without `and`, `or`, ..., whose truth in the state settles that of the condition."""
        match condition:
            case Unary("not", operand):
                return self.settling(operand, state)
            case Binary("and", left, right):
                return self._joined((left, right), state, settled_by=False)
            case Binary("or", left, right):
                return self._joined((left, right), state, settled_by=True)
            case Binary("imply", left, right):
                return self._joined((Unary("not", left), right), state, settled_by=True)
            case Conditional(test, then, otherwise):
                chosen = then if self.task.semantics.holds(test, state) else otherwise
                return self.settling(test, state) + self.settling(chosen, state)
        return (condition,)

    def dropped(self, parts: Sequence[Expr], state: State) -> frozenset[int]:
        """The dropped variables that some expressions read in a state."""
        read = frozenset().union(*(self.read(part, state) for part in parts))
        return frozenset().union(*(self.sources.get(number, {number}) for number in read)) - self.kept

    def _joined(self, parts: Sequence[Expr], state: State, *, settled_by: bool) -> tuple[Expr, ...]:
        holds = self.task.semantics.holds
        settling = [self.settling(part, state) for part in parts if holds(part, state) == settled_by]
        if settling:
            return min(settling, key=lambda found: self._weight(found, state))
        return tuple(chain.from_iterable(self.settling(part, state) for part in parts))

    def _weight(self, parts: Sequence[Expr], state: State) -> tuple[int, list[int]]:
        dropped = self.dropped(parts, state)
        return len(dropped), sorted(dropped)

    def read(self, expression: Expr, state: State) -> frozenset[int]:
        """The variables that an expression reads in a state: of an array the cell that its index names there."""
        found: set[int] = set()
        for part in walk(expression):  # the parts of an index come by themselves
            if isinstance(part, Cell):
                found |= self._cell(part, state)
            elif isinstance(part, Ref | At):
                found |= self.task.layout.support(part)
        return frozenset(found)

    def _cell(self, cell: Cell, state: State) -> frozenset[int]:
        layout = self.task.layout
        try:
            index = self.task.semantics.evaluate(cell.index, state)
        except ArithmeticFault:
            return layout.support(cell)
        inside = 0 <= index < layout.cells[cell.array]
        return frozenset({layout.first[cell.array] + index}) if inside else frozenset()
