"""Checks, explorations, and evidence held to its model, from Python."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar, Unpack

from symdmc.api.files import FilePath, read_certificate, read_trace
from symdmc.api.results import CertifyResult, CheckResult, ExploreResult, ReplayResult, Subject
from symdmc.api.traces import Trace
from symdmc.checking.checks import (
    Model,
    bare_task_of,
    check_task,
    explore_task,
    replay_trace,
    system_of,
    task_of,
    unanswered,
    unexplored,
)
from symdmc.checking.request import (
    CheckOptions,
    ExploreOptions,
    Question,
    QuestionOptions,
    check_request,
    explore_request,
)
from symdmc.errors import ResourceLimit
from symdmc.evidence import certificate as evidence
from symdmc.evidence.replay import replay as walked
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.model.trace import Trace as BareTrace
from symdmc.outcome import EXIT_CODES, ProgressCallback
from symdmc.running.run import LimitReached, Limits, Run
from symdmc.search.symbolic.options import SymbolicOptions
from symdmc.spelling.kinds import require_kind
from symdmc.task import Task

_Found = TypeVar("_Found")


def check(
    model: Model,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **options: Unpack[CheckOptions],
) -> CheckResult:
    """Whether an error state is reachable, with a trace to one that has been replayed.

    What is asked: `error` (an expression, or several), `property`, `properties_file`, `deadlock`, `assertions` or
    `fault`; nothing means the only property of the model. A Task brings its question with it.

    The `engine` `explicit` (the default) visits states one by one. Its `search` is breadth first (`bfs`, the default),
    which gives a shortest trace, or `dfs` or `rdfs` (random, from the `seed`), which give any. With a `heuristic` it
    goes where the estimate is small: `astar` (then the default) and `idastar` give a shortest trace if it is
    admissible, `wastar:W` one at most W times as long, `greedy`, `ehc` and `bitstate` any.

    A heuristic is spelled, as in `"pdb:dpr"`, or it is a database made by `pattern_database`, a function of a state, or
    an object like `Heuristic`; of several the largest estimate counts. `pdb` takes each `pattern` such as
    `"P_0,P_1,x"`, or each `database` written by `symdmc patterndb build`; `pred:given` takes each `predicate` such as
    `"x + y >= 3"`, or a `predicates_file` with one a line. `complete` builds databases to their last layer,
    `projection` is `exact` (the default) or `syntactic`, distances up to `perimeter` are exact, `combine` is `max` (the
    default) or `sum`, and `lookup` is `flat` (the default) or `layers`.

    The engine `symbolic` works on state sets, breadth first or with `pdb` by A*, and gives a shortest trace; it takes a
    `direction` (`bidirectional`, the default, `forward`, `backward`; not for A*), an `order` of the variables (`local`,
    the default, `declared`, `force`, `hubs`; the `seed` is for it), `sift`, `node_limit`, `merge_limit` and
    `count_layers`.

    Limits are in seconds, megabytes and nodes; reaching one gives the verdict unknown. With `certify` the verdict safe
    comes with a certificate, for `certify`.

    >>> import symdmc
    >>> result = symdmc.check("arbiter_tree:height=2")
    >>> result.is_error, result.length, result.shortest
    (True, 28, True)
    >>> result.trace.final["Client1"], result.trace.final["Client3"]
    ('granted', 'granted')
    >>> symdmc.check("arbiter_tree:height=2", heuristic=lambda state: state["Client1"] != "granted").verdict.value
    'error'
    """
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    request, asked = check_request(**options), _Asked(model)
    try:
        found = run.guarded(lambda: check_task(asked.compiled(task_of(model, request.question, run)), request, run))
    except LimitReached as reached:
        found = unanswered(reached.stop, run, "", request)
    return CheckResult.of(found, asked.subject(request.symbolic))


def explore(
    model: Model,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **options: Unpack[ExploreOptions],
) -> ExploreResult:
    """How many states and transitions are reachable, how deep, and how many states have no step.

    The `engine` `explicit` (the default) visits the states one by one and always counts everything. The engine
    `symbolic` counts states and deadlocks, transitions and depth only when `layered`, which takes longer; it takes an
    `order` and a `seed` for it, `sift`, `node_limit`, `merge_limit` and `count_layers`.

    >>> import symdmc
    >>> found = symdmc.explore("arbiter_tree:height=2,faulty=false")
    >>> found.states, found.transitions, found.deadlocks
    (576, 1712, 0)
    """
    run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)
    request, asked = explore_request(**options), _Asked(model)
    try:
        found = run.guarded(lambda: explore_task(asked.compiled(bare_task_of(model, run)), request, run))
    except LimitReached as reached:
        found = unexplored(reached.stop, run)
    return ExploreResult.of(found, asked.subject(request.symbolic))


def certify(
    model: Model,
    certificate: evidence.Certificate | FilePath,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **question: Unpack[QuestionOptions],
) -> CertifyResult:
    """What a certificate, or the file of one, proves about the model; EvidenceRefused where it does not hold.

    The certificate is held to the question, which is asked as in `check`; nothing means the question it names. It is
    judged from the model alone, by code that shares nothing with the engines. Limits are in seconds and megabytes;
    reaching one raises ResourceLimit.

    >>> import symdmc
    >>> safe = symdmc.check("arbiter_tree:height=2,faulty=false", certify=True)
    >>> symdmc.certify("arbiter_tree:height=2,faulty=false", safe.certificate).is_safe
    True
    """
    from symdmc.checking.judging import certified_within

    asked, judged, run = _question(question), _Asked(model), _run(time_limit, memory_limit, progress)

    def judge() -> CertifyResult:
        system, error = judged.question(model, asked, run)
        run.begin("reading the certificate")
        if isinstance(certificate, evidence.Certificate):
            given = certificate
        else:
            require_kind("the certificate", certificate, (str, os.PathLike), "a Certificate or the path of a file")
            given = read_certificate(certificate, system)
        began = run.seconds
        found = certified_within(system, given, run, error=error, doing="judging the certificate")
        return CertifyResult(certified=found, seconds=run.seconds - began, subject=judged.subject(None))

    return _within_limits(run, judge)


def replay(
    model: Model,
    trace: BareTrace | FilePath,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **question: Unpack[QuestionOptions],
) -> ReplayResult:
    """What a trace, or the file of one, was shown to be, step by step; EvidenceRefused where it does not hold.

    The last state is held to the question, which is asked as in `check`; nothing means what the trace says about it.
    Limits are in seconds and megabytes; reaching one raises ResourceLimit.

    >>> import symdmc
    >>> found = symdmc.check("arbiter_tree:height=2")
    >>> symdmc.replay("arbiter_tree:height=2", found.trace, error="Client1.granted and Client3.granted").is_error
    True
    """
    asked, judged, run = _question(question), _Asked(model), _run(time_limit, memory_limit, progress)

    def walk() -> ReplayResult:
        system, error = judged.question(model, asked, run)
        run.begin("replaying the trace")
        if isinstance(trace, BareTrace):
            given = trace
        else:
            require_kind("the trace", trace, (str, os.PathLike), "a Trace or the path of a file")
            given = read_trace(trace, system)
        if error is None:
            error = replay_trace(system, given, asked)
        else:
            walked(system, given, error)
        return ReplayResult(trace=Trace.of(given, system), error=error)

    return _within_limits(run, walk)


def assert_safe(
    model: Model,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
    **options: Unpack[CheckOptions],
) -> CheckResult:
    """The result of `check` if it says "safe"; else AssertionError with the trace, or why nothing is known.

    For tests of one's own:

    >>> import symdmc
    >>> def test_clients_exclude_each_other():
    ...     symdmc.assert_safe("arbiter_tree:height=2,faulty=false", error="Client1.granted and Client3.granted")
    >>> test_clients_exclude_each_other()
    >>> symdmc.assert_safe("arbiter_tree:height=2", time_limit=60)
    Traceback (most recent call last):
    ...
    AssertionError: ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the caller
    result = check(model, time_limit=time_limit, memory_limit=memory_limit, progress=progress, **options)
    if not result.is_safe:
        raise AssertionError(result.text(steps=None))
    return result


