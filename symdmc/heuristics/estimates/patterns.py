"""Heuristics that rest on the databases of patterns: what these keep, and how they are built."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self, TypeAlias

from symdmc.encode.diagrams import WorkLeft
from symdmc.errors import Code
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.patterndb.build import BuildOptions
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.supervised import built_databases
from symdmc.selection import SELECTIONS
from symdmc.selection.selection import Pattern, SelectionOptions
from symdmc.spelling.parameters import MANY, Between, Unspelled
from symdmc.spelling.spelled import Spelled
from symdmc.spelling.suggestions import require_known
from symdmc.task.definitions import Definition
from symdmc.task.derived import extended, numbers_of
from symdmc.task.task import Task
from symdmc.task.variable_names import pattern_numbers

Kept: TypeAlias = tuple["int | Definition", ...]
"""What a database keeps: variables of the task by number, and derived variables by their definitions."""


def patterns_in(task: Task, kept: Sequence[Kept]) -> tuple[Task, list[Pattern]]:
    """The task extended by all derived variables that databases keep, and the patterns by number in it."""
    definitions = list(dict.fromkeys(each for own in kept for each in own if not isinstance(each, int)))
    richer = extended(task, definitions)
    numbers = {each: numbers_of(richer, [each])[0] for each in definitions}
    return richer, [tuple(sorted({each if isinstance(each, int) else numbers[each] for each in own})) for own in kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternHeuristic(HeuristicOptions):
    """The largest distance of any of some databases of patterns.

    keep: variables and processes that each database keeps besides, names with `/` between them
    complete: build to the last layer
    perimeter: distances up to this one are exact
    """

    keep: str | None = None
    complete: bool | None = None
    perimeter: Annotated[int, Between(0, MANY)] | None = None
    chosen_by: Annotated[SelectionOptions | None, Unspelled()] = None
    """What chooses the patterns, where none are given."""

    BUILDS_DATABASES: ClassVar[bool] = True
    BUILD: ClassVar[tuple[str, ...]] = ("complete", "perimeter")
    """The options that say how databases are built, by their names in `BuildOptions`."""

    def make(self, making: Making) -> Made:
        """The heuristic."""
        task, patterns = patterns_in(making.task, self.kept(making))
        options = self.build_options(making.databases)
        built = built_databases(task, patterns, options, making.run) if patterns else []
        databases = [*self.read_files(making), *(database for database in built if database is not None)]
        remarks = [_lacking(len(pattern), database) for pattern, database in zip(patterns, built, strict=True)]
        return Made(
            heuristic=database_heuristic(making.task, databases),
            patterns=tuple(database.pattern for database in databases),
            remarks=tuple(words for words in remarks if words is not None),
        )

    def selection(self, request: DatabaseRequest) -> SelectionOptions | None:
        """What chooses the patterns."""
        return self.chosen_by

    @property
    def patterns(self) -> Self:
        """Itself."""
        return self

    @abstractmethod
    def kept(self, making: Making) -> list[Kept]:
        """What each database to be built keeps."""

    def kept_besides(self, task: Task) -> Kept:
        """The variables that `keep` names."""
        return () if self.keep is None else pattern_numbers(task, self.keep.replace("/", ","))

    def kept_by_selection(self, making: Making) -> list[Kept]:
        """The patterns of the selection, each with what is kept besides."""
        assert making.selection is not None
        chosen, beside = making.selection, self.kept_besides(making.task)
        plain = len(making.task.variables)
        return [
            (*(n if n < plain else chosen.definitions[n - plain] for n in pattern), *beside)
            for pattern in chosen.patterns
        ]

    def build_options(self, request: DatabaseRequest) -> BuildOptions:
        """How the databases are built: as spelled, else as the request says."""
        own = {name: getattr(self, name) for name in self.BUILD}
        work = request.work if self.work is None or request.work == 0 else self.work
        return replace(
            request.build_options(),
            work=WorkLeft(work) if work and self.chosen_by is not None else None,
            required=self.chosen_by is None,
            **{name: value for name, value in own.items() if value is not None},
        )

    def read_files(self, making: Making) -> list[PatternDatabase]:
        """The databases that come from files."""
        return []

    @property
    def order(self) -> str | None:
        """How the variables lie in the diagrams, where that is spelled."""
        return None

    @property
    def work(self) -> int | None:
        """The most work on the databases of a selection, where that is spelled."""
        return None


def selection_spelled(kind: str, heuristic: str, words: Spelled) -> SelectionOptions:
    """The selection of a heuristic, such as `coi:2` of `pdb`; raises ModelError where there is none of that name."""
    known = {name.removeprefix(f"{heuristic}:"): name for name in SELECTIONS if name.startswith(f"{heuristic}:")}
    require_known(Code.UNKNOWN_COMPONENT, kind, words.name, tuple(known))
    return SELECTIONS[known[words.name]].read(words)


def _lacking(size: int, database: PatternDatabase | None) -> str | None:
    """What a database of this many variables lacks; None where it has what the initial states need."""
    of = f"the database of the pattern of size {size}"
    if database is None:
        return f"{of} is left out, it takes too much work"
    if database.complete or database.h_initial != len(database.layers):
        return None
    return f"{of} ends at distance {len(database.layers) - 1}, more takes too much work"
