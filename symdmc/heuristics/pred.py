"""pred: databases over predicates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from symdmc.abstraction.predicates.pattern import predicate_pattern
from symdmc.errors import Code, Complaint, ModelError
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.heuristics.estimates.databases import database_heuristic, plain_sum
from symdmc.heuristics.estimates.patterns import Kept, PatternHeuristic, selection_spelled
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.patterndb.predicates import PredicateOptions
from symdmc.patterndb.supervised import built_predicate_databases
from symdmc.selection.pred_given import GivenPredicates
from symdmc.selection.predicates.options import PredicateSelection
from symdmc.selection.selection import SelectionOptions
from symdmc.spelling.parameters import Unspelled
from symdmc.spelling.spelled import Spelled

LAYER_WORK = 1_000_000
"""Most nodes that the layers of a database may add up to, where it is built to the last layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateDatabases(HeuristicOptions):
    """Databases over predicates: pred:given, pred:syntax or pred:refine, each with options of its own."""

    ARGUMENT: ClassVar[str | None] = "source"
    BUILDS_DATABASES: ClassVar[bool] = True
    IS_PROJECTED_EXACTLY: ClassVar[bool] = True

    chosen_by: Annotated[PredicateSelection, Unspelled()]
    """Where the predicates come from, and how their databases are built."""

    @classmethod
    def read(cls, words: Spelled) -> PredicateDatabases:
        """The heuristic of a spelling such as `pred:given` or `pred:syntax,b=2`."""
        if words.argument is None:
            raise ModelError(
                Complaint(
                    Code.MISSING_ARGUMENT, "it is not said which predicates", "write pred:syntax, for one", words.text
                )
            )
        inner = replace(words, name=words.argument, argument=None)
        chosen = selection_spelled("source of predicates", "pred", inner)
        if isinstance(chosen, GivenPredicates):
            return GivenPredicateDatabases(chosen_by=chosen)
        assert isinstance(chosen, PredicateSelection)
        return cls(chosen_by=chosen)

    def make(self, making: Making) -> Made:
        """The databases, combined as the options say."""
        own = self.chosen_by
        assert making.selection is not None
        shares = own.combine == "partition"
        build = replace(making.databases.build_options(), complete=own.complete is not False, layer_work=LAYER_WORK)
        options = PredicateOptions(kind=own.kind, build=build)
        parts = making.selection.predicates
        databases = built_predicate_databases(making.task, parts, options, making.run, partition=shares)
        if own.combine == "sum":
            heuristic = plain_sum(databases)
        else:
            heuristic = database_heuristic(making.task, databases, "sum" if shares else "max")
        return Made(heuristic=heuristic, patterns=tuple(database.pattern for database in databases))

    def selection(self, request: DatabaseRequest) -> SelectionOptions:
        """What chooses the predicates."""
        return self.chosen_by


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPredicateDatabases(PredicateDatabases):
    """Databases over predicates that the request gives; they may be those of patterns in the extended task."""

    TAKES_PREDICATES: ClassVar[bool] = True

    chosen_by: Annotated[GivenPredicates, Unspelled()]

    def make(self, making: Making) -> Made:
        """The databases, as those of patterns where the options ask for that."""
        if self.chosen_by.are_patterns and self.patterns is not None:
            return self.patterns.make(making)
        return super(GivenPredicateDatabases, self).make(making)

    def selection(self, request: DatabaseRequest) -> SelectionOptions:
        """The predicates of the request, in parts."""
        return replace(self.chosen_by, texts=request.predicates, files=request.predicate_files)

    @property
    def patterns(self) -> PatternHeuristic | None:
        """The same databases by patterns, where the options allow that."""
        own = self.chosen_by
        if not own.can_be_patterns:
            return None
        return PredicatePatterns(keep=own.keep, complete=own.complete, perimeter=own.perimeter)

    @property
    def needs_predicates(self) -> bool:
        """Without a file of its own."""
        return self.chosen_by.file is None

    @property
    def predicate_file(self) -> str | None:
        """The file that is spelled."""
        return self.chosen_by.file


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicatePatterns(PatternHeuristic):
    """Predicates as derived variables of exact databases, one for each part of the network."""

    def kept(self, making: Making) -> list[Kept]:
        """What the database of each part keeps; raises ModelError with a line for each predicate that is wrong."""
        assert making.selection is not None
        making.task.analyse(making.run.checkpoint)
        beside = self.kept_besides(making.task)
        found = (predicate_pattern(making.task, part) for part in making.selection.predicates)
        return [(*(each.task.definitions.get(n, n) for n in each.pattern), *beside) for each in found]
