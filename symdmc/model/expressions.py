"""Expressions over the variables and locations of a system: small frozen values, walked by `match`.

Every expression is an integer; truth values are 0 and 1. Names are *qualified*: `x` is a variable of the system,
`P->x` belongs to process or buffered channel P. The text form (`str`) is read back by `model.parsing`.

Functions over expressions recurse. A long chain of one associative operator is therefore grouped in halves: 50,000
operands make 16 levels. It means what the chain grouped to the left means, and prints as a chain without parentheses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import is_
from types import MappingProxyType
from typing import TypeAlias, TypeGuard, TypeVar, assert_never, cast


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; the readers also replace named constants by literals."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of a variable that is not an array."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of an array; an index outside the array is a fault."""

    array: str
    index: Expr

    def __str__(self) -> str:
        return f"{self.array}[{self.index}]"


@dataclass(frozen=True, slots=True)
class At:
    """1 when the process is at the location, else 0."""

    process: str
    location: str

    def __str__(self) -> str:
        return f"{self.process}.{self.location}"


@dataclass(frozen=True, slots=True)
class Unary:
    """`-`, `~` (bits) or `not` (truth)."""

    operator: str
    operand: Expr

    def __str__(self) -> str:
        if self.operator == "-" and isinstance(self.operand, Literal) and self.operand.value >= 0:
            return f"-({self.operand})"  # without parentheses it would read as a negative literal
        text = _enclosed(self.operand, UNARY_PRECEDENCE)
        separator = " " if self.operator == "not" or text.startswith("-") else ""
        return f"{self.operator}{separator}{text}"


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator of `BINARY_PRECEDENCE`; `and`, `or` and `imply` evaluate the right side only when needed."""

    operator: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        level = BINARY_PRECEDENCE[self.operator]
        first, *rest = operands(self, self.operator) if _is_long(self) else (self.left, self.right)
        return f" {self.operator} ".join([_enclosed(first, level), *(_enclosed(each, level + 1) for each in rest)])


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`; only the chosen side is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr

    def __str__(self) -> str:
        return f"{_enclosed(self.condition, 1)} ? {_enclosed(self.then, 0)} : {_enclosed(self.otherwise, 0)}"


Expr: TypeAlias = Literal | Ref | Cell | At | Unary | Binary | Conditional
Target: TypeAlias = Ref | Cell
"""Where an assignment or a received value may be stored."""
_Part = TypeVar("_Part", bound=Expr)

TRUE: Expr = Literal(1)
FALSE: Expr = Literal(0)

_LEVELS = ("imply", "or", "and", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
BINARY_PRECEDENCE: Mapping[str, int] = MappingProxyType(
    {operator: level for level, operators in enumerate(_LEVELS, start=1) for operator in operators.split()}
)
"""How tightly each operator binds, as in C; all of them group to the left; the conditional has level 0."""
UNARY_PRECEDENCE = len(_LEVELS) + 1

ASSOCIATIVE = frozenset({"and", "or", "+", "*", "|", "^", "&"})
"""Operators whose operands can be grouped in any way: value, order of evaluation and faults stay the same."""
LONG_CHAIN = 16
"""More operands than this, joined by one associative operator, are grouped in halves."""
MOST_LEVELS = 200
"""The most levels an expression may have."""
TOO_DEEP = f"more than {MOST_LEVELS} levels"
"""What is wrong with an expression that has more."""


def _precedence(expression: Expr) -> int:
    match expression:
        case Conditional():
            return 0
        case Binary(operator, _, _):
            return BINARY_PRECEDENCE[operator]
        case Literal(value) if value < 0:
            return UNARY_PRECEDENCE
        case Unary():
            return UNARY_PRECEDENCE
        case _:
            return UNARY_PRECEDENCE + 1


def _enclosed(expression: Expr, level: int) -> str:
    """The text of an expression, in parentheses when it binds less tightly than `level`."""
    return f"({expression})" if _precedence(expression) < level else str(expression)


def children(expression: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression, in the order of the text."""
    match expression:
        case Literal() | Ref() | At():
            return ()
        case Cell(_, index):
            return (index,)
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Conditional(condition, then, otherwise):
            return (condition, then, otherwise)
        case _:
            assert_never(expression)


