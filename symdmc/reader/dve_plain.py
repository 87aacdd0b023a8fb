"""Plain transitions of a DVE model, read without the grammar: most of a large model, and ten times as fast.

The transitions without synchronisations, comments and `? :` are cut out of the text, and one token stands for each run
of them. What is read here is what the grammar means by it; whatever is not surely right raises NotPlain, and the model
is read again by the grammar alone, which then has all complaints to itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.errors import SourceSpan
from symdmc.model.expressions import (
    BINARY_PRECEDENCE,
    FALSE,
    LONG_CHAIN,
    MOST_LEVELS,
    TRUE,
    At,
    Binary,
    Cell,
    Expr,
    Literal,
    Ref,
    Target,
    Unary,
    balanced,
    conjunction,
    is_deeper,
)
from symdmc.model.parsing.parser import LARGEST, MOST_DIGITS, SYNONYMS
from symdmc.model.parsing.syntax import MOST_NESTED
from symdmc.model.scope import RESERVED_WORDS, Scope
from symdmc.model.system import Assignment, Edge, Variable

READY = "\x01"
"""Stands for a run of transitions."""

_SPACE = r"[ \t\r\n\f]*+"
_NAME = "[A-Za-z_][A-Za-z0-9_]*+"
_COMMENT = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/"
_SECTION = re.compile(rf"{_COMMENT}|\btrans\b", re.ASCII)
_PLAIN = re.compile(
    rf"(?:({_NAME}){_SPACE})?->{_SPACE}({_NAME}){_SPACE}\{{((?:[^{{}}:?/\x80-\U0010ffff]|/(?![/*]))*+)\}}", re.ASCII
)
_OTHER = re.compile(
    rf"(?:{_NAME}{_SPACE})?->{_SPACE}{_NAME}{_SPACE}\{{(?:{_COMMENT}|[^{{}}/]|/|\{{[^{{}}]*+\}})*+\}}", re.ASCII
)
_GAP = re.compile(r"[ \t\r\n\f]*+,?[ \t\r\n\f]*+")
_COMMENTED_GAP = re.compile(rf"(?:[ \t\r\n\f,]|{_COMMENT})*+")
_SYNC = re.compile(r"\bsync\b", re.ASCII)
_TOKEN = re.compile(rf"{_NAME}|[0-9]++|<<|>>|<=|>=|==|!=|&&|\|\||->|[^ \t\r\n\f]", re.ASCII)
_LEVELS: Mapping[str, int] = {
    **BINARY_PRECEDENCE,
    **{text: BINARY_PRECEDENCE[word] for text, word in SYNONYMS.items() if word in BINARY_PRECEDENCE},
}
_DEEPEST = MOST_NESTED - 10
"""With the brackets of the process and the transition."""


Runs: TypeAlias = Mapping[int, list[re.Match[str]]]
"""Runs of plain transitions, by the place of the token that stands for each."""


class NotPlain(Exception):
    """The grammar has to read this."""


@dataclass(frozen=True, slots=True)
class PlainRuns:
    """A text with a token for each run of plain transitions, and the transitions by the place of the token."""

    text: str
    runs: Runs


def plain_runs(text: str) -> PlainRuns | None:
    """The runs of plain transitions in a text; None where there are none. All else keeps its place."""
    if READY in text:
        return None
    runs: dict[int, list[re.Match[str]]] = {}
    position = 0
    while (found := _SECTION.search(text, position)) is not None:
        position = found.end()
        if found[0] == "trans":
            for run in _section(text, position):
                runs[run[0].start()] = run
                position = run[-1].end()
    if not runs:
        return None
    parts, last = [], 0
    for start, run in runs.items():
        end = run[-1].end()
        parts += [text[last:start], READY, re.sub(r"[^\n]", " ", text[start + 1 : end])]
        last = end
    return PlainRuns("".join((*parts, text[last:])), runs)


def _section(text: str, position: int) -> Iterator[list[re.Match[str]]]:
    """The runs of plain transitions after the word `trans`."""
    run: list[re.Match[str]] = []
    while True:
        gap = (_GAP if run else _COMMENTED_GAP).match(text, position)
        place = position if gap is None else gap.end()
        plain = _PLAIN.match(text, place)
        if plain is not None and _SYNC.search(plain[3]) is None:
            run.append(plain)
            position = plain.end()
        elif run:
            yield run
            run = []
        elif (other := _OTHER.match(text, place)) is not None:
            position = other.end()
        else:
            return


class PlainReader:
    """Reads the plain transitions of one process."""

    def __init__(self, scope: Scope, locations: Collection[str], lines: Lines) -> None:
        self._scope, self._locations, self._lines = scope, locations, lines
        self._values: dict[str, Expr] = {}
        """What a name alone means."""
        self._tokens: list[str] = []
        self._at = 0
        self._depth = 0

    def edges(self, run: list[re.Match[str]], source: str | None) -> Iterator[Edge]:
        """The edges of a run; `source` is that of the transition before it."""
        for found in run:
            source = found[1] or source
            if source is None or source not in self._locations or found[2] not in self._locations:
                raise NotPlain
            try:
                guard, assignments = self._clauses(found[3])
            except (IndexError, RecursionError):  # the text ends too early, or is nested too deeply
                raise NotPlain from None
            place = self._lines.span(found.start())
            yield Edge(source=source, target=found[2], guard=guard, assignments=assignments, span=place)

    def _clauses(self, body: str) -> tuple[Expr, tuple[Assignment, ...]]:
        self._tokens, self._at = [*_TOKEN.findall(body), ""], 0
        guard: Expr | None = None
        assignments: list[Assignment] | None = None
        while word := self._next():
            if word == "guard" and guard is None:
                parts = [self._expression()]
                while self._tokens[self._at] == ",":
                    self._at += 1
                    parts.append(self._expression())
                guard = conjunction(*parts)
            elif word == "effect" and assignments is None:
                assignments = [self._assignment()]
                while self._tokens[self._at] == ",":
                    self._at += 1
                    assignments.append(self._assignment())
            else:
                raise NotPlain
            self._require(";")
        return TRUE if guard is None else guard, tuple(assignments or ())

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _require(self, token: str) -> None:
        if self._next() != token:
            raise NotPlain

    def _assignment(self) -> Assignment:
        target = self._target()
        self._require("=")
        return Assignment(target, self._expression())

    def _target(self) -> Target:
        name = self._next()
        place, depth = self._place(name) if self._tokens[self._at] in ("->", ".", "[") else (self._value(name), 1)
        if not isinstance(place, Ref | Cell) or depth > MOST_LEVELS:
            raise NotPlain
        variable = self._scope.variables[place.name if isinstance(place, Ref) else place.array]
        if variable.constant:
            raise NotPlain
        return balanced(place)

    def _expression(self) -> Expr:
        start = self._at
        expression, levels = self._chain()
        if self._at - start > 2 * LONG_CHAIN:
            expression = balanced(expression)
        if levels > MOST_LEVELS and is_deeper(expression):
            raise NotPlain
        return expression

    def _chain(self) -> tuple[Expr, int]:
        """An expression and the number of its levels; operators are grouped by precedence, and to the left."""
        tokens = self._tokens
        left, levels = self._operand()
        waiting: list[tuple[Expr, int, str, int]] = []
        while (precedence := _LEVELS.get(tokens[self._at])) is not None:
            operator = SYNONYMS.get(tokens[self._at], tokens[self._at])
            while waiting and waiting[-1][3] >= precedence:
                first, deep, before, _ = waiting.pop()
                left, levels = Binary(before, first, left), (deep if deep > levels else levels) + 1
            waiting.append((left, levels, operator, precedence))
            self._at += 1
            left, levels = self._operand()
        while waiting:
            first, deep, before, _ = waiting.pop()
            left, levels = Binary(before, first, left), (deep if deep > levels else levels) + 1
        return left, levels

    def _operand(self) -> tuple[Expr, int]:
        token = self._next()
        known = self._values.get(token)
        if known is not None and self._tokens[self._at] not in ("->", ".", "["):
            return known, 1
        if token.isdecimal():
            return self._number(token), 1
        match token:
            case "(":
                return self._inside(")")
            case "-" if self._tokens[self._at].isdecimal():
                return self._number(self._next(), -1), 1
            case "-" | "~" | "not" | "!":
                operand, levels = self._operand()
                return Unary(SYNONYMS.get(token, token), operand), levels + 1
            case "true":
                return TRUE, 1
            case "false":
                return FALSE, 1
        return self._place(token)

    def _inside(self, closing: str) -> tuple[Expr, int]:
        """What stands in brackets, up to the closing one."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotPlain
        found = self._chain()
        self._require(closing)
        self._depth -= 1
        return found

    def _number(self, digits: str, sign: int = 1) -> Expr:
        if len(digits) > MOST_DIGITS or not -LARGEST - 1 <= sign * int(digits) <= LARGEST:
            raise NotPlain
        return Literal(sign * int(digits))

    def _place(self, name: str) -> tuple[Expr, int]:
        following = self._tokens[self._at]
        if following in (".", "->"):
            self._at += 1
            member = self._next()
            subscribed = self._tokens[self._at] == "["
            owner = self._scope.meant(name)
            if following == "." and not subscribed and member in self._scope.locations.get(owner, ()):
                return At(owner, member), 1
            variable = self._scope.member(name, member)
        elif following == "[":
            variable = self._scope.find(name)
        else:
            return self._value(name), 1
        if variable is None or name in RESERVED_WORDS:
            raise NotPlain
        if self._tokens[self._at] != "[":
            return _scalar(variable), 1
        if variable.size is None:
            raise NotPlain
        self._at += 1
        index, levels = self._inside("]")
        return Cell(variable.name, index), levels + 1

    def _value(self, name: str) -> Expr:
        """What a name alone means."""
        if name not in self._values:
            variable = None if name in RESERVED_WORDS else self._scope.find(name)
            if variable is None:
                raise NotPlain
            self._values[name] = _scalar(variable)
        return self._values[name]


def _scalar(variable: Variable) -> Expr:
    """What a variable means without an index."""
    if variable.size is not None:
        raise NotPlain
    if variable.constant and len(variable.initial[0]) == 1:
        return Literal(variable.initial[0][0])
    return Ref(variable.name)


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def span(self, place: int) -> SourceSpan:
        """The line and column of a place in the text."""
        line = bisect_right(self._starts, place)
        return SourceSpan(self._file, line, place - self._starts[line - 1] + 1)
