"""Candidates for mutants of a file, found in its syntax tree: help for whoever writes entries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change: the lines that stand there, and what stands instead."""

    line: int
    kind: str
    text: str
    instead: str


def candidates(source: str) -> list[Candidate]:
    """All candidates of a source text, in the order of its lines, each with lines that occur exactly once."""
    tree = ast.parse(source)
    found = {
        (start, end, instead): kind
        for node in _living(tree)
        for start, end, instead, kind in _changes(node, _Places(source))
    }
    made = [_candidate(source, start, end, instead, kind) for (start, end, instead), kind in sorted(found.items())]
    return [
        candidate
        for candidate in made
        if candidate.text != candidate.instead and _parses(source.replace(candidate.text, candidate.instead))
    ]


def _living(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that do something when they run: no annotations, no raised messages, no assertions of types."""
    if isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr)):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _living(child)


class _Places:
    """Where nodes lie in the text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._lines = source.splitlines(keepends=True)

    def place(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def bracketed(self, node: ast.expr) -> tuple[int, int]:
        """The same with the brackets around it."""
        start, end = self.span(node)
        while start > 0 and self.source[start - 1] == "(" and self.source[end : end + 1] == ")":
            start, end = start - 1, end + 1
        return start, end

    def text(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.source[start:end]


Change = tuple[int, int, str, str]


def _changes(node: ast.AST, places: _Places) -> Iterator[Change]:
    """Start, end, what stands instead, and the kind of each change of one node."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            between = places.span(left)[1], places.span(right)[0]
            yield *between, f" {COMPARISONS[type(operator)]} ", "comparison"
        case ast.BoolOp(values=values):
            spans = [places.bracketed(value) for value in values]
            for (start, _), (following, _) in pairwise(spans):
                yield start, following, "", "dropped part"
            yield spans[-2][1], spans[-1][1], "", "dropped part"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            between = places.span(left)[1], places.span(right)[0]
            if not _is_bracketed(places.source[between[0] : between[1]]):
                yield *between, f" {OPERATORS[type(op)]} ", "operator"
                yield *places.span(node), places.text(left), "missing term"
        case ast.Constant(value=bool(value)):
            yield *places.span(node), str(not value), "swapped truth"
        case ast.Constant(value=int(value)):
            yield *places.span(node), str(value + 1), "off by one"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield *places.span(node), places.text(operand), "dropped not"
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            swapped = f"{places.text(otherwise)} if {places.text(test)} else {places.text(body)}"
            yield *places.span(node), swapped, "swapped branches"
        case ast.If(test=test) | ast.While(test=test):
            yield *places.span(test), f"not ({places.text(test)})", "turned condition"
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield *places.span(node.func), CALLS[name], "other quantifier"
        case ast.Continue():
            yield *places.span(node), "break", "break for continue"
        case ast.Break():
            yield *places.span(node), "continue", "continue for break"
        case ast.AugAssign():
            yield *places.span(node), "pass", "dropped statement"
        case ast.Expr(value=ast.Call()):
            yield *places.span(node), "pass", "dropped statement"
        case ast.comprehension(ifs=[test, *_]):
            yield *places.span(test), "True", "dropped filter"


def _is_bracketed(between: str) -> bool:
    return "(" in between or ")" in between or "\n" in between


def _candidate(source: str, start: int, end: int, instead: str, kind: str) -> Candidate:
    """The change as whole lines: those it touches, and as many before them as make the text occur once."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", end)
    last = len(source) if last < 0 else last
    line = source.count("\n", 0, start) + 1
    while source.count(source[first:last]) > 1 and first > 0:
        first = source.rfind("\n", 0, first - 1) + 1
    return Candidate(line, kind, source[first:last], source[first:start] + instead + source[end:last])


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True