def walk(expression: Expr) -> Iterator[Expr]:
    """The expression and all its parts, from the outside in."""
    pending = [expression]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Binary):  # what most parts with others in them are
            pending += (part.right, part.left)
        elif not isinstance(part, Literal | Ref):
            pending.extend(reversed(children(part)))


def conjunction(*parts: Expr) -> Expr:
    """`and` over the parts, left to right, so that a part is only evaluated where all earlier ones hold."""
    return joined("and", [part for part in parts if part != TRUE] or [TRUE])


def disjunction(*parts: Expr) -> Expr:
    """`or` over the parts, left to right, so that a part is only evaluated where no earlier one holds."""
    return joined("or", [part for part in parts if part != FALSE] or [FALSE])


def joined(operator: str, parts: Sequence[Expr]) -> Expr:
    """The parts joined by an operator, grouped to the left; in halves where they make a long chain."""
    if operator in ASSOCIATIVE:
        chain = [each for part in parts for each in operands(part, operator)]
        if len(chain) > LONG_CHAIN:
            return _in_halves(operator, chain)
    return reduce(partial(Binary, operator), parts)


def _in_halves(operator: str, parts: Sequence[Expr]) -> Expr:
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Binary(operator, _in_halves(operator, parts[:middle]), _in_halves(operator, parts[middle:]))


def operands(expression: Expr, operator: str) -> list[Expr]:
    """What an operator joins in the outermost chain of it, however grouped, in order; the expression if it is none."""
    parts: list[Expr] = []
    pending = [expression]
    while pending:
        part = pending.pop()
        if isinstance(part, Binary) and part.operator == operator:
            pending += (part.right, part.left)
        else:
            parts.append(part)
    return parts


def balanced(expression: _Part) -> _Part:
    """The same expression with all its long chains grouped in halves; works at any depth."""
    done: dict[int, Expr] = {}
    pending: list[Expr] = [expression]
    while pending:
        part = pending[-1]
        parts = _chain(part)
        waiting = [each for each in parts if id(each) not in done]
        if waiting:
            pending += waiting
            continue
        del pending[-1]
        done[id(part)] = _rebuilt(part, [done[id(each)] for each in parts])
    return cast(_Part, done[id(expression)])


def _chain(expression: Expr) -> Sequence[Expr]:
    """The operands of a long chain, the direct parts of anything else."""
    return operands(expression, expression.operator) if _is_long(expression) else children(expression)


def _is_long(expression: Expr) -> TypeGuard[Binary]:
    """Whether an expression is a long chain of one associative operator."""
    if not isinstance(expression, Binary) or expression.operator not in ASSOCIATIVE:
        return False
    count, pending = 0, [expression]
    while pending and count <= LONG_CHAIN:
        for part in children(pending.pop()):
            if isinstance(part, Binary) and part.operator == expression.operator:
                pending.append(part)
            else:
                count += 1
    return count > LONG_CHAIN


def _rebuilt(expression: Expr, parts: Sequence[Expr]) -> Expr:
    """The expression with other parts in the place of its own, which it keeps where they are the same."""
    own = children(expression)
    if len(own) == len(parts) and all(map(is_, parts, own)):
        return expression
    match expression:
        case Cell(array, _):
            return Cell(array, *parts)
        case Unary(operator, _):
            return Unary(operator, *parts)
        case Binary(operator, _, _):
            return joined(operator, parts)
        case Conditional():
            return Conditional(*parts)
        case _:
            return expression


def is_deeper(expression: Expr, levels: int = MOST_LEVELS) -> bool:
    """Whether an expression has more than `levels` levels; found at any depth."""
    layer: tuple[Expr, ...] = (expression,)
    for _ in range(levels):
        layer = tuple(part for each in layer for part in children(each))
        if not layer:
            return False
    return True


def conjuncts(expression: Expr) -> tuple[Expr, ...]:
    """The parts joined by the outermost `and`s, in order of evaluation."""
    parts: list[Expr] = []
    pending = [expression]
    while pending:
        part = pending.pop()
        match part:
            case Binary("and", left, right):
                pending.extend((right, left))
            case _ if part != TRUE:
                parts.append(part)
    return tuple(parts)


def negation(expression: Expr) -> Expr:
    """The opposite truth value."""
    return Unary("not", expression)
