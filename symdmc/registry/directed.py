"""Directed checks: a heuristic by its spelling, and the search that it guides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from symdmc.errors import Complaint, ModelError
from symdmc.outcome import Limits, ProgressCallback, SearchResult, Stop, Verdict
from symdmc.registry.names import COMBINATIONS, HEURISTICS, LOOKUPS, PROJECTIONS, require_known
from symdmc.registry.patterns import pattern_numbers

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import Heuristic
    from symdmc.patterndb.build import BuildOptions
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.search.resources import Watch
    from symdmc.search.symbolic_options import SymbolicOptions
    from symdmc.task import Task

PATIENCE = 1_000_000
"""States that a search expands with databases that end at the initial states, before it is worth it to add layers."""
GROWTH = 1_000_000
"""Most nodes that the layers of a database may add up to, when layers are added because of a long search."""

_STOPPED = {Stop.TIME: "time limit", Stop.MEMORY: "memory limit", Stop.INTERRUPT: "interrupted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """What guides a search, as the user spelled it."""

    heuristic: str
    """One of HEURISTICS."""
    patterns: tuple[str, ...] = ()
    """Of `pdb`: the names that each database keeps."""
    databases: tuple[Path, ...] = ()
    """Of `pdb`: files with databases built before."""
    complete: bool = False
    """Build databases to their last layer."""
    projection: str = "exact"
    """How databases drop what is not in their pattern."""
    perimeter: int | None = None
    """Databases have exact distances up to this one."""
    layer_work: int | None = None
    """Databases get no more layers behind the initial states when these add up to more nodes."""
    combine: str = "max"
    lookup: str = "flat"
    """`layers` asks the diagrams themselves, state by state: slow, a reference for the tables."""

    def build_options(self) -> BuildOptions:
        """How the databases are built."""
        from symdmc.patterndb.build import BuildOptions

        return BuildOptions(
            complete=self.complete,
            projection=self.projection,
            perimeter=self.perimeter,
            layer_work=self.layer_work,
        )


def require_guidance(guidance: Guidance, search: str, engine: str = "explicit") -> None:
    """Raise ModelError where the parts of the question do not fit together."""
    from symdmc.search.hybrid import strategy_named

    require_known("heuristic", guidance.heuristic, HEURISTICS)
    given = bool(guidance.patterns or guidance.databases)
    if guidance.heuristic == "pdb" and not given:
        raise ModelError(Complaint("a pattern database needs a pattern", "name what it keeps with --pattern"))
    if guidance.heuristic != "pdb" and given:
        raise ModelError(Complaint(f"the heuristic {guidance.heuristic!r} has no pattern", "use --heuristic pdb"))
    require_known("combination", guidance.combine, COMBINATIONS)
    require_known("look-up", guidance.lookup, LOOKUPS)
    require_known("projection", guidance.projection, PROJECTIONS)
    if guidance.perimeter is not None:
        if guidance.perimeter < 0:
            raise ModelError(Complaint(f"the perimeter {guidance.perimeter} is negative", "give 0 or more"))
        if guidance.combine == "sum":
            raise ModelError(Complaint("databases with a perimeter cannot share costs", "combine them by max"))
        if guidance.lookup == "layers":
            raise ModelError(Complaint("--lookup layers has no perimeter", "use --lookup flat"))
    if guidance.combine == "sum" and guidance.lookup == "layers":
        raise ModelError(Complaint("--lookup layers has no sum", "use --lookup flat"))
    if engine == "symbolic":
        _require_symbolic(guidance, search)
        return
    try:
        strategy_named(search)
    except ValueError as problem:
        raise ModelError(Complaint(str(problem))) from None


def _require_symbolic(guidance: Guidance, search: str) -> None:
    if guidance.heuristic != "pdb":
        what = f"the symbolic engine has no heuristic {guidance.heuristic!r}"
        raise ModelError(Complaint(what, "use pdb, or leave the heuristic out"))
    if search != "astar":
        raise ModelError(Complaint(f"the symbolic engine has no search {search!r}", "with a heuristic it has astar"))
    if guidance.combine != "max" or guidance.lookup != "flat":
        raise ModelError(Complaint("the symbolic engine takes the largest of all estimates", "leave the rest out"))


def check_directed(
    task: Task, guidance: Guidance, search: str, limits: Limits, progress: ProgressCallback | None, *, certify: bool
) -> SearchResult:
    """Build what the heuristic needs, then search; a limit met on the way is an outcome.

    A best-first search that takes long although its databases end at the initial states begins anew with larger ones.
    """
    from symdmc.search.hybrid import strategy_named
    from symdmc.search.resources import Watch

    watch = Watch(limits)
    can_grow = bool(guidance.patterns) and guidance.lookup == "flat" and not guidance.complete
    patience = PATIENCE if can_grow and strategy_named(search).rule is not None else None
    result = _searched(task, guidance, search, limits, watch, progress, certify, patience)
    if patience is None or result.verdict is not Verdict.UNKNOWN or result.stop is not None:
        return result
    larger = replace(guidance, complete=True, layer_work=GROWTH)
    return _after(result, _searched(task, larger, search, limits, watch, progress, certify, None))


def _searched(
    task: Task,
    guidance: Guidance,
    search: str,
    limits: Limits,
    watch: Watch,
    progress: ProgressCallback | None,
    certify: bool,
    patience: int | None,
) -> SearchResult:
    from symdmc.search.hybrid import search as directed_search
    from symdmc.search.resources import LimitReached

    began = watch.seconds
    try:
        heuristic, patterns = _heuristic(task, guidance, watch, progress)
    except LimitReached as reached:
        return _stopped(task, guidance, search, watch, reached.stop, since=began)
    built = watch.seconds - began
    result = directed_search(
        task,
        heuristic,
        strategy=search,
        limits=_left(limits, watch),
        progress=progress,
        certify=certify,
        patience=patience,
    )
    return replace(
        result,
        seconds=round(watch.seconds, 3),
        preprocessing_seconds=round(result.preprocessing_seconds + built, 3),
        patterns=patterns,
    )


def _left(limits: Limits, watch: Watch) -> Limits:
    return limits if limits.seconds is None else replace(limits, seconds=max(0.0, limits.seconds - watch.seconds))


def _after(before: SearchResult, result: SearchResult) -> SearchResult:
    """The result of a search that began anew with larger databases, with what the first one cost."""
    return replace(
        result,
        explored=before.explored + result.explored,
        generated=before.generated + result.generated,
        preprocessing_seconds=round(before.preprocessing_seconds + result.preprocessing_seconds, 3),
        lower_bound=None if result.lower_bound is None else max(result.lower_bound, before.lower_bound or 0),
    )


def _heuristic(
    task: Task, guidance: Guidance, watch: Watch, progress: ProgressCallback | None
) -> tuple[Heuristic, tuple[tuple[str, ...], ...] | None]:
    if guidance.heuristic == "blind":
        from symdmc.heuristics.blind import Blind

        return Blind(task), None
    from symdmc.heuristics.databases import database_heuristic

    if guidance.lookup == "layers":
        return _by_layers(task, guidance)
    databases = databases_of(task, guidance, watch, progress)
    return database_heuristic(task, databases, guidance.combine), tuple(each.pattern for each in databases)


def check_symbolically(
    task: Task, guidance: Guidance, options: SymbolicOptions, limits: Limits, progress: ProgressCallback | None
) -> SearchResult:
    """The databases that are asked for, and A* over state sets."""
    from symdmc.patterndb.store import read_database
    from symdmc.search.resources import LimitReached, Watch
    from symdmc.search.symbolic_astar import search

    watch = Watch(limits)
    try:
        task.analyse(watch.checkpoint)
    except LimitReached as reached:
        return replace(_stopped(task, guidance, "astar", watch, reached.stop), engine="symbolic")
    return search(
        task,
        numbers_of(task, guidance.patterns),
        options,
        databases=[read_database(path, task) for path in guidance.databases],
        build=replace(guidance.build_options(), order=options.order, seed=options.seed),
        limits=_left(limits, watch),
        progress=progress,
    )


def databases_of(
    task: Task, guidance: Guidance, watch: Watch, progress: ProgressCallback | None
) -> list[PatternDatabase]:
    """The databases that are asked for: read from files, then built."""
    from symdmc.patterndb.store import read_database
    from symdmc.search.databases import built_databases

    task.analyse(watch.checkpoint)
    read = [read_database(path, task) for path in guidance.databases]
    patterns = numbers_of(task, guidance.patterns)
    options, partition = guidance.build_options(), guidance.combine == "sum"
    built = built_databases(task, patterns, options, watch, progress, partition=partition) if patterns else []
    return [*read, *built]


def numbers_of(task: Task, patterns: Sequence[str]) -> list[tuple[int, ...]]:
    """The variables of each pattern."""
    return [pattern_numbers(task, spelling) for spelling in patterns]


def _by_layers(task: Task, guidance: Guidance) -> tuple[Heuristic, tuple[tuple[str, ...], ...]]:
    """Membership in the layers themselves, in this process."""
    from symdmc.heuristics.layers import LayerHeuristic
    from symdmc.patterndb.build import build_layers

    if guidance.databases:
        raise ModelError(Complaint("--lookup layers reads no file", "give --pattern instead of --database"))
    options = guidance.build_options()
    built = [build_layers(task, numbers, options)[0] for numbers in numbers_of(task, guidance.patterns)]
    names = tuple(tuple(task.variables[n].name for n in sorted(each.encoding.kept)) for each in built)
    return LayerHeuristic(tuple(built)), names


def _stopped(
    task: Task, guidance: Guidance, search: str, watch: Watch, stop: Stop, *, since: float = 0.0
) -> SearchResult:
    return SearchResult(
        verdict=Verdict.UNKNOWN,
        reason=f"{_STOPPED[stop]} reached while building the pattern database"
        if stop is not Stop.INTERRUPT
        else "interrupted while building the pattern database",
        property=task.error.name,
        stop=stop,
        lower_bound=0,
        seconds=round(watch.seconds, 3),
        preprocessing_seconds=round(watch.seconds - since, 3),
        search=search,
        heuristic=guidance.heuristic,
    )
