"""The tables and figures of the papers, made again: our numbers, and theirs beside them in brackets.

    python -m benchmarks.seeds                     everything, under the limits of the papers: hours
    python -m benchmarks.seeds --quick             the smaller instances under small limits: minutes
    python -m benchmarks.seeds --table s0-1        one of them; may be repeated

S0 is [DFP09], S1 [KW11], S2 [HSRKP07], S3 [EL04], S4 [KHL08]; `lengths` has the optimal lengths of S0 with every
admissible heuristic, `ours` all abstractions side by side on all families, `ours-r` what each iteration of the
refinement of predicates brings. Every run is kept in `seeds.jsonl` in the folder of the results: what was interrupted
goes on where it was; start with an empty folder after a change of the program. The tables are written as
Markdown, the figures as SVG. What does not exist (a family, a heuristic) is left out with a note. The papers' models of
M, N, C, D and E are timed and not published: ours model the same systems, and the numbers are for comparing
configurations with each other. Exit code 1 when answers contradict each other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import paper_figures as papers
from benchmarks.records import RESULTS
from benchmarks.seed_tables import (
    FIGURES,
    NAMES,
    PREVIEW,
    PREVIEW_NAMES,
    PREVIEW_TITLE,
    RANDOM_SYSTEMS,
    SIDE_BY_SIDE,
    TABLES,
    OurTable,
    PaperFigure,
    PaperTable,
    model_of,
)
from symdmc.checking.request import Question
from symdmc.errors import ModelError
from symdmc.experiment.conduct import Findings, conduct
from symdmc.experiment.configuration import Configuration
from symdmc.experiment.plan import Experiment, Row, planned_configurations, planned_rows
from symdmc.experiment.record import Job, Record
from symdmc.experiment.results_file import Results
from symdmc.report.comparison.figures import figure_svg
from symdmc.report.comparison.run_progress import run_text
from symdmc.report.comparison.table import COLUMNS, cell, legend, table_by_instance
from symdmc.report.comparison.text import markdown_text
from symdmc.running.run import Limits

PAPER_LIMITS = Limits(seconds=1800, memory_mb=4000)
QUICK_LIMITS = Limits(seconds=10, memory_mb=2000)
QUICK_RANDOM_SYSTEMS = 3
REPEAT = 3
"""[DFP09] has the mean of three runs of randomised depth-first search."""
QUICK = (
    *("A2", "A3", "A4", "H4", "H5", "H6", "R5", "R6", "R7", "FA5", "FB5", "U2"),
    *("M1", "M2", "N1", "N2", "C1", "C2", "C4", "C5", "D1", "E1"),
)
"""The instances of a quick run."""
MOST_STATES = 500_000
"""Of an instance whose accuracy is drawn."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How the runs go."""

    limits: Limits
    quick: bool
    workers: int
    results: Results

    def findings(self, experiment: Experiment, jobs: Sequence[Job]) -> Findings:
        """What is known after all that is still to be done is done; Ctrl-C ends the whole."""
        found = conduct(experiment, jobs, self.results, workers=self.workers, on_end=lambda run: note(run_text(run)))
        if found.interrupted:
            raise KeyboardInterrupt
        for line in found.contradictions:
            note(f"contradiction: {line}")
        return found

    def rows(self, figures: papers.Figures) -> tuple[Row, ...]:
        """A row for each instance of a table that we have a model of."""
        systems = QUICK_RANDOM_SYSTEMS if self.quick else RANDOM_SYSTEMS
        chosen = [name for name in figures if name in QUICK or not self.quick]
        found = (existing_row(name, model_of(name, systems)) for name in chosen)
        return tuple(row for row in found if row is not None)


def note(line: str) -> None:
    """Tell how far it has come, and what is missing."""
    print(line, file=sys.stderr, flush=True)


def existing_row(name: str, model: str) -> Row | None:
    """The row of a model or of several; None with a note if there is no such model."""
    try:
        (row,) = planned_rows((), Question(), {name: model})
    except ModelError as problem:
        note(f"{name} is left out: {problem}")
        return None
    return row


