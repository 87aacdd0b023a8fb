"""Running the jobs of an experiment that have no result yet, and its findings for the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from symdmc.errors import InternalError
from symdmc.experiment.children import records_of
from symdmc.experiment.configuration import Configuration
from symdmc.experiment.contradictions import contradictions
from symdmc.experiment.plan import Experiment, Row, run_of
from symdmc.experiment.record import ACCURACY, REFUSED, Job, Record
from symdmc.experiment.results_file import Results
from symdmc.outcome import EXIT_CODES, Stop
from symdmc.running.signals import stop_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All results of an experiment."""

    experiment: Experiment
    records: Mapping[Job, Record]
    """The results, in the order of the jobs; without jobs that were not done."""
    contradictions: tuple[str, ...]
    interrupted: Stop | None = None
    """The signal that ended it before all was done."""

    def of(self, row: Row, configuration: Configuration) -> tuple[Record | None, ...]:
        """All runs of a row under a configuration; None for one that was not done."""
        seeds = self.experiment.seeds(configuration)
        jobs = (run_of(instance, configuration, seed) for instance in row.instances for seed in seeds)
        return tuple(self.records.get(job) for job in jobs)

    @property
    def runs(self) -> tuple[Record, ...]:
        """The runs that were done."""
        return tuple(record for job, record in self.records.items() if job.kind != ACCURACY)

    @property
    def measurements(self) -> tuple[Record, ...]:
        """The measurements of accuracy that were done."""
        return tuple(record for job, record in self.records.items() if job.kind == ACCURACY)

    @property
    def exit_code(self) -> int:
        """What `symdmc compare` returns; where every job was refused, the code of the first refusal."""
        if self.contradictions:
            return InternalError.exit_code
        if self.interrupted is not None:
            return EXIT_CODES[self.interrupted]
        refused = [record.exit_code for record in self.records.values() if record.outcome == REFUSED]
        return refused[0] if refused and len(refused) == len(self.records) else 0


def conduct(
    experiment: Experiment,
    jobs: Iterable[Job],
    results: Results,
    *,
    workers: int,
    on_start: Callable[[Job], None] = lambda job: None,
    on_end: Callable[[Record], None] = lambda record: None,
) -> Findings:
    """Do the jobs that have no result yet, and gather all results; after Ctrl-C, those that are done by then."""
    jobs, limits = tuple(jobs), experiment.limits
    interrupted = None
    try:
        missing = results.missing(jobs, limits)
        for record in records_of(missing, experiment.question, limits, workers=workers, on_start=on_start):
            results.add(record)
            on_end(record)
    except KeyboardInterrupt as signalled:
        interrupted = stop_of(signalled)
    known = {job: found for job in jobs if (found := results.get(job, limits)) is not None}
    return Findings(
        experiment=experiment,
        records=known,
        contradictions=contradictions(known.values()),
        interrupted=interrupted,
    )
