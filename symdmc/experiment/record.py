"""Jobs and their results, each result as one line of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from symdmc import __version__
from symdmc.errors import Code, Complaint, ModelError
from symdmc.experiment.accuracy import Accuracy
from symdmc.running.run import Limits

SCHEMA = "symdmc-run/1"
RUN, ACCURACY = "run", "accuracy"

SAFE, ERROR, UNKNOWN = "safe", "error", "unknown"
TIME, MEMORY = "time limit", "memory limit"
REFUSED, FAILED, MEASURED = "refused", "failed", "measured"
OUTCOMES = (SAFE, ERROR, UNKNOWN, TIME, MEMORY, REFUSED, FAILED, MEASURED)
"""How a job can end. Refused: the model or the heuristic does not allow it. Failed: a bug in symdmc."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work for a child process; equal jobs have equal results, except for time and memory."""

    kind: str
    """RUN or ACCURACY."""
    model: str
    identity: str
    """The fingerprint of system and error condition: a file may change under its name."""
    configuration: str
    """The spelling of the configuration; for a measurement of accuracy, of the heuristics only."""
    seed: int | None = None
    states: int | None = None
    """For a measurement of accuracy, the most reachable states that are explored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How a job ended and what it cost; unknown values are None."""

    job: Job
    time_limit: float | None
    memory_limit: int | None
    outcome: str
    """One of OUTCOMES."""
    reason: str
    exit_code: int
    length: int | None = None
    shortest: bool = False
    lower_bound: int | None = None
    explored: int | None = None
    generated: int | None = None
    stored: int | None = None
    h_initial: int | Literal["dead end"] | None = None
    patterns: tuple[tuple[str, ...], ...] | None = None
    seconds: float | None = None
    preprocessing_seconds: float | None = None
    peak_memory_mb: float | None = None
    accuracy: Accuracy | None = None
    version: str = __version__

    @property
    def is_answer(self) -> bool:
        """Whether it says that the system is safe or that an error is reachable."""
        return self.outcome in (SAFE, ERROR)

    @property
    def search_seconds(self) -> float | None:
        """The time of the search alone."""
        if self.seconds is None or self.preprocessing_seconds is None:
            return None
        return max(0.0, round(self.seconds - self.preprocessing_seconds, 6))

    @property
    def pattern_size(self) -> int | None:
        """How many variables all pattern databases together keep."""
        return None if self.patterns is None else sum(len(pattern) for pattern in self.patterns)

    def holds_under(self, limits: Limits) -> bool:
        """Whether the job would surely end in the same way under other limits."""
        if (self.time_limit, self.memory_limit) == (limits.seconds, limits.memory_mb):
            return True
        if self.outcome in (TIME, MEMORY):
            return False
        in_time = limits.seconds is None or (self.seconds is not None and self.seconds <= limits.seconds)
        in_memory = limits.memory_mb is None or (
            self.peak_memory_mb is not None and self.peak_memory_mb <= limits.memory_mb
        )
        return in_time and in_memory


def record_to_json(record: Record) -> dict[str, object]:
    """The record as a flat object, the job first."""
    values = asdict(record)
    return {"schema": SCHEMA, **values.pop("job"), **values}


def record_from_json(content: object) -> Record:
    """The record that `record_to_json` wrote; ModelError says what is wrong with it."""
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ModelError(Complaint(Code.WRONG_SCHEMA, f"is no result of schema {SCHEMA}"))
    values = {key: value for key, value in content.items() if key != "schema"}
    wanted = {*_TYPES, "patterns", "accuracy"}
    if values.keys() != wanted:
        odd = sorted(values.keys() ^ wanted)
        raise ModelError(
            Complaint(Code.RESULT_DAMAGED, f"has keys that differ from those of {SCHEMA}: {', '.join(map(str, odd))}")
        )
    for key, types in _TYPES.items():
        if not isinstance(values[key], types):
            raise ModelError(Complaint(Code.RESULT_DAMAGED, f"has a wrong value for {key!r}"))
    if values["outcome"] not in OUTCOMES:
        raise ModelError(Complaint(Code.RESULT_DAMAGED, f"has an unknown outcome {values['outcome']!r}"))
    return _record(Job(**{field.name: values.pop(field.name) for field in fields(Job)}), values)


def finished(job: Job, limits: Limits, outcome: Mapping[str, Any]) -> Record:
    """The record of a job with the outcome that a worker wrote."""
    return _record(job, {"time_limit": limits.seconds, "memory_limit": limits.memory_mb, **outcome})


def _record(job: Job, values: Mapping[str, Any]) -> Record:  # Any: JSON
    made = {"patterns": _patterns(values.get("patterns")), "accuracy": _accuracy(values.get("accuracy"))}
    return Record(job=job, **{**values, **made})


def _patterns(value: Any) -> tuple[tuple[str, ...], ...] | None:  # Any: JSON
    try:
        return None if value is None else tuple(tuple(map(str, pattern)) for pattern in value)
    except TypeError:
        raise ModelError(Complaint(Code.RESULT_DAMAGED, "has a wrong value for 'patterns'")) from None


def _accuracy(value: Any) -> Accuracy | None:  # Any: JSON
    try:
        if value is None:
            return None
        rows = tuple((int(distance), int(states), float(error)) for distance, states, error in value["by_distance"])
        return Accuracy(**{**value, "by_distance": rows})
    except (TypeError, KeyError, ValueError):
        raise ModelError(Complaint(Code.RESULT_DAMAGED, "has a wrong value for 'accuracy'")) from None


_INTEGER, _NUMBER, _NONE = (int,), (int, float), type(None)
_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("kind", "model", "identity", "configuration", "outcome", "reason", "version"), (str,)),
    **dict.fromkeys(("seed", "states", "memory_limit", "length", "lower_bound"), (*_INTEGER, _NONE)),
    **dict.fromkeys(("explored", "generated", "stored"), (*_INTEGER, _NONE)),
    **dict.fromkeys(("time_limit", "seconds", "preprocessing_seconds", "peak_memory_mb"), (*_NUMBER, _NONE)),
    "exit_code": _INTEGER,
    "shortest": (bool,),
    "h_initial": (int, str, _NONE),
}
