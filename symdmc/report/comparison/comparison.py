"""Comparisons as text, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from symdmc.experiment.conduct import Findings
from symdmc.experiment.record import record_to_json
from symdmc.report.comparison.accuracy_table import accuracy_legend, accuracy_table
from symdmc.report.comparison.table import ComparisonTable, legend, table_by_instance, table_by_run
from symdmc.report.comparison.text import csv_text, markdown_text, text_lines
from symdmc.report.console import print_line, symbol
from symdmc.report.quantities import counted
from symdmc.report.schemas import document
from symdmc.spelling.printable import printable_lines

FORMATS = ("text", "markdown", "csv")
INSTANCES, RUNS = "instances", "runs"


def print_comparison(
    console: Console, findings: Findings, *, columns: Sequence[str], rows: str, format: str, quiet: bool
) -> None:
    """The answer of `compare`: tables, the meaning of their marks, and contradictions."""
    by_run = table_by_run(findings, columns)
    table = table_by_instance(findings, columns) if rows == INSTANCES else by_run
    _print_table(console, table, format, by_run)
    explains = not quiet and format != "csv"
    if explains:
        _print_lines(console, legend(findings, means=rows == INSTANCES))
    measured = accuracy_table(findings.measurements)
    if measured.names:
        console.print()
        _print_table(console, measured, format, measured)
    if findings.measurements and explains:
        _print_lines(console, accuracy_legend(findings.measurements))
    if format != "csv":
        _print_lines(console, [f"contradiction: {line}" for line in findings.contradictions], style="bold red")


def _print_lines(console: Console, lines: Sequence[str], style: str = "") -> None:
    """A blank line, then the lines, however long each is."""
    if lines:
        console.print()
    for line in lines:
        print_line(console, line, style)


def _print_table(console: Console, table: ComparisonTable, format: str, narrow: ComparisonTable) -> None:
    """The whole table. As text, if it is too wide: a table for each group or, if one of these is too wide, `narrow`."""
    if format != "text":
        console.file.write(printable_lines(csv_text(table) if format == "csv" else markdown_text(table)))
        return
    rule = symbol(console, "\u2500", "-")
    whole = text_lines(table, table.groups, rule)
    parts = [text_lines(table, (group,), rule) for group in table.groups]
    if _fits(console, whole):
        parts = [whole]
    elif not all(_fits(console, part) for part in parts):
        parts = [text_lines(narrow, narrow.groups, rule)]
    for number, part in enumerate(parts):
        if number:
            console.print()
        for line in part:
            print_line(console, line)


def _fits(console: Console, lines: Sequence[str]) -> bool:
    return max(map(len, lines)) <= console.width


def comparison_document(findings: Findings) -> dict[str, object]:
    """What `compare --json` prints."""
    experiment = findings.experiment
    rows = [{"name": row.name, "models": [instance.model for instance in row.instances]} for row in experiment.rows]
    return document(
        "compare",
        None,
        None,
        findings,
        reason=summary(findings),
        configurations=[configuration.text for configuration in experiment.configurations],
        rows=rows,
        time_limit=experiment.limits.seconds,
        memory_limit=experiment.limits.memory_mb,
        runs=[record_to_json(record) for record in findings.runs],
        accuracy=[record_to_json(record) for record in findings.measurements],
    )


def summary(findings: Findings) -> str:
    """How the comparison ended, in a line."""
    if findings.contradictions:
        return f"{counted(len(findings.contradictions), 'contradiction')}: {findings.contradictions[0]}"
    answered = sum(record.is_answer for record in findings.runs)
    known = f"{counted(len(findings.runs), 'run')}, {answered:,} with an answer"
    return f"{findings.interrupted.words}: {known}" if findings.interrupted is not None else known
