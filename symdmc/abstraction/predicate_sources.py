"""Where predicates come from: given as text, or collected from the syntax of a task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from symdmc.abstraction.predicate import Claim, Predicate, location_test
from symdmc.abstraction.predicate_canonical import Canonical, is_truth
from symdmc.abstraction.predicate_linear import NotLinear
from symdmc.errors import Complaint, ModelError
from symdmc.model.expression_parser import parse_expression
from symdmc.model.expressions import At, Binary, Conditional, Expr, Literal, Unary, children
from symdmc.model.scope import Scope
from symdmc.task.task import Task, Transition, VariableKind

MOST_ROWS = 1 << 12
"""An opaque predicate is collected only where it can be judged by at most so many combinations of values."""
GIVEN, LOCATION, GUARD, INVARIANT, ERROR = "given", "location", "guard", "invariant", "error"
_REAL = re.compile(r"(?<![\w.>])\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Source:
    """One place a predicate comes from."""

    kind: str
    """`given`, `location`, `guard`, `invariant` or `error`."""
    where: str
    """The text given, the process, the transition or its label, the location, the name of the question."""

    def __str__(self) -> str:
        return f"{self.kind} {self.where}".rstrip()


@dataclass(frozen=True, slots=True)
class FoundPredicate:
    """A predicate with every place it comes from, in the order they were met."""

    predicate: Predicate
    sources: tuple[Source, ...]


def atoms(expression: Expr) -> Iterator[Expr]:
    """The conditions that a condition combines by `and`, `or`, `imply`, `not` and `?:`, from left to right."""
    match expression:
        case Literal():
            return
        case Unary("not", operand):
            yield from atoms(operand)
        case Binary("and" | "or" | "imply", left, right):
            yield from atoms(left)
            yield from atoms(right)
        case Binary("==" | "!=", operand, Literal(0)) if is_truth(operand):
            yield from atoms(operand)
        case Conditional(condition, then, otherwise):
            for part in (condition, then, otherwise):
                yield from atoms(part)
        case _:
            yield expression


class _Collection:
    """Predicates in order of appearance, each once."""

    def __init__(self) -> None:
        self.found: dict[Predicate, FoundPredicate] = {}

    def add(self, predicate: Predicate, source: Source) -> None:
        known = self.found.get(predicate, FoundPredicate(predicate, ()))
        if source not in known.sources:
            known = replace(known, sources=(*known.sources, source))
        self.found[predicate] = known


def predicates_given(task: Task, texts: Iterable[str]) -> tuple[FoundPredicate, ...]:
    """The predicates that texts such as `x + y >= 3` mean; ModelError has one line for each that cannot be used.

    A text may combine conditions by `and`, `or` and `not`; each of them becomes a predicate. Refused are unknown names,
    real numbers, what is not linear, what always or never holds, and what says the same as a text before it.
    """
    reader = _Given(task)
    for text in texts:
        reader.read(text)
    if reader.complaints:
        raise ModelError(reader.complaints)
    return tuple(reader.collection.found.values())


class _Given:
    def __init__(self, task: Task) -> None:
        self.task, self.canonical, self.scope = task, Canonical(task), Scope.of(task.system)
        self.collection = _Collection()
        self.complaints: list[Complaint] = []

    def read(self, text: str) -> None:
        where = f"predicate {text.strip()!r}"
        real = _REAL.search(text)
        if real:
            what = f"{real.group()} is no integer, and all variables are"
            self.complaints.append(
                Complaint(what, f"compare with {int(float(real.group()))} or the next integer", where)
            )
            return
        try:
            expression = parse_expression(text, self.scope, file="<predicate>")
        except ModelError as fault:
            self.complaints.extend(fault.complaints)
            return
        own: dict[Predicate, None] = {}
        for atom in list(atoms(expression)) or [expression]:
            problem = self._problem(atom, own)
            if problem is not None:
                self.complaints.append(Complaint(*problem, where))
        for predicate in own:
            self.collection.add(predicate, Source(GIVEN, text.strip()))

    def _problem(self, atom: Expr, own: dict[Predicate, None]) -> tuple[str, str] | None:
        """What is wrong with one condition, and what to do; None adds it to the text's own predicates."""
        remedy = "use sums of variables, with constant factors, on both sides of a comparison"
        try:
            truth = self.canonical.claim(atom) if isinstance(atom, At) else self.canonical.linear(atom)
        except NotLinear as reason:
            return f"'{atom}' is not linear: it has {reason}", remedy
        if not isinstance(truth, Claim):
            told = "always" if truth else "never"
            return f"'{atom}' {told} holds for the values that can occur", "leave it out"
        earlier = self.collection.found.get(truth.predicate)
        if earlier is not None:
            return f"says the same as '{earlier.sources[0].where}', given before it", "leave one of them out"
        own[truth.predicate] = None
        return None


def predicates_of_error(task: Task) -> tuple[FoundPredicate, ...]:
    """The conditions in the error condition of a task, as `predicates_of_syntax` has them."""
    return _collected(Canonical(task), [(task.error.expression, Source(ERROR, task.error.name))])


def predicates_of_syntax(task: Task) -> tuple[FoundPredicate, ...]:
    """Every location, and the conditions in guards, location invariants and the error condition of a task.

    As in [HSRKP07, section 4]. Only transitions that can run are looked at. A condition that is not linear is kept,
    opaque, where it can be judged by few combinations of values and never faults; else it is left out.
    """
    return _collected(Canonical(task), _conditions(task))


def _collected(canonical: Canonical, conditions: Iterable[tuple[Expr, Source]]) -> tuple[FoundPredicate, ...]:
    collection = _Collection()
    for expression, source in conditions:
        for atom in atoms(expression):
            for predicate in _usable(canonical, atom):
                collection.add(predicate, source)
    return tuple(collection.found.values())


def _conditions(task: Task) -> Iterator[tuple[Expr, Source]]:
    for number, variable in enumerate(task.variables):
        if variable.kind is VariableKind.LOCATION:
            for place in map(int, task.analysis.domains[number].array):
                yield (
                    location_test(task, number, place),
                    Source(LOCATION, f"{variable.name}.{variable.value_names[place]}"),
                )
    for number in sorted(task.analysis.possible):
        transition = task.transitions[number]
        source = Source(GUARD, _described(transition))
        yield transition.guard, source
        for branch in transition.branches:
            if branch.condition is not None:
                yield branch.condition, source
    for process in task.system.processes:
        for location in process.locations:
            yield location.invariant, Source(INVARIANT, f"{process.name}.{location.name}")
    yield task.error.expression, Source(ERROR, task.error.name)


def _described(transition: Transition) -> str:
    first = transition.branches[0]
    moves = f"{first.process}: {first.source} -> {first.target}"
    return f"{transition.label} ({moves})" if transition.label else moves


def _usable(canonical: Canonical, atom: Expr) -> Iterator[Predicate]:
    """The predicate of a condition; of one that counts or computes with conditions, theirs."""
    inside = list(_conditions_inside(atom))
    for condition in inside:
        for each in atoms(condition):
            yield from _usable(canonical, each)
    truth = True if inside else canonical.claim(atom)
    if isinstance(truth, Claim):
        predicate = truth.predicate
        if predicate.linear is not None or canonical.is_total(predicate.expression, MOST_ROWS):
            yield predicate


def _conditions_inside(expression: Expr) -> Iterator[Expr]:
    for part in children(expression):
        if is_truth(part) and not isinstance(part, Literal):
            yield part
        else:
            yield from _conditions_inside(part)
