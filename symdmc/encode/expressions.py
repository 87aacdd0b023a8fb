"""Expressions as diagrams: the states in which an expression has each value, and those in which it faults.

Few values are listed, so that a step can be split into cases. An operation on too many pairs of values is computed bit
by bit. An expression with many operators on few variables is computed as a truth table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.tables.conditions import TabulatedExpression, coded_values, from_table, from_tables, tabulated
from symdmc.encode.tables.words import ValueMap, Word, Words
from symdmc.model.arithmetic import STRICT_BINARY, UNARY, ArithmeticFault
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary, walk
from symdmc.task.definitions import Definition, Holds, Merged

ExpressionValues: TypeAlias = ValueMap | Word
"""The values of an expression, listed or as bits. The states of listed values and of faults together cover all states
that matter; bits mean nothing where the expression faults."""

MOST_PAIRS = 1 << 7
"""Operations on more combinations of values than this are computed bit by bit."""
MOST_COMPARED = 1 << 6
"""Comparisons of more combinations of values than this are computed bit by bit."""
MOST_LISTED = 1 << 10
"""The values of a variable are listed if at most this many matter."""
FEW_BITS = 5
"""A result of at most this many bits is listed again."""
TABULATED_ROWS = range(1 << 8, (1 << 12) + 1)
"""An expression is tabulated only if its variables have this many combinations of codes."""
LEAST_COSTLY = 2
"""An expression is tabulated only if at least this many of its operators are costly on bits."""

_COSTLY = frozenset({"*", "/", "%", "<<", ">>"})
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class ValueDiagrams:
    """The values of an expression and the states in which it has none."""

    values: ExpressionValues
    fault: Node


@dataclass(frozen=True, slots=True)
class TruthStates:
    """The states in which a condition holds, and those in which evaluating it faults; disjoint."""

    holds: Node
    fault: Node


class Translator:
    """Translates expressions over one encoding.

    `now` has the values of variables that the updates so far have changed; all others have their values before the
    step. Locations change after the last update.
    """

    def __init__(self, encoding: Encoding, known: Mapping[int, Sequence[int]] | None = None) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        self.layout = encoding.task.layout
        self.known = known or {}
        self.words = Words(self.diagrams)
        self.consulted: set[int] = set()
        """The variables that were read by their known codes."""
        self.whole: set[int] = set()
        """The variables that were read as bits, so that codes without a value seem to have one."""
        self._variables: dict[int, ValueMap] = {}
        self._numbers: dict[int, int] = {}
        """The variables, by the identity of their listed values."""
        self._coded: dict[tuple[int, bool], Word] = {}

    def forget(self) -> None:
        """Begin a new record of the variables read."""
        self.consulted.clear()
        self.whole.clear()

    # ---- variables

    def variable(self, number: int, now: Mapping[int, ExpressionValues]) -> ExpressionValues:
        """The values of a variable."""
        if number in now:
            return now[number]
        codes = self._codes(number)
        if len(codes) > MOST_LISTED:
            return self.coded(number)
        self.consulted.add(number)
        if number not in self._variables:
            values = self.encoding.variables[number].values
            listed = {values[code]: self.encoding.code_cube(number, code) for code in codes}
            self._variables[number] = listed
            self._numbers[id(listed)] = number
        return self._variables[number]

    def _codes(self, number: int) -> Sequence[int]:
        """The codes of a variable that matter."""
        return self.known.get(number, range(len(self.encoding.variables[number].values)))

    def coded(self, number: int, *, after: bool = False) -> Word:
        """The bits of a variable's value, before the step or after it, from the bits of its code."""
        if not after:
            self.whole.add(number)
        if (number, after) not in self._coded:
            self._coded[number, after] = self._decoded(number, after)
        return self._coded[number, after]

    def _decoded(self, number: int, after: bool) -> Word:
        variable = self.encoding.variables[number]
        names = variable.next if after else variable.current
        low, high = variable.values[0], variable.values[-1]
        if high - low + 1 == len(variable.values):
            code = self.words.unsigned([self.diagrams.bdd.var(name) for name in reversed(names)])
            return self.words.binary("+", code, self.words.constant(low))[0]
        return self._bits_of(names, coded_values(variable.values, len(names)))

    def has_code(self, number: int, *, after: bool = False) -> Node:
        """The states in which the code of a variable stands for a value."""
        variable = self.encoding.variables[number]
        names = variable.next if after else variable.current
        code = self.words.unsigned([self.diagrams.bdd.var(name) for name in reversed(names)])
        return self.words.less(code, self.words.constant(len(variable.values)))

    def word(self, values: ExpressionValues) -> Word:
        """Values as bits."""
        if isinstance(values, Word):
            return values
        number = self._numbers.get(id(values))
        return self.words.of_map(values) if number is None else self.coded(number)

    def _listed(self, valued: ValueDiagrams) -> ValueDiagrams:
        """The same values, listed if there cannot be many."""
        if isinstance(valued.values, Word) and len(valued.values.bits) <= FEW_BITS:
            values = self.words.values(valued.values, ~valued.fault, 1 << FEW_BITS)
            assert values is not None
            return ValueDiagrams(values, valued.fault)
        return valued

    def _has(self, values: ExpressionValues, value: int) -> Node:
        """The states with this value."""
        if isinstance(values, Word):
            return self.words.where(values, value)
        return values.get(value, self.diagrams.false)

    # ---- derived variables

    def defined(self, definition: Definition, now: Mapping[int, ExpressionValues]) -> ValueMap:
        """The values of a derived variable; their states cover all states that matter."""
        match definition:
            case Holds(condition):
                holds = self.truth(condition, now).holds
                return {0: ~holds, 1: holds}
            case Merged(variable, classes):
                values = self.variable(variable, now)
                return {number: self._within(values, intervals) for number, intervals in enumerate(classes)}

    def _within(self, values: ExpressionValues, intervals: Sequence[tuple[int, int]]) -> Node:
        """The states in which a value lies in one of some intervals."""
        d = self.diagrams
        if not isinstance(values, Word):
            return d.any_of(node for value, node in values.items() if any(a <= value <= b for a, b in intervals))
        words = self.words
        return d.any_of(
            d.both(~words.less(values, words.constant(low)), ~words.less(words.constant(high), values))
            for low, high in intervals
        )

    # ---- truth tables

    def _table(self, expression: Expr, now: Mapping[int, ExpressionValues]) -> TabulatedExpression | None:
        """The expression as a table, where that is cheaper than composing it and none of its variables has changed."""
        costly = sum(isinstance(part, Binary) and part.operator in _COSTLY for part in walk(expression))
        if costly < LEAST_COSTLY:
            return None
        support = self.layout.support(expression)
        rows = prod(1 << len(self.encoding.variables[number].current) for number in support)
        if rows not in TABULATED_ROWS or not support.isdisjoint(now):
            return None
        self.consulted |= support
        return tabulated(self.encoding, self.known, expression, support)

    def _bits_of(self, names: Sequence[str], values: np.ndarray) -> Word:
        """The word with these values, one for each assignment of the bits."""
        width = max(int(values.max()).bit_length(), int(values.min()).bit_length()) + 1
        planes = (values[np.newaxis] >> np.arange(width)[:, np.newaxis]) & 1 != 0
        return Word(tuple(from_tables(self.diagrams, names, planes)))

    def _tabulated_truth(self, table: TabulatedExpression) -> TruthStates:
        holds = table.covered & ~table.faults & (table.values != 0)
        return TruthStates(*from_tables(self.diagrams, table.bits, np.stack([holds, table.faults])))

    def _tabulated_value(self, table: TabulatedExpression) -> ValueDiagrams:
        fine = table.covered & ~table.faults
        values = np.unique(table.values[fine])
        if len(values) > MOST_LISTED // 8:
            fault = from_table(self.diagrams, table.bits, table.faults)
            return ValueDiagrams(self._bits_of(table.bits, np.where(fine, table.values, 0)), fault)
        planes = (table.values[np.newaxis] == values[:, np.newaxis]) & fine
        *nodes, fault = from_tables(self.diagrams, table.bits, np.concatenate([planes, table.faults[np.newaxis]]))
        return ValueDiagrams({int(value): node for value, node in zip(values, nodes, strict=True)}, fault)

    # ---- conditions

    def truth(self, expression: Expr, now: Mapping[int, ExpressionValues]) -> TruthStates:
        """The states in which a condition holds, and those in which it faults."""
        d = self.diagrams
        match expression:
            case Literal(value):
                return TruthStates(d.true if value else d.false, d.false)
            case At(process, location):
                number, place = self.layout.place(process, location)
                here = self._has(now[number], place) if number in now else self.encoding.value_cube(number, place)
                return TruthStates(here, d.false)
            case Unary("not", operand):
                inner = self.truth(operand, now)
                return TruthStates(d.without(~inner.holds, inner.fault), inner.fault)
            case Binary("and" | "or" | "imply" as operator, left, right):
                return self._short_circuit(operator, left, right, now)
            case Binary(operator, left, right) if operator in _COMPARISONS:
                if (table := self._table(expression, now)) is not None:
                    return self._tabulated_truth(table)
                return self._comparison(operator, self.value(left, now), self.value(right, now))
            case _:
                return self._is_true(self.value(expression, now))

    def _is_true(self, valued: ValueDiagrams) -> TruthStates:
        d, values = self.diagrams, valued.values
        if isinstance(values, Word):
            return TruthStates(d.without(self.words.truth(values), valued.fault), valued.fault)
        return TruthStates(d.any_of(node for value, node in values.items() if value), valued.fault)

    def _short_circuit(
        self, operator: str, left: Expr, right: Expr, now: Mapping[int, ExpressionValues]
    ) -> TruthStates:
        d = self.diagrams
        first = self.truth(left, now)
        asked = first.holds if operator != "or" else d.without(~first.holds, first.fault)
        if asked == d.false:
            settled = first.holds if operator == "or" else d.without(~first.holds, first.fault)
            return TruthStates(d.false if operator == "and" else settled, first.fault)
        second = self.truth(right, now)
        fault = d.either(first.fault, d.both(asked, second.fault))
        both = d.both(asked, second.holds)
        match operator:
            case "and":
                return TruthStates(both, fault)
            case "or":
                return TruthStates(d.either(first.holds, both), fault)
            case _:
                return TruthStates(d.either(d.without(~first.holds, first.fault), both), fault)

    def _comparison(self, operator: str, left: ValueDiagrams, right: ValueDiagrams) -> TruthStates:
        d = self.diagrams
        fault = d.either(left.fault, right.fault)
        if _are_many(left.values, right.values, MOST_COMPARED):
            holds = self.words.compare(operator, self.word(left.values), self.word(right.values))
            return TruthStates(d.without(holds, fault), fault)
        assert isinstance(left.values, dict)
        assert isinstance(right.values, dict)
        function = STRICT_BINARY[operator]
        joined: dict[tuple[int, ...], Node] = {}
        parts = []
        for value, node in left.values.items():
            fitting = tuple(other for other in right.values if function(value, other))
            if fitting not in joined:
                joined[fitting] = d.any_of(right.values[other] for other in fitting)
            parts.append(d.both(node, joined[fitting]))
        return TruthStates(d.any_of(parts), fault)

    # ---- values

    def value(self, expression: Expr, now: Mapping[int, ExpressionValues]) -> ValueDiagrams:
        """The values of an expression."""
        d = self.diagrams
        if isinstance(expression, Cell | Conditional) or _is_arithmetic(expression):
            table = self._table(expression, now)
            if table is not None:
                return self._tabulated_value(table)
        match expression:
            case Literal(value):
                return ValueDiagrams({value: d.true}, d.false)
            case Ref(name):
                return ValueDiagrams(self.variable(self.layout.first[name], now), d.false)
            case Cell(array, index):
                return self._cell(array, self.value(index, now), now)
            case Unary("-" | "~" as operator, operand):
                return self._unary(operator, self.value(operand, now))
            case Conditional(condition, then, otherwise):
                return self._conditional(self.truth(condition, now), self.value(then, now), self.value(otherwise, now))
            case Binary(operator, left, right) if _is_arithmetic(expression):
                return self._arithmetic(operator, self.value(left, now), self.value(right, now))
            case _:
                truth = self.truth(expression, now)
                no = d.without(~truth.holds, truth.fault)
                return ValueDiagrams({v: n for v, n in ((0, no), (1, truth.holds)) if n != d.false}, truth.fault)

    def _unary(self, operator: str, operand: ValueDiagrams) -> ValueDiagrams:
        values = operand.values
        if isinstance(values, Word):
            return self._listed(ValueDiagrams(self.words.unary(operator, values), operand.fault))
        groups: dict[int, list[Node]] = {}
        for value, node in values.items():
            groups.setdefault(UNARY[operator](value), []).append(node)
        return ValueDiagrams(self._joined(groups), operand.fault)

    def _joined(self, groups: Mapping[int, Sequence[Node]]) -> ValueMap:
        return {value: self.diagrams.any_of(nodes) for value, nodes in groups.items()}

    def places(self, index: ValueDiagrams, cells: int) -> tuple[dict[int, Node], Node]:
        """The states in which the index names each cell of an array, and those in which it names none."""
        d, values = self.diagrams, index.values
        if isinstance(values, Word):
            named = {place: d.without(self.words.where(values, place), index.fault) for place in range(cells)}
            inside = {place: chosen for place, chosen in named.items() if chosen != d.false}
            return inside, ~d.any_of(inside.values())
        inside = {place: chosen for place, chosen in values.items() if 0 <= place < cells}
        beyond = (chosen for place, chosen in values.items() if not 0 <= place < cells)
        return inside, d.any_of((index.fault, *beyond))

    def _cell(self, array: str, index: ValueDiagrams, now: Mapping[int, ExpressionValues]) -> ValueDiagrams:
        inside, outside = self.places(index, self.layout.cells[array])
        first = self.layout.first[array]
        cells = [(chosen, self.variable(first + place, now)) for place, chosen in inside.items()]
        return ValueDiagrams(self.selected(cells), outside)

    def selected(self, choices: Sequence[tuple[Node, ExpressionValues]]) -> ExpressionValues:
        """The values that are chosen in each of some disjoint state sets."""
        d = self.diagrams
        if any(isinstance(values, Word) for _, values in choices):
            word = self.words.constant(0)
            for chosen, values in choices:
                word = self.words.choose(chosen, self.word(values), word)
            return word
        groups: dict[int, list[Node]] = {}
        for chosen, values in choices:
            assert isinstance(values, dict)
            for value, node in values.items():
                both = d.both(chosen, node)
                if both != d.false:
                    groups.setdefault(value, []).append(both)
        return self._joined(groups)

    def _conditional(self, condition: TruthStates, then: ValueDiagrams, otherwise: ValueDiagrams) -> ValueDiagrams:
        d = self.diagrams
        no = d.without(~condition.holds, condition.fault)
        fault = d.any_of((condition.fault, d.both(condition.holds, then.fault), d.both(no, otherwise.fault)))
        return ValueDiagrams(self.selected(((condition.holds, then.values), (no, otherwise.values))), fault)

    def _arithmetic(self, operator: str, left: ValueDiagrams, right: ValueDiagrams) -> ValueDiagrams:
        d = self.diagrams
        faults = [left.fault, right.fault]
        if _are_many(left.values, right.values, MOST_PAIRS):
            word, fault = self.words.binary(operator, self.word(left.values), self.word(right.values))
            return self._listed(ValueDiagrams(word, d.any_of((*faults, fault))))
        assert isinstance(left.values, dict)
        assert isinstance(right.values, dict)
        groups: dict[int, list[Node]] = {}
        for value, node in left.values.items():
            for other, chosen in right.values.items():
                both = d.both(node, chosen)
                if both == d.false:
                    continue
                try:
                    groups.setdefault(STRICT_BINARY[operator](value, other), []).append(both)
                except ArithmeticFault:
                    faults.append(both)
        return ValueDiagrams(self._joined(groups), d.any_of(faults))


def _is_arithmetic(expression: Expr) -> bool:
    return (
        isinstance(expression, Binary)
        and expression.operator in STRICT_BINARY
        and expression.operator not in _COMPARISONS
    )


def _are_many(left: ExpressionValues, right: ExpressionValues, most: int) -> bool:
    """Whether there are too many pairs of values to compute each."""
    if isinstance(left, Word) or isinstance(right, Word):
        return True
    return len(left) * len(right) > most
