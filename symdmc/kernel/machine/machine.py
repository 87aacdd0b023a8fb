"""The compiled heart: the stack machine, and the successors of a packed state.

Words are signed 64-bit integers; a shift to the right followed by the field's mask gives the field's bits whatever the
sign. A state lies in a flat array from `base` on. Everything here is compiled by numba and kept in its cache.
"""

from __future__ import annotations

from symdmc.kernel.machine import image as at
from symdmc.kernel.machine import opcodes as op
from symdmc.kernel.machine.calls import call1, call3
from symdmc.packed.arrays import Int64s
from symdmc.packed.jit import compiled, inlined

TROUBLE_SHIFT = 32
"""Machine code returns the number of successors, and above this many bits how the worst attempt ended."""


@compiled
def _wrap(value: int) -> int:
    """The 32-bit signed integer with the same low 32 bits."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@compiled
def execute(
    code: Int64s, start: int, end: int, before: Int64s, before_base: int, now: Int64s, now_base: int, stack: Int64s
) -> int:
    """Run code[start:end]; how it ended. The value of an expression is left in stack[0]."""
    pc = start
    top = -1
    while pc < end:
        opcode = code[pc]
        if opcode == op.LOAD_BEFORE:
            top += 1
            word = before[before_base + code[pc + 1]]
            stack[top] = ((word >> code[pc + 2]) & code[pc + 3]) + code[pc + 4]
            pc += 5
        elif opcode == op.CONST:
            top += 1
            stack[top] = code[pc + 1]
            pc += 2
        elif opcode == op.LOAD_NOW:
            top += 1
            word = now[now_base + code[pc + 1]]
            stack[top] = ((word >> code[pc + 2]) & code[pc + 3]) + code[pc + 4]
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
            index = stack[top]
            if index < 0 or index >= code[pc + 2]:
                return op.FAULT
            field = code[at.FIELDS] + (code[pc + 1] + index) * at.FIELD_SIZE
            word = before[before_base + code[field + at.FIELD_WORD]]
            bits = (word >> code[field + at.FIELD_SHIFT]) & code[field + at.FIELD_MASK]
            stack[top] = bits + code[field + at.FIELD_LOW]
            pc += 3
        elif opcode == op.CELL_NOW:
            index = stack[top]
            if index < 0 or index >= code[pc + 2]:
                return op.FAULT
            field = code[at.FIELDS] + (code[pc + 1] + index) * at.FIELD_SIZE
            word = now[now_base + code[field + at.FIELD_WORD]]
            bits = (word >> code[field + at.FIELD_SHIFT]) & code[field + at.FIELD_MASK]
            stack[top] = bits + code[field + at.FIELD_LOW]
            pc += 3
        elif opcode == op.STORE or opcode == op.STORE_CELL:
            variable = code[pc + 1]
            if opcode == op.STORE_CELL:
                index = stack[top]
                top -= 1
                if index < 0 or index >= code[pc + 2]:
                    return op.FAULT
                variable += index
                pc += 3
            else:
                pc += 2
            value = stack[top]
            top -= 1
            field = code[at.FIELDS] + variable * at.FIELD_SIZE
            low, high = code[field + at.TYPE_LOW], code[field + at.TYPE_HIGH]
            if value < low or value > high:
                if code[field + at.TYPE_WRAPS] == 0:
                    return op.FAULT
                value = (value - low) % (high - low + 1) + low
            if value < code[field + at.FIELD_LOW] or value > code[field + at.DOMAIN_HIGH]:
                return op.OUTSIDE
            place = now_base + code[field + at.FIELD_WORD]
            shift = code[field + at.FIELD_SHIFT]
            bits = (value - code[field + at.FIELD_LOW]) << shift
            now[place] = (now[place] & ~(code[field + at.FIELD_MASK] << shift)) | bits
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
            right = stack[top]
            top -= 1
            left = stack[top]
            pc += 1
            if opcode == op.EQUAL:
                stack[top] = 1 if left == right else 0
            elif opcode == op.NOT_EQUAL:
                stack[top] = 1 if left != right else 0
            elif opcode == op.LESS:
                stack[top] = 1 if left < right else 0
            elif opcode == op.LESS_EQUAL:
                stack[top] = 1 if left <= right else 0
            elif opcode == op.GREATER:
                stack[top] = 1 if left > right else 0
            elif opcode == op.GREATER_EQUAL:
                stack[top] = 1 if left >= right else 0
            elif opcode == op.ADD:
                stack[top] = _wrap(left + right)
            elif opcode == op.SUBTRACT:
                stack[top] = _wrap(left - right)
            elif opcode == op.MULTIPLY:
                stack[top] = _wrap(left * right)
            elif opcode == op.DIVIDE or opcode == op.REMAINDER:
                if right == 0:
                    return op.FAULT
                quotient = abs(left) // abs(right)
                if (left < 0) != (right < 0):
                    quotient = -quotient
                stack[top] = _wrap(quotient) if opcode == op.DIVIDE else left - quotient * right
            elif opcode == op.SHIFT_LEFT:
                stack[top] = _wrap(left << (right & 31))
            elif opcode == op.SHIFT_RIGHT:
                stack[top] = left >> (right & 31)
            elif opcode == op.BIT_AND:
                stack[top] = left & right
            elif opcode == op.BIT_XOR:
                stack[top] = left ^ right
            else:
                stack[top] = left | right
    return op.FINE


@compiled
def holds(code: Int64s, program: int, states: Int64s, base: int, stack: Int64s) -> bool:
    """Whether the expression whose program is noted at code[program] is true in a state; one that faults is not."""
    ended = execute(code, code[program], code[program + 1], states, base, states, base, stack)
    return ended == op.FINE and stack[0] != 0


@inlined
def is_error(code: Int64s, states: Int64s, base: int, stack: Int64s) -> bool:
    """Whether the error condition holds in a state."""
    if code[at.NATIVE_IS_ERROR] != 0:
        return call1(code[at.NATIVE_IS_ERROR], states.ctypes.data + 8 * base) != 0
    return holds(code, at.ERROR, states, base, stack)


@compiled
def _applies(code: Int64s, program: int, states: Int64s, base: int, now: Int64s, now_base: int, stack: Int64s) -> int:
    """Run a guard or an invariant: FINE, FAULT, or FORBIDDEN where it is false; an empty one is true."""
    start, end = code[program], code[program + 1]
    if start == end:
        return op.FINE
    ended = execute(code, start, end, states, base, now, now_base, stack)
    return op.FORBIDDEN if ended == op.FINE and stack[0] == 0 else ended


@compiled
def _attempt(
    code: Int64s, record: int, states: Int64s, base: int, successors: Int64s, target: int, stack: Int64s
) -> int:
    """Try a transition: FINE with the successor written, FORBIDDEN, FAULT or OUTSIDE."""
    tests = record + at.RECORD
    stores = tests + at.TRIPLE * code[record + at.TESTS]
    for test in range(tests, stores, at.TRIPLE):
        if states[base + code[test]] & code[test + 1] != code[test + 2]:
            return op.FORBIDDEN
    ended = _applies(code, record + at.GUARD, states, base, states, base, stack)
    if ended != op.FINE:
        return ended
    for w in range(code[at.WORDS]):
        successors[target + w] = states[base + w]
    if code[record + at.EFFECT] < code[record + at.EFFECT + 1]:
        start, end = code[record + at.EFFECT], code[record + at.EFFECT + 1]
        ended = execute(code, start, end, states, base, successors, target, stack)
        if ended != op.FINE:
            return ended
    for store in range(stores, stores + at.TRIPLE * code[record + at.STORES], at.TRIPLE):
        word = target + code[store]
        successors[word] = (successors[word] & ~code[store + 1]) | code[store + 2]
    return _applies(code, at.INVARIANT, states, base, successors, target, stack)


@compiled
def _interpret(
    code: Int64s,
    states: Int64s,
    base: int,
    successors: Int64s,
    taken: Int64s,
    first: int,
    stack: Int64s,
    trouble: Int64s,
) -> int:
    """What `expand` does, transition by transition."""
    words = code[at.WORDS]
    count = first
    trouble[0] = op.FINE
    committed = False
    if code[at.COMMITMENT] < code[at.COMMITMENT + 1]:
        committed = holds(code, at.COMMITMENT, states, base, stack)
    dispatcher = code[at.DISPATCH]
    for _ in range(code[at.DISPATCHERS]):
        location = states[base + code[dispatcher + at.DISPATCHER_WORD]] >> code[dispatcher + at.DISPATCHER_SHIFT]
        table = code[dispatcher + at.DISPATCHER_TABLE] + (location & code[dispatcher + at.DISPATCHER_MASK])
        dispatcher += at.DISPATCHER_SIZE
        for entry in range(code[table], code[table + 1]):
            record = code[entry]
            if committed and code[record + at.YIELDS] != 0:
                continue
            ended = _attempt(code, record, states, base, successors, count * words, stack)
            if ended == op.FINE:
                taken[count] = record
                count += 1
            elif ended != op.FORBIDDEN:
                trouble[0] = max(trouble[0], ended)
    return count - first


@inlined
def expand(
    code: Int64s,
    states: Int64s,
    base: int,
    successors: Int64s,
    taken: Int64s,
    first: int,
    stack: Int64s,
    trouble: Int64s,
) -> int:
    """Write the successors of a state and the records of the transitions that lead to them, the first one at `first`.

    Returns how many there are; trouble[0] tells how the worst attempt ended: FINE, FAULT or OUTSIDE.
    """
    if code[at.NATIVE_SUCCESSORS] == 0:
        return _interpret(code, states, base, successors, taken, first, stack, trouble)
    state = states.ctypes.data + 8 * base
    written, records = successors.ctypes.data + 8 * first * code[at.WORDS], taken.ctypes.data + 8 * first
    ended = call3(code[at.NATIVE_SUCCESSORS], state, written, records)
    trouble[0] = ended >> TROUBLE_SHIFT
    return ended & 0xFFFFFFFF
