"""The papers' tables and ours: every number has its column, and both stand side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import paper_figures as papers
from benchmarks import seeds
from benchmarks.seed_tables import (
    FIGURES,
    NAMES,
    PREVIEW,
    PREVIEW_NAMES,
    SIDE_BY_SIDE,
    TABLES,
    PaperTable,
    model_of,
)
from symdmc.experiment import conduct
from symdmc.experiment.configuration import configurations_of
from symdmc.experiment.ranges import models_of
from symdmc.experiment.results_file import Results
from symdmc.report.comparison.table import COLUMNS
from symdmc.running.run import Limits
from tests.experiments import records_here


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_line_of_a_paper_has_a_number_for_each_configuration_or_one_for_all(table: PaperTable) -> None:
    assert set(table.groups) <= set(COLUMNS)
    for line in table.figures.values():
        assert len(line) == len(table.groups)
        assert {len(group) for group in line} <= {1, len(table.configurations)}


def test_the_preview_has_a_number_for_each_technique_of_both_tables() -> None:
    tables = {table.name: table for table in TABLES}
    assert all(set(PREVIEW_NAMES) <= set(tables[name].configurations) for name in ("s4-2", "s4-3"))
    assert all(len(line[0]) == len(PREVIEW_NAMES) for line in papers.KHL08_TABLE_1.values())
    assert set(papers.KHL08_TABLE_1) <= set(papers.KHL08_TABLE_2)


def test_every_configuration_is_spelled_right() -> None:
    spelled = [text for table in TABLES for text in table.ours.values()]
    spelled += [text for figure in FIGURES for text in figure.configurations]
    spelled += [text for table in SIDE_BY_SIDE for text in table.configurations]
    assert all(configurations_of(text) for text in spelled)
    assert len(set(NAMES)) == len(NAMES)


def test_instances_have_models() -> None:
    assert model_of("A4") == "arbiter_tree:height=4,variant=seed"
    assert len(models_of(model_of("R10"))) == 15
    assert model_of("N3") == "mutex:instance=N3"
    assert model_of("E9") == "line_segment:instance=E9"
    assert model_of("FA10") == "fischer:n=10,variant=fa"
    assert model_of("U3") == "air_conditioning:n=3"


@pytest.mark.parametrize(
    "model", dict.fromkeys(model for table in SIDE_BY_SIDE for model in table.models + table.quick)
)
def test_what_is_set_side_by_side_exists(model: str) -> None:
    assert seeds.existing_row(model, model) is not None


def test_all_abstractions_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduct, "records_of", records_here)
    (ours,) = (replace(table, models=("hanoi:disks=2",)) for table in SIDE_BY_SIDE if table.name == "ours")
    monkeypatch.setattr(seeds, "SIDE_BY_SIDE", (ours,))
    setting = seeds.Setting(Limits(), False, 1, Results())
    names = [each.text for each in seeds.existing(ours.configurations)]
    assert seeds.make(["ours"], setting, tmp_path)
    text = (tmp_path / "ours.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| hanoi:disks=2")]
    assert len(rows) == len(ours.quantities)
    row = rows[ours.quantities.index("length")]
    lengths = dict(zip(names, map(int, row.split("|")[2:-1]), strict=True))
    assert all(length == 17 for name, length in lengths.items() if name.startswith("astar"))
    assert lengths["greedy+hU"] >= 17


def test_tables_of_one_name_are_written_into_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduct, "records_of", records_here)
    parts = [
        PaperTable(
            name="s2-3",
            title=f"part {number}",
            figures=papers.figures("A2 | 7"),
            groups=("length",),
            configurations={"FSM": "astar+fsm-max"},
        )
        for number in (1, 2)
    ]
    monkeypatch.setattr(seeds, "TABLES", tuple(parts))
    assert seeds.make(["s2-3"], seeds.Setting(Limits(), False, 1, Results()), tmp_path)
    lines = (tmp_path / "s2-3.md").read_text().splitlines()
    assert [line for line in lines if line.startswith("## ")] == ["## part 1", "## part 2"]
    assert lines.count("| A2 | 25 (7) |") == 2


def test_our_numbers_stand_beside_those_of_the_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(conduct, "records_of", records_here)
    monkeypatch.setattr(
        seeds,
        "TABLES",
        (
            PaperTable(
                name="s0-2",
                title="a small table",
                figures=papers.figures("A2 | 498 215 | 25\nZ1 | 1 2 | 3"),
                groups=("explored", "length"),
                configurations={"FSM": "astar+fsm-max", "none": "astar+nonsense"},
            ),
        ),
    )
    setting = seeds.Setting(Limits(), False, 1, Results())
    assert seeds.make(["s0-2"], setting, tmp_path)
    text = (tmp_path / "s0-2.md").read_text()
    assert text.splitlines()[:5] == [
        "## a small table",
        "",
        "| instance | explored FSM | explored none | length |",
        "|---|---:|---:|---:|",
        "| A2 | 457 (498) |  (215) | 25 (25) |",
    ]
    notes = capsys.readouterr().err
    assert "Z1 is left out: " in notes
    assert "there is no heuristic 'nonsense'" in notes


def test_the_preview_takes_the_fastest_of_the_shortest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduct, "records_of", records_here)
    names = dict.fromkeys(PREVIEW_NAMES)
    line = " ".join("1" * len(names))
    small = [
        PaperTable(
            name=name,
            title="",
            figures=papers.figures(f"H2 | {line}"),
            groups=("length",),
            configurations=dict.fromkeys(names, configuration),
        )
        for name, configuration in (("s4-2", "bfs"), ("s4-3", "dfs"))
    ]
    monkeypatch.setattr(seeds, "TABLES", tuple(small))
    monkeypatch.setattr(papers, "KHL08_TABLE_1", papers.figures(f"H2 | {line}"))
    setting = seeds.Setting(Limits(), False, 1, Results())
    assert seeds.make([PREVIEW], setting, tmp_path)
    assert "/17 (1)" in (tmp_path / "s4-1.md").read_text()
