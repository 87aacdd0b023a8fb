"""How accurate heuristics are, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from symdmc.experiment.accuracy import Accuracy
from symdmc.experiment.record import Record
from symdmc.report.comparison_table import decimal_text
from symdmc.report.comparison_text import markdown_row
from symdmc.report.console import plain_table, print_block

HEADINGS = (*("instance", "heuristic", "states", "d(s0)", "h(s0)", "error", "exact", "sufficient", "dead ends seen"),)
LEGEND = (
    "error: mean of |distance - estimate| in percent of the distance, over all reachable states",
    "exact: estimates that are the distance, of the states with h(s) + c(s) <= d(s0), where A* may look",
    "sufficient: all of these are, so that A* explores what it would with the true distances",
)


def print_accuracy(console: Console, measurements: Sequence[Record], *, markdown: bool) -> None:
    """A row for each heuristic on each instance, what the columns mean, and why some rows are missing."""
    rows = [_row(record, record.accuracy) for record in measurements if record.accuracy is not None]
    if rows and markdown:
        for line in (markdown_row(HEADINGS), "|---|---|" + "---:|" * (len(HEADINGS) - 2), *map(markdown_row, rows)):
            console.print(Text(line), soft_wrap=True)
    elif rows:
        table = plain_table()
        for number, heading in enumerate(HEADINGS):
            table.add_column(heading, justify="left" if number < 2 else "right", overflow="fold")
        for row in rows:
            table.add_row(*row)
        print_block(console, table)
    console.print()
    for line in (*(LEGEND if rows else ()), *_missing(measurements)):
        console.print(Text(line), soft_wrap=True)


def _row(record: Record, found: Accuracy) -> list[str]:
    error = found.mean_relative_error
    return [
        record.job.model,
        record.job.configuration,
        f"{found.states:,}",
        "none" if found.distance_initial is None else str(found.distance_initial),
        "dead end" if found.estimate_initial is None else str(found.estimate_initial),
        "" if error is None else f"{decimal_text(error)} %",
        f"{found.exact:,} of {found.relevant:,}",
        "yes" if found.is_sufficient else "no",
        f"{found.recognised:,} of {found.dead_ends:,}",
    ]


def _missing(measurements: Sequence[Record]) -> list[str]:
    return [
        f"not measured: {record.job.model}, {record.job.configuration}: {record.reason}"
        for record in measurements
        if record.accuracy is None
    ]
