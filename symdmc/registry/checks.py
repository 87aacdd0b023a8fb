"""Questions to answers: compile, search, replay what was found, and only then return it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from symdmc.errors import Complaint, EvidenceRefused, InternalError, ModelError
from symdmc.evidence.replay import replay
from symdmc.model.question import Asked, ErrorCondition, ask
from symdmc.model.suggestions import did_you_mean, listed
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.model.trace_format import read_trace
from symdmc.outcome import Exploration, FaultReport, Limits, ProgressCallback, SearchResult, Verdict
from symdmc.registry.models import load

if TYPE_CHECKING:
    from symdmc.task import Task

Model: TypeAlias = "str | os.PathLike[str] | System | Task"

NO_QUESTION = ErrorCondition(name="none")
"""No state is an error state: what is compiled when only the system itself matters."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """Limits that count from now on: what compiling takes is taken from the time of the search."""

    limits: Limits = field(default_factory=Limits)
    started: float = field(default_factory=time.monotonic)

    def left(self) -> Limits:
        """What a search that starts now may use."""
        if self.limits.seconds is None:
            return self.limits
        return replace(self.limits, seconds=max(0.0, self.limits.seconds - (time.monotonic() - self.started)))


def check(
    model: Model,
    *,
    error: Asked | Sequence[Asked] | None = None,
    property: str | None = None,
    properties_file: str | os.PathLike[str] | None = None,
    deadlock: bool = False,
    assertions: bool = False,
    fault: bool = False,
    search: str = "bfs",
    seed: int = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> SearchResult:
    """Whether an error state is reachable, with a trace to one that has been replayed.

    Breadth-first search (`bfs`) gives a shortest trace; `dfs` and `rdfs` (by chance, from the seed) give any. Limits
    are in seconds and megabytes; reaching one gives the verdict unknown. A Task brings its question with it.
    """
    allowance = Allowance(limits=Limits(seconds=time_limit, memory_mb=memory_limit))
    question = Question(
        error=error,
        property=property,
        properties_file=properties_file,
        deadlock=deadlock,
        assertions=assertions,
        fault=fault,
    )
    return check_task(task_of(model, question), search=search, seed=seed, allowance=allowance, progress=progress)


def explore(
    model: Model,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> Exploration:
    """How many states and transitions are reachable, how deep, and how many states have no step."""
    allowance = Allowance(limits=Limits(seconds=time_limit, memory_mb=memory_limit))
    return explore_task(bare_task_of(model), allowance=allowance, progress=progress)


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
    search: str = "bfs",
    seed: int = 0,
    allowance: Allowance | None = None,
    progress: ProgressCallback | None = None,
) -> SearchResult:
    """As `check`, for a task."""
    from symdmc.search.explicit import ORDERS
    from symdmc.search.explicit import search as explicit_search

    if search not in ORDERS:
        remedy = did_you_mean(search, ORDERS, f"choose {listed(ORDERS)}")
        raise ModelError(Complaint(f"there is no search {search!r}", remedy))
    limits = (allowance or Allowance()).left()
    return _verified(task, explicit_search(task, order=search, seed=seed, limits=limits, progress=progress))


def explore_task(
    task: Task, *, allowance: Allowance | None = None, progress: ProgressCallback | None = None
) -> Exploration:
    """As `explore`, for a task."""
    from symdmc.search.explicit import explore as explicit_explore

    found = explicit_explore(task, limits=(allowance or Allowance()).left(), progress=progress)
    if found.first_deadlock is not None:
        _replay_own(task.system, found.first_deadlock, ErrorCondition(name="deadlock", deadlock=True))
    _replay_fault(task.system, found.faults)
    return found


def count_task(
    task: Task,
    *,
    order: str = "local",
    node_limit: int | None = None,
    allowance: Allowance | None = None,
    progress: ProgressCallback | None = None,
) -> Exploration:
    """The reachable states and deadlocks of a task, counted with decision diagrams."""
    from symdmc.search.symbolic import explore as symbolic_explore

    limits = (allowance or Allowance()).left()
    return symbolic_explore(task, order=order, node_limit=node_limit, limits=limits, progress=progress)


def shorten(
    task: Task, trace: Trace, *, allowance: Allowance | None = None, progress: ProgressCallback | None = None
) -> SearchResult:
    """A shortest error trace, found by breadth-first search no deeper than the given trace, which must replay.

    When a limit strikes first, the given trace is the answer; it is called shortest only if the search has shown that.
    """
    from symdmc.search.explicit import search as explicit_search

    replay(task.system, trace, task.error)
    limits = (allowance or Allowance()).left()
    result = _verified(task, explicit_search(task, order="bfs", limits=limits, progress=progress, bound=trace.length))
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


def _verified(task: Task, result: SearchResult) -> SearchResult:
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
