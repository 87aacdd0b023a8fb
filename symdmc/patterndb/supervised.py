"""Pattern databases built in a child process, which can be ended at any time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.encode.diagrams import DiagramLimit
from symdmc.encode.tables.export import TableLimit
from symdmc.errors import UnsupportedFeature
from symdmc.outcome import Layer, Stop
from symdmc.patterndb.build import BuildOptions, BuildReport
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.partition import partitioned_databases
from symdmc.patterndb.perimeter import requested_database
from symdmc.patterndb.predicates import PredicateOptions, predicate_databases
from symdmc.running.run import LimitReached, Run
from symdmc.running.supervision import supervise
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task

Built = TypeVar("Built")
Told = TypeVar("Told")
Result = TypeVar("Result")


def built_databases(
    task: Task,
    patterns: Sequence[Sequence[int]],
    options: BuildOptions,
    run: Run,
    *,
    partition: bool = False,
) -> list[PatternDatabase | None]:
    """A database for each pattern; raises LimitReached when the run says so.

    None takes the place of those that the allowed work did not suffice for. With `partition` the costs are shared among
    them, so that their estimates may be added up.
    """
    allowed = replace(options, memory_bytes=run.memory_bytes)

    def build(report: BuildReport) -> list[PatternDatabase | None]:
        if partition:
            return [*partitioned_databases(task, patterns, allowed, report)]
        return [_affordable(task, pattern, allowed, report) for pattern in patterns]

    return _built(task, build, run)


def built_predicate_databases(
    task: Task,
    parts: Sequence[Sequence[Predicate]],
    options: PredicateOptions,
    run: Run,
    *,
    partition: bool = False,
) -> list[PatternDatabase]:
    """A database for each set of predicates; otherwise as `built_databases`."""
    allowed = replace(options, build=replace(options.build, memory_bytes=run.memory_bytes))

    def build(report: BuildReport) -> list[PatternDatabase]:
        return predicate_databases(task, parts, allowed, report, partition=partition)

    return _built(task, build, run)


def in_child(
    task: Task,
    work: Callable[[Callable[[Told], None]], Result],
    run: Run,
    on_report: Callable[[Told], None],
) -> Result:
    """What work on diagrams returns, done in a child process, since it cannot be interrupted.

    Raises LimitReached when the run says so, and UnsupportedFeature where a table that is needed would be too large.
    """
    task.analyse(run.checkpoint)

    def within_limits(send: Callable[[Told], None]) -> Result | Stop:
        try:
            return work(send)
        except TableLimit as limit:
            raise UnsupportedFeature(limit.complaint) from None
        except DiagramLimit:
            return Stop.MEMORY

    ended = supervise(within_limits, run, on_report)
    if ended.result is None or isinstance(ended.result, Stop):
        raise LimitReached(ended.result or ended.stop or Stop.INTERRUPT)
    return ended.result


def _built(task: Task, build: Callable[[BuildReport], list[Built]], run: Run) -> list[Built]:
    def work(send: Callable[[tuple[str, Layer | None]], None]) -> list[Built]:
        return build(lambda phase, layer: send((phase, layer)))

    return in_child(task, work, run, partial(_tell, run))


def _affordable(
    task: Task, pattern: Sequence[int], options: BuildOptions, report: BuildReport
) -> PatternDatabase | None:
    """The database of a pattern; None where the allowed work ends before it tells any two states apart but errors.

    None also where its table would be too large, or no diagrams can hold it, and it may be left out.
    """
    try:
        found = requested_database(task, pattern, options, report)
    except (TableLimit, UnsupportedFeature):
        if options.required:
            raise
        return None
    except DiagramLimit:
        if options.work is None or options.work.nodes >= 0:
            raise
        return None
    return found if found.complete or len(found.layers) > 1 or options.work is None else None


def _tell(run: Run, told: tuple[str, Layer | None]) -> None:
    phase, layer = told
    words = phase if layer is None else f"{phase} {layer.depth}, {counted(layer.nodes, 'node')}"
    run.say(f"pattern database: {words}", depth=0 if layer is None else layer.depth)
