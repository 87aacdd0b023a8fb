"""Pattern databases for Python, and what a selection chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Unpack

from symdmc.abstraction.predicates.given import predicates_given
from symdmc.abstraction.predicates.pattern import predicate_pattern
from symdmc.checking.checks import Model, task_of
from symdmc.checking.preparing import reports, selected
from symdmc.checking.request import QuestionOptions, building_options, check_request, question_of
from symdmc.encode.order.orders import ORDERS
from symdmc.errors import Code, Complaint, ModelError, ResourceLimit
from symdmc.heuristics.domain import given_classes
from symdmc.heuristics.estimates.database_request import Projection
from symdmc.outcome import EXIT_CODES, ProgressCallback, SelectionReport, Stop
from symdmc.patterndb.build import PROJECTIONS, BuildOptions
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.supervised import built_databases
from symdmc.running.run import LimitReached, Limits, Run
from symdmc.search.symbolic.options import Order
from symdmc.spelling.kinds import require_kind, several_of
from symdmc.spelling.suggestions import require_known
from symdmc.task.derived import extended, numbers_of
from symdmc.task.task import Task
from symdmc.task.variable_names import pattern_numbers


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
    model: Model,
    *,
    keep: str | Sequence[str] = (),
    predicates: str | Sequence[str] = (),
    classes: Mapping[str, str] | None = None,
    complete: bool = False,
    projection: Projection = "exact",
    perimeter: int | None = None,
    order: Order = "local",
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **question: Unpack[QuestionOptions],
) -> PatternDatabase:
    """A pattern database for a model and a question, which is asked as in `check`: admissible and consistent.

    It keeps processes and variables, named as a list or as in `keep="P_0,x,Q*"`; whether conditions hold, as in
    `predicates="x + y >= 3"`; and in which class a value is, as in `classes={"x": "0/1..9/10"}`. Without `complete` the
    layers end where every initial state has its distance. `projection` is `exact` or `syntactic`; distances up to
    `perimeter` are exact; `order` is `declared`, `force`, `local` or `hubs`, and `seed` is for it. Limits are in
    seconds and megabytes; reaching one raises ResourceLimit.

    >>> import symdmc
    >>> database = symdmc.pattern_database("arbiter_tree:height=2", keep="Client*,Node1")
    >>> symdmc.check("arbiter_tree:height=2", heuristic=database).length
    28
    """
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    options = building_options(
        "pattern_database", complete=complete, projection=projection, perimeter=perimeter, order=order, seed=seed
    )
    asked = question_of("pattern_database", question, tuple(signature(pattern_database).parameters))
    names = ",".join(several_of("the argument keep", keep, str, "a text such as 'P,x'"))
    derived = Derived(
        predicates=several_of("the argument predicates", predicates, str, "a text such as 'x + y >= 3'"),
        classes=_spelled_classes({} if classes is None else classes),
    )
    if not names and not derived:
        raise ModelError(
            Complaint(Code.NOTHING_CHOSEN, "the pattern database keeps nothing", "give keep, predicates or classes")
        )
    return _required(
        _within(run, lambda: build_within(task_of(model, asked, run), names, derived=derived, run=run, **options))
    )


def _spelled_classes(classes: Mapping[str, str]) -> tuple[str, ...]:
    wanted = "a mapping such as {'x': '0/1..9/10'}"
    require_kind("the argument classes", classes, Mapping, wanted)
    for part in (*classes.keys(), *classes.values()):
        require_kind("a part of the argument classes", part, str, wanted)
    return tuple(f"{name}={values}" for name, values in classes.items())


def _within(run: Run, build: Callable[[], Build]) -> Build:
    """What is built; a limit on the way to the task is an outcome, too."""
    try:
        return run.guarded(build)
    except LimitReached as reached:
        return _stopped(reached.stop, run)


def _stopped(stop: Stop, run: Run) -> Build:
    return Build(database=None, stop=stop, seconds=round(run.seconds, 3))


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
    """The database that keeps a pattern and derived variables, or the limit that was met. A child does the work."""
    require_known(Code.UNKNOWN_OPTION_VALUE, "order", order, ORDERS)
    require_known(Code.UNKNOWN_OPTION_VALUE, "projection", projection, tuple(PROJECTIONS))
    if perimeter is not None and perimeter < 0:
        raise ModelError(Complaint(Code.WRONG_OPTION_VALUE, f"the perimeter {perimeter} is negative", "give 0 or more"))
    if derived and projection != "exact":
        raise ModelError(
            Complaint(
                Code.OPTIONS_CONFLICT, "predicates and merged values are projected exactly", "leave the projection out"
            )
        )
    run = run or Run()
    options = BuildOptions(complete=complete, projection=projection, perimeter=perimeter, order=order, seed=seed)
    try:
        database = run.guarded(lambda: _built(task, pattern, derived, options, run))
    except LimitReached as reached:
        return _stopped(reached.stop, run)
    return Build(database=database, stop=None, seconds=round(run.seconds, 3))


def _built(task: Task, pattern: str, derived: Derived, options: BuildOptions, run: Run) -> PatternDatabase | None:
    """The database; raises LimitReached."""
    task.analyse(run.checkpoint)
    richer, kept = derived.kept(task)
    numbers = pattern_numbers(task, pattern) if pattern or not derived else ()
    (database,) = built_databases(richer, [sorted(kept.union(numbers))], options, run)
    return database


def select_patterns(
    model: Model,
    selection: str,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **question: Unpack[QuestionOptions],
) -> SelectionReport:
    """The patterns that a selection such as `"dpr"` or `"coi:2"` chooses for a model and a question, with the reasons.

    Limits are in seconds and megabytes; reaching one raises ResourceLimit.

    >>> import symdmc
    >>> symdmc.select_patterns("arbiter_tree:height=2", "cegar").patterns
    (('Node1', 'Node2', 'Node3', 'Client0', 'Client1', 'Client2', 'Client3'),)
    """
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    require_kind("the argument selection", selection, str, "a text such as 'cegar'")
    request = check_request(heuristic=f"pdb:{selection}")
    asked = question_of("select_patterns", question, tuple(signature(select_patterns).parameters))

    def select() -> SelectionReport:
        task = task_of(model, asked, run)
        (report,) = reports(request, task, selected(request, task, run))
        return report

    try:
        return run.guarded(select)
    except LimitReached as reached:
        raise ResourceLimit(f"{reached.stop.value} while selecting a pattern", EXIT_CODES[reached.stop]) from None
