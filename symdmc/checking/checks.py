"""Questions to answers: compile, search, replay what was found, and only then return it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

from symdmc.checking.directed import check_directed, check_symbolically, require_guidance
from symdmc.checking.guidance import Guidance
from symdmc.checking.names import require_known
from symdmc.errors import Complaint, EvidenceRefused, InternalError, ModelError
from symdmc.evidence.replay import replay
from symdmc.model.files.trace_format import read_trace
from symdmc.model.question import Asked, ErrorCondition, ask
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import Exploration, FaultReport, ProgressCallback, SearchResult, Verdict
from symdmc.reader.load import load
from symdmc.running.run import Limits, Run
from symdmc.spelling.suggestions import listed

if TYPE_CHECKING:
    from symdmc.search.symbolic.options import SymbolicOptions
    from symdmc.task import Task

Model: TypeAlias = "str | os.PathLike[str] | System | Task"

NO_QUESTION = ErrorCondition(name="none")
"""No state is an error state: what is compiled when only the system itself matters."""

ENGINES = ("explicit", "symbolic")


class Symbolic(TypedDict, total=False):
    """What can be chosen about the symbolic engine; `SymbolicOptions` says what each means and its default."""

    order: str
    sift: bool
    node_limit: int | None
    merge_limit: int | None
    count_layers: bool


class SymbolicCheck(Symbolic, total=False):
    """What else can be chosen when it checks."""

    direction: str


class SymbolicExploration(Symbolic, total=False):
    """What else can be chosen when it explores."""

    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about a model, as the user spelled it; nothing said means the model's only property."""

    error: Asked | Sequence[Asked] | None = None
    property: str | None = None
    properties_file: str | os.PathLike[str] | None = None
    deadlock: bool = False
    assertions: bool = False
    fault: bool = False

    def is_given(self) -> bool:
        """Whether anything is asked at all."""
        named = self.property is not None or self.properties_file is not None
        return bool(self.error) or named or self.deadlock or self.assertions or self.fault

    def condition(self, system: System) -> ErrorCondition:
        """The error states of the system that are asked for."""
        return ask(
            system,
            error=self.error,
            property=self.property,
            properties_file=self.properties_file,
            deadlock=self.deadlock,
            assertions=self.assertions,
            fault=self.fault,
        )


def check(
    model: Model,
    *,
    error: Asked | Sequence[Asked] | None = None,
    property: str | None = None,
    properties_file: str | os.PathLike[str] | None = None,
    deadlock: bool = False,
    assertions: bool = False,
    fault: bool = False,
    engine: str = "explicit",
    search: str | None = None,
    heuristic: str | Sequence[str] | None = None,
    pattern: str | Sequence[str] = (),
    database: Path | Sequence[Path] = (),
    predicate: str | Sequence[str] = (),
    predicates_file: Path | Sequence[Path] = (),
    complete: bool = False,
    projection: str = "exact",
    perimeter: int | None = None,
    combine: str = "max",
    lookup: str = "flat",
    certify: bool = False,
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **symbolic: Unpack[SymbolicCheck],
) -> SearchResult:
    """Whether an error state is reachable, with a trace to one that has been replayed.

    The engine `explicit` visits states one by one: breadth-first search (`bfs`, the default) gives a shortest trace;
    `dfs` and `rdfs` (by chance, from the seed) give any. With a `heuristic` such as `"pdb:dpr"`, or the largest of
    several, it goes where the estimate is small: `astar` (then the default) and `idastar` give a shortest trace if it
    is admissible, `wastar:W` one at most W times as long, `greedy`, `ehc` and `bitstate` any. `pdb` takes patterns like
    `"P_0,P_1,x"`, or files written by `symdmc patterndb build`; `pred:given` takes predicates like `"x + y >= 3"`, or
    files with one a line; `complete` builds databases to their last layer, `projection` is `exact` or `syntactic`,
    distances up to `perimeter` are exact, and `combine` is `max` or `sum`.

    The engine `symbolic` works on state sets, breadth first or with `pdb` by A*, and gives a shortest trace; it takes a
    `direction` (`forward`, `backward`, `bidirectional`; not for A*), an `order` of the variables (`declared`, `force`,
    `local`; the seed is for it), `sift`, `node_limit` and `merge_limit`. Limits are in seconds, megabytes and nodes;
    reaching one gives the verdict unknown. With `certify` the verdict safe comes with a certificate, for
    `symdmc certify`. A Task brings its question with it.
    """
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    question = Question(
        error=error,
        property=property,
        properties_file=properties_file,
        deadlock=deadlock,
        assertions=assertions,
        fault=fault,
    )
    task = task_of(model, question)
    guidance = None
    if heuristic is not None:
        guidance = Guidance(
            heuristics=(heuristic,) if isinstance(heuristic, str) else tuple(heuristic),
            patterns=(pattern,) if isinstance(pattern, str) else tuple(pattern),
            databases=(database,) if isinstance(database, Path) else tuple(database),
            predicates=(predicate,) if isinstance(predicate, str) else tuple(predicate),
            predicate_files=(predicates_file,) if isinstance(predicates_file, Path) else tuple(predicates_file),
            complete=complete,
            projection=projection,
            perimeter=perimeter,
            combine=combine,
            lookup=lookup,
        )
    return check_task(
        task,
        engine=engine,
        search=search,
        guidance=guidance,
        certify=certify,
        seed=seed,
        run=run,
        **symbolic,
    )


