"""Databases of predicates by their spelling: read off the model, found by refinement, or given and split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

from symdmc.checking.making import Making
from symdmc.errors import Complaint, ModelError
from symdmc.spelling.parameters import Between

if TYPE_CHECKING:
    from symdmc.checking.guidance import Guidance
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.patterndb.predicates import PredicateOptions
    from symdmc.selection.selection import Pattern, Selection
    from symdmc.task import Task

ALL = "all"
MOST = 1_000_000
LAYER_WORK = 1_000_000
"""Most nodes that the layers of a database may add up to, where it is built to the last layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxPredicates:
    """Predicates read off the model: locations, guards, invariants, the error condition; in parts of few processes.

    b: most processes of a part, or all
    kind: abstract steps of whole states by diagrams (exact), of single predicates (cartesian), or the first that fits
    combine: the largest estimate of any part, the sum with costs shared out, or the plain sum, which is not admissible
    complete: build to the last layer; else until every initial state has its distance
    """

    ARGUMENT: ClassVar[str | None] = None

    b: str = "2"
    kind: Literal["auto", "exact", "cartesian"] = "auto"
    combine: Literal["max", "partition", "sum"] = "max"
    complete: bool = True

    def __post_init__(self) -> None:
        bound_of(self.b)

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The predicates of each part."""
        from symdmc.selection.pred_syntax import selection_syntax

        return selection_syntax(task, most=bound_of(self.b), report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedPredicates:
    """Predicates that forbid the shortest spurious traces, from those of the error condition on; in parts.

    b: most processes of a part, or all
    r: how often the predicates of a part may be refined
    stop: when traces fail to become longer, with the predicates before that (paper), or only when r is reached (never)
    traces: forbid all shortest traces that are looked at, or one
    broaden: look at traces to abstract states this near to the error, as if they were errors, where that is enough
    kind: as for pred:syntax
    combine: likewise
    complete: likewise
    """

    ARGUMENT: ClassVar[str | None] = None

    b: str = "3"
    r: Annotated[int, Between(0, MOST)] = 4
    stop: Literal["paper", "never"] = "paper"
    traces: Literal["all", "one"] = "all"
    broaden: Annotated[int, Between(0, MOST)] = 0
    kind: Literal["auto", "exact", "cartesian"] = "auto"
    combine: Literal["max", "partition", "sum"] = "max"
    complete: bool = True

    def __post_init__(self) -> None:
        bound_of(self.b)

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The predicates of each part, and the answer if one was met."""
        from symdmc.selection.pred_refine import RefinementOptions, selection_refined

        options = RefinementOptions(
            iterations=self.r,
            every_trace=self.traces == "all",
            until_it_stays=self.stop == "paper",
            kind=self.kind,
            perimeter=self.broaden,
        )
        return selection_refined(task, most=bound_of(self.b), options=options, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPredicates:
    """Predicates that are given: those of --predicate, --predicates and `file`; in parts of few processes.

    b: most processes of a part, or all
    kind: as for pred:syntax; with keep, perimeter and all that needs patterns auto is exact
    combine: as for pred:syntax
    complete: build to the last layer; else until every initial state has its distance
    keep: variables and processes kept beside the predicates, names with `/` between them; not cartesian
    perimeter: distances up to this one are exact; not cartesian
    file: a file with a predicate a line
    """

    ARGUMENT: ClassVar[str | None] = None

    b: str = ALL
    kind: Literal["auto", "exact", "cartesian"] = "auto"
    combine: Literal["max", "partition", "sum"] = "max"
    complete: bool | None = None
    keep: str | None = None
    perimeter: Annotated[int, Between(0, MOST)] | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        bound_of(self.b)
        asked = " and ".join(f"{name}=" for name in ("keep", "perimeter") if getattr(self, name) is not None)
        if asked and not self.can_be_patterns:
            key = "kind" if self.kind == "cartesian" else "combine"
            what = f"{asked} and {key}={getattr(self, key)} do not go together"
            raise ModelError(Complaint(what, "leave one of them out"))

    @property
    def can_be_patterns(self) -> bool:
        """Whether the databases may be those of patterns in the extended task."""
        return self.kind != "cartesian" and self.combine == "max"

    @property
    def are_patterns(self) -> bool:
        """Whether they must be."""
        asked = self.kind == "exact" or self.keep is not None or self.perimeter is not None
        return asked and self.can_be_patterns

    def selecting(self, guidance: Guidance) -> GivenTexts:
        """The selection of these predicates and those of the guidance."""
        own = () if self.file is None else (Path(self.file),)
        return GivenTexts(self.b, guidance.predicates, (*guidance.predicate_files, *own))


Splitting: TypeAlias = SyntaxPredicates | RefinedPredicates | GivenPredicates
PREDICATE_SELECTIONS: Mapping[str, Callable[..., Splitting]] = {
    "given": GivenPredicates,
    "syntax": SyntaxPredicates,
    "refine": RefinedPredicates,
}
"""Where predicates come from, by what stands behind `pred:`."""


class PredicateSources:
    """Databases over predicates: pred:given, pred:syntax or pred:refine, each with options of its own."""


def bound_of(text: str) -> int | None:
    """The most processes of a part; None for all. Raises ModelError for anything else."""
    if text == ALL:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise ModelError(Complaint(f"b={text} is no bound on the processes of a part", "give 1 or more, or all"))
    return int(text)


@dataclass(frozen=True, slots=True)
class GivenTexts:
    """Predicates given as texts and in files, in parts of few processes."""

    b: str
    texts: tuple[str, ...]
    files: tuple[Path, ...]
    ARGUMENT: ClassVar[str | None] = None

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The predicates of each part."""
        from symdmc.selection.pred_syntax import selection_given

        return selection_given(task, self.texts, self.files, most=bound_of(self.b), report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenParts:
    """Predicates that are given as derived variables of exact databases, one for each part of the network."""

    text: str
    options: GivenPredicates

    def patterns(self, making: Making) -> list[Pattern]:
        """What the database of each part keeps; raises ModelError with a line for each predicate that is wrong."""
        from symdmc.abstraction.predicates.pattern import predicate_pattern

        chosen = making.selected(self.text, self.options.selecting(making.guidance))
        return [making.numbers_in_extended(predicate_pattern(making.task, part)) for part in chosen.predicates]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateRecipe:
    """Databases of the predicates that a selection finds, one for each part of the network."""

    text: str
    options: Splitting

    def choose(self, making: Making) -> Selection:
        """The predicates of each part."""
        own = self.options
        selecting = own.selecting(making.guidance) if isinstance(own, GivenPredicates) else own
        return making.selected(self.text, selecting)

    def make(self, making: Making) -> Heuristic:
        """The databases, combined as the options say."""
        from symdmc.heuristics.databases import database_heuristic, plain_sum

        parts = self.choose(making).predicates
        shares = self.options.combine == "partition"
        databases = making.predicate_databases(parts, self._build(making), partition=shares)
        making.patterns += [database.pattern for database in databases]
        if self.options.combine == "sum":
            return plain_sum(databases)
        return database_heuristic(making.task, databases, "sum" if shares else "max")

    def _build(self, making: Making) -> PredicateOptions:
        from symdmc.patterndb.predicates import PredicateOptions

        complete = self.options.complete is not False
        build = replace(making.guidance.build_options(), complete=complete, layer_work=LAYER_WORK)
        return PredicateOptions(kind=self.options.kind, build=build)
