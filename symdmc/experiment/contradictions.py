"""Answers that cannot all be true, so that one configuration must be wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from symdmc.experiment.record import ERROR, FAILED, RUN, SAFE, Record


def contradictions(records: Iterable[Record]) -> tuple[str, ...]:
    """A line for each pair of answers to the same question that exclude each other, and for each run that failed."""
    by_question: dict[str, list[Record]] = {}
    lines = []
    for record in records:
        if record.outcome == FAILED:
            lines.append(f"{record.job.model}: {record.job.configuration} failed: {record.reason}")
        elif record.job.kind == RUN:
            by_question.setdefault(record.job.identity, []).append(record)
    return (*lines, *(line for group in by_question.values() for line in _among(group)))


def _among(group: Sequence[Record]) -> Iterator[str]:
    model = group[0].job.model
    safe = next((record for record in group if record.outcome == SAFE), None)
    found = [record for record in group if record.outcome == ERROR and record.length is not None]
    if safe is not None and found:
        yield f"{model}: {_name(safe)} says safe, {_name(found[0])} has a trace of length {found[0].length}"
    if not found:
        return
    nearest = min(found, key=lambda record: record.length or 0)
    length = nearest.length or 0
    for record in group:
        if record.outcome == ERROR and record.shortest and (record.length or 0) > length:
            what = f"calls length {record.length} the shortest"
        elif record.lower_bound is not None and record.lower_bound > length:
            what = f"says that no trace is shorter than {record.lower_bound}"
        else:
            continue
        yield f"{model}: {_name(record)} {what}, {_name(nearest)} has a trace of length {length}"


def _name(record: Record) -> str:
    seed = record.job.seed
    return record.job.configuration if seed is None else f"{record.job.configuration} with seed {seed}"
