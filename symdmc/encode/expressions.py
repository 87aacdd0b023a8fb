"""Expressions as diagrams: for each value of an expression the states in which it has it, and where it faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.errors import UnsupportedFeature
from symdmc.model.arithmetic import STRICT_BINARY, UNARY, ArithmeticFault
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary

ValueMap: TypeAlias = dict[int, Node]
"""Disjoint state sets by value; together with the faults they cover all states."""

MOST_PAIRS = 1 << 18
"""Operations on more combinations of values than this are refused."""

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class Valued:
    """The values of an expression and the states in which it has none."""

    values: ValueMap
    fault: Node


@dataclass(frozen=True, slots=True)
class Truth:
    """The states in which a condition holds, and those in which evaluating it faults; disjoint."""

    holds: Node
    fault: Node


class Translator:
    """Translates expressions over one encoding.

    `now` has the values of variables that the updates so far have changed; all others, and all locations, are read
    before the step.
    """

    def __init__(self, encoding: Encoding, known: Mapping[int, Sequence[int]] | None = None) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        self.layout = encoding.task.layout
        self.known = known or {}
        self.consulted: set[int] = set()
        """The variables that were asked for."""
        self._variables: dict[int, ValueMap] = {}

    def variable(self, number: int, now: Mapping[int, ValueMap]) -> ValueMap:
        """The values of a variable."""
        if number in now:
            return now[number]
        self.consulted.add(number)
        if number not in self._variables:
            values = self.encoding.variables[number].values
            codes = self.known.get(number, range(len(values)))
            self._variables[number] = {values[code]: self.encoding.code_cube(number, code) for code in codes}
        return self._variables[number]

    # ---- conditions

    def truth(self, expression: Expr, now: Mapping[int, ValueMap]) -> Truth:
        """Where a condition holds and where it faults."""
        d = self.diagrams
        match expression:
            case Literal(value):
                return Truth(d.true if value else d.false, d.false)
            case At(process, location):
                number, place = self.layout.process[process], self.layout.location[process, location]
                return Truth(self.encoding.value_cube(number, place), d.false)
            case Unary("not", operand):
                inner = self.truth(operand, now)
                return Truth(d.without(~inner.holds, inner.fault), inner.fault)
            case Binary("and" | "or" | "imply" as operator, left, right):
                return self._short_circuit(operator, left, right, now)
            case Binary(operator, left, right) if operator in _COMPARISONS:
                return self._comparison(operator, self.value(left, now), self.value(right, now))
            case _:
                valued = self.value(expression, now)
                return Truth(d.any_of(node for value, node in valued.values.items() if value), valued.fault)

    def _short_circuit(self, operator: str, left: Expr, right: Expr, now: Mapping[int, ValueMap]) -> Truth:
        d = self.diagrams
        first = self.truth(left, now)
        asked = first.holds if operator != "or" else d.without(~first.holds, first.fault)
        if asked == d.false:
            settled = first.holds if operator == "or" else d.without(~first.holds, first.fault)
            return Truth(d.false if operator == "and" else settled, first.fault)
        second = self.truth(right, now)
        fault = d.either(first.fault, d.both(asked, second.fault))
        both = d.both(asked, second.holds)
        match operator:
            case "and":
                return Truth(both, fault)
            case "or":
                return Truth(d.either(first.holds, both), fault)
            case _:
                return Truth(d.either(d.without(~first.holds, first.fault), both), fault)

    def _comparison(self, operator: str, left: Valued, right: Valued) -> Truth:
        d = self.diagrams
        function = STRICT_BINARY[operator]
        _check_width(left, right)
        joined: dict[tuple[int, ...], Node] = {}
        parts = []
        for value, node in left.values.items():
            fitting = tuple(other for other in right.values if function(value, other))
            if fitting not in joined:
                joined[fitting] = d.any_of(right.values[other] for other in fitting)
            parts.append(d.both(node, joined[fitting]))
        return Truth(d.any_of(parts), d.either(left.fault, right.fault))

    # ---- values

    def value(self, expression: Expr, now: Mapping[int, ValueMap]) -> Valued:
        """The values of an expression."""
        d = self.diagrams
        match expression:
            case Literal(value):
                return Valued({value: d.true}, d.false)
            case Ref(name):
                return Valued(self.variable(self.layout.first[name], now), d.false)
            case Cell(array, index):
                return self._cell(array, self.value(index, now), now)
            case Unary("-" | "~" as operator, operand):
                inner = self.value(operand, now)
                return Valued(self._mapped(inner.values, UNARY[operator]), inner.fault)
            case Conditional(condition, then, otherwise):
                return self._conditional(self.truth(condition, now), self.value(then, now), self.value(otherwise, now))
            case Binary(operator, left, right) if operator in STRICT_BINARY and operator not in _COMPARISONS:
                return self._arithmetic(operator, self.value(left, now), self.value(right, now))
            case _:
                truth = self.truth(expression, now)
                no = d.without(~truth.holds, truth.fault)
                return Valued({v: n for v, n in ((0, no), (1, truth.holds)) if n != d.false}, truth.fault)

    def _mapped(self, values: ValueMap, function: Callable[[int], int]) -> ValueMap:
        groups: dict[int, list[Node]] = {}
        for value, node in values.items():
            groups.setdefault(function(value), []).append(node)
        return {value: self.diagrams.any_of(nodes) for value, nodes in groups.items()}

    def _cell(self, array: str, index: Valued, now: Mapping[int, ValueMap]) -> Valued:
        d = self.diagrams
        groups: dict[int, list[Node]] = {}
        outside = [index.fault]
        for place, chosen in index.values.items():
            if not 0 <= place < self.layout.cells[array]:
                outside.append(chosen)
                continue
            for value, node in self.variable(self.layout.first[array] + place, now).items():
                both = d.both(chosen, node)
                if both != d.false:
                    groups.setdefault(value, []).append(both)
        return Valued({value: d.any_of(nodes) for value, nodes in groups.items()}, d.any_of(outside))

    def _conditional(self, condition: Truth, then: Valued, otherwise: Valued) -> Valued:
        d = self.diagrams
        no = d.without(~condition.holds, condition.fault)
        groups: dict[int, list[Node]] = {}
        for side, chosen in ((then, condition.holds), (otherwise, no)):
            for value, node in side.values.items():
                both = d.both(chosen, node)
                if both != d.false:
                    groups.setdefault(value, []).append(both)
        fault = d.any_of((condition.fault, d.both(condition.holds, then.fault), d.both(no, otherwise.fault)))
        return Valued({value: d.any_of(nodes) for value, nodes in groups.items()}, fault)

    def _arithmetic(self, operator: str, left: Valued, right: Valued) -> Valued:
        d = self.diagrams
        _check_width(left, right)
        groups: dict[int, list[Node]] = {}
        faults = [left.fault, right.fault]
        for value, node in left.values.items():
            for other, chosen in right.values.items():
                both = d.both(node, chosen)
                if both == d.false:
                    continue
                try:
                    groups.setdefault(STRICT_BINARY[operator](value, other), []).append(both)
                except ArithmeticFault:
                    faults.append(both)
        return Valued({value: d.any_of(nodes) for value, nodes in groups.items()}, d.any_of(faults))


def _check_width(left: Valued, right: Valued) -> None:
    if len(left.values) * len(right.values) > MOST_PAIRS:
        size = f"{len(left.values)} times {len(right.values)} values"
        raise UnsupportedFeature(f"an operation on {size} is too large for decision diagrams; use --engine explicit")
