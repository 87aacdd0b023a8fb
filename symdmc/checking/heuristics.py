"""Heuristics by their spelling. Each is a recipe: its options first, checked at once, and made when a task is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from symdmc.checking import baselines, merging, monotone
from symdmc.checking.database_recipes import (
    DatabaseOptions,
    DatabaseRecipe,
    by_patterns,
    domains_spelled,
    patterns_spelled,
    predicates_spelled,
)
from symdmc.checking.derived import DomainOptions
from symdmc.checking.guidance import Guidance
from symdmc.checking.making import Making
from symdmc.checking.names import HEURISTICS as NAMES
from symdmc.checking.names import RAW_ARGUMENTS, require_known
from symdmc.checking.predicates import GivenParts, GivenPredicates, PredicateRecipe, PredicateSources
from symdmc.errors import Complaint, ModelError
from symdmc.spelling.spelled import Spelled, spelled

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic


class Recipe(Protocol):
    """A heuristic with its options."""

    def make(self, making: Making) -> Heuristic:
        """The heuristic for the task at hand; raises LimitReached where a limit is met on the way."""


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
    "pdb": Entry(DatabaseOptions, "selection", patterns_spelled),
    "domain": Entry(DomainOptions, "classes", domains_spelled),
    "pred": Entry(PredicateSources, "source", predicates_spelled),
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
    if guidance.combine == "sum" or guidance.lookup == "layers" or guidance.perimeter is not None:
        recipes = with_patterns(recipes)
    plain = any(isinstance(recipe, DatabaseRecipe) and recipe.is_plain for recipe in recipes)
    given = bool(guidance.patterns or guidance.databases)
    if plain and not given:
        what = "a pattern database needs a pattern"
        raise ModelError(Complaint(what, "name what it keeps with --pattern, or a selection such as pdb:dpr"))
    if given and not plain:
        raise ModelError(Complaint(f"the heuristic {guidance.text!r} has no pattern", "use --heuristic pdb"))
    _require_predicates(guidance, recipes)
    _require_databases(guidance, recipes)
    limited = any(isinstance(recipe, DatabaseRecipe) and recipe.options.work is not None for recipe in recipes)
    if limited and (guidance.combine == "sum" or guidance.lookup == "layers"):
        raise ModelError(Complaint("'work' is for the maximum of flat look-up tables", "leave it out", guidance.text))
    only_databases = all(isinstance(recipe, DatabaseRecipe) for recipe in recipes)
    if guidance.combine == "sum" and not only_databases:
        raise ModelError(Complaint("only pattern databases can share costs", "combine the heuristics by max"))
    if guidance.lookup == "layers" and not only_databases:
        raise ModelError(Complaint("--lookup layers is for pattern databases", "use --lookup flat"))
    return recipes


def _require_predicates(guidance: Guidance, recipes: Sequence[Recipe]) -> None:
    """Raise ModelError where predicates and the heuristics that take them do not go together."""
    wanted = [options for options in map(given_predicates, recipes) if options is not None]
    given = bool(guidance.predicates or guidance.predicate_files)
    if not given and any(options.file is None for options in wanted):
        remedy = "give one with --predicate, or a file with --predicates or pred:given,file=FILE"
        raise ModelError(Complaint("there is no predicate", remedy))
    if given and not wanted:
        what = f"the heuristic {guidance.text!r} takes no predicates"
        raise ModelError(Complaint(what, "use --heuristic pred:given"))
    if guidance.projection != "exact" and any(
        isinstance(each, PredicateRecipe) or _is_derived(each) for each in recipes
    ):
        what = "predicates and merged values are projected exactly"
        raise ModelError(Complaint(what, "leave --projection out"))


def _require_databases(guidance: Guidance, recipes: Sequence[Recipe]) -> None:
    """Raise ModelError where it is said how databases are built, and none is built in a way that this could change."""
    wanted = {
        "--perimeter": (guidance.perimeter is not None, DatabaseRecipe),
        "--projection syntactic": (guidance.projection != "exact", DatabaseRecipe),
        "--complete": (guidance.complete, DatabaseRecipe | PredicateRecipe),
    }
    for option, (given, kinds) in wanted.items():
        if given and not any(isinstance(recipe, kinds) for recipe in recipes):
            what = f"{option} is for databases of patterns, and {guidance.text!r} has none"
            raise ModelError(Complaint(what, "leave it out, or use --heuristic pdb"))


def _is_derived(recipe: Recipe) -> bool:
    return isinstance(recipe, DatabaseRecipe) and recipe.is_derived


def with_patterns(recipes: Sequence[Recipe]) -> tuple[Recipe, ...]:
    """The recipes, with pattern databases wherever these can take the place of others."""
    return tuple(by_patterns(each) if isinstance(each, PredicateRecipe) else each for each in recipes)


def given_predicates(recipe: Recipe) -> GivenPredicates | None:
    """The options of a recipe of predicates that are given; None of any other."""
    match recipe:
        case DatabaseRecipe(given=GivenParts(options=options)) | PredicateRecipe(options=GivenPredicates() as options):
            return options
    return None


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
    options = replace(recipes[0].build_options(making.guidance), work=None)
    built = [each for each in making.databases(patterns, options, partition=True) if each is not None]
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
    built = [build_layers(task, numbers, recipe.build_options(making.guidance)) for numbers, recipe in wanted]
    making.patterns += [names_of(task, sorted(each.encoding.kept)) for each in built]
    return LayerHeuristic(tuple(built))
