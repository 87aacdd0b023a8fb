"""The compiled heart: the stack machine, and the successors of a packed state.

Words are signed 64-bit integers; a shift to the right followed by the field's mask gives the field's bits whatever the
sign. A state lies in a flat array from `base` on. Everything here is compiled by numba and kept in its cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symdmc.kernel.machine import image as at
from symdmc.kernel.machine import opcodes as op
from symdmc.kernel.machine.calls import call1, call3
from symdmc.kernel.machine.compiler import CompiledTask
from symdmc.packed.arrays import Int64s
from symdmc.packed.jit import compiled, inlined

TROUBLE_SHIFT = 32
"""Machine code returns the number of successors, and above this many bits how the worst attempt ended."""


class Machine(NamedTuple):
    """A compiled task and the arrays that its steps are made in."""

    image: Int64s
    stack: Int64s
    """Of the program that runs."""
    successors: Int64s
    """Packed states, one after the other."""
    taken: Int64s
    """For each successor the record of the transition that leads to it."""

    @staticmethod
    def of(task: CompiledTask, room: int = 0) -> Machine:
        """A machine with room for the successors of one state and for this many more."""
        room += task.most_successors
        sizes = (task.stack_size, room * task.packing.words, room)
        return Machine(task.image, *(np.empty(size, dtype=np.int64) for size in sizes))


@compiled
def _wrap(value: int) -> int:
    """The 32-bit signed integer with the same low 32 bits."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@inlined
def _load(image: Int64s, field: int, words: Int64s, base: int) -> int:
    """The value in the state at `base` of the variable whose word, shift, mask and low are at image[field]."""
    word = words[base + image[field + at.FIELD_WORD]]
    return int(((word >> image[field + at.FIELD_SHIFT]) & image[field + at.FIELD_MASK]) + image[field + at.FIELD_LOW])


@inlined
def _cell(image: Int64s, pc: int, index: int) -> int:
    """Where the field of a cell is in the image, for the instruction at `pc`; -1 where the array has no such cell."""
    if index < 0 or index >= image[pc + 2]:
        return -1
    return int(image[at.FIELDS] + (image[pc + 1] + index) * at.FIELD_SIZE)


@inlined
def _store(image: Int64s, field: int, value: int, words: Int64s, base: int) -> int:
    """Write a value of the variable whose field is at image[field] into the state at `base`; how that ended."""
    low, high = image[field + at.TYPE_LOW], image[field + at.TYPE_HIGH]
    if value < low or value > high:
        if image[field + at.TYPE_WRAPS] == 0:
            return op.FAULT
        value = (value - low) % (high - low + 1) + low
    if value < image[field + at.FIELD_LOW] or value > image[field + at.DOMAIN_HIGH]:
        return op.OUTSIDE
    place = base + image[field + at.FIELD_WORD]
    shift = image[field + at.FIELD_SHIFT]
    bits = (value - image[field + at.FIELD_LOW]) << shift
    words[place] = (words[place] & ~(image[field + at.FIELD_MASK] << shift)) | bits
    return op.FINE


@inlined
def _binary(opcode: int, left: int, right: int) -> int:
    """The value of an operator with two operands; a divisor is not 0."""
    if opcode == op.EQUAL:
        return int(left == right)
    if opcode == op.NOT_EQUAL:
        return int(left != right)
    if opcode == op.LESS:
        return int(left < right)
    if opcode == op.LESS_EQUAL:
        return int(left <= right)
    if opcode == op.GREATER:
        return int(left > right)
    if opcode == op.GREATER_EQUAL:
        return int(left >= right)
    if opcode == op.ADD:
        return _wrap(left + right)
    if opcode == op.SUBTRACT:
        return _wrap(left - right)
    if opcode == op.MULTIPLY:
        return _wrap(left * right)
    if opcode == op.DIVIDE or opcode == op.REMAINDER:
        quotient = abs(left) // abs(right)
        if (left < 0) != (right < 0):
            quotient = -quotient
        return _wrap(quotient) if opcode == op.DIVIDE else left - quotient * right
    if opcode == op.SHIFT_LEFT:
        return _wrap(left << (right & 31))
    if opcode == op.SHIFT_RIGHT:
        return left >> (right & 31)
    if opcode == op.BIT_AND:
        return left & right
    if opcode == op.BIT_XOR:
        return left ^ right
    return left | right


