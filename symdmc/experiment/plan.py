"""Experiments: instances in rows, configurations in columns, and the jobs that fill the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from symdmc.checking.request import CheckRequest, Question
from symdmc.errors import Complaint, ModelError
from symdmc.experiment.configuration import Configuration, configurations_of
from symdmc.experiment.ranges import models_of
from symdmc.experiment.record import ACCURACY, RUN, Job
from symdmc.reader.load import load
from symdmc.running.run import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A model with its question, both of which have been read without a fault."""

    model: str
    """Its spelling, without ranges."""
    identity: str
    """The fingerprint of system and error condition."""
    property: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the tables: one instance, or several whose means are shown."""

    name: str
    instances: tuple[Instance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The same instances under many configurations."""

    rows: tuple[Row, ...]
    configurations: tuple[Configuration, ...]
    question: Question = field(default_factory=Question)
    limits: Limits = field(default_factory=Limits)
    repeat: int = 1
    """How often a configuration runs that depends on chance."""

    @property
    def instances(self) -> tuple[Instance, ...]:
        """All instances, in the order of the rows."""
        return tuple(instance for row in self.rows for instance in row.instances)

    def seeds(self, configuration: Configuration) -> tuple[int | None, ...]:
        """The seeds under which a configuration runs; None where there is no chance in it."""
        return tuple(range(self.repeat)) if configuration.request.search.IS_RANDOM else (None,)

    def runs(self) -> Iterator[Job]:
        """Every run, row by row."""
        for instance in self.instances:
            for configuration in self.configurations:
                for seed in self.seeds(configuration):
                    yield run_of(instance, configuration, seed)

    def measurements(self, states: int) -> Iterator[Job]:
        """Every measurement of accuracy: each heuristic on each instance with at most `states` reachable states."""
        heuristics = dict.fromkeys(each.request.heuristic_text for each in self.configurations)
        for instance in self.instances:
            for heuristic in filter(None, heuristics):
                yield Job(
                    kind=ACCURACY,
                    model=instance.model,
                    identity=instance.identity,
                    configuration=heuristic,
                    states=states,
                )


def run_of(instance: Instance, configuration: Configuration, seed: int | None) -> Job:
    """The job of one run."""
    return Job(kind=RUN, model=instance.model, identity=instance.identity, configuration=configuration.text, seed=seed)


@contextmanager
def _noting(complaints: list[Complaint]) -> Iterator[None]:
    """Add the faults found inside to the complaints, and go on behind it."""
    try:
        yield
    except ModelError as problem:
        complaints.extend(problem.complaints)


def planned_rows(models: Sequence[str], question: Question, named: Mapping[str, str] | None = None) -> tuple[Row, ...]:
    """A row for each model that the spellings stand for, then one for all models of each named spelling.

    Every model is read and the question is put to it, so that ModelError has every fault before anything runs.
    """
    complaints: list[Complaint] = []
    wanted: dict[str, tuple[str, ...]] = {}
    for spelling in models:
        with _noting(complaints):
            wanted |= {model: (model,) for model in models_of(spelling)}
    for name, spelling in (named or {}).items():
        with _noting(complaints):
            wanted[name] = models_of(spelling)
    known: dict[str, Instance] = {}
    for model in dict.fromkeys(model for members in wanted.values() for model in members):
        with _noting(complaints):
            known[model] = _instance(model, question)
    if complaints:
        raise ModelError(dict.fromkeys(complaints))
    return tuple(Row(name=name, instances=tuple(known[model] for model in members)) for name, members in wanted.items())


def _instance(model: str, question: Question) -> Instance:
    from symdmc.task.fingerprint import fingerprint_of_question

    system = load(model)
    error = question.condition(system)
    return Instance(model=model, identity=fingerprint_of_question(system, error), property=error.name)


def planned_configurations(spellings: Sequence[str]) -> tuple[Configuration, ...]:
    """The configurations that the spellings stand for; ModelError has a line for each that is wrong."""
    complaints: list[Complaint] = []
    found: dict[str, Configuration] = {}
    for spelling in spellings:
        with _noting(complaints):
            for configuration in configurations_of(spelling):
                _require_files(configuration.request)
                found.setdefault(configuration.text, configuration)
    if complaints:
        raise ModelError(dict.fromkeys(complaints))
    return tuple(found.values())


def _require_files(request: CheckRequest) -> None:
    """Raise ModelError where a file with predicates is missing or has none; whether they fit each model decides."""
    for file in (each.options.predicate_file for each in request.heuristics):
        if file is not None:
            from symdmc.abstraction.predicates.given import lines_of  # takes long, and few configurations need it

            lines_of(Path(file))
