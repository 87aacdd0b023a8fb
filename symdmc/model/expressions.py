"""Expressions over the variables and locations of a system: small frozen values, walked by `match`.

Every expression is an integer; truth values are 0 and 1. Names are *qualified*: `x` is a variable of the system,
`P->x` belongs to process or buffered channel P. The text form (`str`) is read back by `model.parsing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias, assert_never


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
        left, right = _enclosed(self.left, level), _enclosed(self.right, level + 1)
        return f"{left} {self.operator} {right}"


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

TRUE: Expr = Literal(1)
FALSE: Expr = Literal(0)

_LEVELS = ("imply", "or", "and", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
BINARY_PRECEDENCE: Mapping[str, int] = MappingProxyType(
    {operator: level for level, operators in enumerate(_LEVELS, start=1) for operator in operators.split()}
)
"""How tightly each operator binds, as in C; all of them group to the left; the conditional has level 0."""
UNARY_PRECEDENCE = len(_LEVELS) + 1


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
    result = TRUE
    for part in parts:
        if part == TRUE:
            continue
        result = part if result == TRUE else Binary("and", result, part)
    return result


def disjunction(*parts: Expr) -> Expr:
    """`or` over the parts, left to right; more than 100 parts are grouped in halves, as functions over them recurse."""
    if len(parts) > 100:
        middle = len(parts) // 2
        return disjunction(disjunction(*parts[:middle]), disjunction(*parts[middle:]))
    result = FALSE
    for part in parts:
        if part == FALSE:
            continue
        result = part if result == FALSE else Binary("or", result, part)
    return result


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
