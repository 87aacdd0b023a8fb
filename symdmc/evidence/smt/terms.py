"""Expressions of the model language as z3 terms, with the states in which they fault.

A term is a Boolean or a bit vector of 32 bits, whichever the expression yields; each is converted into the other where
needed. A stored value is a bit vector just wide enough for its declared range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias, assert_never

import z3

from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Target, Unary, walk
from symdmc.model.state import State
from symdmc.model.system import Range, System

Term: TypeAlias = Any
"""A z3 term; z3 has no types for Python."""
Valuation: TypeAlias = Sequence[Term]
"""For each slot the stored value as a bit vector of the width of the slot."""

TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)
_ZERO, _ONE = z3.BitVecVal(0, 32), z3.BitVecVal(1, 32)


def conjunction(*parts: Term) -> Term:
    """True where all parts are true; constant parts are dropped."""
    kept = [part for part in parts if not z3.is_true(part)]
    if any(z3.is_false(part) for part in kept):
        return FALSE
    return z3.And(*kept) if len(kept) > 1 else kept[0] if kept else TRUE


def disjunction(*parts: Term) -> Term:
    """True where some part is true."""
    kept = [part for part in parts if not z3.is_false(part)]
    if any(z3.is_true(part) for part in kept):
        return TRUE
    return z3.Or(*kept) if len(kept) > 1 else kept[0] if kept else FALSE


def negation(part: Term) -> Term:
    """True where the part is false."""
    if z3.is_true(part):
        return FALSE
    return TRUE if z3.is_false(part) else z3.Not(part)


def choice(condition: Term, then: Term, otherwise: Term) -> Term:
    """One of two terms of the same sort."""
    if z3.is_true(condition) or then.eq(otherwise):
        return then
    return otherwise if z3.is_false(condition) else z3.If(condition, then, otherwise)


def simplified(condition: Term) -> Term:
    """The same condition in a simpler form: TRUE or FALSE itself where z3 sees at once that it is constant."""
    simple = z3.simplify(condition)
    return TRUE if z3.is_true(simple) else FALSE if z3.is_false(simple) else simple


def truth(term: Term) -> Term:
    """Whether a value is not 0."""
    return term if z3.is_bool(term) else term != _ZERO


def number(term: Term) -> Term:
    """A value as a bit vector of 32 bits."""
    return choice(term, _ONE, _ZERO) if z3.is_bool(term) else term


@dataclass(frozen=True, slots=True)
class Slot:
    """One component of a state: the location of a process, by number, or a cell of a variable."""

    name: str
    range: Range
    fixed: int | None = None
    """The value, if it is a constant."""

    @property
    def signed(self) -> bool:
        """Whether it can hold a negative number."""
        return self.range.low < 0

    @property
    def width(self) -> int:
        """How many bits hold every value of the range."""
        if self.signed:
            return max(self.range.high.bit_length(), (-self.range.low - 1).bit_length()) + 1
        return max(self.range.high.bit_length(), 1)

    def holds(self, integer: int) -> bool:
        """Whether it can hold the integer; a constant can hold its own value only."""
        return integer == self.fixed if self.fixed is not None else self.range.low <= integer <= self.range.high

    def value(self, integer: int) -> Term:
        """A value of the range."""
        return z3.BitVecVal(integer, self.width)

    def integer(self, value: Term) -> int:
        """The integer that a constant bit vector of the slot stands for."""
        return int(value.as_signed_long() if self.signed else value.as_long())

    def widened(self, value: Term) -> Term:
        """The value as a bit vector of 32 bits."""
        room = 32 - self.width
        if room == 0:
            return value
        return z3.SignExt(room, value) if self.signed else z3.ZeroExt(room, value)

    def is_within(self, value: Term) -> Term:
        """Whether a bit vector of the slot stands for a value of the range."""
        wide = z3.SignExt(1, value) if self.signed else z3.ZeroExt(1, value)
        return z3.And(wide >= self.range.low, wide <= self.range.high)

    def stored(self, term: Term) -> tuple[Term, Term]:
        """What is kept when a bit vector of 32 bits is stored, and where storing it faults."""
        if self.range.wraps:
            return z3.Extract(self.width - 1, 0, self._wrapped(term)), FALSE
        outside = z3.Or(term < self.range.low, term > self.range.high)
        return z3.Extract(self.width - 1, 0, term), outside

    def _wrapped(self, term: Term) -> Term:
        low, size = self.range.low, self.range.high - self.range.low + 1
        if size & (size - 1) == 0:  # a divisor of 2^32, so that 32 bits suffice
            return ((term - low) & (size - 1)) + low
        wide = z3.SignExt(2, term)
        return z3.Extract(31, 0, (wide - low) % size + low)  # % has the sign of the divisor, as in Python


class SmtLayout:
    """The slots of a system: the locations of the processes, then every cell of every variable."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.process_slot = {process.name: number for number, process in enumerate(system.processes)}
        self.places = [{place.name: i for i, place in enumerate(process.locations)} for process in system.processes]
        self.variable_slots: dict[str, range] = {}
        slots = [Slot(process.name, Range(0, len(process.locations) - 1)) for process in system.processes]
        for variable in system.storage:
            self.variable_slots[variable.name] = range(len(slots), len(slots) + variable.cells)
            for choices in variable.initial:
                slots.append(Slot(variable.name, variable.type, choices[0] if variable.constant else None))
        self.slots = tuple(slots)
        self.current: tuple[Term, ...] = tuple(
            z3.BitVec(f"s{number}", slot.width) if slot.fixed is None else slot.value(slot.fixed)
            for number, slot in enumerate(slots)
        )
        """The unknown state, with the values of constants."""

    def ranges(self) -> list[Term]:
        """The conditions that every slot of the unknown state holds a value of its range."""
        return [
            slot.is_within(value)
            for slot, value in zip(self.slots, self.current, strict=True)
            if slot.fixed is None and slot.range.high - slot.range.low + 1 < 1 << slot.width
        ]

    def at(self, process: int, place: str, values: Valuation) -> Term:
        """Whether the process of that number is at the place."""
        if len(self.places[process]) == 1:
            return TRUE
        value, number = values[process], self.places[process][place]
        if z3.is_bv_value(value):
            return TRUE if value.as_long() == number else FALSE
        return value == self.slots[process].value(number)

    def decoded(self, model: z3.ModelRef) -> State:
        """The unknown state in a model of z3."""
        return self.state(self.numbers(model, self.current))

    def is_state(self, model: z3.ModelRef) -> bool:
        """Whether the slots hold values of their ranges in a model of z3."""
        return all(slot.holds(n) for slot, n in zip(self.slots, self.numbers(model, self.current), strict=True))

    def numbers(self, model: z3.ModelRef, values: Valuation) -> list[int]:
        """The numbers in the slots of a valuation in a model of z3."""
        return [
            slot.integer(model.eval(value, model_completion=True))
            for slot, value in zip(self.slots, values, strict=True)
        ]

    def state(self, numbers: Sequence[int]) -> State:
        """The state with these numbers in the slots."""
        processes = self.system.processes
        locations = tuple(
            process.locations[i].name for process, i in zip(processes, numbers[: len(processes)], strict=True)
        )
        cells = self.variable_slots.values()
        return State(locations, tuple(tuple(numbers[slots.start : slots.stop]) for slots in cells))

    def state_with(self, known: Mapping[int, int]) -> State:
        """A state with these numbers in some slots, constants as they are, and anything in the others."""
        numbers = [slot.range.low if slot.fixed is None else slot.fixed for slot in self.slots]
        for slot, value in known.items():
            numbers[slot] = value
        return self.state(numbers)

    def reads(self, expression: Expr) -> frozenset[int]:
        """The slots on which the value of the expression may depend, without constants."""
        found: set[int] = set()
        for part in walk(expression):
            match part:
                case Ref(name):
                    found.update(self.variable_slots[name])
                case Cell(array, Literal(index)) if 0 <= index < len(self.variable_slots[array]):
                    found.add(self.variable_slots[array][index])
                case Cell(array, _):
                    found.update(self.variable_slots[array])
                case At(process, _):
                    found.add(self.process_slot[process])
        return frozenset(slot for slot in found if self.slots[slot].fixed is None)


