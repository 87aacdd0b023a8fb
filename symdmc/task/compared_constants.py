"""The constants that variables are compared with, anywhere in a task: the values at which behaviour may change."""

from __future__ import annotations

from collections.abc import Iterator

from symdmc.model.expressions import Binary, Cell, Expr, Literal, Ref, walk
from symdmc.task.task import Task, conditions_of

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def compared_constants(task: Task) -> dict[int, frozenset[int]]:
    """For each variable that is compared with constants, these constants.

    An offset is subtracted: `x + 2 < 5` compares x with 3. A cell with a computed index may be any cell of its array.
    """
    found: dict[int, set[int]] = {}
    for expression in _expressions(task):
        for part in walk(expression):
            if isinstance(part, Binary) and part.operator in _COMPARISONS:
                for side, other in ((part.left, part.right), (part.right, part.left)):
                    if isinstance(other, Literal) and (moved := _moved(side, other.value)) is not None:
                        place, constant = moved
                        for number in task.layout.targets(place):
                            found.setdefault(number, set()).add(constant)
    return {number: frozenset(constants) for number, constants in sorted(found.items())}


def _moved(side: Expr, constant: int) -> tuple[Ref | Cell, int] | None:
    """The variable in a term such as `x - 2`, and its value where the term equals the constant."""
    match side:
        case Ref() | Cell():
            return side, constant
        case Binary("+", inner, Literal(value)) | Binary("+", Literal(value), inner):
            return _moved(inner, constant - value)
        case Binary("-", inner, Literal(value)):
            return _moved(inner, constant + value)
        case Binary("-", Literal(value), inner):
            return _moved(inner, value - constant)
        case _:
            return None


def _expressions(task: Task) -> Iterator[Expr]:
    yield task.error.expression
    yield task.error.deadlock_where
    yield task.invariant
    for number in sorted(task.analysis.possible):
        transition = task.transitions[number]
        yield transition.guard
        yield from conditions_of((*transition.branches, *transition.updates))
        for update in transition.updates:
            yield from update.operands
