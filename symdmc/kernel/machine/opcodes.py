"""The instructions of the kernel's stack machine. Operands follow the opcode; `field` means word, shift, mask, low."""

CONST = 0  # value
LOAD_BEFORE = 1  # field
LOAD_NOW = 2  # field
CELL_BEFORE = 3  # first variable, cells; pops the index
CELL_NOW = 4  # first variable, cells; pops the index
IS_BEFORE = 5  # word, mask, value: 1 when the masked word equals the value
IS_NOW = 6  # word, mask, value
NOT = 7
NEGATE = 8
INVERT = 9
TRUTH = 10  # 1 when the top is not 0
JUMP = 11  # target
JUMP_IF_FALSE = 12  # target; pops
SKIP_IF_FALSE = 13  # target; keeps a false top as 0, pops a true one
SKIP_IF_TRUE = 14  # target; keeps a true top as 1, pops a false one
ADD = 15
SUBTRACT = 16
MULTIPLY = 17
DIVIDE = 18
REMAINDER = 19
SHIFT_LEFT = 20
SHIFT_RIGHT = 21
BIT_AND = 22
BIT_XOR = 23
BIT_OR = 24
LESS = 25
LESS_EQUAL = 26
GREATER = 27
GREATER_EQUAL = 28
EQUAL = 29
NOT_EQUAL = 30
STORE = 31  # variable; pops the value
STORE_CELL = 32  # first variable, cells; pops the index, then the value
SET = 33  # word, mask, value: overwrite the masked bits

FINE = 0
FORBIDDEN = 1
FAULT = 2
OUTSIDE = 3
"""How a program ended. OUTSIDE: it stored a value that value analysis had excluded, which would be a bug."""