def existing(spellings: Sequence[str]) -> tuple[Configuration, ...]:
    """The configurations that exist; a note about each other one."""
    found: list[Configuration] = []
    for spelling in spellings:
        try:
            found += planned_configurations((spelling,))
        except ModelError as problem:
            note(f"left out: {problem}")
    return tuple(found)


def compared(table: PaperTable, setting: Setting) -> tuple[Findings, str]:
    """A table of a paper and ours in one, as Markdown."""
    experiment = Experiment(
        rows=setting.rows(table.figures),
        configurations=existing(tuple(table.ours.values())),
        limits=setting.limits,
        repeat=REPEAT,
    )
    findings = setting.findings(experiment, tuple(experiment.runs()))
    known = {configuration.text: configuration for configuration in experiment.configurations}
    ours = {name: known.get(text) for name, text in table.ours.items()}
    lines = [_heading(table)]
    for row in experiment.rows:
        groups = zip(table.groups, table.figures[row.name], strict=True)
        cells = [text for key, paper in groups for text in _cells(findings, row, key, ours, paper)]
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    explained = [f"- `{text}` is {name}" for name, text in table.ours.items()]
    explained += [f"- {line}" for line in legend(findings, means=True)]
    return findings, "\n".join((f"## {table.title}", "", *lines, "", *explained, ""))


def _heading(table: PaperTable) -> str:
    names = list(table.ours)
    sizes = [len(group) for group in next(iter(table.figures.values()))]
    columns = [
        f"{key} {name}" if size > 1 else key
        for key, size in zip(table.groups, sizes, strict=True)
        for name in (names if size > 1 else names[:1])
    ]
    return f"| instance | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}"


def _cells(
    findings: Findings, row: Row, key: str, ours: Mapping[str, Configuration | None], paper: Sequence[str]
) -> list[str]:
    """Our numbers, with those of the paper as far as it has any; one where it has one for all configurations."""
    texts = [
        "" if configuration is None else cell(COLUMNS[key], findings.of(row, configuration)).text
        for configuration in ours.values()
    ]
    if len(paper) == 1:
        texts = [next((text for text in texts if text and not text.startswith("-")), "")]
    return [f"{text} ({number})" for text, number in zip(texts, paper, strict=False)] + texts[len(paper) :]


def preview(setting: Setting) -> str:
    """Of each technique the best of its runs, as Markdown."""
    tables = {table.name: table for table in TABLES}
    both = [compared(tables[name], setting)[0] for name in ("s4-2", "s4-3")]
    best = {
        name: [(found, tables[table].configurations[name]) for found, table in zip(both, ("s4-2", "s4-3"), strict=True)]
        for name in PREVIEW_NAMES
    }
    rows = [row for row in both[0].experiment.rows if row.name in papers.KHL08_TABLE_1]
    lines = [f"| instance | {' | '.join(PREVIEW_NAMES)} |", f"|---|{'---:|' * len(PREVIEW_NAMES)}"]
    for row in rows:
        ours = [_best([run for found, text in best[name] for run in _runs(found, row, text)]) for name in PREVIEW_NAMES]
        theirs = papers.KHL08_TABLE_1[row.name][0]
        cells = [f"{text} ({number})" for text, number in zip(ours, theirs, strict=True)]
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    return "\n".join((f"## {PREVIEW_TITLE}", "", *lines, ""))


def _runs(findings: Findings, row: Row, text: str) -> list[Record]:
    chosen = [each for each in findings.experiment.configurations if each.text == text]
    return [run for each in chosen for run in findings.of(row, each) if run is not None and run.length is not None]


def _best(runs: Sequence[Record]) -> str:
    """Of the runs with the shortest trace the fastest."""
    if not runs:
        return "-"
    run = min(runs, key=lambda run: (run.length, run.seconds))
    return f"{run.seconds:.1f}/{run.length}"


