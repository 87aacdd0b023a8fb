"""The findings of an experiment as a table: a row for each instance, a column for each configuration in each group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from symdmc.experiment.conduct import Findings
from symdmc.experiment.record import FAILED, MEMORY, REFUSED, SAFE, TIME, UNKNOWN, Record

NOT_RUN = "not run"
MARKS = {TIME: "-t", MEMORY: "-m", UNKNOWN: "-u", REFUSED: "-r", FAILED: "-f", NOT_RUN: "-n"}
"""The entries for runs without an answer."""
SOME = "*"
"""Follows a mark when only some of the runs have no answer."""
MIXED = "mixed"
"""The entry when some of the runs of a cell have a number and others a word such as "safe"."""
EXACT = 1_000_000
"""Counts from here on are written with two digits and a power of ten."""


def count_text(number: float) -> str:
    """A count as the tables show it: in full, or as 2.5e6."""
    if number < EXACT:
        return f"{round(number):,}"
    digits, exponent = f"{number:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def decimal_text(number: float) -> str:
    """Seconds or megabytes as the tables show them."""
    return f"{number:.2f}" if number < 100 else f"{number:,.0f}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that every run has."""

    heading: str
    value: Callable[[Record], float | str | None]
    text: Callable[[float], str] = count_text


COLUMNS = {
    "verdict": Quantity("verdict", lambda run: run.outcome),
    "length": Quantity("trace length", lambda run: SAFE if run.outcome == SAFE else run.length),
    "explored": Quantity("explored states", lambda run: run.explored),
    "generated": Quantity("generated", lambda run: run.generated),
    "stored": Quantity("stored states", lambda run: run.stored),
    "h": Quantity("h(s0)", lambda run: run.h_initial),
    "pattern": Quantity("pattern size", lambda run: run.pattern_size),
    "preprocessing": Quantity("preprocessing seconds", lambda run: run.preprocessing_seconds, decimal_text),
    "search": Quantity("search seconds", lambda run: run.search_seconds, decimal_text),
    "seconds": Quantity("seconds", lambda run: run.seconds, decimal_text),
    "memory": Quantity("memory in MB", lambda run: run.peak_memory_mb, decimal_text),
}
"""The quantities that can be shown, by the names that `--columns` takes."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One entry of a table, for people and for programs."""

    text: str
    raw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnGroup:
    """Columns under one heading."""

    heading: str
    names: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonTable:
    """Groups of columns beside the names of the rows."""

    corner: str
    names: tuple[str, ...]
    groups: tuple[ColumnGroup, ...]


def table_by_instance(findings: Findings, columns: Sequence[str]) -> ComparisonTable:
    """A row for each instance, and for each quantity a group with a column for each configuration."""
    experiment = findings.experiment
    groups = tuple(
        ColumnGroup(
            heading=COLUMNS[key].heading,
            names=tuple(configuration.text for configuration in experiment.configurations),
            rows=tuple(
                tuple(cell(COLUMNS[key], findings.of(row, each)) for each in experiment.configurations)
                for row in experiment.rows
            ),
        )
        for key in columns
    )
    return ComparisonTable(corner="instance", names=tuple(row.name for row in experiment.rows), groups=groups)


def table_by_run(findings: Findings, columns: Sequence[str]) -> ComparisonTable:
    """A row for each run that was done, a column for each quantity."""
    has_seeds = any(run.job.seed is not None for run in findings.runs)
    rows = tuple(
        (
            _plain(run.job.configuration),
            *((_plain(run.job.seed),) if has_seeds else ()),
            *(cell(COLUMNS[key], (run,)) for key in columns),
        )
        for run in findings.runs
    )
    names = ("configuration", *(("seed",) if has_seeds else ()), *(COLUMNS[key].heading for key in columns))
    return ComparisonTable(
        corner="instance",
        names=tuple(run.job.model for run in findings.runs),
        groups=(ColumnGroup(heading="", names=names, rows=rows),),
    )


def cell(column: Quantity, runs: Sequence[Record | None]) -> TableCell:
    """The mean of a quantity over some runs, or why there is none."""
    silent = [run.outcome if run is not None else NOT_RUN for run in runs if run is None or not run.is_answer]
    values = [column.value(run) for run in runs if run is not None and run.is_answer]
    if column is COLUMNS["verdict"]:
        words = sorted({*silent, *map(str, values)})
        return _plain(", ".join(words))
    if silent:
        first = silent[0]
        return TableCell(MARKS[first] + SOME * bool(values), first)
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) < len(values) or not numbers:
        words = sorted({str(value) for value in values if value is not None and value not in numbers})
        return _plain(MIXED if numbers or len(words) > 1 else next(iter(words), None))
    mean = sum(numbers) / len(numbers)
    return TableCell(column.text(mean), f"{mean:g}" if len(numbers) > 1 else str(numbers[0]))


def _plain(value: object) -> TableCell:
    text = "" if value is None else str(value)
    return TableCell(text, text)


def legend(findings: Findings, *, means: bool) -> list[str]:
    """The meaning of the marks that occur in the tables, with the limits and the reasons.

    `means` says that a cell may stand for several runs.
    """
    experiment = findings.experiment
    cells = [findings.of(row, each) for row in experiment.rows for each in experiment.configurations]
    runs = [run for cell in cells for run in cell]
    lines = [*_limits(findings, runs), *_reasons([run for run in runs if run is not None])]
    if means and any(_is_mixed(cell) for cell in cells):
        lines.append(f"{SOME}   in some of its runs only")
    if means and any(len(cell) > 1 for cell in cells):
        lines.append("numbers are means where a cell has several runs")
    return lines


def _limits(findings: Findings, runs: Sequence[Record | None]) -> Iterator[str]:
    """The marks of runs that were ended, or never began."""
    limits = findings.experiment.limits
    meanings = {
        TIME: "time limit reached" if limits.seconds is None else f"time limit of {limits.seconds:g} s reached",
        MEMORY: "out of memory" if limits.memory_mb is None else f"memory limit of {limits.memory_mb:,} MB reached",
        NOT_RUN: "not run",
    }
    outcomes = {NOT_RUN if run is None else run.outcome for run in runs}
    return (f"{MARKS[outcome]}  {text}" for outcome, text in meanings.items() if outcome in outcomes)


def _reasons(runs: Sequence[Record]) -> Iterator[str]:
    """The marks of runs that ended by themselves without an answer; each reason with the first run that gave it."""
    for outcome in (UNKNOWN, REFUSED, FAILED):
        reasons: dict[str, Record] = {}
        for run in runs:
            if run.outcome == outcome:
                reasons.setdefault(run.reason, run)
        for reason, run in reasons.items():
            yield f"{MARKS[outcome]}  {outcome}: {reason} ({run.job.model}, {run.job.configuration})"


def _is_mixed(runs: Sequence[Record | None]) -> bool:
    answers = [run is not None and run.is_answer for run in runs]
    return any(answers) and not all(answers)
