"""Recipes of heuristics that look up pattern databases: of patterns, of predicates, of merged values."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, Protocol, TypeVar

from symdmc.checking.derived import DOMAIN_SELECTIONS as DERIVING
from symdmc.checking.derived import DomainOptions, GivenClasses
from symdmc.checking.guidance import Guidance
from symdmc.checking.making import Making
from symdmc.checking.names import DOMAIN_SELECTIONS, PREDICATE_SOURCES, require_known
from symdmc.checking.predicates import PREDICATE_SELECTIONS, GivenParts, GivenPredicates, PredicateRecipe
from symdmc.checking.selections import Selecting, selection_spelled
from symdmc.errors import Complaint, ModelError
from symdmc.spelling.parameters import Between
from symdmc.spelling.spelled import Spelled, spelled
from symdmc.task.variable_names import pattern_numbers

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.patterndb.build import BuildOptions
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.selection.selection import Pattern

LARGEST_PERIMETER = 1_000_000
LARGEST_WORK = 10**15


class Deriving(Protocol):
    """Derived variables that are given."""

    def patterns(self, making: Making) -> list[Pattern]:
        """What the databases keep of them, by number in the extended task; ModelError has a line for each fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseOptions:
    """Pattern databases, of a selection or of a pattern by hand; admissible and consistent.

    keep: the pattern by hand, names with `/` between them
    complete: build to the last layer
    projection: how what is not kept is dropped
    perimeter: distances up to this one are exact
    order: how the variables lie in the diagrams
    work: of a selection, most work before the search begins, in nodes of diagrams; 0 is any work
    """

    keep: str | None = None
    complete: bool | None = None
    projection: Literal["exact", "syntactic"] | None = None
    perimeter: Annotated[int, Between(0, LARGEST_PERIMETER)] | None = None
    order: Literal["declared", "force", "local", "hubs"] | None = None
    work: Annotated[int, Between(0, LARGEST_WORK)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseRecipe:
    """Pattern databases: of patterns or derived variables that are given, or that a selection chooses."""

    text: str
    selection: Selecting | None
    options: DatabaseOptions
    given: Deriving | None = None
    """The derived variables that it keeps, where these are given."""
    is_derived: bool = False
    """Whether it keeps derived variables, with other variables beside them."""

    @property
    def is_plain(self) -> bool:
        """Whether its patterns are those that the guidance gives."""
        return self.selection is None and self.given is None and self.options.keep is None

    def make(self, making: Making) -> Heuristic:
        """The largest distance of any of the databases."""
        from symdmc.heuristics.databases import database_heuristic

        patterns = self.patterns(making)
        built = making.databases(patterns, self.build_options(making.guidance))
        making.remark(self.text, patterns, built)
        databases = [*self.read(making), *(database for database in built if database is not None)]
        making.patterns += [database.pattern for database in databases]
        return database_heuristic(making.task, databases)

    def patterns(self, making: Making) -> list[Pattern]:
        """The variables that each database to be built keeps."""
        beside = (
            [] if self.options.keep is None else [pattern_numbers(making.task, self.options.keep.replace("/", ","))]
        )
        if self.selection is None and self.given is None:
            return beside or [pattern_numbers(making.task, names) for names in making.guidance.patterns]
        own = self._selected(making) if self.given is None else self.given.patterns(making)
        return [tuple(sorted({*each, *chain(*beside)})) for each in own]

    def _selected(self, making: Making) -> list[Pattern]:
        """The patterns of the selection, derived variables by their numbers in the extended task."""
        assert self.selection is not None
        chosen = making.selected(self.text, self.selection)
        plain = len(making.task.variables)
        numbers = {plain + place: making.derived([each])[0] for place, each in enumerate(chosen.definitions)}
        return [tuple(sorted(numbers.get(number, number) for number in pattern)) for pattern in chosen.patterns]

    def read(self, making: Making) -> list[PatternDatabase]:
        """The databases that come from files."""
        from symdmc.patterndb.store import read_database

        return [read_database(path, making.task) for path in making.guidance.databases] if self.is_plain else []

    def build_options(self, guidance: Guidance) -> BuildOptions:
        """How databases are built: as spelled, else as the guidance says."""
        from symdmc.encode.diagrams import WorkLeft

        own = {name: getattr(self.options, name) for name in ("complete", "projection", "perimeter", "order")}
        work = guidance.work if self.options.work is None or guidance.work == 0 else self.options.work
        return replace(
            guidance.build_options(),
            work=WorkLeft(work) if work and self.selection is not None else None,
            required=self.selection is None,
            **{name: value for name, value in own.items() if value is not None},
        )


_Options = TypeVar("_Options", "DatabaseOptions", DomainOptions)


def _own_options(words: Spelled, recipe: type[_Options]) -> tuple[_Options, dict[str, str]]:
    """The options that a recipe has, and the others as they are spelled."""
    own = {each.name for each in fields(recipe)}
    here = replace(words, argument=None, options={key: words.options[key] for key in words.options if key in own})
    return here.into(recipe), {key: value for key, value in words.options.items() if key not in own}


def patterns_spelled(words: Spelled) -> DatabaseRecipe:
    """The recipe of a spelling such as `pdb:dpr` or `pdb,keep=P/x`."""
    options, rest = _own_options(words, DatabaseOptions)
    if words.argument is None:
        if options.work is not None:
            what = "patterns by hand get all the work they need"
            raise ModelError(Complaint(what, "leave out 'work', or name a selection", words.text))
        if rest:
            replace(words, argument=None, options=rest).into(DatabaseOptions)  # complains
        return DatabaseRecipe(text=words.text, selection=None, options=options)
    if options.keep is not None:
        raise ModelError(Complaint("a selection chooses what is kept", "leave out 'keep' or the selection", words.text))
    inner = replace(spelled(words.argument), options=rest, text=words.text)
    return DatabaseRecipe(text=words.text, selection=selection_spelled(inner), options=options)


def domains_spelled(words: Spelled) -> DatabaseRecipe:
    """The recipe of a spelling such as `domain:x=0/1..9/10,y=0/1..` or `domain:auto`."""
    options, rest = _own_options(words, DomainOptions)
    shared = DatabaseOptions(keep=options.keep, complete=options.complete, perimeter=options.perimeter)
    argument = words.argument
    if argument is None:
        raise ModelError(
            Complaint("there are no classes", "write them like domain:x=0/1..9/10, or domain:auto", words.text)
        )
    if "=" in argument:
        given = GivenClasses((argument, *(f"{name}={classes}" for name, classes in rest.items())))
        return DatabaseRecipe(text=words.text, selection=None, options=shared, given=given, is_derived=True)
    require_known("choice of classes", argument, DOMAIN_SELECTIONS)
    selection = replace(words, argument=None, options=rest).into(DERIVING[argument])
    return DatabaseRecipe(text=words.text, selection=selection, options=shared, is_derived=True)


def predicates_spelled(words: Spelled) -> DatabaseRecipe | PredicateRecipe:
    """The recipe of a spelling such as `pred:given` or `pred:syntax,b=2`."""
    if words.argument is None:
        raise ModelError(Complaint("it is not said which predicates", "write pred:syntax, for one", words.text))
    require_known("source of predicates", words.argument, PREDICATE_SOURCES)
    options = replace(words, argument=None).into(PREDICATE_SELECTIONS[words.argument])
    recipe = PredicateRecipe(text=words.text, options=options)
    return by_patterns(recipe) if isinstance(options, GivenPredicates) and options.are_patterns else recipe


def by_patterns(recipe: PredicateRecipe) -> DatabaseRecipe | PredicateRecipe:
    """Predicates that are given as patterns of the extended task, for all that needs patterns; others as they are."""
    options = recipe.options
    if not isinstance(options, GivenPredicates) or not options.can_be_patterns:
        return recipe
    shared = DatabaseOptions(keep=options.keep, complete=options.complete, perimeter=options.perimeter)
    given = GivenParts(text=recipe.text, options=options)
    return DatabaseRecipe(text=recipe.text, selection=None, options=shared, given=given, is_derived=True)