def side_by_side(ours: OurTable, setting: Setting) -> tuple[Findings, str]:
    """A table without figures of a paper for each quantity, as Markdown."""
    models = ours.quick if setting.quick else ours.models
    found = (existing_row(model, model) for model in models)
    experiment = Experiment(
        rows=tuple(row for row in found if row is not None),
        configurations=existing(ours.configurations),
        limits=setting.limits,
    )
    findings = setting.findings(experiment, tuple(experiment.runs()))
    tables = [text for quantity in ours.quantities for text in _table_of(findings, quantity)]
    explained = [f"- {line}" for line in legend(findings, means=False)]
    return findings, "\n".join((f"## {ours.title}", "", *tables, *explained, ""))


def _table_of(findings: Findings, quantity: str) -> tuple[str, ...]:
    """The lines of a table of one quantity, under its name."""
    table = table_by_instance(findings, (quantity,))
    (group,) = table.groups
    plain = replace(table, groups=(replace(group, heading=""),))
    return f"### {group.heading}", "", markdown_text(plain)


def drawn(figure: PaperFigure, setting: Setting) -> str | None:
    """A figure as SVG; None if it needs something that does not exist."""
    row, configurations = existing_row(figure.name, figure.model), existing(figure.configurations)
    if row is None or not configurations:
        return None
    experiment = Experiment(rows=(row,), configurations=configurations, limits=setting.limits)
    jobs = experiment.measurements(MOST_STATES) if figure.kind == "accuracy" else experiment.runs()
    return figure_svg(figure.kind, setting.findings(experiment, tuple(jobs)))


def make(names: Sequence[str], setting: Setting, folder: Path) -> bool:
    """Write what is named into the folder; whether nothing contradicts anything."""
    agrees = True
    for name in dict.fromkeys(table.name for table in TABLES if table.name in names):
        parts = [compared(table, setting) for table in TABLES if table.name == name]
        agrees = agrees and not any(findings.contradictions for findings, _ in parts)
        text = "\n".join(part for _, part in parts)
        _write(folder / f"{name}.md", text)
        print(text)
    if PREVIEW in names:
        text = preview(setting)
        _write(folder / f"{PREVIEW}.md", text)
        print(text)
    for ours in SIDE_BY_SIDE:
        if ours.name in names:
            findings, text = side_by_side(ours, setting)
            agrees = agrees and not findings.contradictions
            _write(folder / f"{ours.name}.md", text)
            print(text)
    for figure in FIGURES:
        if figure.name in names:
            svg = drawn(figure, setting)
            if svg is not None:
                _write(folder / f"{figure.name}.svg", svg)
                print(f"{figure.title}: {folder / figure.name}.svg\n{figure.said}\n")
    return agrees


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def main() -> int:
    """Run, print the tables, write tables and figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--table", action="append", choices=NAMES, help="only this one; may be repeated")
    parser.add_argument("--quick", action="store_true", help="the smaller instances under small limits")
    parser.add_argument("--limit-seconds", type=float, help="for each run (default: 1800 as in the papers; quick: 10)")
    parser.add_argument("--memory-limit", type=int, metavar="MB", help="for each run (default: 4000; quick: 2000)")
    parser.add_argument("--workers", type=int, default=2, help="runs at a time (default: 2)")
    parser.add_argument("--folder", type=Path, default=RESULTS / "seeds", help="where results, tables and figures go")
    chosen = parser.parse_args()
    usual = QUICK_LIMITS if chosen.quick else PAPER_LIMITS
    limits = Limits(
        seconds=usual.seconds if chosen.limit_seconds is None else chosen.limit_seconds,
        memory_mb=chosen.memory_limit or usual.memory_mb,
    )
    chosen.folder.mkdir(parents=True, exist_ok=True)
    try:
        with Results(chosen.folder / "seeds.jsonl") as results:
            setting = Setting(limits, chosen.quick, chosen.workers, results)
            return 0 if make(chosen.table or NAMES, setting, chosen.folder) else 1
    except KeyboardInterrupt:
        note("interrupted; the same command goes on from here")
        return 130
    except ModelError as problem:
        note(str(problem))
        return problem.exit_code


if __name__ == "__main__":
    sys.exit(main())