def explore(
    model: Model,
    *,
    engine: str = "explicit",
    layered: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **symbolic: Unpack[SymbolicExploration],
) -> Exploration:
    """How many states and transitions are reachable, how deep, and how many states have no step.

    The engine `symbolic` counts states and deadlocks, transitions and depth only when `layered`, which takes longer;
    it takes an `order` and a `seed` for it, `sift`, `node_limit` and `merge_limit`. The engine `explicit` visits the
    states one by one and always counts everything.
    """
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    task = bare_task_of(model)
    return explore_task(task, engine=engine, layered=layered, run=run, **symbolic)


def task_of(model: Model, question: Question) -> Task:
    """The model compiled for the question."""
    from symdmc.task import Task, compile_task

    if isinstance(model, Task):
        if question.is_given():
            raise ModelError(Complaint("the task has its question already", "give the System to ask another one"))
        return model
    system = system_of(model)
    return compile_task(system, question.condition(system))


def bare_task_of(model: Model) -> Task:
    """The model compiled for no question at all."""
    from symdmc.task import Task, compile_task

    return model if isinstance(model, Task) else compile_task(system_of(model), NO_QUESTION)


def system_of(model: str | os.PathLike[str] | System) -> System:
    """The system that is given or spelled."""
    return model if isinstance(model, System) else load(model)


def check_task(
    task: Task,
    *,
    engine: str = "explicit",
    search: str | None = None,
    guidance: Guidance | None = None,
    certify: bool = False,
    seed: int = 0,
    run: Run | None = None,
    **symbolic: Unpack[SymbolicCheck],
) -> SearchResult:
    """As `check`, for a task."""
    options = _options(engine, {**symbolic, "seed": seed, "certify": certify} if engine == "symbolic" else symbolic)
    if guidance is not None:
        search = search or "astar"
        require_guidance(guidance, search, engine)
        run = run or Run()
        if options is not None:
            if "direction" in symbolic:
                raise ModelError(Complaint("symbolic A* has no direction", "leave it out: it is always forward"))
            return verified(task, check_symbolically(task, guidance, options, run))
        return verified(task, check_directed(task, guidance, search, run, certify=certify))
    return verified(task, _undirected(task, search or "bfs", options, seed, certify, run))


def _undirected(
    task: Task,
    search: str,
    options: SymbolicOptions | None,
    seed: int,
    certify: bool,
    run: Run | None,
) -> SearchResult:
    """The answer of a search without a heuristic, of the explicit engine where there are no options."""
    from symdmc.search.explicit.explicit import ORDERS as SEARCHES
    from symdmc.search.explicit.explicit import search as explicit_search

    require_known("search", search, SEARCHES)
    run = run or Run()
    if options is None:
        return explicit_search(task, order=search, seed=seed, run=run, certify=certify)
    if search != "bfs":
        raise ModelError(Complaint(f"the symbolic engine has no search {search!r}", "leave it out: it is always bfs"))
    from symdmc.search.symbolic.symbolic import search as symbolic_search

    return symbolic_search(task, options, run=run)


