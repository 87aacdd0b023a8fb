"""Text to syntax trees of the expression grammar, with complaints about syntax in words a user understands."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.model.expressions import MOST_LEVELS, TOO_DEEP
from symdmc.model.parsing.other_languages import other_spelling
from symdmc.spelling.suggestions import listed, nearest
from symdmc.user_cache import cache_folder

if TYPE_CHECKING:  # importing lark takes longer than all the rest of symdmc.model
    from lark import Lark, Token, Tree, UnexpectedInput

    Syntax: TypeAlias = Tree[Token]

GRAMMARS = Path(__file__).parent
MOST_NESTED = 200
"""The most brackets around anything."""

_BRACKET = re.compile(r"//[^\n]*+|/\*[\s\S]*?\*/|[()\[\]{}]")

LONG = 20_000
"""The letters from which on a text is searched for deep nesting before it is parsed, which takes long."""
_INDEX = re.compile(r"\[[^][]*+\]")
_OPERAND = r"[\w.]++(?:\[[^][]*+\])?+\s*+"
_RUN = re.compile(
    r"//[^\n]*+|/\*[\s\S]*?\*/"
    r"|(?P<unary>(?:(?:not\b|[-~!])\s*+){2,})"
    rf"|(?<![\w.])(?:{_OPERAND}\?\s*+{_OPERAND}(?P<choice>:)\s*+)++"
    rf"|(?<![\w.]){_OPERAND}(?P<operator>\bimply\b|<<|>>|[<>=!]=|/(?![/*])|[-%<>])\s*+(?:{_OPERAND}(?P=operator)\s*+)*+"
)
"""Comments, and operators of one kind that nest: they stand before an operand, or between operands without brackets."""

_OPERATORS = frozenset({"OPERATOR", "MINUS", "AND", "OR", "IMPLY", "QMARK"})
_OPERANDS = frozenset({"NAME", "NUMBER", "TRUE", "FALSE", "LPAR", "MINUS", "TILDE", "NOT", "BANG"})
_SUFFIXES = frozenset({"DOT", "ARROW", "LSQB"})
_WORDS: Mapping[str, str] = MappingProxyType({"NAME": "a name", "NUMBER": "a number"})


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of the first character of a text inside a file."""

    file: str
    line: int = 1
    column: int = 1

    def span(self, line: int, column: int) -> SourceSpan:
        """The place in the file of a place in the text."""
        return SourceSpan(self.file, self.line + line - 1, column + self.column - 1 if line == 1 else column)

    def of(self, token: Token) -> SourceSpan:
        """The place of a token."""
        return self.span(token.line or 1, token.column or 1)


class WholeWords:
    """Makes the lexer try a name everywhere, so that `andx` is never read as `and x`; passes the tokens on."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens as they are."""
        return stream


@cache
def _grammar() -> Lark:
    return build_grammar(GRAMMARS / "expressions.lark", "expression", "assignments", "synchronisation")


def build_grammar(file: Path, *starts: str) -> Lark:
    """The parser of a grammar file, which may import `expressions`; its tables are cached between runs."""
    from lark import Lark

    text = file.read_text(encoding="utf-8")
    folder = cache_folder(f"grammars-{sys.version_info.major}.{sys.version_info.minor}")
    kept = False if folder is None else str(folder / f"{file.stem}.tables")
    return Lark(text, parser="lalr", start=list(starts), postlex=WholeWords(), import_paths=[str(GRAMMARS)], cache=kept)


def parse_syntax(text: str, start: str, origin: Origin) -> Syntax:
    """The syntax tree of a text: an `expression`, `assignments` or a `synchronisation`."""
    return parse_with(_grammar(), text, origin, start)


def parse_with(grammar: Lark, text: str, origin: Origin, start: str | None = None) -> Syntax:
    """The syntax tree of a text in a grammar built on the expression grammar; ModelError says what was expected."""
    from lark import UnexpectedInput

    if (place := _too_deep(text)) is not None:
        where = origin.span(text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place))
        what = f"brackets are nested more than {MOST_NESTED} levels deep"
        raise ModelError(Complaint(Code.NESTED_TOO_DEEPLY, what, "use fewer", where))
    if len(text) >= LONG and (place := _too_many_levels(text)) is not None:
        where = origin.span(text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place))
        what = f"this expression has {TOO_DEEP}"
        raise ModelError(Complaint(Code.NESTED_TOO_DEEPLY, what, "break it into several", where))
    try:
        return grammar.parse(text, start=start)
    except UnexpectedInput as error:
        raise ModelError(_complaint(grammar, error, text, origin)) from None


