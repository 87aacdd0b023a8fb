"""How tests make experiments without child processes, and results without any run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from symdmc.checking.request import Question
from symdmc.experiment.children import request_of
from symdmc.experiment.conduct import Findings
from symdmc.experiment.contradictions import contradictions
from symdmc.experiment.plan import Experiment, Instance, Row, planned_configurations
from symdmc.experiment.record import ERROR, RUN, Job, Record, finished
from symdmc.experiment.worker import outcome_of
from symdmc.outcome import Stop
from symdmc.running.run import Limits


def records_here(
    jobs: Iterable[Job], question: Question, limits: Limits, *, workers: int, on_start: Callable[[Job], None]
) -> Iterator[Record]:
    """What `records_of` gives, done in this process."""
    for job in jobs:
        on_start(job)
        yield finished(job, limits, outcome_of(request_of(job, question, limits)))


def experiment(models: Iterable[str], *configurations: str, repeat: int = 1, **rows: tuple[str, ...]) -> Experiment:
    """An experiment whose models need not exist: a row for each, and named rows of several."""
    named = {model: (model,) for model in models} | rows
    return Experiment(
        rows=tuple(Row(name=name, instances=tuple(map(instance, members))) for name, members in named.items()),
        configurations=planned_configurations(configurations),
        limits=Limits(seconds=60),
        repeat=repeat,
    )


def instance(model: str) -> Instance:
    return Instance(model=model, identity=f"identity of {model}", property="end")


def record(model: str, configuration: str, outcome: str = ERROR, *, seed: int | None = None, **known: Any) -> Record:
    """The result of a run under a limit of 60 seconds."""
    job = Job(kind=RUN, model=model, identity=instance(model).identity, configuration=configuration, seed=seed)
    usual = {"seconds": 1.5, "preprocessing_seconds": 0.5, "peak_memory_mb": 40.0} if outcome == ERROR else {}
    return Record(
        job=job,
        time_limit=60,
        memory_limit=None,
        outcome=outcome,
        **{"reason": f"because of {outcome}", "exit_code": 0, **usual, **known},
    )


def findings(asked: Experiment, *records: Record, interrupted: Stop | None = None) -> Findings:
    return Findings(
        experiment=asked,
        records={record.job: record for record in records},
        contradictions=contradictions(records),
        interrupted=interrupted,
    )