class _Asked:
    """A model that is asked about: its system is known as soon as it was read."""

    def __init__(self, model: Model) -> None:
        self.spelling = os.fspath(model) if isinstance(model, str | os.PathLike) else None
        self.system: System | None = None

    def compiled(self, task: Task) -> Task:
        """The task, whose system is noted."""
        self.system = task.system
        return task

    def question(self, model: Model, asked: Question, run: Run) -> tuple[System, ErrorCondition | None]:
        """The system, and what is asked about it, if anything is; a task has its question."""
        if isinstance(model, Task):
            task = self.compiled(task_of(model, asked, run))
            return task.system, task.error
        system = self.system = system_of(model, run)
        return system, asked.condition(system) if asked.is_given() else None

    def subject(self, symbolic: SymbolicOptions | None) -> Subject:
        """What an answer is about."""
        return Subject(spelling=self.spelling, system=self.system, symbolic=symbolic)


def _run(time_limit: float | None, memory_limit: int | None, progress: ProgressCallback | None) -> Run:
    return Run(Limits(seconds=time_limit, memory_mb=memory_limit), progress)


def _question(given: QuestionOptions) -> Question:
    """The question that the keywords ask, each of them checked."""
    for name in given:
        if name not in QuestionOptions.__annotations__:
            raise TypeError(f"unexpected keyword argument {name!r}")
    return check_request(**given).question


def _within_limits(run: Run, work: Callable[[], _Found]) -> _Found:
    """What the work returns; ResourceLimit where a limit ends it."""
    try:
        return run.guarded(work)
    except LimitReached as reached:
        raise ResourceLimit(run.reason(reached.stop), EXIT_CODES[reached.stop]) from None
