"""What an experiment does with a request: check its files, run it, make its heuristic alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from symdmc.checking.checks import check_task
from symdmc.checking.preparing import prepared, selected
from symdmc.checking.request import CheckRequest, check_request
from symdmc.experiment.configuration import Configuration
from symdmc.heuristics.heuristic import Heuristic
from symdmc.outcome import SearchResult
from symdmc.running.run import Run
from symdmc.task.task import Task


def require_files(request: CheckRequest) -> None:
    """Raise ModelError where a file with predicates is missing or has none; whether they fit each model decides."""
    files = [each.options.predicate_file for each in request.heuristics]
    for file in files:
        if file is not None:
            from symdmc.abstraction.predicates.given import lines_of  # takes long, and few configurations need it

            lines_of(Path(file))


def run_configuration(task: Task, configuration: Configuration, *, seed: int | None, run: Run) -> SearchResult:
    """The answer to the question of a task in the way of a configuration."""
    request = configuration.request
    seeded = replace(request, seed=seed or 0, symbolic=replace(request.symbolic, seed=seed or 0))
    return check_task(task, seeded, run)


def estimates_of(task: Task, heuristics: tuple[str, ...], run: Run) -> Heuristic:
    """The heuristic that a search with these spellings would have."""
    request = check_request(heuristic=heuristics)
    return prepared(request, task, run, selected(request, task, run)).made.heuristic
