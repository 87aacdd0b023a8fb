"""Heuristics by their spelling. Each is a recipe: its options first, checked at once, and made when a task is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, Protocol, TypeVar

from symdmc.errors import Complaint, ModelError
from symdmc.registry import baselines, merging, monotone
from symdmc.registry.derived import DOMAIN_SELECTIONS as DERIVING
from symdmc.registry.derived import DomainOptions, GivenClasses, GivenPredicates, PredicateOptions
from symdmc.registry.guidance import Guidance
from symdmc.registry.making import Making
from symdmc.registry.names import DOMAIN_SELECTIONS, PREDICATE_SOURCES, RAW_ARGUMENTS, require_known
from symdmc.registry.names import HEURISTICS as NAMES
from symdmc.registry.parameters import Between
from symdmc.registry.patterns import pattern_numbers
from symdmc.registry.predicates import PREDICATE_SELECTIONS, PredicateRecipe, SplitPredicates
from symdmc.registry.selections import Selecting, selection_spelled
from symdmc.registry.spelling import Spelled, spelled

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.patterndb.build import BuildOptions
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.selection.selection import Pattern
    from symdmc.task import Task
    from symdmc.task.definitions import Definition

LARGEST_PERIMETER = 1_000_000


class Recipe(Protocol):
    """A heuristic with its options."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic for the task at hand; raises LimitReached where a limit is met on the way."""


class Deriving(Protocol):
    """Derived variables that are given."""

    def definitions(self, task: Task, guidance: Guidance) -> Sequence[Definition]:
        """What they are; raises ModelError with a line for each that is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseOptions:
    """Pattern databases, of a selection or of a pattern by hand; admissible and consistent.

    keep: the pattern by hand, names with `/` between them
    complete: build to the last layer
    projection: how what is not kept is dropped
    perimeter: distances up to this one are exact
    """

    keep: str | None = None
    complete: bool | None = None
    projection: Literal["exact", "syntactic"] | None = None
    perimeter: Annotated[int, Between(0, LARGEST_PERIMETER)] | None = None


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

        databases = [*self.read(making), *making.databases(self.patterns(making), self.build_options(making.guidance))]
        making.patterns += [database.pattern for database in databases]
        return database_heuristic(making.task, databases)

    def patterns(self, making: Making) -> list[Pattern]:
        """The variables that each database to be built keeps."""
        beside = (
            [] if self.options.keep is None else [pattern_numbers(making.task, self.options.keep.replace("/", ","))]
        )
        if self.selection is not None:
            return [tuple(sorted({*each, *chain(*beside)})) for each in self._selected(making)]
        if self.given is not None:
            derived = making.derived(self.given.definitions(making.task, making.guidance))
            return [tuple(sorted({*derived, *chain(*beside)}))]
        return beside or [pattern_numbers(making.task, names) for names in making.guidance.patterns]

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
        own = {name: getattr(self.options, name) for name in ("complete", "projection", "perimeter")}
        return replace(guidance.build_options(), **{name: value for name, value in own.items() if value is not None})


_Options = TypeVar("_Options", "DatabaseOptions", DomainOptions)


def _own_options(words: Spelled, recipe: type[_Options]) -> tuple[_Options, dict[str, str]]:
    """The options that a recipe has, and the others as they are spelled."""
    own = {each.name for each in fields(recipe)}
    here = replace(words, argument=None, options={key: words.options[key] for key in words.options if key in own})
    return here.into(recipe), {key: value for key, value in words.options.items() if key not in own}


def _databases(words: Spelled) -> DatabaseRecipe:
    options, rest = _own_options(words, DatabaseOptions)
    if words.argument is None:
        if rest:
            replace(words, argument=None, options=rest).into(DatabaseOptions)  # complains
        return DatabaseRecipe(text=words.text, selection=None, options=options)
    if options.keep is not None:
        raise ModelError(Complaint("a selection chooses what is kept", "leave out 'keep' or the selection", words.text))
    inner = replace(spelled(words.argument), options=rest, text=words.text)
    return DatabaseRecipe(text=words.text, selection=selection_spelled(inner), options=options)


def _domains(words: Spelled) -> DatabaseRecipe:
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


def _predicates(words: Spelled) -> DatabaseRecipe | PredicateRecipe:
    if words.argument is None:
        raise ModelError(Complaint("it is not said which predicates", "write pred:syntax, for one", words.text))
    require_known("source of predicates", words.argument, PREDICATE_SOURCES)
    bare = replace(words, argument=None)
    if words.argument in PREDICATE_SELECTIONS:
        return PredicateRecipe(text=words.text, options=bare.into(PREDICATE_SELECTIONS[words.argument]))
    if words.options.get("kind", "exact") != "exact" or words.options.keys() & {"b", "combine"}:
        return PredicateRecipe(text=words.text, options=bare.into(SplitPredicates))
    options = bare.into(PredicateOptions)
    shared = DatabaseOptions(keep=options.keep, complete=options.complete, perimeter=options.perimeter)
    return DatabaseRecipe(text=words.text, selection=None, options=shared, given=GivenPredicates(), is_derived=True)


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of the registry."""

    recipe: Callable[..., object]
    """Its annotations are the options that can be spelled, its docstring says what it is."""
    argument: str | None = None
    """The option that may stand behind the colon."""
    special: Callable[[Spelled], Recipe] | None = None
    """Reads a spelling whose argument has options of its own."""

    def read(self, words: Spelled) -> Recipe:
        """The recipe that is spelled; raises ModelError where an option is wrong."""
        if self.special is not None:
            return self.special(words)
        recipe: Recipe = words.into(self.recipe, self.argument)  # type: ignore[assignment]
        return recipe


