"""The child process of one job: reads a request from stdin, does the work, writes what came of it to stdout.

The clock of a run starts when everything is imported and the compiled loops are loaded, which takes some tenths of a
second and has nothing to do with the run.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from symdmc.checking.checks import check_task, task_of
from symdmc.checking.preparing import prepared, selected
from symdmc.checking.request import Question, check_request
from symdmc.errors import InternalError, RefusedInput, ResourceLimit
from symdmc.experiment.accuracy import measure
from symdmc.experiment.configuration import configurations_of, heuristics_of
from symdmc.experiment.distances import explored_distances
from symdmc.experiment.record import FAILED, MEASURED, MEMORY, REFUSED, RUN, TIME, UNKNOWN
from symdmc.outcome import EXIT_CODES, Stop, Verdict
from symdmc.running.run import LimitReached, Limits, Run, peak_memory_mb
from symdmc.spelling.speech import speaking_options
from symdmc.task.task import Task

Outcome = dict[str, Any]  # Any: JSON
"""Those keys of a record that a job fills in."""

WARM_UP = "hanoi:disks=3,variant=plain"
STOPPED: Mapping[Stop | None, str] = {Stop.TIME: TIME, Stop.MEMORY: MEMORY}
LIMITS = {EXIT_CODES[Stop.TIME]: TIME, EXIT_CODES[Stop.MEMORY]: MEMORY}
COPIED = ("reason", "exit_code", "length", "shortest", "lower_bound", "h_initial", "patterns")
"""Keys of a record that are attributes of a search result too."""
COUNTS = ("explored", "generated", "stored")
"""Likewise for the explicit engine; the symbolic one visits no single states."""


def warm_up() -> None:
    """Load the compiled loops."""
    from symdmc.heuristics.blind import Blind
    from symdmc.search.directed.directed import search as directed_search
    from symdmc.search.explicit.explicit import search as explicit_search

    task = task_of(WARM_UP, Question())
    explicit_search(task, compiled=True)
    directed_search(task, Blind(task), compiled=True)


def outcome_of(request: dict[str, Any]) -> Outcome:  # Any: JSON
    """What comes of a request: the limits and every failure are outcomes."""
    began = time.monotonic()
    try:
        found = _run(request) if request["kind"] == RUN else _measured(request)
    except LimitReached as reached:
        found = _ended(STOPPED.get(reached.stop, UNKNOWN), f"{reached.stop.value} reached", EXIT_CODES[reached.stop])
    except ResourceLimit as problem:
        found = _ended(LIMITS.get(problem.exit_code, UNKNOWN), str(problem), problem.exit_code)
    except RefusedInput as problem:
        found = _ended(REFUSED, "; ".join(map(str, problem.complaints)), problem.exit_code)
    except MemoryError:
        found = _ended(MEMORY, "out of memory", EXIT_CODES[Stop.MEMORY])
    except Exception as problem:
        found = _ended(FAILED, f"{type(problem).__name__}: {problem}", InternalError.exit_code)
    found["seconds"] = round(time.monotonic() - began, 6)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (
        1 << 20 if sys.platform == "darwin" else 1 << 10
    )
    found["peak_memory_mb"] = max(peak_memory_mb(), round(children, 1))
    return found


def _ended(outcome: str, reason: str, exit_code: int) -> Outcome:
    return {"outcome": outcome, "reason": " ".join(reason.split()), "exit_code": exit_code}


def _run(request: dict[str, Any]) -> Outcome:
    run = Run(_limits(request))
    return run.guarded(lambda: _ran(request, run))


def _ran(request: dict[str, Any], run: Run) -> Outcome:
    (configuration,) = configurations_of(request["configuration"])
    task, seed = _task(request), request["seed"] or 0
    read = run.seconds
    asked = configuration.request
    result = check_task(task, replace(asked, seed=seed, symbolic=replace(asked.symbolic, seed=seed)), run)
    copied = (*COPIED, *(COUNTS if result.engine == "explicit" else ()))
    return {
        **{name: getattr(result, name) for name in copied},
        "outcome": STOPPED.get(result.stop, UNKNOWN) if result.verdict is Verdict.UNKNOWN else result.verdict.value,
        "preprocessing_seconds": round(result.preprocessing_seconds + read, 6),
    }


def _measured(request: dict[str, Any]) -> Outcome:
    run = Run(_limits(request))
    return run.guarded(lambda: _compared(request, run))


def _compared(request: dict[str, Any], run: Run) -> Outcome:
    task = _task(request)
    asked = check_request(heuristic=heuristics_of(request["configuration"]))
    heuristic = prepared(asked, task, run, selected(asked, task, run)).made.heuristic
    found, estimates = explored_distances(task, heuristic, most_states=request["states"], checkpoint=run.checkpoint)
    accuracy = measure(found, estimates)
    return {
        "outcome": MEASURED,
        "reason": f"all {accuracy.states:,} reachable states compared",
        "exit_code": 0,
        "accuracy": asdict(accuracy),
    }


def _limits(request: dict[str, Any]) -> Limits:
    return Limits(seconds=request["time_limit"], memory_mb=request["memory_limit"])


def _task(request: dict[str, Any]) -> Task:
    return task_of(request["model"], Question(**request["question"]))


def main() -> None:
    """Answer the request on stdin."""
    request = json.loads(sys.stdin.buffer.readline())
    warm_up()
    with speaking_options():
        outcome = outcome_of(request)
    sys.stdout.write(json.dumps(outcome))
    sys.stdout.flush()
