"""Comparisons as tables: rows, groups, means, marks, and the same in Markdown and CSV."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from symdmc.cli import compare
from symdmc.experiment.conduct import Findings
from symdmc.experiment.record import FAILED, MEMORY, REFUSED, SAFE, TIME, UNKNOWN
from symdmc.outcome import Stop
from symdmc.report.comparison import figures as comparison_figures
from symdmc.report.comparison.comparison import FORMATS, print_comparison
from symdmc.report.comparison.run_progress import RunLines, run_text
from symdmc.report.comparison.table import COLUMNS, cell, count_text, legend
from tests.experiments import experiment, findings, record


def shown(
    found: Findings,
    *,
    columns: tuple[str, ...] = ("explored", "length"),
    rows: str = "instances",
    format: str = "text",
    width: int = 100,
) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_comparison(console, found, columns=columns, rows=rows, format=format, quiet=False)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


FOUND = findings(
    experiment(["a", "b"], "bfs", "astar+blind", both=("a", "b")),
    record("a", "bfs", length=3, explored=12_345),
    record("b", "bfs", SAFE, explored=20_000_000),
    record("a", "astar+blind", TIME),
    record("b", "astar+blind", length=5, explored=7),
)

TABLE = """\
           explored states    trace length
                    astar+           astar+
instance      bfs    blind     bfs    blind
───────────────────────────────────────────
a          12,345       -t       3       -t
b           2.0e7        7    safe        5
both        1.0e7      -t*   mixed      -t*

-t  time limit of 60 s reached
*   in some of its runs only
numbers are means where a cell has several runs
"""


def test_a_table_has_a_row_for_each_instance_and_a_group_for_each_quantity() -> None:
    found = findings(FOUND.experiment, *FOUND.records.values())
    assert shown(found).split("\n\ncontradiction")[0].rstrip("\n") == TABLE.rstrip("\n")


def test_a_table_that_is_too_wide_is_split_and_at_last_has_a_row_for_each_run() -> None:
    parts = shown(FOUND, width=30)
    assert parts.index("explored states") < parts.index("trace length")
    assert max(len(line) for line in parts.split("\n\n-t")[0].splitlines()) <= 30
    assert "configuration" in shown(FOUND, width=10)


def test_markdown_and_csv_have_the_same_cells() -> None:
    markdown = shown(FOUND, format="markdown").splitlines()
    assert markdown[0] == (
        "| instance | explored states: bfs | explored states: astar+blind "
        "| trace length: bfs | trace length: astar+blind |"
    )
    assert markdown[2] == "| a | 12,345 | -t | 3 | -t |"
    assert shown(FOUND, format="csv") == (
        "instance,explored states: bfs,explored states: astar+blind,trace length: bfs,trace length: astar+blind\n"
        "a,12345,time limit,3,time limit\n"
        "b,20000000,7,safe,5\n"
        "both,1.00062e+07,time limit,mixed,time limit\n"
    )


def test_a_row_for_each_run_has_its_seed_where_there_is_chance() -> None:
    found = findings(
        experiment(["a"], "bfs", "rdfs", repeat=2),
        record("a", "bfs", length=3),
        record("a", "rdfs", seed=0, length=10),
        record("a", "rdfs", seed=1, length=20),
    )
    text = shown(found, rows="runs", columns=("verdict", "length", "preprocessing", "search", "memory"), format="csv")
    assert text.splitlines() == [
        "instance,configuration,seed,verdict,trace length,preprocessing seconds,search seconds,memory in MB",
        "a,bfs,,error,3,0.5,1.0,40.0",
        "a,rdfs,0,error,10,0.5,1.0,40.0",
        "a,rdfs,1,error,20,0.5,1.0,40.0",
    ]
    assert shown(found, columns=("length",), format="csv").splitlines()[1] == "a,3,15"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (999_999, "999,999"), (1_000_000, "1.0e6"), (26.5, "26"), (3.26e12, "3.3e12")]
)
def test_large_counts_are_short(number: float, text: str) -> None:
    assert count_text(number) == text


@pytest.mark.parametrize("outcome", [TIME, MEMORY, UNKNOWN, REFUSED, FAILED])
def test_every_outcome_without_an_answer_has_a_mark_and_an_explanation(outcome: str) -> None:
    found = findings(experiment(["a"], "bfs"), record("a", "bfs", outcome))
    mark = cell(COLUMNS["explored"], found.runs).text
    assert mark.startswith("-")
    (line,) = legend(found, means=True)
    assert line.startswith(f"{mark}  ")
    assert outcome.split()[0] in line or outcome == MEMORY
    assert cell(COLUMNS["verdict"], found.runs).text == outcome


def test_what_was_not_run_has_a_mark_too() -> None:
    found = findings(experiment(["a"], "bfs"), interrupted=Stop.INTERRUPT)
    assert legend(found, means=True) == ["-n  not run"]
    assert "-n" in shown(found)


def test_a_symbolic_run_has_no_states_of_its_own() -> None:
    assert cell(COLUMNS["explored"], [record("a", "symbolic", length=3)]).text == ""


def test_contradictions_stand_below_the_table() -> None:
    found = findings(experiment(["a"], "bfs", "dfs"), record("a", "bfs", length=3), record("a", "dfs", SAFE))
    assert shown(found).endswith("contradiction: a: dfs says safe, bfs has a trace of length 3\n")


def test_the_names_on_the_command_line_are_those_of_the_reports() -> None:
    assert tuple(COLUMNS) == compare.COLUMNS
    assert comparison_figures.KINDS == compare.FIGURES
    (chosen,) = (option for option in compare.command.params if option.name == "format")
    assert tuple(chosen.type.choices) == (*FORMATS, "junit")  # type: ignore[attr-defined]


def test_a_terminal_sees_a_line_for_each_run(tmp_path: Path) -> None:
    ran, limited = (
        record("a", "rdfs", seed=1, length=3, explored=12),
        record("b", "bfs", TIME, reason="time limit reached"),
    )
    stream = io.StringIO()
    with RunLines(stream, 2, enabled=True) as lines:
        for each in (ran, limited):
            lines.started(each.job)
        for each in (ran, limited):
            lines.ended(each)
    kept = [text for text in stream.getvalue().split("\r\x1b[K") if text.endswith("\n")]
    assert kept == [f"[1/2] {run_text(ran)}\n", f"[2/2] {run_text(limited)}\n"]
    assert run_text(ran) == "a rdfs (seed 1): error, length 3, 12 states explored, 1.50 s"
    assert run_text(limited) == "b bfs: time limit: time limit reached"
    assert stream.getvalue().endswith("\r\x1b[K")