HEURISTICS: Mapping[str, Entry] = {
    "blind": Entry(baselines.Blind),
    "fsm-max": Entry(baselines.FsmMax),
    "fsm-sum": Entry(baselines.FsmSum),
    "fsm-trail": Entry(baselines.FsmTrail, "trace"),
    "hamming": Entry(baselines.Hamming, "trace"),
    "formula": Entry(baselines.Formula),
    "blocked": Entry(baselines.Blocked),
    "user": Entry(baselines.User, "expression"),
    "hL": Entry(monotone.LayerEstimate),
    "hU": Entry(monotone.PathEstimate),
    "merge": Entry(merging.Merge, "bound"),
    "aa": Entry(merging.MergeByItsOtherName, "bound"),
    "pdb": Entry(DatabaseOptions, "selection", _databases),
    "domain": Entry(DomainOptions, "classes", _domains),
    "pred": Entry(PredicateOptions, "source", _predicates),
}


def recipe_spelled(text: str) -> Recipe:
    """The recipe that is spelled; raises ModelError where there is none or an option is wrong."""
    words = spelled(text, raw=RAW_ARGUMENTS)
    require_known("heuristic", words.name, NAMES)
    return HEURISTICS[words.name].read(words)


def recipes_of(guidance: Guidance) -> tuple[Recipe, ...]:
    """All recipes; raises ModelError where they do not fit together."""
    if not guidance.heuristics:
        raise ModelError(Complaint("there is no heuristic", "name one"))
    guidance.require_fitting()
    recipes = tuple(recipe_spelled(text) for text in guidance.heuristics)
    plain = any(isinstance(recipe, DatabaseRecipe) and recipe.is_plain for recipe in recipes)
    given = bool(guidance.patterns or guidance.databases)
    if plain and not given:
        what = "a pattern database needs a pattern"
        raise ModelError(Complaint(what, "name what it keeps with --pattern, or a selection such as pdb:dpr"))
    if given and not plain:
        raise ModelError(Complaint(f"the heuristic {guidance.text!r} has no pattern", "use --heuristic pdb"))
    _require_predicates(guidance, recipes)
    only_databases = all(isinstance(recipe, DatabaseRecipe) for recipe in recipes)
    if guidance.combine == "sum" and not only_databases:
        raise ModelError(Complaint("only pattern databases can share costs", "combine the heuristics by max"))
    if guidance.lookup == "layers" and not only_databases:
        raise ModelError(Complaint("--lookup layers is for pattern databases", "use --lookup flat"))
    return recipes


def _require_predicates(guidance: Guidance, recipes: Sequence[Recipe]) -> None:
    """Raise ModelError where predicates and the heuristics that take them do not go together."""
    databases = [recipe for recipe in recipes if isinstance(recipe, DatabaseRecipe)]
    wanted = any(isinstance(recipe.given, GivenPredicates) for recipe in databases) or any(
        isinstance(recipe, PredicateRecipe) and recipe.takes_predicates for recipe in recipes
    )
    given = bool(guidance.predicates or guidance.predicate_files)
    if wanted and not given:
        raise ModelError(Complaint("there is no predicate", "give one with --predicate, or a file with --predicates"))
    if given and not wanted:
        what = f"the heuristic {guidance.text!r} takes no predicates"
        raise ModelError(Complaint(what, "use --heuristic pred:given"))
    if guidance.projection != "exact" and any(recipe.is_derived for recipe in databases):
        what = "predicates and merged values are projected exactly"
        raise ModelError(Complaint(what, "leave --projection out"))


def select_all(making: Making, recipes: Sequence[Recipe]) -> None:
    """Let all selections choose their patterns; what they settle on the way may make heuristics needless."""
    for recipe in recipes:
        if isinstance(recipe, DatabaseRecipe) and recipe.selection is not None:
            making.selected(recipe.text, recipe.selection)
        elif isinstance(recipe, PredicateRecipe):
            recipe.choose(making)


def heuristic_of(making: Making, recipes: Sequence[Recipe]) -> Heuristic:
    """All recipes made and combined as the guidance says."""
    from symdmc.heuristics.maximum import Maximum

    making.patterns.clear()
    databases = [recipe for recipe in recipes if isinstance(recipe, DatabaseRecipe)]
    if making.guidance.combine == "sum":
        return _sum(making, databases)
    if making.guidance.lookup == "layers":
        return _by_layers(making, databases)
    made = tuple(recipe.make(making) for recipe in recipes)
    return made[0] if len(made) == 1 else Maximum(made)


def _sum(making: Making, recipes: Sequence[DatabaseRecipe]) -> Heuristic:
    """The sum of all databases, which share the costs."""
    from symdmc.heuristics.databases import database_heuristic

    patterns = [pattern for recipe in recipes for pattern in recipe.patterns(making)]
    read = [database for recipe in recipes for database in recipe.read(making)]
    built = making.databases(patterns, recipes[0].build_options(making.guidance), partition=True)
    making.patterns += [database.pattern for database in (*read, *built)]
    return database_heuristic(making.task, [*read, *built], "sum")


def _by_layers(making: Making, recipes: Sequence[DatabaseRecipe]) -> Heuristic:
    """Membership in the layers themselves, in this process."""
    from symdmc.heuristics.layers import LayerHeuristic
    from symdmc.patterndb.build import build_layers
    from symdmc.patterndb.database import names_of

    if making.guidance.databases:
        raise ModelError(Complaint("--lookup layers reads no file", "give --pattern instead of --database"))
    wanted = [(numbers, recipe) for recipe in recipes for numbers in recipe.patterns(making)]
    task = making.extended
    built = [build_layers(task, numbers, recipe.build_options(making.guidance))[0] for numbers, recipe in wanted]
    making.patterns += [names_of(task, sorted(each.encoding.kept)) for each in built]
    return LayerHeuristic(tuple(built))
