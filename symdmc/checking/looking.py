"""Looking along a trace: the values of expressions, estimates of distances, and whether the error could be avoided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from symdmc.checking.checks import Model, system_of, task_of
from symdmc.checking.look import Look, LookRequest
from symdmc.checking.preparing import Workshop, prepared, selected
from symdmc.checking.request import CheckRequest, Guide, check_request
from symdmc.errors import Code, Complaint, ModelError
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.model.watching import Column, part_of, watch
from symdmc.model.why_not import why_not
from symdmc.outcome import Stop
from symdmc.running.run import LimitReached, Run
from symdmc.running.signals import stop_of
from symdmc.search.avoidance import BUDGET, Avoidance, DeadEnds, avoidance
from symdmc.spelling.plurals import counted
from symdmc.task import Task, compile_task

Guides: TypeAlias = "Guide | list[Guide] | tuple[Guide, ...]"
DEAD_END = "dead end"


def estimates(model: Model, trace: Trace, heuristic: Guides) -> tuple[Column, ...]:
    """What heuristics estimate in each state of a trace to an error state: a number, or `dead end`.

    A trace that claims nothing about its last state needs a Task, which has its question.

    >>> import symdmc
    >>> result = symdmc.check("arbiter_tree:height=2")
    >>> symdmc.estimates("arbiter_tree:height=2", result.trace, "hL")[0].values[:3]
    (7, 7, 12)
    """
    task = _task(model, trace)
    return tuple(_column(each, task, trace) for each in _made(_several(heuristic), Workshop(task), Run()))


def avoidable(model: Model, trace: Trace, heuristic: Guides = (), budget: int = BUDGET) -> Avoidance:
    """Whether the error at the end of a trace could have been avoided, and until when.

    At most `budget` states are visited for each of the two answers. The dead ends of heuristics are asked first, but
    for those of databases from files, which nobody has proved.

    >>> import symdmc
    >>> result = symdmc.check("arbiter_tree:height=2")
    >>> symdmc.avoidable("arbiter_tree:height=2", result.trace).lost_after
    28
    """
    task = _task(model, trace)
    found = avoidance(
        task.system,
        trace,
        task.error,
        budget=budget,
        dead_end=_dead_ends(_made(filter(_is_proof, _several(heuristic)), Workshop(task), Run()), task),
    )
    if found is None:
        raise ModelError(
            Complaint(Code.TRACE_ENDS_ELSEWHERE, "the trace leads to no error state", "give one that does")
        )
    return found


def _several(heuristic: Guides) -> tuple[CheckRequest, ...]:
    guides = heuristic if isinstance(heuristic, list | tuple) else (heuristic,)
    return tuple(check_request(heuristic=each) for each in guides)


def _is_proof(request: CheckRequest) -> bool:
    """Whether nothing of it comes from a file."""
    return not request.databases.files and all(database.file is None for database in request.databases.opened)


def _task(model: Model, trace: Trace) -> Task:
    if isinstance(model, Task) or trace.error is None:
        return task_of(model)
    return compile_task(system_of(model), trace.error)


def look_along(
    trace: Trace,
    system: System,
    error: ErrorCondition | None,
    asked: LookRequest,
    run: Run,
    workshop: Workshop | None = None,
) -> Look:
    """All that is asked for of a trace; what a limit left no room for is missing, and so is what needs an error.

    A signal ends the look; what was seen by then stays, and the answer that the trace belongs to is not lost.
    """
    at = len(trace.steps) if asked.at is None else asked.at
    if not 0 <= at <= len(trace.steps):
        what = f"there is no state after {counted(at, 'step')}: the trace has {len(trace.steps):,}"
        raise ModelError(Complaint(Code.NO_SUCH_STEP, what, "choose an earlier one"))
    look = Look(part=part_of(system, asked.only) if asked.only else None, explained_at=at)
    try:
        look = replace(look, watched=watch(system, trace, asked.watched))
        edges = (each for text in asked.why_not for each in why_not(system, trace.states[at], text))
        look = replace(look, explained=tuple(edges))
        if not asked.takes_time:
            return look
        if error is None:
            missing = "the trace claims nothing about its last state: ask for an error to look ahead"
            return replace(look, missing=(missing,))
        if workshop is None or workshop.task.error != error:
            workshop = Workshop(compile_task(system, error))
        task, heuristics = workshop.task, _made(asked.estimates, workshop, run)
        look = replace(look, estimates=tuple(_column(each, task, trace) for each in heuristics))
        return _avoided(look, trace, task, heuristics, asked, run) if asked.avoidable else look
    except LimitReached as reached:
        return _cut_off(look, reached.stop, run)
    except KeyboardInterrupt as interrupt:
        return _cut_off(look, stop_of(interrupt), run)


def _cut_off(look: Look, stop: Stop, run: Run) -> Look:
    """What there was to see when a limit or a signal ended the look."""
    if stop.is_signal:
        return replace(look, missing=(f"{stop.words} while looking along the trace: the rest is missing",), stop=stop)
    return replace(look, missing=(f"no look ahead along the trace: {run.reason(stop)}",))


def _avoided(
    look: Look,
    trace: Trace,
    task: Task,
    heuristics: Sequence[tuple[str, TaskHeuristic]],
    asked: LookRequest,
    run: Run,
) -> Look:
    """The look, and whether the error could be avoided."""
    run.say("looking for ways around the error")
    found = avoidance(
        task.system,
        trace,
        task.error,
        budget=asked.budget,
        dead_end=_dead_ends(heuristics, task),
        checkpoint=run.checkpoint,
    )
    missing = () if found is not None else ("the trace leads to no error state, so that there is none to avoid",)
    return replace(look, avoidance=found, missing=missing)


def _made(requests: Iterable[CheckRequest], workshop: Workshop, run: Run) -> tuple[tuple[str, TaskHeuristic], ...]:
    """The heuristic of each request, with its name; what the workshop has is not made again."""
    from symdmc.checking.directed import FIRST_WORK

    made = []
    for request in requests:
        workshop.task.analyse(run.checkpoint)
        done = workshop.made_for(request)
        if done is None:
            chosen = selected(request, workshop.task, run, workshop.chosen)
            done = prepared(request, workshop.task, run, chosen, replace(request.databases, work=FIRST_WORK)).made
        made.append((request.heuristic_text, done.heuristic))
    return tuple(made)


def _column(made: tuple[str, TaskHeuristic], task: Task, trace: Trace) -> Column:
    name, heuristic = made
    found = (heuristic.estimate(task.values(state)) for state in trace.states)
    return Column(name=name, values=tuple(DEAD_END if each is None else each for each in found))


def _dead_ends(made: Iterable[tuple[str, TaskHeuristic]], task: Task) -> DeadEnds:
    heuristics = tuple(made)

    def dead_end(state: State) -> str | None:
        values = task.values(state)
        return next((name for name, heuristic in heuristics if heuristic.estimate(values) is None), None)

    return dead_end