@dataclass(frozen=True, slots=True)
class SmtValue:
    """The value of an expression, and the condition under which it faults; where it does, the value has no meaning."""

    term: Term
    fault: Term = FALSE


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Evaluates expressions in one valuation, as `Semantics.evaluate` does in one state."""

    layout: SmtLayout
    values: Valuation

    def holds(self, condition: Expr) -> Term:
        """Whether the condition is true; one that faults is not."""
        valued = self.evaluate(condition)
        return conjunction(negation(valued.fault), truth(valued.term))

    def evaluate(self, expression: Expr) -> SmtValue:
        """The value of the expression and where it faults."""
        match expression:
            case Literal(value):
                return SmtValue(z3.BitVecVal(value, 32))
            case Ref(name):
                return SmtValue(self._wide(self.layout.variable_slots[name][0]))
            case Cell():
                return self._cell(expression)
            case At(process, location):
                return SmtValue(self.layout.at(self.layout.process_slot[process], location, self.values))
            case Unary(operator, operand):
                inner = self.evaluate(operand)
                return SmtValue(_UNARY[operator](inner.term), inner.fault)
            case Binary("and" | "or" | "imply" as operator, left, right):
                return _short_circuit(operator, self.evaluate(left), self.evaluate(right))
            case Binary(operator, left, right):
                return _strict(operator, self.evaluate(left), self.evaluate(right))
            case Conditional(condition, then, otherwise):
                return _chosen(self.evaluate(condition), self.evaluate(then), self.evaluate(otherwise))
            case _:
                assert_never(expression)

    def position(self, target: Target) -> tuple[list[tuple[int, Term]], Term]:
        """The slots a place may name, each with the condition under which it does, and where the index faults."""
        if isinstance(target, Ref):
            return [(self.layout.variable_slots[target.name][0], TRUE)], FALSE
        slots = self.layout.variable_slots[target.array]
        if isinstance(target.index, Literal):
            inside = 0 <= target.index.value < len(slots)
            return ([(slots[target.index.value], TRUE)], FALSE) if inside else ([(slots[0], TRUE)], TRUE)
        index = self.evaluate(target.index)
        wide = number(index.term)
        outside = z3.Or(wide < 0, wide >= len(slots))
        return [(slot, wide == k) for k, slot in enumerate(slots)], disjunction(index.fault, outside)

    def _cell(self, cell: Cell) -> SmtValue:
        positions, fault = self.position(cell)
        term = self._wide(positions[-1][0])
        for slot, here in positions[-2::-1]:
            term = choice(here, self._wide(slot), term)
        return SmtValue(term, fault)

    def _wide(self, slot: int) -> Term:
        return self.layout.slots[slot].widened(self.values[slot])


def _short_circuit(operator: str, left: SmtValue, right: SmtValue) -> SmtValue:
    first, second = truth(left.term), truth(right.term)
    goes_on = negation(first) if operator == "or" else first
    fault = disjunction(left.fault, conjunction(goes_on, right.fault))
    match operator:
        case "and":
            return SmtValue(conjunction(first, second), fault)
        case "or":
            return SmtValue(disjunction(first, second), fault)
        case _:
            return SmtValue(disjunction(negation(first), second), fault)


def _strict(operator: str, left: SmtValue, right: SmtValue) -> SmtValue:
    one, other = number(left.term), number(right.term)
    fault = disjunction(left.fault, right.fault)
    if operator in ("/", "%"):
        fault = disjunction(fault, other == _ZERO)
    return SmtValue(_BINARY[operator](one, other), fault)


def _chosen(condition: SmtValue, then: SmtValue, otherwise: SmtValue) -> SmtValue:
    which = truth(condition.term)
    fault = disjunction(condition.fault, conjunction(which, then.fault), conjunction(negation(which), otherwise.fault))
    if z3.is_bool(then.term) and z3.is_bool(otherwise.term):
        return SmtValue(choice(which, then.term, otherwise.term), fault)
    return SmtValue(choice(which, number(then.term), number(otherwise.term)), fault)


_UNARY: Mapping[str, Callable[[Term], Term]] = MappingProxyType(
    {
        "-": lambda operand: -number(operand),
        "~": lambda operand: ~number(operand),
        "not": lambda operand: negation(truth(operand)),
    }
)

_BINARY: Mapping[str, Callable[[Term, Term], Term]] = MappingProxyType(
    {
        "*": lambda left, right: left * right,
        "/": lambda left, right: left / right,  # toward zero, and wraps as C does
        "%": lambda left, right: z3.SRem(left, right),  # with the sign of the dividend
        "+": lambda left, right: left + right,
        "-": lambda left, right: left - right,
        "<<": lambda left, right: left << (right & 31),
        ">>": lambda left, right: left >> (right & 31),  # keeps the sign
        "&": lambda left, right: left & right,
        "^": lambda left, right: left ^ right,
        "|": lambda left, right: left | right,
        "<": lambda left, right: left < right,
        "<=": lambda left, right: left <= right,
        ">": lambda left, right: left > right,
        ">=": lambda left, right: left >= right,
        "==": lambda left, right: left == right,
        "!=": lambda left, right: left != right,
    }
)
