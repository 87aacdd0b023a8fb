"""The accuracy of heuristics as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symdmc.experiment.accuracy import Accuracy
from symdmc.experiment.record import Record
from symdmc.report.comparison.table import ColumnGroup, ComparisonTable, TableCell, decimal_text

COLUMNS: Mapping[str, Callable[[Record, Accuracy], int | str]] = {
    "heuristic": lambda record, found: record.job.configuration,
    "states": lambda record, found: found.states,
    "d(s0)": lambda record, found: "none" if found.distance_initial is None else found.distance_initial,
    "h(s0)": lambda record, found: "dead end" if found.estimate_initial is None else found.estimate_initial,
    "error %": lambda record, found: _percent(found.mean_relative_error),
    "exact": lambda record, found: found.exact,
    "relevant": lambda record, found: found.relevant,
    "sufficient": lambda record, found: "yes" if found.is_sufficient else "no",
    "dead ends": lambda record, found: found.dead_ends,
    "seen": lambda record, found: found.recognised,
}
LEGEND = (
    "error: mean of |distance - estimate| in percent of the distance, over all reachable states",
    "exact: estimates that are the distance, among the relevant states: h(s) + c(s) <= d(s0), where A* may look",
    "sufficient: all of these are exact, so that A* explores what it would with the true distances",
    "seen: dead ends that the heuristic calls so",
)


def accuracy_table(measurements: Sequence[Record]) -> ComparisonTable:
    """A row for each heuristic on each instance where it could be measured."""
    found = [(record, record.accuracy) for record in measurements if record.accuracy is not None]
    rows = tuple(tuple(_cell(value(*each)) for value in COLUMNS.values()) for each in found)
    return ComparisonTable(
        corner="instance",
        names=tuple(record.job.model for record, _ in found),
        groups=(ColumnGroup(heading="", names=tuple(COLUMNS), rows=rows),),
    )


def _cell(word: int | str) -> TableCell:
    return TableCell(f"{word:,}" if isinstance(word, int) else word, str(word))


def _percent(error: float | None) -> str:
    return "" if error is None else decimal_text(error)


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
