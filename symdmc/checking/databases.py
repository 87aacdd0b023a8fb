"""Pattern databases for Python: to build, and A* with one; what a selection chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from symdmc.abstraction.predicates.given import predicates_given
from symdmc.abstraction.predicates.pattern import predicate_pattern
from symdmc.checking.checks import check_task
from symdmc.checking.preparing import reports, selected
from symdmc.checking.request import CheckRequest, NamedHeuristic, check_request
from symdmc.encode.order.orders import ORDERS
from symdmc.errors import Complaint, ModelError, ResourceLimit
from symdmc.heuristics.domain import given_classes
from symdmc.heuristics.estimates.database_request import Combination, Projection
from symdmc.heuristics.estimates.given import GivenDatabases
from symdmc.lookup.tables import COMBINATIONS
from symdmc.outcome import EXIT_CODES, ProgressCallback, SearchResult, SelectionReport, Stop
from symdmc.patterndb.build import PROJECTIONS, BuildOptions
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.supervised import built_databases
from symdmc.running.run import LimitReached, Limits, Run
from symdmc.search.directed.astar import AStar
from symdmc.spelling.suggestions import require_known
from symdmc.task.derived import extended, numbers_of
from symdmc.task.task import Task
from symdmc.task.variable_names import pattern_numbers

Databases: TypeAlias = "PatternDatabase | Sequence[PatternDatabase]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """How building a database ended: with the database, or at a limit."""

    database: PatternDatabase | None
    stop: Stop | None
    seconds: float

    @property
    def exit_code(self) -> int:
        """What `symdmc patterndb build` returns."""
        return 0 if self.stop is None else EXIT_CODES[self.stop]

    @property
    def reason(self) -> str:
        """Why there is none; empty where there is one."""
        return "" if self.stop is None else f"{self.stop.words} while building the pattern database"


def pattern_database(
    task: Task,
    pattern: str | Sequence[str],
    *,
    complete: bool = False,
    projection: Projection = "exact",
    perimeter: int | None = None,
    order: str = "local",
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> PatternDatabase:
    """The pattern database of a task that keeps the named processes and variables: admissible and consistent.

    Names are given as a list or as `"P_0,x,Q*"`. Without `complete` the layers end where every initial state has its
    distance. `projection` is `exact` or `syntactic`; distances up to `perimeter` are exact; `order` is `declared`,
    `force`, `local` or `hubs`. Limits are in seconds and megabytes; reaching one raises ResourceLimit.
    """
    return _required(
        build_within(
            task,
            pattern if isinstance(pattern, str) else ",".join(pattern),
            complete=complete,
            projection=projection,
            perimeter=perimeter,
            order=order,
            seed=seed,
            run=Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress),
        )
    )


def predicate_database(
    task: Task,
    predicates: str | Sequence[str],
    *,
    keep: str | Sequence[str] = (),
    complete: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> PatternDatabase:
    """The pattern database that keeps whether conditions such as `"x + y >= 3"` hold: admissible and consistent.

    `keep` names processes and variables kept beside them; all else is as for `pattern_database`.
    """
    given = Derived(predicates=(predicates,) if isinstance(predicates, str) else tuple(predicates))
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    return _keeping(task, given, keep, run, complete=complete)


def domain_database(
    task: Task,
    classes: Mapping[str, str],
    *,
    keep: str | Sequence[str] = (),
    complete: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> PatternDatabase:
    """The pattern database that keeps in which class a value is, as in `{"x": "0/1..9/10"}`: admissible and consistent.

    `keep` names processes and variables kept beside them; all else is as for `pattern_database`.
    """
    given = Derived(classes=tuple(f"{name}={values}" for name, values in classes.items()))
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    return _keeping(task, given, keep, run, complete=complete)


def _keeping(
    task: Task,
    derived: Derived,
    keep: str | Sequence[str],
    run: Run,
    *,
    complete: bool,
) -> PatternDatabase:
    """The database of derived variables with others beside them."""
    names = keep if isinstance(keep, str) else ",".join(keep)
    return _required(build_within(task, names, derived=derived, complete=complete, run=run))


def _required(built: Build) -> PatternDatabase:
    if built.database is None:
        raise ResourceLimit(built.reason, built.exit_code)
    return built.database


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """Derived variables for a database, as the user spelled them."""

    predicates: tuple[str, ...] = ()
    predicate_files: tuple[Path, ...] = ()
    classes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.predicates or self.predicate_files or self.classes)

    def kept(self, task: Task) -> tuple[Task, set[int]]:
        """The task extended by them, and their numbers in it; ModelError has a line for each predicate that is wrong.

        Where predicates on a variable tell all its values apart, this is the variable itself.
        """
        found = predicates_given(task, self.predicates, self.predicate_files)
        told = predicate_pattern(task, [each.predicate for each in found])
        classes = given_classes(task, self.classes)
        richer = extended(told.task, classes)
        return richer, {*told.pattern, *numbers_of(richer, classes)}


def build_within(
    task: Task,
    pattern: str,
    *,
    derived: Derived = Derived(),
    complete: bool = False,
    projection: Projection = "exact",
    perimeter: int | None = None,
    order: str = "local",
    seed: int = 0,
    run: Run | None = None,
) -> Build:
    """As `pattern_database`, with a limit as an outcome; derived variables are kept besides. A child does the work."""
    require_known("order", order, ORDERS)
    require_known("projection", projection, tuple(PROJECTIONS))
    if perimeter is not None and perimeter < 0:
        raise ModelError(Complaint(f"the perimeter {perimeter} is negative", "give 0 or more"))
    if derived and projection != "exact":
        raise ModelError(Complaint("predicates and merged values are projected exactly", "leave the projection out"))
    run = run or Run()
    options = BuildOptions(complete=complete, projection=projection, perimeter=perimeter, order=order, seed=seed)
    try:
        database = run.guarded(lambda: _built(task, pattern, derived, options, run))
    except LimitReached as reached:
        return Build(database=None, stop=reached.stop, seconds=round(run.seconds, 3))
    return Build(database=database, stop=None, seconds=round(run.seconds, 3))


def _built(task: Task, pattern: str, derived: Derived, options: BuildOptions, run: Run) -> PatternDatabase | None:
    """The database; raises LimitReached."""
    task.analyse(run.checkpoint)
    richer, kept = derived.kept(task)
    numbers = pattern_numbers(task, pattern) if pattern or not derived else ()
    (database,) = built_databases(richer, [sorted(kept.union(numbers))], options, run)
    return database


def select_patterns(
    task: Task,
    selection: str,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> SelectionReport:
    """The patterns that a selection such as `"dpr"` or `"coi:2"` chooses for a task, with the reasons.

    Limits are in seconds and megabytes; reaching one raises ResourceLimit.
    """
    request = check_request(heuristic=f"pdb:{selection}")
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    try:
        chosen = run.guarded(lambda: selected(request, task, run))
    except LimitReached as reached:
        raise ResourceLimit(f"{reached.stop.value} while selecting a pattern", EXIT_CODES[reached.stop]) from None
    (report,) = reports(request, task, chosen)
    return report


def astar(
    task: Task,
    heuristic: Databases | str,
    *,
    combine: Combination = "max",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> SearchResult:
    """An error trace found by A* with one pattern database, several, or a heuristic that is spelled; replayed.

    It is a shortest one if the heuristic is admissible, as databases are. `combine` is `max`, or `sum` for databases
    that share the costs. Reaching a limit gives the verdict unknown.
    """
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    if isinstance(heuristic, str):
        return check_task(task, check_request(heuristic=heuristic, combine=combine), run)
    require_known("combination", combine, COMBINATIONS)
    databases = (heuristic,) if isinstance(heuristic, PatternDatabase) else tuple(heuristic)
    given = GivenDatabases(databases=databases, combination=combine)
    request = CheckRequest(search=AStar(), heuristics=(NamedHeuristic("pdb", given),))
    return check_task(task, request, run)
