"""From a configuration to what the registry takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from symdmc.checking.checks import SymbolicCheck, check_task
from symdmc.checking.directed import require_guidance
from symdmc.checking.guidance import Guidance
from symdmc.checking.heuristics import given_predicates
from symdmc.errors import ModelError
from symdmc.experiment.configuration import SYMBOLIC, Configuration
from symdmc.outcome import SearchResult

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.running.run import Run
    from symdmc.task.task import Task


def guidance_of(configuration: Configuration) -> Guidance | None:
    """What guides the search of a configuration; None for a search that needs nothing."""
    return Guidance(heuristics=configuration.heuristics) if configuration.heuristics else None


def require_heuristics(configuration: Configuration) -> None:
    """Raise ModelError where a heuristic of the configuration does not exist or does not fit its search.

    Files with predicates must be there and have some; whether these fit is a question for each model.
    """
    guidance = guidance_of(configuration)
    if guidance is None:
        return
    search = "astar" if configuration.search == SYMBOLIC else configuration.search
    try:
        recipes = require_guidance(guidance, search, configuration.engine)
    except ModelError as problem:
        where = f"configuration {configuration.text!r}"
        raise ModelError([replace(complaint, where=where) for complaint in problem.complaints]) from None
    files = [options.file for options in map(given_predicates, recipes) if options is not None]
    _require_lines([Path(name) for name in files if name is not None])


def _require_lines(paths: Sequence[Path]) -> None:
    """Raise ModelError where a file has no predicate."""
    if paths:
        from symdmc.abstraction.predicates.given import lines_of  # takes long, and few configurations need it

        for path in paths:
            lines_of(path)


def run_configuration(task: Task, configuration: Configuration, *, seed: int | None, run: Run) -> SearchResult:
    """The answer to the question of a task in the way of a configuration."""
    symbolic: SymbolicCheck = {}
    if configuration.direction is not None:
        symbolic["direction"] = configuration.direction
    return check_task(
        task,
        engine=configuration.engine,
        search=None if configuration.search == SYMBOLIC else configuration.search,
        guidance=guidance_of(configuration),
        seed=seed or 0,
        run=run,
        **symbolic,
    )


def estimates_of(task: Task, heuristics: tuple[str, ...], run: Run) -> Heuristic:
    """The heuristic that a search with these spellings would have."""
    from symdmc.checking.heuristics import heuristic_of, recipes_of
    from symdmc.checking.making import Making

    guidance = Guidance(heuristics=heuristics)
    return heuristic_of(Making(task, guidance, run), recipes_of(guidance))
