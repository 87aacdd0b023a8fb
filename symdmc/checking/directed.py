"""Directed checks: the heuristics that are spelled, and the search that they guide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symdmc.checking.database_recipes import DatabaseRecipe
from symdmc.checking.guidance import Guidance
from symdmc.checking.heuristics import Recipe, heuristic_of, recipes_of, select_all, with_patterns
from symdmc.checking.making import Making
from symdmc.errors import Complaint, ModelError
from symdmc.outcome import SearchResult, Stop, Verdict

if TYPE_CHECKING:
    from symdmc.running.run import Run
    from symdmc.search.symbolic.options import SymbolicOptions
    from symdmc.task import Task

PATIENCE = 1_000_000
"""States that a search expands with databases that end at the initial states, before it is worth it to add layers."""
FIRST_WORK = 300_000_000
"""Most work on the databases of a selection before the first search, in nodes: about ten seconds."""
GROWTH = 1_000_000
"""Most nodes that the layers of a database may add up to, when layers are added because of a long search."""

_STOPPED = {
    Stop.TIME: "time limit reached while making the heuristic",
    Stop.MEMORY: "memory limit reached while making the heuristic",
    Stop.INTERRUPT: "interrupted while making the heuristic",
}


def require_guidance(guidance: Guidance, search: str, engine: str = "explicit") -> tuple[Recipe, ...]:
    """The recipes of the heuristics; raises ModelError where the parts of the question do not fit together."""
    from symdmc.search.directed.directed import strategy_named

    recipes = recipes_of(guidance)
    if engine == "symbolic":
        recipes = with_patterns(recipes)
        _require_symbolic(guidance, recipes, search)
        return recipes
    try:
        strategy_named(search)
    except ValueError as problem:
        raise ModelError(Complaint(str(problem))) from None
    return recipes


def _require_symbolic(guidance: Guidance, recipes: Sequence[Recipe], search: str) -> None:
    for text, recipe in zip(guidance.heuristics, recipes, strict=True):
        if not isinstance(recipe, DatabaseRecipe):
            what = f"the symbolic engine has no heuristic {text!r}"
            raise ModelError(Complaint(what, "use pdb, or leave the heuristic out"))
        if recipe.options.order is not None:
            what = "the symbolic engine has one order for the search and all databases"
            raise ModelError(Complaint(what, "name it with --order", text))
        if recipe.options.work is not None:
            raise ModelError(Complaint("the symbolic engine has no 'work'", "leave it out", text))
    if search != "astar":
        raise ModelError(Complaint(f"the symbolic engine has no search {search!r}", "with a heuristic it has astar"))
    if guidance.combine != "max" or guidance.lookup != "flat":
        raise ModelError(Complaint("the symbolic engine takes the largest of all estimates", "leave the rest out"))


def check_directed(task: Task, guidance: Guidance, search: str, run: Run, *, certify: bool) -> SearchResult:
    """Make the heuristic, then search; a limit met on the way is an outcome.

    A best-first search that takes long although its databases end at the initial states, or earlier where these take
    too much work, begins anew with larger ones.
    What a selection has settled on the way is the answer, unless it has a trace and a shortest one is asked for.
    """
    from symdmc.search.directed.directed import strategy_named

    recipes = require_guidance(guidance, search)
    strategy = strategy_named(search)
    grows = any(isinstance(recipe, DatabaseRecipe) for recipe in recipes) and guidance.lookup == "flat"
    patience = PATIENCE if grows and not guidance.complete and strategy.rule is not None else None
    first = guidance if patience is None else replace(guidance, work=FIRST_WORK)
    making = Making(task, first, run)
    result = _searched(making, recipes, search, certify, patience)
    if patience is None or result.verdict is not Verdict.UNKNOWN or result.stop is not None:
        return result
    making.guidance = replace(guidance, complete=True, layer_work=GROWTH, work=0)
    return _after(result, _searched(making, recipes, search, certify, None))


def _searched(
    making: Making, recipes: Sequence[Recipe], search: str, certify: bool, patience: int | None
) -> SearchResult:
    from symdmc.running.run import LimitReached
    from symdmc.search.directed.directed import search as directed_search

    run = making.run
    began = run.seconds
    try:
        select_all(making, recipes)
        settled = _settled(making, search)
        if settled is not None:
            return _told(making, search, settled, run.seconds - began)
        heuristic = heuristic_of(making, recipes)
    except LimitReached as reached:
        return _stopped(making, search, reached.stop, since=began)
    except KeyboardInterrupt:
        return _stopped(making, search, Stop.INTERRUPT, since=began)
    built = run.seconds - began
    result = directed_search(
        making.task,
        heuristic,
        strategy=search,
        run=run,
        certify=certify,
        patience=patience,
    )
    return _told(making, search, result, built)


def _told(making: Making, search: str, result: SearchResult, built: float) -> SearchResult:
    """The result, with how its heuristic was made."""
    return replace(
        result,
        heuristic=making.guidance.text,
        search=search,
        seconds=round(making.run.seconds, 3),
        preprocessing_seconds=round(result.preprocessing_seconds + built, 3),
        peak_memory_mb=making.run.peak_memory_mb(),
        patterns=tuple(making.patterns) or None,
        selections=making.reports(),
    )


def _settled(making: Making, search: str) -> SearchResult | None:
    """The trace that a selection has found, where it is as good as what the search promises."""
    from symdmc.search.directed.directed import strategy_named

    answers = [each.answer for each in making.selections.values() if each.answer is not None]
    found = [answer for answer in answers if answer.verdict is Verdict.ERROR]
    is_optimal = strategy_named(search).is_optimal
    return next((answer for answer in found if answer.shortest or not is_optimal), None)


def _after(before: SearchResult, result: SearchResult) -> SearchResult:
    """The result of a search that began anew with larger databases, with what the first one cost."""
    return replace(
        result,
        explored=before.explored + result.explored,
        generated=before.generated + result.generated,
        preprocessing_seconds=round(before.preprocessing_seconds + result.preprocessing_seconds, 3),
        lower_bound=None if result.lower_bound is None else max(result.lower_bound, before.lower_bound or 0),
    )


def check_symbolically(task: Task, guidance: Guidance, options: SymbolicOptions, run: Run) -> SearchResult:
    """The databases that are asked for, and A* over state sets."""
    from symdmc.running.run import LimitReached
    from symdmc.search.symbolic.astar import search

    recipes = [each for each in require_guidance(guidance, "astar", "symbolic") if isinstance(each, DatabaseRecipe)]
    making = Making(task, guidance, run)
    try:
        task.analyse(making.run.checkpoint)
        patterns = [pattern for recipe in recipes for pattern in recipe.patterns(making)]
    except LimitReached as reached:
        return replace(_stopped(making, "astar", reached.stop), engine="symbolic")
    except KeyboardInterrupt:
        return replace(_stopped(making, "astar", Stop.INTERRUPT), engine="symbolic")
    settled = _settled(making, "astar")
    chosen = making.run.seconds
    result = settled or search(
        task,
        patterns,
        options,
        extended=making.extended,
        databases=[database for recipe in recipes for database in recipe.read(making)],
        build=replace(recipes[0].build_options(guidance), order=options.order, seed=options.seed, work=None),
        run=run,
    )
    return replace(
        result,
        heuristic=guidance.text,
        selections=making.reports(),
        seconds=round(making.run.seconds, 3),
        preprocessing_seconds=round(result.preprocessing_seconds + chosen, 3),
        peak_memory_mb=max(result.peak_memory_mb, making.run.peak_memory_mb()),
    )


def _stopped(making: Making, search: str, stop: Stop, *, since: float = 0.0) -> SearchResult:
    return SearchResult(
        verdict=Verdict.UNKNOWN,
        reason=_STOPPED[stop],
        property=making.task.error.name,
        stop=stop,
        lower_bound=0,
        seconds=round(making.run.seconds, 3),
        preprocessing_seconds=round(making.run.seconds - since, 3),
        peak_memory_mb=making.run.peak_memory_mb(),
        search=search,
        heuristic=making.guidance.text,
        selections=making.reports(),
    )
