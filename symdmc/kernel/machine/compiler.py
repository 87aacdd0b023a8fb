"""Task to Program: transitions as masked tests and masked stores where they allow it, as stack programs where not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import partial
from typing import NamedTuple, assert_never

import numpy as np

from symdmc.kernel.machine import image as at
from symdmc.kernel.machine import opcodes as op
from symdmc.model.expressions import (
    FALSE,
    TRUE,
    At,
    Binary,
    Cell,
    Conditional,
    Expr,
    Literal,
    Ref,
    Unary,
    conjunction,
    conjuncts,
)
from symdmc.packed.arrays import Int64s
from symdmc.packed.packing import Packing, pack_domains
from symdmc.task.flatten import cannot_fault
from symdmc.task.task import Task, Transition, Update


class CompiledTask(NamedTuple):
    """A task as the compiled loops take it: everything in one array of integers, laid out as `machine.image` says."""

    image: Int64s
    packing: Packing
    stack_size: int
    """Of the largest program."""
    most_successors: int
    """No state has more."""
    has_free_steps: bool
    """Some transition costs nothing."""


class Moment(Enum):
    """The moment of a step at which an expression is evaluated."""

    BEFORE = "before the step"
    DURING = "variables as stored so far, locations before the step"
    AFTER = "after the step"


_STRICT_OPCODE = {
    "+": op.ADD,
    "-": op.SUBTRACT,
    "*": op.MULTIPLY,
    "/": op.DIVIDE,
    "%": op.REMAINDER,
    "<<": op.SHIFT_LEFT,
    ">>": op.SHIFT_RIGHT,
    "&": op.BIT_AND,
    "^": op.BIT_XOR,
    "|": op.BIT_OR,
    "<": op.LESS,
    "<=": op.LESS_EQUAL,
    ">": op.GREATER,
    ">=": op.GREATER_EQUAL,
    "==": op.EQUAL,
    "!=": op.NOT_EQUAL,
}
_UNARY_OPCODE = {"not": op.NOT, "-": op.NEGATE, "~": op.INVERT}


def compile_program(task: Task) -> CompiledTask:
    """The task as the compiled loops take it; uses what value analysis found."""
    return _Compiler(task).compile()


class _Compiler:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.layout = task.layout
        self.domains = task.analysis.domains
        self.packing = pack_domains(self.domains)
        self.code = [0] * at.HEADER
        self.depth = self.deepest = 0

    def compile(self) -> CompiledTask:
        """Emit the parts of the image one after the other and note in the header where they are."""
        code, task = self.code, self.task
        code[at.WORDS] = self.packing.words
        code[at.FIELDS] = len(code)
        for field, variable, domain in zip(self.packing.fields, task.variables, self.domains, strict=True):
            code.extend((field.word, field.shift, field.mask, field.low))
            code.extend((variable.type.low, variable.type.high, int(variable.type.wraps), domain.high))
        error = task.error.expression
        code[at.COMMITMENT : at.COMMITMENT + 2] = self._expression_program(task.commitment, FALSE, Moment.BEFORE)
        code[at.INVARIANT : at.INVARIANT + 2] = self._expression_program(task.invariant, TRUE, Moment.AFTER)
        code[at.ERROR : at.ERROR + 2] = self._expression_program(error, FALSE, Moment.BEFORE)
        where = self._expression_program(task.error.deadlock_where, TRUE, Moment.BEFORE)
        code[at.DEADLOCK_WHERE : at.DEADLOCK_WHERE + 2] = where
        chosen = [task.transitions[number] for number in sorted(task.analysis.possible)]
        owners = [self._owner(transition) for transition in chosen]
        records = [self._transition(transition, owner) for transition, owner in zip(chosen, owners, strict=True)]
        self._dispatch(owners, records)
        return CompiledTask(
            image=np.array(code, dtype=np.int64),
            packing=self.packing,
            stack_size=self.deepest + 1,
            most_successors=max(1, len(chosen)),
            has_free_steps=any(transition.cost == 0 for transition in chosen),
        )

    def _transition(self, transition: Transition, owner: tuple[int, int] | None) -> int:
        """Emit the programs of a transition, then its record; returns where the record is."""
        parts = _Parts(self, transition)
        guard = self._expression_program(parts.guard, TRUE, Moment.BEFORE)
        effect = self._program(lambda: self._effect(parts), parts.runs_program)
        tests = parts.masked_tests(self.packing, owner)
        stores = parts.masked_stores(self.packing)
        record = len(self.code)
        self.code.extend((int(transition.yields_to_commitment), transition.cost, *guard, *effect))
        self.code.extend((len(tests), len(stores)))
        for entry in (*tests, *stores):
            self.code.extend(entry)
        return record

    # ---- the index over locations

    def _owner(self, transition: Transition) -> tuple[int, int] | None:
        """The process with the most locations among those that always take part, and where it must be."""
        fixed = (self.layout.place(branch.process, branch.source) for branch in transition.fixed)
        return max(fixed, key=lambda pair: (self.domains[pair[0]].count, -pair[0]), default=None)

    def _dispatch(self, owners: Sequence[tuple[int, int] | None], records: Sequence[int]) -> None:
        """Per process and location the records to try; those without a fixed participant are always tried."""
        entries: list[tuple[int, int, int, int, int]] = []
        by_owner: dict[tuple[int, int] | None, list[int]] = {}
        for owner, record in zip(owners, records, strict=True):
            by_owner.setdefault(owner, []).append(record)
        for process in sorted({owner[0] for owner in owners if owner is not None}):
            field, domain = self.packing.fields[process], self.domains[process]
            places = [by_owner.get((process, place), []) for place in range(domain.low, domain.high + 1)]
            entries.append((field.word, field.shift, field.mask, self._lists(places), len(places)))
        if None in by_owner:
            entries.append((0, 0, 0, self._lists([by_owner[None]]), 1))
        self.code[at.DISPATCH] = len(self.code)
        self.code[at.DISPATCHERS] = len(entries)
        for entry in entries:
            self.code.extend(entry)

    def _lists(self, groups: Sequence[Sequence[int]]) -> int:
        """Emit lists of records, then where each of them starts and the last one ends; returns where that table is."""
        starts = [len(self.code)]
        for group in groups:
            self.code.extend(group)
            starts.append(len(self.code))
        table = len(self.code)
        self.code.extend(starts)
        return table

    # ---- programs

    def _expression_program(self, expression: Expr, trivial: Expr, moment: Moment) -> tuple[int, int]:
        """Start and end of a program for an expression; an empty one for the trivial expression."""
        return self._program(lambda: self._expression(expression, moment), expression != trivial)

    def _program(self, emit: Callable[[], None], wanted: bool) -> tuple[int, int]:
        """Start and end of a new program in the code; an empty one where none is wanted."""
        start = len(self.code)
        if wanted:
            self.depth = 0
            emit()
        return start, len(self.code)

    def _emit(self, pushed: int, *integers: int) -> None:
        self.code.extend(integers)
        self.depth += pushed
        self.deepest = max(self.deepest, self.depth)

    def _effect(self, parts: _Parts) -> None:
        """The updates in sequence, then the moves of branches that are not always taken."""
        for update in parts.updates:
            self._conditionally(update.condition, partial(self._update, update))
        for branch in parts.transition.branches:
            if branch.condition is not None:
                place = self.layout.place(branch.process, branch.target)
                self._conditionally(branch.condition, partial(self._set, *place))

    def _conditionally(self, condition: Expr | None, emit: Callable[[], None]) -> None:
        if condition is None:
            emit()
            return
        self._expression(condition, Moment.BEFORE)
        patch = len(self.code) + 1
        self._emit(-1, op.JUMP_IF_FALSE, 0)
        emit()
        self.code[patch] = len(self.code)

    def _update(self, update: Update) -> None:
        constant = _constant_store(self, update)
        if constant is not None:
            self._set(*constant)
            return
        targets = self.layout.targets(update.target)
        self._expression(update.value, Moment.BEFORE if update.before else Moment.DURING)
        if self.layout.surely_exists(update.target):
            self._emit(-1, op.STORE, targets[0])
            return
        assert isinstance(update.target, Cell)
        self._expression(update.target.index, Moment.DURING)
        self._emit(-2, op.STORE_CELL, targets[0], len(targets))

    def _set(self, variable: int, value: int) -> None:
        field = self.packing.fields[variable]
        self._emit(0, op.SET, field.word, field.placed_mask, field.placed(value))

    def _load(self, variable: int, before: bool) -> None:
        field = self.packing.fields[variable]
        if field.mask == 0:
            self._emit(1, op.CONST, field.low)
        else:
            opcode = op.LOAD_BEFORE if before else op.LOAD_NOW
            self._emit(1, opcode, field.word, field.shift, field.mask, field.low)

    def _expression(self, expression: Expr, moment: Moment) -> None:
        """Push the value of the expression."""
        before = moment is Moment.BEFORE
        match expression:
            case Literal(value):
                self._emit(1, op.CONST, value)
            case Ref(name):
                self._load(self.layout.first[name], before)
            case Cell(array, Literal(index)) if 0 <= index < self.layout.cells[array]:
                self._load(self.layout.first[array] + index, before)
            case Cell(array, index):
                self._expression(index, moment)
                opcode = op.CELL_BEFORE if before else op.CELL_NOW
                self._emit(0, opcode, self.layout.first[array], self.layout.cells[array])
            case At(process, location):
                self._at(process, location, moment)
            case Unary(operator, operand):
                self._expression(operand, moment)
                self._emit(0, _UNARY_OPCODE[operator])
            case Binary("and" | "or" | "imply" as operator, left, right):
                self._short_circuit(operator, left, right, moment)
            case Binary(operator, left, right):
                self._expression(left, moment)
                self._expression(right, moment)
                self._emit(-1, _STRICT_OPCODE[operator])
            case Conditional(condition, then, otherwise):
                self._conditional(condition, then, otherwise, moment)
            case _:
                assert_never(expression)

    def _at(self, process: str, location: str, moment: Moment) -> None:
        variable, place = self.layout.place(process, location)
        field, domain = self.packing.fields[variable], self.domains[variable]
        if place not in domain or field.mask == 0:
            self._emit(1, op.CONST, int(place in domain))
        else:
            opcode = op.IS_NOW if moment is Moment.AFTER else op.IS_BEFORE
            self._emit(1, opcode, field.word, field.placed_mask, field.placed(place))

    def _short_circuit(self, operator: str, left: Expr, right: Expr, moment: Moment) -> None:
        self._expression(left, moment)
        if operator == "imply":
            self._emit(0, op.NOT)
        patch = len(self.code) + 1
        self._emit(-1, op.SKIP_IF_FALSE if operator == "and" else op.SKIP_IF_TRUE, 0)
        self._expression(right, moment)
        self._emit(0, op.TRUTH)
        self.code[patch] = len(self.code)

    def _conditional(self, condition: Expr, then: Expr, otherwise: Expr, moment: Moment) -> None:
        self._expression(condition, moment)
        to_otherwise = len(self.code) + 1
        self._emit(-1, op.JUMP_IF_FALSE, 0)
        self._expression(then, moment)
        to_end = len(self.code) + 1
        self._emit(-1, op.JUMP, 0)
        self.code[to_otherwise] = len(self.code)
        self._expression(otherwise, moment)
        self.code[to_end] = len(self.code)


class _Parts:
    """A transition split into masked tests, the rest of its guard, the updates to run, and masked stores."""

    def __init__(self, compiler: _Compiler, transition: Transition) -> None:
        self.transition = transition
        layout = compiler.layout
        self.tests = [layout.place(branch.process, branch.source) for branch in transition.fixed]
        rest: list[Expr] = []
        movable = True
        for part in conjuncts(transition.guard):
            # A test may only be made first when nothing that stands before it can fault.
            test = _constant_test(compiler, part) if movable else None
            if test is None or any(test[0] == tested for tested, _ in self.tests):
                rest.append(part)
                movable = movable and cannot_fault(part)
            else:
                self.tests.append(test)
        self.guard = conjunction(*rest)
        self.stores: dict[int, int] = {}
        constants = [_constant_store(compiler, update) for update in transition.updates]
        plain = [store for store in constants if store is not None]
        self.updates: tuple[Update, ...] = transition.updates
        if len(plain) == len(constants) and all(update.condition is None for update in transition.updates):
            self.updates = ()
            self.stores |= dict(plain)
        self.runs_program = bool(self.updates) or len(transition.fixed) < len(transition.branches)
        self.stores |= dict(layout.place(branch.process, branch.target) for branch in transition.fixed)

    def masked_tests(self, packing: Packing, owner: tuple[int, int] | None) -> list[tuple[int, int, int]]:
        """Word, mask, value for each word with something to test besides the owner's location."""
        return _by_word(packing, [test for test in self.tests if test != owner])

    def masked_stores(self, packing: Packing) -> list[tuple[int, int, int]]:
        """Word, mask, value for each word with something to store."""
        return _by_word(packing, list(self.stores.items()))


