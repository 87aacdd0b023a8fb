"""Pattern databases to build, look into, ask and compare; A* with one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from symdmc.checking.checks import check_task, verified
from symdmc.checking.derived import given_classes
from symdmc.checking.guidance import Guidance
from symdmc.checking.heuristics import recipes_of, select_all
from symdmc.checking.making import Making
from symdmc.checking.names import PROJECTIONS, require_known
from symdmc.errors import Complaint, ModelError, ResourceLimit
from symdmc.model.simulation import Simulation
from symdmc.model.state import State
from symdmc.outcome import EXIT_CODES, Layer, ProgressCallback, SearchResult, SelectionReport, Stop
from symdmc.running.run import Limits, Run
from symdmc.task.state_names import state_named
from symdmc.task.variable_names import pattern_numbers

if TYPE_CHECKING:
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.task import Task

Databases: TypeAlias = "PatternDatabase | Sequence[PatternDatabase]"

MOST_STEPS = 100
"""A random walk of a sample goes no further, then another one begins."""


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
        if self.stop is None:
            return ""
        happened = "interrupted" if self.stop is Stop.INTERRUPT else f"{self.stop.value} reached"
        return f"{happened} while building the pattern database"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """How many abstract states a database has at each distance, and elsewhere; all counts are exact."""

    layers: tuple[Layer, ...]
    beyond: int | None
    """Behind the last layer of a partial database; None for a complete one."""
    dead_ends: int | None
    """None for a partial database, which knows of none."""
    outside: int
    """Outside of what the layers are restricted to: no such state can be reached."""

    @property
    def inside(self) -> int:
        """All states inside the restriction."""
        return sum(layer.states or 0 for layer in self.layers) + (self.beyond or 0) + (self.dead_ends or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a database says about a state, or about all initial states."""

    state: State | None
    """None for the initial states, of which the smallest estimate counts."""
    distance: int | None
    """None for a dead end and outside."""
    outside: bool = False

    @property
    def is_dead_end(self) -> bool:
        """Whether no error state can be reached."""
        return self.distance is None and not self.outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two databases that are compared."""

    pattern: tuple[str, ...]
    mean: float | None
    """Of the estimates of states that neither database calls a dead end; None where there are none."""
    dead_ends: int
    larger: int
    """How often its estimate is the larger one; a dead end is larger than every number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two databases on the same states."""

    states: int
    equal: int
    sides: tuple[Side, Side]


def pattern_database(
    task: Task,
    pattern: str | Sequence[str],
    *,
    complete: bool = False,
    projection: str = "exact",
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
        from symdmc.abstraction.predicates.given import predicates_given
        from symdmc.abstraction.predicates.pattern import predicate_pattern
        from symdmc.task.derived import extended, numbers_of

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
    projection: str = "exact",
    perimeter: int | None = None,
    order: str = "local",
    seed: int = 0,
    run: Run | None = None,
) -> Build:
    """As `pattern_database`, with a limit as an outcome; derived variables are kept besides. A child does the work."""
    from symdmc.encode.order.orders import ORDERS
    from symdmc.patterndb.build import BuildOptions
    from symdmc.patterndb.supervised import built_databases
    from symdmc.running.run import LimitReached, Run

    require_known("order", order, ORDERS)
    require_known("projection", projection, PROJECTIONS)
    if perimeter is not None and perimeter < 0:
        raise ModelError(Complaint(f"the perimeter {perimeter} is negative", "give 0 or more"))
    if derived and projection != "exact":
        raise ModelError(Complaint("predicates and merged values are projected exactly", "leave the projection out"))
    run = run or Run()
    options = BuildOptions(complete=complete, projection=projection, perimeter=perimeter, order=order, seed=seed)
    try:
        task.analyse(run.checkpoint)
        richer, kept = derived.kept(task)
        numbers = pattern_numbers(task, pattern) if pattern or not derived else ()
        (database,) = built_databases(richer, [sorted(kept.union(numbers))], options, run)
    except LimitReached as reached:
        return Build(database=None, stop=reached.stop, seconds=round(run.seconds, 3))
    return Build(database=database, stop=None, seconds=round(run.seconds, 3))


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
    from symdmc.running.run import LimitReached, Run

    guidance = Guidance(heuristics=(f"pdb:{selection}",))
    making = Making(task, guidance, Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress))
    try:
        select_all(making, recipes_of(guidance))
    except LimitReached as reached:
        raise ResourceLimit(f"{reached.stop.value} while selecting a pattern", EXIT_CODES[reached.stop]) from None
    (report,) = making.reports()
    return report


def astar(
    task: Task,
    heuristic: Databases | str,
    *,
    combine: str = "max",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> SearchResult:
    """An error trace found by A* with one pattern database, several, or a heuristic that is spelled; replayed.

    It is a shortest one if the heuristic is admissible, as databases are. `combine` is `max`, or `sum` for databases
    that share the costs. Reaching a limit gives the verdict unknown.
    """
    if isinstance(heuristic, str):
        guidance = Guidance(heuristics=(heuristic,), combine=combine)
        run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
        return check_task(task, guidance=guidance, run=run)
    from symdmc.heuristics.databases import database_heuristic
    from symdmc.lookup.tables import COMBINATIONS
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.search.directed.directed import search

    require_known("combination", combine, COMBINATIONS)
    databases = (heuristic,) if isinstance(heuristic, PatternDatabase) else tuple(heuristic)
    _require_fitting(task, databases)
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    result = search(task, database_heuristic(task, databases, combine), run=run)
    return verified(task, replace(result, patterns=tuple(database.pattern for database in databases)))


def _require_fitting(task: Task, databases: Sequence[PatternDatabase]) -> None:
    if not databases:
        raise ModelError(Complaint("there is no pattern database", "build one with pattern_database(...)"))
    for database in databases:
        if database.fingerprint != task.fingerprint:
            what = f"the pattern database of {', '.join(database.pattern)} belongs to another model or error condition"
            raise ModelError(Complaint(what, "build it again with pattern_database(...)"))


def contents_of(database: PatternDatabase) -> Contents:
    """The abstract states of a database, counted."""
    from symdmc.lookup.tables import DEAD_END, OUTSIDE

    found = database.states_by_code()
    return Contents(
        layers=tuple(replace(layer, states=found.get(layer.depth, 0)) for layer in database.layers),
        beyond=None if database.complete else found.get(len(database.layers), 0),
        dead_ends=found.get(DEAD_END, 0) if database.complete else None,
        outside=found.get(OUTSIDE, 0),
    )


def estimate_of_state(task: Task, database: PatternDatabase, spelling: str | None) -> Estimate:
    """The estimate of the state that is spelled (`state_named` says how), or of the initial states."""
    from symdmc.lookup.tables import DEAD_END, OUTSIDE

    if spelling is None:
        return Estimate(state=None, distance=database.h_initial)
    values = state_named(task, spelling)
    code = database.code(values)
    distance = code if code < DEAD_END else None
    return Estimate(state=task.state(values), distance=distance, outside=code == OUTSIDE)


def compare_databases(
    task: Task, first: PatternDatabase, second: PatternDatabase, *, states: int = 1000, seed: int = 0
) -> Comparison:
    """What two databases say about states met by random walks; the same seed gives the same states."""
    from symdmc.patterndb.database import estimate_of

    codes = [(first.code(state), second.code(state)) for state in sampled_states(task, states, seed)]
    pairs = [(estimate_of(one, first.pattern), estimate_of(other, second.pattern)) for one, other in codes]
    swapped = [(other, one) for one, other in pairs]
    return Comparison(
        states=len(pairs),
        equal=sum(one == other for one, other in pairs),
        sides=(_side(first, pairs), _side(second, swapped)),
    )


def _side(database: PatternDatabase, pairs: Sequence[tuple[int | None, int | None]]) -> Side:
    """One database; its estimates come first in the pairs."""
    finite = [(own, other) for own, other in pairs if own is not None and other is not None]
    return Side(
        pattern=database.pattern,
        mean=sum(own for own, _ in finite) / len(finite) if finite else None,
        dead_ends=sum(own is None for own, _ in pairs),
        larger=sum(own > other for own, other in finite)
        + sum(own is None and other is not None for own, other in pairs),
    )


def sampled_states(task: Task, number: int, seed: int) -> list[State]:
    """So many states met by random walks from the initial states, again and again those that are met again."""
    return list(islice(_met(Simulation(task.system), random.Random(seed)), number))


def _met(walk: Simulation, chance: random.Random) -> Iterator[State]:
    if not walk.starts:
        raise ModelError(Complaint("the model has no initial state", "there is nothing to compare"))
    while True:
        walk.start(chance.choice(walk.starts))
        while walk.state is not None and len(walk.steps) <= MOST_STEPS:
            yield walk.state
            if not walk.take_any(chance):
                break
