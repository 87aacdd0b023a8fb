"""Questions to answers: compile, search, replay what was found, and only then return it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Unpack

from symdmc.checking.request import (
    CheckRequest,
    ExploreRequest,
    Question,
    QuestionOptions,
    question_of,
)
from symdmc.errors import Code, Complaint, EvidenceRefused, InternalError, ModelError
from symdmc.evidence.claims import honestly_named
from symdmc.evidence.replay import replay
from symdmc.model.builder import Builder
from symdmc.model.files.trace_format import read_trace
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.model.validation import validated
from symdmc.outcome import Exploration, FaultReport, SearchResult, Stop, Verdict
from symdmc.reader.load import READING, load
from symdmc.running.run import LimitReached, Run
from symdmc.spelling.kinds import require_kind
from symdmc.spelling.speech import ASK_OF_TRACE

if TYPE_CHECKING:
    from symdmc.checking.preparing import Workshop
    from symdmc.task import Task

Model: TypeAlias = "str | os.PathLike[str] | System | Builder | Task"
"""A path or the name of a family, a system, a builder, which is asked for its system, or a task."""

COMPILING = "compiling the model"
A_MODEL = "a path, the name of a family, a System, a Builder or a Task"
NO_QUESTION = ErrorCondition(name="none")
"""No state is an error state: what is compiled when only the system itself matters."""


def task_for(model: Model, **question: Unpack[QuestionOptions]) -> Task:
    """The model compiled for a question, which is asked as in `check`; nothing means its only property.

    Whoever asks the same question several times saves the time to read and compile the model.

    >>> import symdmc
    >>> task = symdmc.task_for("arbiter_tree:height=2")
    >>> [symdmc.check(task, heuristic=spelling).length for spelling in ("hL", "fsm-max")]
    [28, 28]
    """
    return task_of(model, question_of("task_for", question, ("model",)))


def task_of(model: Model, question: Question = Question(), run: Run | None = None) -> Task:
    """The model compiled for the question; the run is told of it."""
    from symdmc.task import Task, compile_task

    if isinstance(model, Task):
        if question.is_given():
            raise ModelError(
                Complaint(
                    Code.QUESTION_FIXED, "the task has its question already", "give the System to ask another one"
                )
            )
        return model
    run = run or Run()
    system = system_of(model, run)
    run.begin(COMPILING)
    return compile_task(system, question.condition(system))


def bare_task_of(model: Model, run: Run | None = None) -> Task:
    """The model compiled for no question at all; the run is told of it."""
    from symdmc.task import Task, compile_task

    if isinstance(model, Task):
        return model
    run = run or Run()
    system = system_of(model, run)
    run.begin(COMPILING)
    return compile_task(system, NO_QUESTION)


def system_of(model: str | os.PathLike[str] | System | Builder, run: Run | None = None) -> System:
    """The system that is given, which must have no faults, or spelled; the run is told of reading it."""
    if isinstance(model, System):
        return validated(model)
    if isinstance(model, Builder):
        return model.build()
    require_kind("the argument model", model, (str, os.PathLike), A_MODEL)
    if run is not None:
        run.begin(READING)
    return load(model)


def check_task(
    task: Task, request: CheckRequest = CheckRequest(), run: Run | None = None, workshop: Workshop | None = None
) -> SearchResult:
    """As `check`, for a task, which has its question already; its heuristics stay in the workshop, if there is one."""
    run = run or Run()
    try:
        result = run.guarded(lambda: verified(task, _answer(task, request, run, workshop)))
    except LimitReached as reached:
        return unanswered(reached.stop, run, task.error.name, request)
    return replace(result, settled_by=None) if result.verdict is Verdict.UNKNOWN else result


def unanswered(stop: Stop, run: Run, property: str, request: CheckRequest) -> SearchResult:
    """The answer of a check that a limit ended where there was nothing to return."""
    direction = "forward" if request.heuristics else request.symbolic.direction
    return SearchResult(
        engine=request.engine,
        search=request.search.spelling,
        heuristic=request.heuristic_text or None,
        direction=direction if request.is_symbolic else None,
        layers=() if request.is_symbolic else None,
        verdict=Verdict.UNKNOWN,
        reason=run.reason(stop),
        property=property,
        stop=stop,
        settled_by=None,
        lower_bound=0,
        seconds=round(run.seconds, 3),
        peak_memory_mb=run.peak_memory_mb(),
    )


def unexplored(stop: Stop, run: Run) -> Exploration:
    """What is known when a limit ended an exploration where there was nothing to return."""
    return Exploration(
        states=None,
        transitions=None,
        depth=None,
        deadlocks=None,
        faults=None,
        stop=stop,
        reason=run.reason(stop),
        seconds=round(run.seconds, 3),
        peak_memory_mb=run.peak_memory_mb(),
    )


def _answer(task: Task, request: CheckRequest, run: Run, workshop: Workshop | None) -> SearchResult:
    if request.heuristics:
        from symdmc.checking.directed import check_directed, check_symbolically
        from symdmc.checking.preparing import Workshop

        check = check_symbolically if request.is_symbolic else check_directed
        return check(request, run, workshop or Workshop(task))
    if request.is_symbolic:
        from symdmc.search.symbolic.symbolic import search as symbolic_search

        return symbolic_search(task, request.symbolic, run=run)
    from symdmc.search.explicit import explicit

    order, seed = request.search.NAME, request.seed
    return explicit.search(task, order=order, seed=seed, run=run, certify=request.certify)


def explore_task(task: Task, request: ExploreRequest = ExploreRequest(), run: Run | None = None) -> Exploration:
    """As `explore`, for a task."""
    run = run or Run()
    try:
        return run.guarded(lambda: _explored(task, request, run))
    except LimitReached as reached:
        return unexplored(reached.stop, run)


def _explored(task: Task, request: ExploreRequest, run: Run) -> Exploration:
    if request.engine == "explicit":
        from symdmc.search.explicit import explicit

        found = explicit.explore(task, run=run)
    else:
        from symdmc.search.symbolic import symbolic

        found = symbolic.explore(task, request.symbolic, run=run)
    if found.first_deadlock is not None:
        _replay_own(task.system, found.first_deadlock, ErrorCondition(name="deadlock", deadlock=True))
    _replay_fault(task.system, found.faults)
    return found


def shorten(task: Task, trace: Trace, *, run: Run | None = None) -> SearchResult:
    """A shortest error trace, found by breadth-first search no deeper than the given trace, which must replay.

    When a limit strikes first, the given trace is the answer; it is called shortest only if the search has shown that.
    """
    from symdmc.search.explicit import explicit

    replay(task.system, trace, task.error)
    result = verified(task, explicit.search(task, order="bfs", run=run, bound=trace.length))
    if result.verdict is Verdict.ERROR:
        return result
    if result.stop is None:
        raise InternalError(f"a trace of length {trace.length} replays, but the search finds none of that length")
    proved = result.lower_bound is not None and result.lower_bound >= trace.length
    reason = f"the given trace; {result.stop.value} before {'it' if proved else 'a shorter one'} was found"
    return replace(result, verdict=Verdict.ERROR, trace=trace, shortest=proved, reason=reason)


def shortened_trace(system: System, path: Path, question: Question, run: Run | None = None) -> SearchResult:
    """As `shorten`, for the error trace in a file, which answers the question, or else makes its own claim."""
    from symdmc.task import compile_task

    trace = read_trace(path, system, question.condition(system) if question.is_given() else None)
    error = asked_of(trace, system, question)
    if error is None:
        raise EvidenceRefused(
            Complaint(
                Code.TRACE_CLAIMS_NOTHING, "the trace does not say what its last state is", str(ASK_OF_TRACE), str(path)
            )
        )
    return shorten(compile_task(system, error), trace, run=run)


def replay_trace(system: System, trace: Trace, question: Question) -> ErrorCondition | None:
    """Replay a trace and return what its last state was shown to be; None for a path that claims nothing.

    Raises EvidenceRefused where it does not hold. Without a question the trace's own claim is checked.
    """
    error = asked_of(trace, system, question)
    replay(system, trace, error)
    return error


def asked_of(trace: Trace, system: System, question: Question) -> ErrorCondition | None:
    """The question to hold a trace to: the one that is asked, or else its own claim, if it has any."""
    if question.is_given():
        return question.condition(system)
    return None if trace.error is None else honestly_named(trace.error, system)


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
