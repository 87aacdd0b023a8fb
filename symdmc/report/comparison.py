"""Comparisons as text, Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symdmc.experiment.conduct import Findings
from symdmc.experiment.record import Record, record_to_json
from symdmc.report.comparison_table import ComparisonTable, Group, decimal_text, legend, table_by_instance, table_by_run
from symdmc.report.console import plain_table, print_block
from symdmc.report.results import counted

SCHEMA = "symdmc-compare/1"
KEYS = (
    *("schema", "model", "verdict", "reason", "exit_code", "configurations", "rows", "time_limit", "memory_limit"),
    *("runs", "accuracy", "contradictions"),
)
FORMATS = ("text", "markdown", "csv")
INSTANCES, RUNS = "instances", "runs"
ACCURACY_HEADINGS = (
    *("instance", "heuristic", "states", "d(s0)", "h(s0)", "mean error", "exact where A* may look"),
    *("sufficiently accurate", "dead ends seen"),
)


def print_comparison(
    console: Console, findings: Findings, *, columns: Sequence[str], rows: str, format: str, quiet: bool
) -> None:
    """The answer of `compare`: tables, what their marks mean, and what contradicts what."""
    table = table_by_instance(findings, columns) if rows == INSTANCES else table_by_run(findings, columns)
    if format == "csv":
        console.file.write(csv_text(table))
        return
    if format == "markdown":
        console.file.write(markdown_text(table))
    else:
        _print_tables(console, table, table_by_run(findings, columns))
    notes = [] if quiet else legend(findings)
    _print_lines(console, notes)
    if findings.measurements:
        console.file.write("\n")
        _print_accuracy(console, findings.measurements, format)
    _print_lines(console, [f"contradiction: {line}" for line in findings.contradictions], style="bold red")


def _print_lines(console: Console, lines: Sequence[str], style: str = "") -> None:
    """A blank line, then the lines, however long each is."""
    if lines:
        console.print()
    for line in lines:
        console.print(Text(line, style=style), soft_wrap=True)


def _print_tables(console: Console, table: ComparisonTable, by_run: ComparisonTable) -> None:
    """The whole table if it is not too wide, else a table for each group, else a table with a row for each run."""
    if _fits(console, whole := _rich(table, table.groups)):
        print_block(console, whole)
        return
    parts = [_rich(table, (group,)) for group in table.groups]
    if not all(_fits(console, part) for part in parts):
        print_block(console, _rich(by_run, by_run.groups))
        return
    for number, part in enumerate(parts):
        if number:
            console.print()
        print_block(console, part)


def _fits(console: Console, table: Table) -> bool:
    return console.measure(table).maximum <= console.width


def _rich(table: ComparisonTable, groups: Sequence[Group]) -> Table:
    """Columns under two headings: the group's, over the first of its columns, and their own, broken at each `+`."""
    found = plain_table()
    lines = max(name.count("+") for group in groups for name in group.names) + 1
    found.add_column(_heading("", table.corner, lines, groups), no_wrap=True)
    for group in groups:
        for number, name in enumerate(group.names):
            text = name.replace("+", "+\n")
            heading = _heading(group.heading if number == 0 else "", text, lines, groups)
            justify = "left" if name == "configuration" else "right"
            found.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for number, name in enumerate(table.names):
        found.add_row(name, *(cell.text for group in groups for cell in group.rows[number]))
    return found


def _heading(group: str, name: str, lines: int, groups: Sequence[Group]) -> str:
    """The name in as many lines as the longest one has, below the group's heading if any group has one."""
    padded = "\n" * (lines - name.count("\n") - 1) + name
    return f"{group}\n{padded}" if any(each.heading for each in groups) else padded


def markdown_text(table: ComparisonTable) -> str:
    """The table in Markdown: each column has the heading of its group and its own."""
    headings = [table.corner, *(_joined(group.heading, name) for group in table.groups for name in group.names)]
    lines = [_markdown_row(headings), "|" + "---|" + "---:|" * (len(headings) - 1)]
    for number, name in enumerate(table.names):
        lines.append(_markdown_row([name, *(cell.text for group in table.groups for cell in group.rows[number])]))
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def csv_text(table: ComparisonTable) -> str:
    """The table for programs: numbers in full, words for what has none."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([table.corner, *(_joined(group.heading, name) for group in table.groups for name in group.names)])
    for number, name in enumerate(table.names):
        writer.writerow([name, *(cell.raw for group in table.groups for cell in group.rows[number])])
    return file.getvalue()


def _joined(heading: str, name: str) -> str:
    return f"{heading}: {name}" if heading else name


def _print_accuracy(console: Console, measurements: Sequence[Record], format: str) -> None:
    rows = [_accuracy_row(record) for record in measurements]
    if format == "markdown":
        lines = [_markdown_row(ACCURACY_HEADINGS), "|" + "---|" * len(ACCURACY_HEADINGS), *map(_markdown_row, rows)]
        console.file.write("\n".join(lines) + "\n")
        return
    table = plain_table()
    for number, heading in enumerate(ACCURACY_HEADINGS):
        table.add_column(heading, justify="left" if number < 2 else "right")
    for row in rows:
        table.add_row(*row)
    print_block(console, table)


def _accuracy_row(record: Record) -> list[str]:
    found, names = record.accuracy, [record.job.model, record.job.configuration]
    if found is None:
        return [*names, record.reason, *[""] * (len(ACCURACY_HEADINGS) - 3)]
    error = found.mean_relative_error
    return [
        *names,
        f"{found.states:,}",
        "none" if found.distance_initial is None else str(found.distance_initial),
        "dead end" if found.estimate_initial is None else str(found.estimate_initial),
        "" if error is None else f"{decimal_text(error)} %",
        f"{found.exact:,} of {found.relevant:,}",
        "yes" if found.is_sufficient else "no",
        f"{found.recognised:,} of {found.dead_ends:,}",
    ]


def comparison_document(findings: Findings) -> dict[str, object]:
    """What `compare --json` prints."""
    experiment = findings.experiment
    return {
        "schema": SCHEMA,
        "model": None,
        "verdict": None,
        "reason": summary(findings),
        "exit_code": findings.exit_code,
        "configurations": [configuration.text for configuration in experiment.configurations],
        "rows": [
            {"name": row.name, "models": [instance.model for instance in row.instances]} for row in experiment.rows
        ],
        "time_limit": experiment.limits.seconds,
        "memory_limit": experiment.limits.memory_mb,
        "runs": [record_to_json(record) for record in findings.runs],
        "accuracy": [record_to_json(record) for record in findings.measurements],
        "contradictions": list(findings.contradictions),
    }


def failed_comparison(*, model: str | None, reason: str, code: int) -> dict[str, object]:
    """What `compare --json` prints when it cannot even start."""
    known = {"schema": SCHEMA, "model": model, "reason": reason, "exit_code": code}
    return {key: known.get(key) for key in KEYS}


def summary(findings: Findings) -> str:
    """How the comparison ended, in a line."""
    if findings.contradictions:
        return f"{counted(len(findings.contradictions), 'contradiction')}: {findings.contradictions[0]}"
    answered = sum(record.is_answer for record in findings.runs)
    known = f"{counted(len(findings.runs), 'run')}, {answered:,} with an answer"
    return f"interrupted: {known}" if findings.interrupted else known
