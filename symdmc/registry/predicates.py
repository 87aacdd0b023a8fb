"""Databases of predicates by their spelling: read off the model, found by refinement, or given and split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias

from symdmc.errors import Complaint, ModelError
from symdmc.registry.making import Making
from symdmc.registry.parameters import Between
from symdmc.registry.selections import Selecting

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.patterndb.predicates import PredicateOptions
    from symdmc.selection.selection import Selection
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
        from symdmc.selection.selection_predicates import selection_syntax

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
        from symdmc.selection.selection_refined import RefinementOptions, selection_refined

        options = RefinementOptions(
            iterations=self.r,
            every_trace=self.traces == "all",
            until_it_stays=self.stop == "paper",
            kind=self.kind,
            perimeter=self.broaden,
        )
        return selection_refined(task, most=bound_of(self.b), options=options, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitPredicates:
    """Predicates that are given, in parts of few processes.

    b: as for pred:syntax
    kind: likewise
    combine: likewise
    complete: build to the last layer; else until every initial state has its distance
    """

    ARGUMENT: ClassVar[str | None] = None

    b: str = ALL
    kind: Literal["auto", "exact", "cartesian"] = "auto"
    combine: Literal["max", "partition", "sum"] = "max"
    complete: bool = True

    def __post_init__(self) -> None:
        bound_of(self.b)


Splitting: TypeAlias = SyntaxPredicates | RefinedPredicates | SplitPredicates
PREDICATE_SELECTIONS: Mapping[str, Callable[..., SyntaxPredicates | RefinedPredicates]] = {
    "syntax": SyntaxPredicates,
    "refine": RefinedPredicates,
}
"""What finds predicates, by what stands behind `pred:`."""


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
        from symdmc.registry.derived import lines_of
        from symdmc.selection.selection_predicates import selection_given

        read = [text for path in self.files for text, _ in lines_of(path)]
        return selection_given(task, [*self.texts, *read], most=bound_of(self.b), report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateRecipe:
    """Databases of the predicates that a selection finds, one for each part of the network."""

    text: str
    options: Splitting

    @property
    def takes_predicates(self) -> bool:
        """Whether its predicates are those of the guidance."""
        return isinstance(self.options, SplitPredicates)

    def choose(self, making: Making) -> Selection:
        """The predicates of each part."""
        return making.selected(self.text, self._selecting(making))

    def _selecting(self, making: Making) -> Selecting:
        if isinstance(self.options, SplitPredicates):
            guidance = making.guidance
            return GivenTexts(self.options.b, guidance.predicates, guidance.predicate_files)
        return self.options

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

        build = replace(making.guidance.build_options(), complete=self.options.complete, layer_work=LAYER_WORK)
        return PredicateOptions(kind=self.options.kind, build=build)
