"""Derived variables as tests for the kernels: of one variable, of sums against bounds, and combinations of these.

Nothing here lists the joint values of several variables, so `x + y >= 3` takes a few integers whatever the values of x
and y are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from symdmc.lookup.sums import BoundedSum
from symdmc.lookup.tables import DecisionTable, Probe, value_table
from symdmc.model.expressions import Binary, Cell, Conditional, Expr, Literal, Ref, Unary
from symdmc.task.definitions import Definition, Merged
from symdmc.task.flatten import cannot_fault
from symdmc.task.merged_values import class_numbers
from symdmc.task.task import Task
from symdmc.task.values.domains import Domain
from symdmc.task.values.rows import SupportRows

LARGEST = 2**31 - 1
MOST_TESTS = 64
"""A condition that needs more tests than this has no probe."""
_FLIPPED = {">": "<", ">=": "<="}
_ORDERED = ("<", "<=", ">", ">=")


def probe_of(task: Task, definition: Definition) -> Probe | None:
    """What finds the value of a derived variable; None where the tests that the kernels know cannot."""
    basis = sorted(task.layout.basis(definition))
    if len(basis) == 1 and not task.analysis.domains[basis[0]].fits_array:
        return None
    if isinstance(definition, Merged):
        return _class_test(task, definition)
    if len(basis) <= 1:
        return _one_test(task, basis, definition.condition)
    if not cannot_fault(definition.condition, task.layout):
        return None
    try:
        return _Composer(task).probe(definition.condition)
    except _TooHard:
        return None


def _class_test(task: Task, merged: Merged) -> DecisionTable:
    domain = task.analysis.domains[merged.variable]
    values = np.arange(domain.low, domain.high + 1, dtype=np.int64)
    return value_table(merged.variable, domain.low, class_numbers(merged, values).tolist())


def _one_test(task: Task, basis: list[int], condition: Expr) -> DecisionTable:
    """The truth of a condition for each value of its only variable, if it has one; where it faults, it is false."""
    domains = task.analysis.domains
    rows = SupportRows(task.layout, domains, basis, limit=1 << 62)
    truths = rows.value(condition).holds.astype(np.int64)
    if not basis:
        return _constant(int(truths[0]))
    domain: Domain = domains[basis[0]]
    listed = np.zeros(domain.high - domain.low + 1, dtype=np.int64)
    listed[domain.array - domain.low] = truths
    return value_table(basis[0], domain.low, listed.tolist())


def _constant(code: int) -> DecisionTable:
    nothing = np.empty(0, dtype=np.int32)
    return DecisionTable(
        root=-1 - code, variable=nothing, start=nothing.astype(np.int64), children=nothing, classes={}, low={}
    )


class _TooHard(Exception):
    """The condition has a part that is no test."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """A linear expression: factors of variables and a constant, with bounds of its value."""

    factors: dict[int, int]
    constant: int
    low: int
    high: int

    def times(self, factor: int) -> _Sum:
        low, high = sorted((self.low * factor, self.high * factor))
        factors = {number: factor * each for number, each in self.factors.items() if factor}
        return _checked(factors, self.constant * factor, low, high)

    def plus(self, other: _Sum) -> _Sum:
        numbers = sorted({*self.factors, *other.factors})
        factors = {number: self.factors.get(number, 0) + other.factors.get(number, 0) for number in numbers}
        left = {number: factor for number, factor in factors.items() if factor}
        return _checked(left, self.constant + other.constant, self.low + other.low, self.high + other.high)


def _checked(factors: dict[int, int], constant: int, low: int, high: int) -> _Sum:
    """A sum that never leaves the 32 bits of a value, where it would wrap around."""
    if low < -LARGEST or high > LARGEST:
        raise _TooHard
    return _Sum(factors, constant, low, high)


class _Composer:
    """Makes one test of a condition: its comparisons become nodes, `and`, `or` and `not` lead from one to the next."""

    def __init__(self, task: Task) -> None:
        self.task, self.layout = task, task.layout
        self._probes: dict[Probe, int] = {}
        """The variables that the nodes test, one made up for each comparison."""
        self._single: dict[Expr, DecisionTable] = {}
        self.nodes: dict[tuple[int, int, int], int] = {}
        self._known: dict[tuple[Expr, int, int], int] = {}

    def probe(self, condition: Expr) -> Probe:
        """The whole condition; a single comparison stands for itself.

        Nodes may be left over that nothing leads to, behind conditions that are decided.
        """
        root = self._entry(condition, -2, -1)
        if root < 0:
            return _constant(-1 - root)
        if list(self.nodes) == [(0, -1, -2)]:
            return next(iter(self._probes))
        numbers = range(len(self._probes))
        return DecisionTable(
            root=root,
            variable=np.array([number for number, _, _ in self.nodes], dtype=np.int32),
            start=2 * np.arange(len(self.nodes), dtype=np.int64),
            children=np.array([child for _, no, yes in self.nodes for child in (no, yes)], dtype=np.int32),
            classes={number: np.arange(2) for number in numbers},
            low=dict.fromkeys(numbers, 0),
            probes={number: probe for probe, number in self._probes.items()},
        )

    def _entry(self, condition: Expr, yes: int, no: int) -> int:
        """Where to begin, to end at `yes` where the condition holds and at `no` where it does not."""
        key = (condition, yes, no)
        if key not in self._known:
            self._known[key] = self._made(condition, yes, no)
        return self._known[key]

    def _made(self, condition: Expr, yes: int, no: int) -> int:
        match condition:
            case Literal(value):
                return yes if value else no
            case Unary("not", operand):
                return self._entry(operand, no, yes)
            case Binary("and", left, right):
                return self._entry(left, self._entry(right, yes, no), no)
            case Binary("or", left, right):
                return self._entry(left, yes, self._entry(right, yes, no))
            case Binary("imply", left, right):
                return self._entry(left, self._entry(right, yes, no), yes)
            case Conditional(chosen, then, otherwise):
                return self._entry(chosen, self._entry(then, yes, no), self._entry(otherwise, yes, no))
            case _ if len(self.layout.support(condition)) <= 1:
                return self._looked_up(condition, yes, no)
            case Binary("==" | "!=" as operator, left, right):
                return self._equal(self._sum(left), self._sum(right), *((yes, no) if operator == "==" else (no, yes)))
            case Binary(operator, left, right) if operator in _ORDERED:
                if operator in _FLIPPED:
                    operator, left, right = _FLIPPED[operator], right, left
                return self._at_most(self._sum(left), self._sum(right), int(operator == "<"), yes, no)
        raise _TooHard

    def _looked_up(self, condition: Expr, yes: int, no: int) -> int:
        """A condition on one variable."""
        basis = sorted(self.layout.support(condition))
        if not basis:
            return yes if _one_test(self.task, basis, condition).root == -2 else no
        if not self.task.analysis.domains[basis[0]].fits_array:
            raise _TooHard
        if condition not in self._single:
            self._single[condition] = _one_test(self.task, basis, condition)
        return self._node(self._single[condition], yes, no)

    def _equal(self, left: _Sum, right: _Sum, yes: int, no: int) -> int:
        return self._at_most(left, right, 0, self._at_most(right, left, 0, yes, no), no)

    def _at_most(self, left: _Sum, right: _Sum, less: int, yes: int, no: int) -> int:
        """The one sum plus `less` is at most the other."""
        difference = left.plus(right.times(-1))
        if not difference.factors:
            return yes if difference.constant + less <= 0 else no
        domains = [(self.task.analysis.domains[number], factor) for number, factor in difference.factors.items()]
        if sum(2 * abs(factor) * (domain.high - domain.low + 1) for domain, factor in domains) > LARGEST:
            raise _TooHard  # packed fields may be twice as wide as the domains
        return self._node(BoundedSum(tuple(sorted(difference.factors.items())), -less - difference.constant), yes, no)

    def _node(self, probe: Probe, yes: int, no: int) -> int:
        if yes == no:
            return yes
        number = self._probes.setdefault(probe, len(self._probes))
        if number >= MOST_TESTS:
            raise _TooHard
        return self.nodes.setdefault((number, no, yes), len(self.nodes))

    # ---- sums

    def _sum(self, expression: Expr) -> _Sum:
        match expression:
            case Literal(value):
                return _Sum({}, value, value, value)
            case Ref() | Cell(_, Literal()):
                return self._variable(self.layout.targets(expression))
            case Unary("-", operand):
                return self._sum(operand).times(-1)
            case Binary("+", left, right):
                return self._sum(left).plus(self._sum(right))
            case Binary("-", left, right):
                return self._sum(left).plus(self._sum(right).times(-1))
            case Binary("*", Literal(factor), other) | Binary("*", other, Literal(factor)):
                return self._sum(other).times(factor)
        raise _TooHard

    def _variable(self, targets: Iterable[int]) -> _Sum:
        (number,) = targets
        domain = self.task.analysis.domains[number]
        return _Sum({number: 1}, 0, domain.low, domain.high)
