"""Predicates given by the user, as texts or in files: each in canonical form, or refused in one line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, prod
from pathlib import Path

from symdmc.abstraction.entailment.entailment import Entailment
from symdmc.abstraction.predicates.canonical import is_truth
from symdmc.abstraction.predicates.linear import NotLinear
from symdmc.abstraction.predicates.predicate import Claim, Predicate, Truth
from symdmc.abstraction.predicates.sources import (
    GIVEN,
    MOST_ROWS,
    FoundPredicate,
    PredicateCollection,
    Source,
    atoms,
    is_usable,
)
from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.model.expressions import At, Binary, Cell, Expr, Literal, Ref, children
from symdmc.model.files.text_file import read_text_file
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.task.task import Task

OPTION = SourceSpan("<predicate>", 1, 1)
"""The place of a text that is in no file."""
MOST_CASES = 64
"""At most this many conjunctions of a text are checked to decide whether it can hold, and whether it can be false."""
_REAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+)")
_COMPARED = re.compile(r"([^<>=.]*[^<>=.\s])\s*(>=|<=|<|>)\s*(-?(?:\d+\.\d*|\.\d+))")


def predicates_given(task: Task, texts: Iterable[str], files: Iterable[Path] = ()) -> tuple[FoundPredicate, ...]:
    """The predicates that texts such as `x + y >= 3` mean, and those of files with one a line.

    A text may combine conditions by `and`, `or` and `not`; each of them becomes a predicate. ModelError has one line
    for each that cannot be used: unknown names, real numbers, numbers in the place of conditions, products of
    variables, other arithmetic that faults or reads too many values (as for `predicates_of_syntax`), what always or
    never holds, and what gives no predicate that was not given before.
    """
    reader = _Reader(task)
    for text in texts:
        reader.read(PredicateText(text))
    for path in files:
        try:
            for line in lines_of(path):
                reader.read(line)
        except ModelError as fault:
            reader.complaints.extend(fault.complaints)
    if reader.complaints:
        raise ModelError(reader.complaints)
    return tuple(reader.collection.found.values())


@dataclass(frozen=True, slots=True)
class PredicateText:
    """A text that means predicates, and its place."""

    text: str
    where: SourceSpan = OPTION
    """The place of its first character, which may be a space."""

    def __str__(self) -> str:
        return f"'{self.text.strip()}' ({self.where.file}:{self.where.line})"


def lines_of(path: Path) -> list[PredicateText]:
    """The lines of a file that have more than a comment; raises ModelError if there is none."""
    lines = enumerate(read_text_file(path, "a file with a predicate a line").splitlines(), 1)
    texts = ((line.partition("#")[0], number) for number, line in lines)
    found = [PredicateText(text, SourceSpan(str(path), number, 1)) for text, number in texts if text.strip()]
    if not found:
        raise ModelError(Complaint(Code.EMPTY_FILE, "has no predicate", "write one a line", str(path)))
    return found


class _Unusable(Exception):
    """A condition cannot be used: the code, the reason, and the remedy."""

    def __init__(self, code: Code, what: str, remedy: str) -> None:
        super().__init__(what)
        self.code, self.what, self.remedy = code, what, remedy


class _Reader:
    def __init__(self, task: Task) -> None:
        self.task, self.scope = task, Scope.of(task.system)
        self.entailment = Entailment(task)
        self.canonical = self.entailment.canonical
        self.collection = PredicateCollection()
        self.complaints: list[Complaint] = []
        self._places: dict[Predicate, PredicateText] = {}

    def read(self, written: PredicateText) -> None:
        """Add the predicates of a text, or complaints about it."""
        try:
            own = self._predicates(written)
        except ModelError as fault:
            self.complaints.extend(fault.complaints)
            return
        for predicate in own:
            self.collection.add(predicate, Source(GIVEN, written.text.strip()))
            self._places.setdefault(predicate, written)

    def _predicates(self, written: PredicateText) -> list[Predicate]:
        text, start = written.text, written.where
        try:
            expression = parse_expression(text, self.scope, file=start.file, line=start.line, column=start.column)
        except ModelError as fault:
            raise _about_real_numbers(written, fault) or fault from None
        where = replace(start, column=start.column + len(text) - len(text.lstrip()))
        if not self._is_condition(expression):
            what = f"{str(expression)!r} is a number, not a condition"
            raise ModelError(
                Complaint(
                    Code.NOT_A_CONDITION, what, f"compare it, as in '{Binary('>=', expression, Literal(1))}'", where
                )
            )
        complaints, own = list[Complaint](), dict[Predicate, None]()
        for atom in list(atoms(expression)) or [expression]:
            try:
                own[self._predicate(atom)] = None
            except _Unusable as problem:
                complaints.append(Complaint(problem.code, problem.what, problem.remedy, where))
        if complaints and self._is_usable_as_a_whole(expression):
            complaints, own = [], {self._predicate(expression): None}
        if not complaints:
            complaints += self._useless(expression, text.strip(), own, where)
        if complaints:
            raise ModelError(dict.fromkeys(complaints))
        return list(own)

    def _is_usable_as_a_whole(self, expression: Expr) -> bool:
        """Whether one condition prevents faults of another one, as in `i < 3 and a[i] == 1`."""
        if self._multiplies(expression) or all(self.canonical.is_total(each, MOST_ROWS) for each in atoms(expression)):
            return False
        truth = self.canonical.claim(expression)
        return isinstance(truth, Claim) and is_usable(self.canonical, truth.predicate)

    def _is_condition(self, expression: Expr) -> bool:
        """Whether its value can only be 0 or 1: by its form, or as a variable with no other values."""
        if not isinstance(expression, Ref | Cell):
            return is_truth(expression)
        domains = [self.canonical.domains[number] for number in self.task.layout.targets(expression)]
        return all(domain.low >= 0 and domain.high <= 1 for domain in domains)

    def _predicate(self, atom: Expr) -> Predicate:
        """The predicate of a single condition."""
        try:
            truth = self.canonical.claim(atom) if isinstance(atom, At) else self.canonical.linear(atom)
        except NotLinear as reason:
            truth = self._opaque(atom, str(reason))
        if not isinstance(truth, Claim):
            raise _settled(f"'{atom}'", always=truth)
        decided = self.entailment.decide((), truth.predicate)
        if decided is not None:
            raise _settled(f"'{atom}'", always=decided is truth.holds)
        return truth.predicate

    def _opaque(self, atom: Expr, reason: str) -> Truth:
        """A condition that is not linear, if it has no product of variables and can be judged by few values."""
        if self._multiplies(atom):
            remedy = "use sums of variables, with constant factors, on both sides of a comparison"
            raise _Unusable(Code.NOT_LINEAR, f"'{atom}' is not linear: it has a product of variables", remedy)
        truth = self.canonical.claim(atom)
        if isinstance(truth, Claim) and not is_usable(self.canonical, truth.predicate):
            raise self._unjudged(atom, truth.predicate, reason)
        return truth

    def _unjudged(self, atom: Expr, predicate: Predicate, reason: str) -> _Unusable:
        what = f"'{atom}' is not linear: it has {reason}"
        if prod(self.canonical.domains[number].count for number in predicate.support) > MOST_ROWS:
            limit = f"more than {MOST_ROWS:,} combinations of values"
            return _Unusable(Code.NOT_LINEAR, f"{what}, and {limit}", "use sums of variables, with constant factors")
        return _Unusable(
            Code.NOT_LINEAR, f"{what}, and faults for some values", "say before it, with 'and', when it does not fault"
        )

    def _multiplies(self, expression: Expr) -> bool:
        support = self.task.layout.support
        match expression:
            case Binary("*", left, right) if support(left) and support(right):
                return True
        return any(map(self._multiplies, children(expression)))

    def _useless(
        self, expression: Expr, text: str, own: Collection[Predicate], where: SourceSpan
    ) -> Iterator[Complaint]:
        """Why a text as a whole is useless, if it is."""
        for holds in (True, False):
            cases = self.canonical.cases(expression, holds=holds, limit=MOST_CASES)
            if all(map(self.entailment.is_impossible, cases)):
                problem = _settled(f"'{text}'", always=not holds)
                yield Complaint(problem.code, problem.what, problem.remedy, where)
                return
        before = [self._places[each] for each in own if each in self._places]
        if len(before) == len(own):
            said = " and ".join(str(each) for each in dict.fromkeys(before))
            what = f"'{text}' is a duplicate of {said}, as it is or negated"
            yield Complaint(Code.GIVEN_TWICE, what, "leave one of them out", where)


def _settled(what: str, *, always: bool) -> _Unusable:
    found = f"{what} {'always' if always else 'never'} holds for the values that can occur"
    return _Unusable(Code.SETTLED_PREDICATE, found, "leave it out")


def _about_real_numbers(written: PredicateText, fault: ModelError) -> ModelError | None:
    """The complaint about a real number where a text cannot be read because of one."""
    where = fault.complaints[0].where
    if not isinstance(where, SourceSpan) or where.line != written.where.line:
        return None
    place = where.column - written.where.column
    for real in _REAL.finditer(written.text):
        if real.start() <= place < real.end():
            what = f"{real.group()} is no whole number, and variables are integers"
            start = replace(where, column=written.where.column + real.start())
            return ModelError(Complaint(Code.NOT_A_WHOLE_NUMBER, what, _in_whole_numbers(written.text.strip()), start))
    return None


def _in_whole_numbers(text: str) -> str:
    """The remedy for a comparison with a real number."""
    found = _COMPARED.fullmatch(text)
    if found is None:
        return "write whole numbers only; both sides may be multiplied by the same one"
    left, operator, real = found.groups()
    value = Fraction(real)
    return f"write a whole number, as in '{left} {operator} {ceil(value) if operator in ('>=', '<') else floor(value)}'"
