"""The accuracy of heuristics as a table."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.experiment.accuracy import Accuracy
from symdmc.experiment.record import Record
from symdmc.report.comparison.table import ColumnGroup, ComparisonTable, TableCell, decimal_text

HEADINGS = (
    "heuristic",
    "states",
    "d(s0)",
    "h(s0)",
    "error %",
    "exact",
    "relevant",
    "sufficient",
    "dead ends",
    "seen",
)
LEGEND = (
    "error: mean of |distance - estimate| in percent of the distance, over all reachable states",
    "exact: estimates that are the distance, among the relevant states: h(s) + c(s) <= d(s0), where A* may look",
    "sufficient: all of these are exact, so that A* explores what it would with the true distances",
    "seen: dead ends that the heuristic calls so",
)


def accuracy_table(measurements: Sequence[Record]) -> ComparisonTable:
    """A row for each heuristic on each instance where it could be measured."""
    found = [(record, record.accuracy) for record in measurements if record.accuracy is not None]
    rows = tuple(_row(record, accuracy) for record, accuracy in found)
    return ComparisonTable(
        corner="instance",
        names=tuple(record.job.model for record, _ in found),
        groups=(ColumnGroup(heading="", names=HEADINGS, rows=rows),),
    )


def _row(record: Record, found: Accuracy) -> tuple[TableCell, ...]:
    error = found.mean_relative_error
    words = (
        record.job.configuration,
        found.states,
        "none" if found.distance_initial is None else found.distance_initial,
        "dead end" if found.estimate_initial is None else found.estimate_initial,
        "" if error is None else decimal_text(error),
        found.exact,
        found.relevant,
        "yes" if found.is_sufficient else "no",
        found.dead_ends,
        found.recognised,
    )
    return tuple(TableCell(f"{word:,}" if isinstance(word, int) else word, str(word)) for word in words)


def accuracy_legend(measurements: Sequence[Record]) -> list[str]:
    """The meaning of the columns, which heuristics overestimate, and why rows are missing."""
    excessive = [
        f"too large: {record.job.model}, {record.job.configuration}: {found.overestimates:,} of {found.states:,} states"
        for record in measurements
        if (found := record.accuracy) is not None and found.overestimates
    ]
    missing = [
        f"not measured: {record.job.model}, {record.job.configuration}: {record.reason}"
        for record in measurements
        if record.accuracy is None
    ]
    return [*(LEGEND if len(missing) < len(measurements) else ()), *excessive, *missing]