def _too_deep(text: str) -> int | None:
    """The place of the first bracket that is inside too many others; reading recurses into each."""
    if sum(map(text.count, "([{")) <= MOST_NESTED:
        return None
    depth = 0
    for found in _BRACKET.finditer(text):
        kind = found[0]
        if kind in "([{":
            depth += 1
            if depth > MOST_NESTED:
                return found.start()
        elif kind in ")]}":
            depth -= 1
    return None


def _too_many_levels(text: str) -> int | None:
    """The place of the first operators that must make an expression too deep, whatever stands around them."""
    for found in _RUN.finditer(text):
        kind = found.lastgroup
        if kind is None:
            continue
        outside = _INDEX.sub("", found[0])
        levels = len(re.findall(_written_in_run(kind, found[kind]), outside))
        if levels > MOST_LEVELS + 1:  # the last minus may belong to a number
            return found.start()
    return None


def _written_in_run(kind: str, operator: str) -> str:
    """What to look for, to count the operators of a run."""
    if kind == "unary":
        return r"not|\S"
    return r"\bimply\b" if operator == "imply" else re.escape(operator)


def _complaint(grammar: Lark, error: UnexpectedInput, text: str, origin: Origin) -> Complaint:
    found = _found(error, text)
    expected = _accepted(error)
    if not found:
        lines = text.rstrip().split("\n")
        place = origin.span(len(lines), len(lines[-1]) + 1)
        return Complaint(
            Code.SYNTAX_ERROR, "the text ends too early", f"expected {_in_words(grammar, expected)}", place
        )
    place = origin.span(error.line, error.column)
    if text.startswith("/*", error.pos_in_stream or 0):
        return Complaint(Code.SYNTAX_ERROR, "this comment is never closed", "end it with '*/'", place)
    remedy = other_spelling(text, error.pos_in_stream or 0) or _remedy(grammar, found, expected)
    return Complaint(Code.SYNTAX_ERROR, f"unexpected {found!r}", remedy, place)


def _found(error: UnexpectedInput, text: str) -> str:
    """The text at the place of the error; empty at the end."""
    from lark import UnexpectedToken

    if isinstance(error, UnexpectedToken):
        return "" if error.token.type == "$END" else str(error.token)
    return text[error.pos_in_stream or 0]


def _accepted(error: UnexpectedInput) -> frozenset[str]:
    """The terminals that could have come next; none could where all before the place is a whole text."""
    parser = getattr(error, "interactive_parser", None)  # set by the LALR parser, unknown to lark's types
    return frozenset(parser.accepts() if parser is not None else ()) or frozenset({"$END"})


def _remedy(grammar: Lark, found: str, expected: frozenset[str]) -> str:
    if found == "=" and "OPERATOR" in expected:
        return "'==' compares"
    texts = {name: _text(grammar, name) for name in expected}
    guess = nearest(found, (text for text in texts.values() if text is not None and text.isalpha()))
    if guess is not None and guess != found:
        return f"did you mean {guess!r}?"
    return f"expected {_in_words(grammar, expected)}"


def _in_words(grammar: Lark, expected: frozenset[str]) -> str:
    """The terminals as a phrase, in which all that can begin a value is one word, and all operators are one."""
    words = []
    rest = set(expected)
    if {"NAME", "NUMBER", "LPAR"} <= rest:
        words.append("a value")
        rest -= _OPERANDS
    elif {"OPERATOR", "AND", "OR"} <= rest:
        words.append("an operator")
        rest -= _OPERATORS | _SUFFIXES
    words += [_WORDS[name] for name in sorted(rest & _WORDS.keys())]
    words += sorted(f"{text!r}" for name in rest if (text := _text(grammar, name)) is not None)
    return listed([*words, "the end"] if "$END" in rest else words)


def _text(grammar: Lark, terminal: str) -> str | None:
    """The one text a terminal stands for, or None."""
    from lark.lexer import PatternStr

    if terminal == "$END":
        return None
    pattern = grammar.get_terminal(terminal).pattern
    return pattern.value if isinstance(pattern, PatternStr) else None


def trees(tree: Syntax) -> list[Syntax]:
    """The parts of a tree that are trees."""
    return [part for part in tree.children if not isinstance(part, str)]


def tokens(tree: Syntax) -> list[Token]:
    """The parts of a tree that are tokens."""
    return [part for part in tree.children if isinstance(part, str)]


def names(tree: Syntax) -> list[Token]:
    """The names that stand directly in a tree; for a place its name, after the name of its owner if it has one."""
    return [part for part in tree.children if isinstance(part, str) and part.type == "NAME"]