def _constant_test(compiler: _Compiler, part: Expr) -> tuple[int, int] | None:
    """The variable and the value of a test for equality with a constant."""
    layout = compiler.layout
    match part:
        case Binary("==", Ref() | Cell(_, Literal(_)) as place, Literal(value)) if layout.surely_exists(place):
            variable = layout.targets(place)[0]
        case At(process, location):
            variable, value = layout.place(process, location)
        case _:
            return None
    return (variable, value) if value in compiler.domains[variable] else None


def _constant_store(compiler: _Compiler, update: Update) -> tuple[int, int] | None:
    """The variable and the constant of an update that stores a constant in a fixed place."""
    match update:
        case Update(target=target, value=Literal(value)) if compiler.layout.surely_exists(target):
            variable = compiler.layout.targets(target)[0]
            kind = compiler.task.variables[variable].type
            return (variable, value) if kind.low <= value <= kind.high else None
    return None


def _by_word(packing: Packing, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int, int]]:
    masks: dict[int, int] = {}
    values: dict[int, int] = {}
    for variable, value in pairs:
        field = packing.fields[variable]
        masks[field.word] = masks.get(field.word, 0) | field.placed_mask
        values[field.word] = values.get(field.word, 0) | field.placed(value)
    return [(word, masks[word], values[word]) for word in sorted(masks) if masks[word]]
