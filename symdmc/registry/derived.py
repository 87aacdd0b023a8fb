"""Databases of derived variables by their spelling: predicates that are given, and merged values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from symdmc.errors import Complaint, ModelError, SourceSpan
from symdmc.model.expressions import At, Binary, Conditional, Expr, Unary
from symdmc.model.expressions import Literal as Constant
from symdmc.model.scope import Scope
from symdmc.model.text_file import read_text_file
from symdmc.registry.parameters import Between

if TYPE_CHECKING:
    from symdmc.registry.guidance import Guidance
    from symdmc.registry.selections import Selecting
    from symdmc.selection.selection import Selection
    from symdmc.task import Task
    from symdmc.task.definitions import Definition, Holds

_TRUTHS = frozenset({"and", "or", "imply", "==", "!=", "<", "<=", ">", ">="})
MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class GivenPredicates:
    """The predicates that the user gives beside the heuristic."""

    def definitions(self, task: Task, guidance: Guidance) -> Sequence[Definition]:
        """What the derived variables of the database are; raises ModelError with a line for each that is wrong."""
        return given_predicates(task, guidance.predicates, guidance.predicate_files)


@dataclass(frozen=True, slots=True)
class GivenClasses:
    """Classes of values that the user gives: for each variable its own."""

    texts: tuple[str, ...]

    def definitions(self, task: Task, guidance: Guidance) -> Sequence[Definition]:
        """What the derived variables of the database are; raises ModelError with a line for each that is wrong."""
        return given_classes(task, self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomaticClasses:
    """Values merged into intervals around the constants that a variable is compared with; small variables stay whole.

    small: variables with no more values than this, and locations, are kept as they are
    work: most nodes of the forward pass of the database; beyond them far variables are given up
    """

    ARGUMENT: ClassVar[str | None] = None

    small: Annotated[int, Between(0, MOST)] = 8
    work: Annotated[int, Between(1, MOST)] = 8_000_000

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The classes, and the variables beside them."""
        from symdmc.selection.selection_domains import selection_domains

        return selection_domains(task, small=self.small, work=self.work, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedClasses:
    """Classes of values that are split where a shortest abstract error trace is not real, from the error condition on.

    rounds: most refinements
    added: most splits of one refinement
    """

    ARGUMENT: ClassVar[str | None] = None

    rounds: Annotated[int, Between(0, MOST)] = 100
    added: Annotated[int, Between(1, MOST)] = 8

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The classes, and an answer if one was met."""
        from symdmc.selection.selection_domains_refined import USUAL, selection_domains_refined

        budget = replace(USUAL, rounds=self.rounds, added=self.added)
        return selection_domains_refined(task, budget=budget, report=report)


DOMAIN_SELECTIONS: Mapping[str, type[Selecting]] = {
    "auto": AutomaticClasses,
    "refine": RefinedClasses,
}
"""What chooses classes of values, by what stands behind `domain:`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainOptions:
    """A database with merged values, such as `domain:x=0/1..9/10,y=0/1..`; admissible and consistent.

    keep: variables and processes kept beside them, names with `/` between them
    complete: build to the last layer
    perimeter: distances up to this one are exact
    """

    keep: str | None = None
    complete: bool | None = None
    perimeter: Annotated[int, Between(0, MOST)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateOptions:
    """A database over predicates: `given` are those of --predicate and --predicates; admissible and consistent.

    kind: what becomes of steps; `exact` has an abstract step only where some step stands behind it
    keep: variables and processes kept beside them, names with `/` between them
    complete: build to the last layer
    perimeter: distances up to this one are exact
    """

    kind: Literal["exact"] = "exact"
    keep: str | None = None
    complete: bool | None = None
    perimeter: Annotated[int, Between(0, MOST)] | None = None


def given_predicates(task: Task, texts: Sequence[str], files: Sequence[Path] = ()) -> list[Holds]:
    """The predicates of some texts and of files with one a line; ModelError has a line for each that is wrong."""
    from symdmc.task.definitions import Holds

    written = [(text, SourceSpan("<predicate>", 1, 1)) for text in texts]
    for path in files:
        written += lines_of(path)
    found: dict[Expr, None] = {}
    complaints: list[Complaint] = []
    for text, where in written:
        try:
            condition = _predicate(task, text, where)
            if condition in found:
                raise ModelError(Complaint(f"the predicate {str(condition)!r} is given twice", "give it once", where))
            found[condition] = None
        except ModelError as fault:
            complaints.extend(fault.complaints)
    if complaints:
        raise ModelError(complaints)
    return [Holds(condition) for condition in found]


def lines_of(path: Path) -> list[tuple[str, SourceSpan]]:
    """The lines of a file that have something besides a comment; raises ModelError where there is none."""
    lines = enumerate(read_text_file(path, "a file with a predicate a line").splitlines(), 1)
    texts = ((line.partition("#")[0], number) for number, line in lines)
    found = [(text, SourceSpan(str(path), number, 1)) for text, number in texts if text.strip()]
    if not found:
        raise ModelError(Complaint("has no predicate", "write one a line", str(path)))
    return found


def _predicate(task: Task, text: str, where: SourceSpan) -> Expr:
    from symdmc.model.expression_parser import parse_expression

    condition = parse_expression(text, Scope.of(task.system), file=where.file, line=where.line, column=where.column)
    if not _is_truth(condition):
        what = f"{str(condition)!r} is a number, not a condition"
        raise ModelError(Complaint(what, f"compare it, as in '{condition} >= 1'", where))
    if not task.layout.support(condition):
        raise ModelError(Complaint(f"{str(condition)!r} is the same in every state", "name a variable", where))
    return condition


def _is_truth(expression: Expr) -> bool:
    """Whether an expression can be nothing but 0 and 1."""
    match expression:
        case At() | Unary("not", _) | Constant(0 | 1):
            return True
        case Binary(operator, _, _):
            return operator in _TRUTHS
        case Conditional(_, then, otherwise):
            return _is_truth(then) and _is_truth(otherwise)
        case _:
            return False


def given_classes(task: Task, texts: Sequence[str]) -> list[Definition]:
    """The classes of values that some texts such as `x=0/1..9/10` stand for."""
    from symdmc.task.merged_values import merged_values

    found: dict[int, Definition] = {}
    for text in texts:
        merged = merged_values(task, text)
        if merged.variable in found:
            name = task.variables[merged.variable].name
            raise ModelError(Complaint(f"the values of {name!r} are merged twice", "give its classes once", text))
        found[merged.variable] = merged
    return list(found.values())
