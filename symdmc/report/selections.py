"""Why a pattern selection kept what it kept, as text."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from symdmc.outcome import SelectionReport
from symdmc.report.console import plain_table, print_block, print_line


def print_selection(console: Console, report: SelectionReport) -> None:
    """A line for each variable or predicate, those that are kept first, then what was tried."""
    table = plain_table()
    table.add_column("predicate" if report.name.startswith("pred:") else "variable", no_wrap=True)
    table.add_column("kept")
    table.add_column("why", overflow="fold")
    for reason in sorted(report.reasons, key=lambda each: not each.kept):
        table.add_row(Text(reason.variable), "yes" if reason.kept else "no", Text(reason.why))
    console.print()
    print_block(console, table)
    console.print()
    for number, step in enumerate(report.steps, start=1):
        print_line(console, f"{number:4}  {step}")
    if report.steps:
        console.print()
