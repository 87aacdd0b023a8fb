"""From a configuration to what the registry takes: the only place that knows both spellings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from symdmc.errors import Complaint, ModelError
from symdmc.experiment.configuration import SYMBOLIC, Configuration
from symdmc.model.suggestions import did_you_mean
from symdmc.outcome import SearchResult
from symdmc.registry.checks import Allowance, SymbolicCheck, check_task
from symdmc.registry.directed import Guidance
from symdmc.registry.names import HEURISTICS

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.search.resources import Watch
    from symdmc.task.task import Task

_PATTERN = "pattern="


def guidance_of(heuristics: tuple[str, ...], where: str) -> Guidance | None:
    """What guides a search with these heuristics, which are combined by their maximum; None without any."""
    if not heuristics:
        return None
    names = {heuristic.partition(":")[0] for heuristic in heuristics}
    for name in sorted(names - set(HEURISTICS)):
        remedy = did_you_mean(name, HEURISTICS, f"the heuristics are {', '.join(HEURISTICS)}")
        raise ModelError(Complaint(f"there is no heuristic {name!r}", remedy, where))
    if len(names) > 1:
        raise ModelError(Complaint("only pattern databases can be combined", "write pdb:...+pdb:...", where))
    arguments = [heuristic.partition(":")[2] for heuristic in heuristics]
    if names == {"blind"}:
        return Guidance(heuristic="blind")
    if not all(argument.startswith(_PATTERN) for argument in arguments):
        raise ModelError(Complaint("pdb needs a pattern", "write it as pdb:pattern=P_0/P_1", where))
    spelled = tuple(argument.removeprefix(_PATTERN).replace("/", ",") for argument in arguments)
    return Guidance(heuristic="pdb", patterns=spelled)


def require_heuristics(configuration: Configuration) -> None:
    """Raise ModelError where a heuristic of the configuration does not exist or does not fit."""
    from symdmc.registry.directed import require_guidance

    where = f"configuration {configuration.text!r}"
    guidance = guidance_of(configuration.heuristics, where)
    if guidance is None:
        return
    search = "astar" if configuration.search == SYMBOLIC else configuration.search
    try:
        require_guidance(guidance, search, configuration.engine)
    except ModelError as problem:
        raise ModelError([replace(each, where=each.where or where) for each in problem.complaints]) from None


def run_configuration(
    task: Task, configuration: Configuration, *, seed: int | None, allowance: Allowance
) -> SearchResult:
    """The answer to the question of a task in the way of a configuration."""
    symbolic: SymbolicCheck = {}
    if configuration.direction is not None:
        symbolic["direction"] = configuration.direction
    return check_task(
        task,
        engine=configuration.engine,
        search=None if configuration.search == SYMBOLIC else configuration.search,
        guidance=guidance_of(configuration.heuristics, configuration.text),
        seed=seed or 0,
        allowance=allowance,
        **symbolic,
    )


def heuristic_of(task: Task, heuristics: tuple[str, ...], watch: Watch) -> Heuristic:
    """The heuristic that a search would have."""
    from symdmc.registry.directed import _heuristic

    guidance = guidance_of(heuristics, "+".join(heuristics))
    assert guidance is not None
    return _heuristic(task, guidance, watch, None)[0]
