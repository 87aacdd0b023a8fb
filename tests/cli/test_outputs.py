"""What a command writes never overwrites what it reads, nor another thing that it writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import MODELS, Runner

X30 = ("counter.dve", "--error", "x == 30")
PDB = ("patterndb", "build", *X30, "--pattern", "x")
CASES = [
    (("check", *X30, "--trace", "counter.dve"), "--trace would overwrite the model, counter.dve"),
    (("check", *X30, "--trace", "./counter.dve"), "--trace would overwrite the model"),
    (("check", *X30, "--trace", "link.dve"), "--trace would overwrite the model"),
    (("check", *X30, "--trace", "hard.dve"), "--trace would overwrite the model"),
    (("check", "hard.dve", "--error", "x == 30", "--certificate", "counter.dve"), "--certificate would overwrite"),
    (("check", *X30, "--trace", "new.json", "--certificate", "new.json"), "--certificate would overwrite --trace"),
    (("check", *X30, "--trace", "new.json", "--certificate", "to_new.json"), "--certificate would overwrite --trace"),
    (("check", "counter.dve", "--properties", "talk.dve", "--property", "p", "--trace", "talk.dve"), "--properties"),
    (("check", *X30, "--shorten", "talk.dve", "--trace", "talk.dve"), "--shorten"),
    (("check", *X30, "--heuristic", "pdb", "--database", "talk.dve", "--trace", "talk.dve"), "--database"),
    (("check", *X30, "--heuristic", "pred:given,file=talk.dve", "--trace", "talk.dve"), "pred:given,file=talk.dve"),
    (("check", *X30, "--heuristic", "hamming:talk.dve", "--trace", "talk.dve"), "hamming:talk.dve, talk.dve"),
    (("check", *X30, "--heuristic", "fsm-trail:./a,b.json", "--trace", "a,b.json"), "fsm-trail:./a,b.json, a,b.json"),
    (
        ("compare", *X30, "--config", "astar+hamming:talk.dve+hL", "--results", "talk.dve"),
        "--results would overwrite astar+hamming:talk.dve+hL, talk.dve",
    ),
    ((*PDB, "-o", "counter.dve"), "--output would overwrite the model"),
    (("explore", "counter.dve", "--engine", "symbolic", "--layers", "link.svg"), "--layers would overwrite the model"),
    (("show", "counter.dve", "--graph", "link.svg"), "--graph would overwrite the model"),
    (("show", "counter.dve", "--dve", "link.dve"), "--dve would overwrite the model"),
    (("show", "counter.dve", "--graph", "new.svg", "--dve", "new.svg"), "--dve would overwrite --graph"),
    (("simulate", "counter.dve", "--random", "3", "--trace", "counter.dve"), "--trace would overwrite the model"),
    (("compare", *X30, "--config", "bfs", "--results", "counter.dve"), "--results would overwrite the model"),
    (("compare", *X30, "--config", "bfs", "--figure", "scatter=link.svg"), "--figure would overwrite the model"),
    (
        ("compare", *X30, "--config", "bfs", "--figure", "scatter=a.svg", "--figure", "accuracy=a.svg"),
        "--figure would overwrite --figure, a.svg",
    ),
    (("patterndb", "show", "link.svg", *X30, "--layers", "link.svg"), "--layers would overwrite"),
]


@pytest.mark.parametrize(("command", "told"), CASES, ids=lambda value: " ".join(value) if len(value) < 20 else None)
def test_an_output_that_is_an_input_or_another_output_is_refused(
    symdmc: Runner, folder: Path, command: tuple[str, ...], told: str
) -> None:
    (folder / "link.dve").symlink_to("counter.dve")
    (folder / "link.svg").symlink_to("counter.dve")
    (folder / "to_new.json").symlink_to("new.json")
    (folder / "a,b.json").touch()
    os.link("counter.dve", "hard.dve")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()}
    ran = symdmc(*command)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.exists()} == before


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("counter.dve", "the model, counter.dve"),
        ("sub/talk.dve", "the model, sub/talk.dve"),
        ("divide.dve", "the model, divide.dve"),
        ("sub/t.json", "astar+hamming:sub/t.json, sub/t.json"),
        ("sub/suite.toml", "the model, sub/suite.toml"),
    ],
)
@pytest.mark.parametrize("option", ["--results", "--figure"])
def test_what_only_a_suite_names_is_not_overwritten(
    symdmc: Runner, folder: Path, output: str, told: str, option: str
) -> None:
    (folder / "sub").mkdir()
    (folder / "talk.dve").rename(folder / "sub" / "talk.dve")
    (folder / "sub" / "t.json").touch()
    (folder / "sub" / "suite.toml").write_text(
        'models = ["counter.dve", "talk.dve"]\nconfigs = ["bfs", "astar+hamming:t.json"]\n[rows]\nlast = "divide.dve"\n'
    )
    (folder / "o.svg").symlink_to(output)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    value = output if option == "--results" else "scatter=o.svg"
    ran = symdmc("compare", "sub/suite.toml", "--error", "x == 3", option, value)
    assert (ran.code, ran.out) == (2, "")
    assert f"{option} would overwrite {told}: choose another file" in ran.err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_two_outputs_may_go_to_a_device(symdmc: Runner) -> None:
    assert symdmc("check", *X30, "--trace", "/dev/null", "--certificate", "/dev/null").code == 10


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_may_not_be_written_is_refused_before_any_work(symdmc: Runner, folder: Path) -> None:
    (folder / "kept.json").touch(0o444)
    ran = symdmc("check", *X30, "--trace", "kept.json")
    assert (ran.code, ran.out) == (30, "")
    assert ran.err == "error: kept.json: cannot be written: Permission denied; choose another file [cannot-write]\n"


def test_a_file_that_has_no_results_is_not_mended(symdmc: Runner, folder: Path) -> None:
    for name, text in (("one_line.txt", "not a result"), ("model.json", '{"schema": "symdmc-model/1"')):
        (folder / name).write_text(text)
        ran = symdmc("compare", *X30, "--config", "bfs", "--results", name)
        assert ran.code == 30
        assert (folder / name).read_text() == text
    assert (folder / "counter.dve").read_text() == MODELS["counter.dve"]