def explore_task(
    task: Task,
    *,
    engine: str = "explicit",
    layered: bool = False,
    run: Run | None = None,
    **symbolic: Unpack[SymbolicExploration],
) -> Exploration:
    """As `explore`, for a task."""
    options = _options(engine, {**symbolic, "layered": layered} if engine == "symbolic" else symbolic)
    run = run or Run()
    if options is None:
        from symdmc.search.explicit.explicit import explore as explicit_explore

        found = explicit_explore(task, run=run)
    else:
        from symdmc.search.symbolic.symbolic import explore as symbolic_explore

        found = symbolic_explore(task, options, run=run)
    if found.first_deadlock is not None:
        _replay_own(task.system, found.first_deadlock, ErrorCondition(name="deadlock", deadlock=True))
    _replay_fault(task.system, found.faults)
    return found


def _options(engine: str, chosen: Mapping[str, Any]) -> SymbolicOptions | None:
    """The options of the symbolic engine, all names in them known; None for the explicit one, which has no such."""
    from symdmc.encode.order.orders import ORDERS
    from symdmc.search.symbolic.options import DIRECTIONS, SymbolicOptions

    require_known("engine", engine, ENGINES)
    options = SymbolicOptions(**chosen)
    if engine == "explicit":
        if chosen:
            what = f"the explicit engine has no {listed(sorted(chosen))}"
            raise ModelError(Complaint(what, "say engine='symbolic' or leave that out"))
        return None
    require_known("direction", options.direction, DIRECTIONS)
    require_known("order", options.order, ORDERS)
    return options


def shorten(task: Task, trace: Trace, *, run: Run | None = None) -> SearchResult:
    """A shortest error trace, found by breadth-first search no deeper than the given trace, which must replay.

    When a limit strikes first, the given trace is the answer; it is called shortest only if the search has shown that.
    """
    from symdmc.search.explicit.explicit import search as explicit_search

    replay(task.system, trace, task.error)
    run = run or Run()
    result = verified(task, explicit_search(task, order="bfs", run=run, bound=trace.length))
    if result.verdict is Verdict.ERROR:
        return result
    if result.stop is None:
        raise InternalError(f"a trace of length {trace.length} replays, but the search finds none of that length")
    proved = result.lower_bound is not None and result.lower_bound >= trace.length
    reason = f"the given trace; {result.stop.value} before {'it' if proved else 'a shorter one'} was found"
    return replace(result, verdict=Verdict.ERROR, trace=trace, shortest=proved, reason=reason)


def trace_and_task(system: System, path: Path, question: Question) -> tuple[Trace, Task]:
    """The error trace in a file, and the task it answers: that of the question, or else of the trace's own claim."""
    from symdmc.task import compile_task

    trace = read_trace(path, system)
    error = question.condition(system) if question.is_given() else trace.error
    if error is None:
        raise EvidenceRefused(f"{path}: the trace does not say what its last state is; ask with --error or --property")
    return trace, compile_task(system, error)


def replay_trace(system: System, trace: Trace, question: Question) -> ErrorCondition | None:
    """Replay a trace and return what its last state was shown to be; None for a path that claims nothing.

    Raises EvidenceRefused where it does not hold. Without a question the trace's own claim is checked.
    """
    error = question.condition(system) if question.is_given() else trace.error
    replay(system, trace, error)
    return error


def verified(task: Task, result: SearchResult) -> SearchResult:
    """The result, after every trace in it has been replayed by the reference semantics."""
    if result.trace is not None:
        _replay_own(task.system, result.trace, task.error)
    _replay_fault(task.system, result.faults)
    return result


def _replay_fault(system: System, faults: FaultReport | None) -> None:
    if faults is not None and faults.first is not None:
        _replay_own(system, faults.first, ErrorCondition(name="fault", fault=True))


def _replay_own(system: System, trace: Trace, error: ErrorCondition) -> None:
    try:
        replay(system, trace, error)
    except EvidenceRefused as refusal:
        raise InternalError(f"a trace found by the search does not replay: {refusal}") from refusal
