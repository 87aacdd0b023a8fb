"""Text to expressions, assignments and synchronisations: the grammar of docs/expressions.md, for every front end.

Names are resolved at once, and every unknown name and wrong use of a name is reported, not only the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.model.expressions import (
    BINARY_PRECEDENCE,
    FALSE,
    TOO_DEEP,
    TRUE,
    At,
    Binary,
    Cell,
    Conditional,
    Expr,
    Literal,
    Ref,
    Target,
    Unary,
    balanced,
    is_deeper,
)
from symdmc.model.parsing.syntax import Origin, names, parse_syntax, tokens, trees
from symdmc.model.parsing.unknown_names import unknown_member, unknown_name, unknown_owner
from symdmc.model.scope import Scope
from symdmc.model.system import Assignment, Direction, Synchronisation, Variable
from symdmc.spelling.suggestions import did_you_mean

if TYPE_CHECKING:
    from lark import Token

    from symdmc.model.parsing.syntax import Syntax

LARGEST = 2**31 - 1
MOST_DIGITS = 100
"""The most digits a number may have, leading zeros included."""

SYNONYMS = {"&&": "and", "||": "or", "!": "not"}

_Read = TypeVar("_Read")
_Part = TypeVar("_Part", bound=Expr)


def parse_expression(text: str, scope: Scope, *, file: str = "<expression>", line: int = 1, column: int = 1) -> Expr:
    """The expression a text means; `line` and `column` are the place of its first character in the file."""
    return _parse(text, "expression", scope, Origin(file, line, column), Resolver.expression)


def parse_assignments(text: str, scope: Scope) -> tuple[Assignment, ...]:
    """The assignments of a text such as `x = 1, a[i] = x + 1`; none for an empty text."""
    if not text.strip():
        return ()
    return _parse(text, "assignments", scope, Origin("<assignments>"), Resolver.assignments)


def parse_synchronisation(text: str, scope: Scope) -> Synchronisation:
    """The synchronisation of a text such as `c!`, `c!{x, y + 1}`, `c?{x, a[i]}`, or `label` to join a lockstep."""
    return _parse(text, "synchronisation", scope, Origin("<synchronisation>"), Resolver.synchronisation)


def _parse(text: str, start: str, scope: Scope, origin: Origin, read: Callable[[Resolver, Syntax], _Read]) -> _Read:
    tree = parse_syntax(text, start, origin)
    resolver = Resolver(scope, origin)
    result = read(resolver, tree)
    if resolver.complaints:
        raise ModelError(resolver.complaints)
    return result


class Resolver:
    """Turns syntax trees into expressions over the qualified names of one scope; faults are added to `complaints`.

    Where there is a list `unindexed`, an array without an index means its first cell as a value, and is added to it.
    """

    def __init__(
        self,
        scope: Scope,
        origin: Origin,
        complaints: list[Complaint] | None = None,
        unindexed: list[tuple[str, SourceSpan]] | None = None,
    ) -> None:
        self.scope = scope
        self.origin = origin
        self.complaints: list[Complaint] = [] if complaints is None else complaints
        self.unindexed = unindexed

    def expression(self, tree: Syntax) -> Expr:
        """The expression of a tree, with 0 in the place of each faulty part."""
        expression = self._limited(tree, self._expression)
        return FALSE if expression is None else expression

    def assignments(self, tree: Syntax) -> tuple[Assignment, ...]:
        """The assignments of a tree, in order."""
        return tuple(self._assignment(*trees(part)) for part in trees(tree))

    def synchronisation(self, tree: Syntax) -> Synchronisation:
        """The synchronisation of a tree."""
        token = names(tree)[0]
        passed, channel = trees(tree), self.scope.meant(token)
        self._check_channel(token, None if tree.data == "join" else len(passed))
        match tree.data:
            case "send":
                values = tuple(self.expression(part) for part in passed)
                return Synchronisation(channel=str(channel), direction=Direction.SEND, values=values)
            case "receive":
                targets = tuple(self._target(part) for part in passed)
                return Synchronisation(channel=str(channel), direction=Direction.RECEIVE, targets=targets)
            case _:
                return Synchronisation(channel=str(channel), direction=Direction.JOIN)

    def _check_channel(self, token: Token, passed: int | None) -> None:
        """Complain about a channel that does not exist or passes another number of values."""
        channel = self.scope.meant(token)
        if channel not in self.scope.channels:
            remedy = did_you_mean(token, self.scope.channels, "declare it")
            self._complain(Code.UNKNOWN_NAME, token, f"unknown channel {str(token)!r}", remedy)
            return
        wanted = self.scope.channels[channel]
        if passed is not None and wanted is not None and passed != wanted:
            values = f"{wanted} value{'s' * (wanted != 1)}"
            self._complain(
                Code.WRONG_NUMBER_OF_VALUES,
                token,
                f"channel {str(token)!r} passes {values}, not {passed}",
                f"use it with {values}",
            )

    def _assignment(self, target: Syntax, value: Syntax) -> Assignment:
        return Assignment(self._target(target), self.expression(value))

    def _limited(self, tree: Syntax, read: Callable[[Syntax], _Part]) -> _Part | None:
        """The result of `read` for the tree, or None when it has too many levels."""
        try:
            result = balanced(read(tree))
            if not is_deeper(result):
                return result
        except RecursionError:
            pass
        self._complain(
            Code.NESTED_TOO_DEEPLY, _first_token(tree), f"this expression has {TOO_DEEP}", "break it into several"
        )
        return None

    def _target(self, tree: Syntax) -> Target:
        """The place a tree names, which must be one that can be written."""
        target = self._limited(tree, self._written)
        return Ref(str(names(tree)[-1])) if target is None else target

    def _written(self, tree: Syntax) -> Target:
        name = names(tree)[-1]
        variable = self._variable(tree)
        if self._is_location(tree):
            self._complain(Code.CANNOT_ASSIGN, name, "a location cannot be assigned", "take an edge to it")
        elif variable is None:
            self._complain_unknown(tree)
        if variable is None:
            return Ref(str(name))
        if variable.constant:
            self._complain(
                Code.CANNOT_ASSIGN,
                name,
                f"{variable.name!r} is a constant and cannot be changed",
                "declare it without 'const'",
            )
        return self._place(tree, variable)

    def _expression(self, tree: Syntax) -> Expr:
        match tree.data:
            case "name" | "owned" | "member":
                return self._value(tree)
            case "number":
                return self._number(tokens(tree)[0])
            case "truth":
                return TRUE
            case "falsity":
                return FALSE
            case "group":
                return self._expression(*trees(tree))
            case "unary":
                return self._unary(tokens(tree)[0], *trees(tree))
            case "operators":
                return self._chain(tree)
            case _:
                condition, then, otherwise = trees(tree)
                return Conditional(self._expression(condition), self._expression(then), self._expression(otherwise))

    def _number(self, token: Token, sign: int = 1) -> Expr:
        # Python refuses to convert thousands of digits
        value = sign * int(token) if len(token) <= MOST_DIGITS else None
        if value is None or not -LARGEST - 1 <= value <= LARGEST:
            self._complain(
                Code.BEYOND_32_BITS, token, "this number does not fit into 32 bits", f"use at most {LARGEST}"
            )
            return FALSE
        return Literal(value)

    def _unary(self, token: Token, operand: Syntax) -> Expr:
        """The operator applied; a minus before a number makes a negative number, so that `-3` is read as it prints."""
        if token == "-" and operand.data == "number":
            return self._number(tokens(operand)[0], -1)
        return Unary(SYNONYMS.get(token, str(token)), self._expression(operand))

    def _chain(self, tree: Syntax) -> Expr:
        """The operands grouped by the precedence of their operators, to the left where it is equal."""
        first, *rest = trees(tree)
        operands, waiting = [self._expression(first)], list[str]()
        for token, operand in zip(tokens(tree), rest, strict=True):
            operator = SYNONYMS.get(token, str(token))
            while waiting and BINARY_PRECEDENCE[waiting[-1]] >= BINARY_PRECEDENCE[operator]:
                _apply(waiting.pop(), operands)
            waiting.append(operator)
            operands.append(self._expression(operand))
        while waiting:
            _apply(waiting.pop(), operands)
        return operands[0]

    def _value(self, tree: Syntax) -> Expr:
        if self._is_location(tree):
            process, location = names(tree)
            return At(str(self.scope.meant(process)), str(location))
        variable = self._variable(tree)
        if variable is None:
            self._complain_unknown(tree)
            return FALSE
        if variable.constant and variable.size is None and len(variable.initial[0]) == 1 and not trees(tree):
            return Literal(variable.initial[0][0])
        if variable.size is not None and not trees(tree) and self.unindexed is not None:
            self.unindexed.append((variable.name, self.origin.of(names(tree)[-1])))
            return Cell(variable.name, Literal(0))
        return self._place(tree, variable)

    def _place(self, tree: Syntax, variable: Variable) -> Target:
        """The variable, or the cell of it that the tree names."""
        name = names(tree)[-1]
        subscripts = trees(tree)
        if not subscripts:
            if variable.size is not None:
                self._complain(
                    Code.INDEX_MISSING,
                    name,
                    f"{variable.name!r} is an array",
                    f"choose a cell, as in {variable.name}[0]",
                )
            return Ref(variable.name)
        if variable.size is None:
            self._complain(Code.NOT_AN_ARRAY, name, f"{variable.name!r} is not an array", "remove the index")
        return Cell(variable.name, self._expression(*trees(subscripts[0])))

    def _is_location(self, tree: Syntax) -> bool:
        """Whether the tree is `P.location`; where P has a variable of that name too, the location is meant."""
        if tree.data != "member" or trees(tree):
            return False
        process, location = names(tree)
        return location in self.scope.locations.get(self.scope.meant(process), ())

    def _variable(self, tree: Syntax) -> Variable | None:
        owner_and_name = names(tree)
        return self.scope.find(*owner_and_name) if len(owner_and_name) == 1 else self.scope.member(*owner_and_name)

    def _complain_unknown(self, tree: Syntax) -> None:
        """Complain that a tree names no variable, and why."""
        *owners, name = names(tree)
        if not owners:
            complaint = unknown_name(str(name), self.scope, self.origin.of(name))
        elif (owner := str(self.scope.meant(owners[0]))) not in (*self.scope.locations, *self.scope.channels):
            complaint = unknown_owner(owner, self.scope, self.origin.of(owners[0]))
        else:
            where, dotted = self.origin.of(name), tree.data == "member"
            complaint = unknown_member(owner, str(name), self.scope, where, dotted=dotted)
        self.complaints.append(complaint)

    def _complain(self, code: Code, token: Token, what: str, remedy: str = "") -> None:
        self.complaints.append(Complaint(code, what, remedy, self.origin.of(token)))


def _apply(operator: str, operands: list[Expr]) -> None:
    right, left = operands.pop(), operands.pop()
    operands.append(Binary(operator, left, right))


def _first_token(tree: Syntax) -> Token:
    part: Syntax | Token = tree
    while not isinstance(part, str):
        part = part.children[0]
    return part
