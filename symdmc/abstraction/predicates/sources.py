"""Where predicates come from, and those in the syntax of a task; `given` reads those of the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from symdmc.abstraction.predicates.canonical import Canonical, is_truth
from symdmc.abstraction.predicates.predicate import Claim, Predicate, location_test
from symdmc.model.expressions import Binary, Conditional, Expr, Literal, Unary, children
from symdmc.task.task import Task, Transition, VariableKind, conditions_of

MOST_ROWS = 1 << 12
"""An opaque predicate is used only if it can be judged by at most this many combinations of values."""
GIVEN, LOCATION, GUARD, INVARIANT, ERROR = "given", "location", "guard", "invariant", "error"


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
    """A predicate with every place it comes from, in order of appearance."""

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


class PredicateCollection:
    """Predicates in order of appearance, each once."""

    def __init__(self) -> None:
        self.found: dict[Predicate, FoundPredicate] = {}

    def add(self, predicate: Predicate, source: Source) -> None:
        """Add a predicate, or a further place it comes from."""
        known = self.found.get(predicate, FoundPredicate(predicate, ()))
        if source not in known.sources:
            known = replace(known, sources=(*known.sources, source))
        self.found[predicate] = known


def predicates_of_error(task: Task) -> tuple[FoundPredicate, ...]:
    """The predicates in the error condition of a task, as in `predicates_of_syntax`."""
    return _collected(Canonical(task), _error_conditions(task))


def predicates_of_syntax(task: Task) -> tuple[FoundPredicate, ...]:
    """Every location, and the conditions in guards, location invariants and the error condition of a task.

    As in [HSRKP07, section 4]. Only transitions that can run count. A condition that is not linear is kept, opaque, if
    it can be judged by few combinations of values and never faults; else it is left out.
    """
    return _collected(Canonical(task), _conditions(task))


def _collected(canonical: Canonical, conditions: Iterable[tuple[Expr, Source]]) -> tuple[FoundPredicate, ...]:
    collection = PredicateCollection()
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
        yield from ((condition, source) for condition in conditions_of(transition.branches))
    for process in task.system.processes:
        for location in process.locations:
            yield location.invariant, Source(INVARIANT, f"{process.name}.{location.name}")
    yield from _error_conditions(task)


def _error_conditions(task: Task) -> Iterator[tuple[Expr, Source]]:
    for condition in (task.error.expression, task.error.deadlock_where):
        yield condition, Source(ERROR, task.error.name)


def _described(transition: Transition) -> str:
    first = transition.branches[0]
    moves = f"{first.process}: {first.source} -> {first.target}"
    return f"{transition.label} ({moves})" if transition.label else moves


def _usable(canonical: Canonical, atom: Expr) -> Iterator[Predicate]:
    """The predicate of a condition; if it computes with the truth of inner conditions, their predicates."""
    inside = list(_conditions_inside(atom))
    for condition in inside:
        for each in atoms(condition):
            yield from _usable(canonical, each)
    truth = True if inside else canonical.claim(atom)
    if isinstance(truth, Claim) and is_usable(canonical, truth.predicate):
        yield truth.predicate


def is_usable(canonical: Canonical, predicate: Predicate) -> bool:
    """Whether a predicate is linear, or can be judged by few combinations of values and never faults."""
    return predicate.linear is not None or canonical.is_total(predicate.expression, MOST_ROWS)


def _conditions_inside(expression: Expr) -> Iterator[Expr]:
    for part in children(expression):
        if is_truth(part) and not isinstance(part, Literal):
            yield part
        else:
            yield from _conditions_inside(part)