@compiled
def execute(machine: Machine, program: int, before: Int64s, before_base: int, now: Int64s, now_base: int) -> int:
    """Run the program whose start and end are at image[program]; how it ended. A value is left in stack[0].

    It reads the state before the step, and reads and writes the state that the step has made so far.
    """
    code, stack = machine.image, machine.stack
    pc, end = code[program], code[program + 1]
    top = -1
    while pc < end:
        opcode = code[pc]
        if opcode == op.LOAD_BEFORE:
            top += 1
            stack[top] = _load(code, pc + 1, before, before_base)
            pc += 5
        elif opcode == op.CONST:
            top += 1
            stack[top] = code[pc + 1]
            pc += 2
        elif opcode == op.LOAD_NOW:
            top += 1
            stack[top] = _load(code, pc + 1, now, now_base)
            pc += 5
        elif opcode == op.IS_BEFORE:
            top += 1
            stack[top] = 1 if before[before_base + code[pc + 1]] & code[pc + 2] == code[pc + 3] else 0
            pc += 4
        elif opcode == op.IS_NOW:
            top += 1
            stack[top] = 1 if now[now_base + code[pc + 1]] & code[pc + 2] == code[pc + 3] else 0
            pc += 4
        elif opcode == op.SET:
            place = now_base + code[pc + 1]
            now[place] = (now[place] & ~code[pc + 2]) | code[pc + 3]
            pc += 4
        elif opcode == op.CELL_BEFORE:
            field = _cell(code, pc, stack[top])
            if field < 0:
                return op.FAULT
            stack[top] = _load(code, field, before, before_base)
            pc += 3
        elif opcode == op.CELL_NOW:
            field = _cell(code, pc, stack[top])
            if field < 0:
                return op.FAULT
            stack[top] = _load(code, field, now, now_base)
            pc += 3
        elif opcode == op.STORE or opcode == op.STORE_CELL:
            field = code[at.FIELDS] + code[pc + 1] * at.FIELD_SIZE
            if opcode == op.STORE_CELL:
                field = _cell(code, pc, stack[top])
                if field < 0:
                    return op.FAULT
                top -= 1
                pc += 1
            pc += 2
            ended = _store(code, field, stack[top], now, now_base)
            if ended != op.FINE:
                return ended
            top -= 1
        elif opcode == op.SKIP_IF_FALSE:
            if stack[top] == 0:
                pc = code[pc + 1]
            else:
                top -= 1
                pc += 2
        elif opcode == op.SKIP_IF_TRUE:
            if stack[top] != 0:
                stack[top] = 1
                pc = code[pc + 1]
            else:
                top -= 1
                pc += 2
        elif opcode == op.JUMP_IF_FALSE:
            top -= 1
            pc = code[pc + 1] if stack[top + 1] == 0 else pc + 2
        elif opcode == op.JUMP:
            pc = code[pc + 1]
        elif opcode == op.TRUTH:
            stack[top] = 1 if stack[top] != 0 else 0
            pc += 1
        elif opcode == op.NOT:
            stack[top] = 1 if stack[top] == 0 else 0
            pc += 1
        elif opcode == op.NEGATE:
            stack[top] = _wrap(-stack[top])
            pc += 1
        elif opcode == op.INVERT:
            stack[top] = ~stack[top]
            pc += 1
        else:
            top -= 1
            pc += 1
            if (opcode == op.DIVIDE or opcode == op.REMAINDER) and stack[top + 1] == 0:
                return op.FAULT
            stack[top] = _binary(opcode, stack[top], stack[top + 1])
    return op.FINE


@compiled
def holds(machine: Machine, program: int, states: Int64s, base: int) -> bool:
    """Whether the expression of a program is true in a state; one that faults is not."""
    return execute(machine, program, states, base, states, base) == op.FINE and machine.stack[0] != 0


