"""Heuristics by their spelling. Each is a recipe: its options first, checked at once, and made when a task is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from symdmc.errors import Complaint, ModelError
from symdmc.registry import baselines, merging, monotone
from symdmc.registry.guidance import Guidance
from symdmc.registry.making import Making
from symdmc.registry.names import HEURISTICS as NAMES
from symdmc.registry.names import RAW_ARGUMENTS, require_known
from symdmc.registry.parameters import Between
from symdmc.registry.patterns import pattern_numbers
from symdmc.registry.selections import Selecting, selection_spelled
from symdmc.registry.spelling import Spelled, spelled

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.patterndb.build import BuildOptions
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.selection.selection import Pattern

LARGEST_PERIMETER = 1_000_000
LARGEST_WORK = 10**15


class Recipe(Protocol):
    """A heuristic with its options."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic for the task at hand; raises LimitReached where a limit is met on the way."""


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
    """Pattern databases: of patterns that are given, or that a selection chooses."""

    text: str
    selection: Selecting | None
    options: DatabaseOptions

    @property
    def is_plain(self) -> bool:
        """Whether its patterns are those that the guidance gives."""
        return self.selection is None and self.options.keep is None

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
        if self.selection is not None:
            return list(making.selected(self.text, self.selection).patterns)
        task = making.task
        given = making.guidance.patterns if self.options.keep is None else (self.options.keep.replace("/", ","),)
        return [pattern_numbers(task, names) for names in given]

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
            **{name: value for name, value in own.items() if value is not None},
        )


def _databases(words: Spelled) -> DatabaseRecipe:
    own = {each.name for each in fields(DatabaseOptions)}
    here = replace(words, argument=None, options={key: words.options[key] for key in words.options if key in own})
    rest = {key: value for key, value in words.options.items() if key not in own}
    options = here.into(DatabaseOptions)
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
    limited = any(isinstance(recipe, DatabaseRecipe) and recipe.options.work is not None for recipe in recipes)
    if limited and (guidance.combine == "sum" or guidance.lookup == "layers"):
        raise ModelError(Complaint("'work' is for the maximum of flat look-up tables", "leave it out", guidance.text))
    only_databases = all(isinstance(recipe, DatabaseRecipe) for recipe in recipes)
    if guidance.combine == "sum" and not only_databases:
        raise ModelError(Complaint("only pattern databases can share costs", "combine the heuristics by max"))
    if guidance.lookup == "layers" and not only_databases:
        raise ModelError(Complaint("--lookup layers is for pattern databases", "use --lookup flat"))
    return recipes


def select_all(making: Making, recipes: Sequence[Recipe]) -> None:
    """Let all selections choose their patterns; what they settle on the way may make heuristics needless."""
    for recipe in recipes:
        if isinstance(recipe, DatabaseRecipe) and recipe.selection is not None:
            making.selected(recipe.text, recipe.selection)


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
    options = replace(recipes[0].build_options(making.guidance), work=None)
    built = [each for each in making.databases(patterns, options, partition=True) if each is not None]
    making.patterns += [database.pattern for database in (*read, *built)]
    return database_heuristic(making.task, [*read, *built], "sum")


def _by_layers(making: Making, recipes: Sequence[DatabaseRecipe]) -> Heuristic:
    """Membership in the layers themselves, in this process."""
    from symdmc.heuristics.layers import LayerHeuristic
    from symdmc.patterndb.build import build_layers

    if making.guidance.databases:
        raise ModelError(Complaint("--lookup layers reads no file", "give --pattern instead of --database"))
    task = making.task
    built = [
        build_layers(task, numbers, recipe.build_options(making.guidance))[0]
        for recipe in recipes
        for numbers in recipe.patterns(making)
    ]
    making.patterns += [tuple(task.variables[n].name for n in sorted(each.encoding.kept)) for each in built]
    return LayerHeuristic(tuple(built))