@inlined
def is_error(machine: Machine, states: Int64s, base: int) -> bool:
    """Whether the error condition holds in a state."""
    native = machine.image[at.NATIVE_IS_ERROR]
    if native != 0:
        return call1(native, states.ctypes.data + 8 * base) != 0
    return holds(machine, at.ERROR, states, base)


@compiled
def is_error_when_stuck(machine: Machine, states: Int64s, base: int) -> bool:
    """Whether a deadlock in a state is an error, where deadlocks are looked for."""
    where = at.DEADLOCK_WHERE
    return machine.image[where] == machine.image[where + 1] or holds(machine, where, states, base)


@compiled
def _applies(machine: Machine, program: int, states: Int64s, base: int, now: Int64s, now_base: int) -> int:
    """Run a guard or an invariant: FINE, FAULT, or FORBIDDEN where it is false; an empty one is true."""
    if machine.image[program] == machine.image[program + 1]:
        return op.FINE
    ended = execute(machine, program, states, base, now, now_base)
    return op.FORBIDDEN if ended == op.FINE and machine.stack[0] == 0 else ended


@compiled
def _attempt(machine: Machine, record: int, states: Int64s, base: int, target: int) -> int:
    """Try a transition: FINE with the successor written at `target`, FORBIDDEN, FAULT or OUTSIDE."""
    code, successors = machine.image, machine.successors
    tests = record + at.RECORD
    stores = tests + at.TRIPLE * code[record + at.TESTS]
    for test in range(tests, stores, at.TRIPLE):
        if states[base + code[test]] & code[test + 1] != code[test + 2]:
            return op.FORBIDDEN
    ended = _applies(machine, record + at.GUARD, states, base, states, base)
    if ended != op.FINE:
        return ended
    for w in range(code[at.WORDS]):
        successors[target + w] = states[base + w]
    if code[record + at.EFFECT] < code[record + at.EFFECT + 1]:
        ended = execute(machine, record + at.EFFECT, states, base, successors, target)
        if ended != op.FINE:
            return ended
    for store in range(stores, stores + at.TRIPLE * code[record + at.STORES], at.TRIPLE):
        word = target + code[store]
        successors[word] = (successors[word] & ~code[store + 1]) | code[store + 2]
    return _applies(machine, at.INVARIANT, states, base, successors, target)


@compiled
def _interpret(machine: Machine, states: Int64s, base: int, first: int) -> tuple[int, int]:
    """What `expand` does, transition by transition."""
    code, words = machine.image, machine.image[at.WORDS]
    count = first
    trouble = op.FINE
    committed = False
    if code[at.COMMITMENT] < code[at.COMMITMENT + 1]:
        committed = holds(machine, at.COMMITMENT, states, base)
    dispatcher = code[at.DISPATCH]
    for _ in range(code[at.DISPATCHERS]):
        location = states[base + code[dispatcher + at.DISPATCHER_WORD]] >> code[dispatcher + at.DISPATCHER_SHIFT]
        table = code[dispatcher + at.DISPATCHER_TABLE] + (location & code[dispatcher + at.DISPATCHER_MASK])
        dispatcher += at.DISPATCHER_SIZE
        for entry in range(code[table], code[table + 1]):
            record = code[entry]
            if committed and code[record + at.YIELDS] != 0:
                continue
            ended = _attempt(machine, record, states, base, count * words)
            if ended == op.FINE:
                machine.taken[count] = record
                count += 1
            elif ended != op.FORBIDDEN:
                trouble = max(trouble, ended)
    return count - first, trouble


@inlined
def expand(machine: Machine, states: Int64s, base: int, first: int) -> tuple[int, int]:
    """Write the successors of a state and the records of the transitions that lead to them, the first one at `first`.

    Returns how many there are, and how the worst attempt ended: FINE, FAULT or OUTSIDE.
    """
    code = machine.image
    if code[at.NATIVE_SUCCESSORS] == 0:
        return _interpret(machine, states, base, first)
    state = states.ctypes.data + 8 * base
    written = machine.successors.ctypes.data + 8 * first * code[at.WORDS]
    ended = call3(code[at.NATIVE_SUCCESSORS], state, written, machine.taken.ctypes.data + 8 * first)
    return ended & 0xFFFFFFFF, ended >> TROUBLE_SHIFT
