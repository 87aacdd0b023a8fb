"""`symdmc compare`: child processes, resuming, limits, figures, JSON, and what it says to bad input."""

from __future__ import annotations

import csv
import json
import os
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.experiment import children, conduct, worker
from tests.cli.running import ROOT, Ran, Runner, run_apart, run_interrupted
from tests.experiments import records_here

SCHEMAS: dict[str, Any] = {
    name: json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text()) for name in ("compare", "run")
}
X30 = ("counter.dve", "--error", "x == 30")
TWO = ("--config", "bfs", "--config", "astar+pdb,keep=x")


@pytest.fixture
def here(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Runs a command line whose jobs are done in this process."""
    monkeypatch.setattr(conduct, "records_of", records_here)

    def runner(*args: str) -> Ran:
        return symdmc("compare", *args)

    return runner


def documented(ran: Ran) -> dict[str, Any]:
    jsonschema.validate(ran.document, SCHEMAS["compare"])
    for run in (*(ran.document["runs"] or ()), *(ran.document["accuracy"] or ())):
        jsonschema.validate(run, SCHEMAS["run"])
    return ran.document


def outcomes(document: dict[str, Any]) -> dict[str, tuple[str, int | None]]:
    return {run["configuration"]: (run["outcome"], run["length"]) for run in document["runs"]}


def test_runs_in_child_processes_agree_with_check_and_are_not_run_again(symdmc: Runner, folder: Path) -> None:
    configs = ("--config", "bfs", "--config", "symbolic:backward", "--config", "astar+pdb,keep=x")
    command = ("compare", *X30, *configs, "--results", "runs.jsonl", "--json")
    document = documented(symdmc(*command))
    assert outcomes(document) == dict.fromkeys(("bfs", "symbolic:backward", "astar+pdb,keep=x"), ("error", 10))
    runs = {run["configuration"]: run for run in document["runs"]}
    checked = symdmc("check", *X30, "--json").document
    assert [runs["bfs"][key] for key in ("explored", "generated", "stored", "shortest")] == [
        checked[key] for key in ("explored", "generated", "stored", "shortest")
    ]
    assert runs["astar+pdb,keep=x"]["patterns"] == [["x"]]
    assert runs["astar+pdb,keep=x"]["h_initial"] == 10
    assert runs["symbolic:backward"]["explored"] is None
    assert all(
        run["seconds"] >= run["preprocessing_seconds"] > 0 and run["peak_memory_mb"] > 10 for run in runs.values()
    )
    began = time.monotonic()
    assert documented(symdmc(*command)) == document
    assert time.monotonic() - began < 2
    lines = (folder / "runs.jsonl").read_text().splitlines()
    assert sorted(lines) == sorted(json.dumps(run, separators=(",", ":")) for run in document["runs"])


@pytest.mark.parametrize("ends_first", [False, True])
def test_a_crash_of_a_child_is_a_failed_run_and_an_internal_error(
    symdmc: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch, ends_first: bool
) -> None:
    (folder / "broken_worker.py").write_text("raise SystemExit('no such luck')\n")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(children, "WORKER", "broken_worker")
    if ends_first:

        class LateChild(children._Child):
            def _send(self, line: bytes) -> None:
                self._process.wait()
                super()._send(line)

        monkeypatch.setattr(children, "_Child", LateChild)
    ran = symdmc("compare", *X30, "--config", "bfs")
    assert ran.code == 39
    assert "error: contradiction: counter.dve: bfs failed: the run broke off: no such luck\n" in ran.err
    assert "-f" in ran.out


def test_a_child_that_does_not_heed_its_limits_is_ended(
    symdmc: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "deaf_worker.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(children, "WORKER", "deaf_worker")
    monkeypatch.setattr(children, "GRACE_SECONDS", 0.2)
    ran = symdmc("compare", *X30, "--config", "bfs", "--time-limit", "0.1")
    assert ran.code == 0
    assert "-t  time limit of 0.1 s reached" in ran.out


@pytest.mark.slow
def test_control_c_shows_what_is_done_and_the_same_command_goes_on(folder: Path) -> None:
    (folder / "still.dve").write_text("byte a[6];\nprocess P { state s; init s; }\nsystem async;\n")
    never = ("--error", "a[0] + a[1] + a[2] + a[3] + a[4] + a[5] > 1600")
    command = ("compare", "still.dve", "large.dve", *never, "--config", "bfs", "--jobs", "1", "--results", "runs.jsonl")
    ran = run_interrupted(*command, cwd=folder, sign="running: large.dve bfs")
    assert ran.code == 130
    assert "-n  not run" in ran.out
    assert "[1/2] still.dve bfs: safe" in ran.err
    (line,) = (folder / "runs.jsonl").read_text().splitlines()
    assert json.loads(line)["outcome"] == "safe"
    again = run_apart(*command, "--time-limit", "5", "--json", cwd=folder)
    assert [run["outcome"] for run in again.document["runs"]] == ["safe", "time limit"]
    assert len((folder / "runs.jsonl").read_text().splitlines()) == 2


def test_the_table_has_the_chosen_columns_in_the_chosen_format(here: Runner) -> None:
    ran = here(*X30, *TWO, "--columns", "length,explored,h,pattern", "--format", "csv")
    assert ran.code == 0
    head, row = csv.reader(ran.out.splitlines())
    found = dict(zip(head, row, strict=True))
    assert list(found)[:3] == ["instance", "trace length: bfs", "trace length: astar+pdb,keep=x"]
    assert found["trace length: bfs"] == found["h(s0): astar+pdb,keep=x"] == "10"
    assert (found["h(s0): bfs"], found["pattern size: astar+pdb,keep=x"]) == ("", "1")


def test_what_depends_on_chance_is_repeated_with_other_seeds_and_nothing_else_is(here: Runner) -> None:
    document = documented(here(*X30, "--config", "rdfs", "--config", "bfs", "--repeat", "3", "--json"))
    assert [(run["configuration"], run["seed"]) for run in document["runs"]] == [
        *(("rdfs", 0), ("rdfs", 1), ("rdfs", 2), ("bfs", None))
    ]


def test_limits_and_refusals_are_explained(here: Runner) -> None:
    ran = here(*X30, "--config", "astar+pdb,keep=nobody", "--config", "bfs", "--time-limit", "0")
    assert ran.code == 0
    assert "-t  time limit of 0 s reached\n" in ran.out
    assert "-r  refused: the pattern has 'nobody'" in ran.out


def test_if_everything_is_refused_the_exit_code_says_so(here: Runner) -> None:
    assert here("timed.py", "--config", "bfs").code == 31
    assert here(*X30, "--config", "astar+pdb,keep=nobody").code == 30


def test_contradictions_are_loud(here: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = worker.outcome_of

    def lying(request: dict[str, Any]) -> dict[str, Any]:
        found = honest(request)
        return {**found, "length": 12} if request["configuration"] != "bfs" else found

    monkeypatch.setattr("tests.experiments.outcome_of", lying)
    ran = here(*X30, *TWO)
    line = "counter.dve: astar+pdb,keep=x calls length 12 the shortest, bfs has a trace of length 10"
    assert ran.code == 39
    assert ran.err == f"error: contradiction: {line}\n"
    assert f"contradiction: {line}\n" in ran.out
    assert documented(here(*X30, *TWO, "--json"))["contradictions"] == [line]


def test_a_changed_model_is_run_again(here: Runner, folder: Path) -> None:
    command = (*X30, "--config", "bfs", "--results", "runs.jsonl", "--json")
    assert outcomes(documented(here(*command)))["bfs"] == ("error", 10)
    text = (folder / "counter.dve").read_text()
    (folder / "counter.dve").write_text(text.replace("effect x = x + 3", "effect x = x + 2"))
    assert outcomes(documented(here(*command)))["bfs"] == ("error", 16)
    assert len((folder / "runs.jsonl").read_text().splitlines()) == 2


def test_a_half_written_line_is_mended_with_a_note(here: Runner, folder: Path) -> None:
    command = (*X30, "--config", "bfs", "--results", "runs.jsonl")
    here(*command)
    path = folder / "runs.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    ran = here(*command)
    assert (ran.code, ran.err) == (0, "note: runs.jsonl: the last line was cut off; it is removed\n")
    assert here(*command).err == ""


def test_a_suite_brings_models_configurations_and_rows(here: Runner, folder: Path) -> None:
    (folder / "suite.toml").write_text(
        'models = ["hanoi:disks=1..2"]\nconfigs = ["bfs"]\nrepeat = 2\n[rows]\nboth = "hanoi:disks=1/2"\n'
    )
    document = documented(here("suite.toml", "--config", "rdfs", "--json"))
    assert [row["name"] for row in document["rows"]] == ["hanoi:disks=1", "hanoi:disks=2", "both"]
    assert document["configurations"] == ["bfs", "rdfs"]
    assert len(document["runs"]) == 6


def test_figures_and_accuracy_are_made_from_the_same_measurement(here: Runner, folder: Path) -> None:
    wanted = ("--accuracy", "--figure", "accuracy=a.svg", "--figure", "sweep=s.svg", "--json")
    document = documented(here("hanoi:disks=2", "--config", "wastar:1..2+fsm-max", "--config", "astar+blind", *wanted))
    measured = {each["configuration"]: each["accuracy"] for each in document["accuracy"]}
    assert set(measured) == {"fsm-max", "blind"}
    assert measured["fsm-max"]["mean_relative_error"] < measured["blind"]["mean_relative_error"]
    assert measured["blind"]["distance_initial"] == 17
    assert (folder / "a.svg").read_text().startswith("<svg")
    assert "wastar:N+fsm-max" in (folder / "s.svg").read_text()


def test_estimates_that_are_too_large_are_told(here: Runner) -> None:
    ran = here("hanoi:disks=2", "--config", "greedy+user:18", "--accuracy", "--columns", "length")
    assert "too large: hanoi:disks=2, user:18: " in ran.out


def test_accuracy_of_a_large_model_is_refused_with_a_reason(here: Runner) -> None:
    ran = here("hanoi:disks=2", "--config", "astar+blind", "--accuracy", "--states", "5")
    assert ran.code == 0
    assert "not measured: hanoi:disks=2, blind: there are more than 5 reachable states" in ran.out


BAD = [
    (2, ("counter.dve",), "name a configuration with --config"),
    (2, ("--config", "bfs"), "Missing argument 'MODEL...'"),
    (2, (*X30, "--config", "bfs", "--columns", "explored,colour"), "there is no column 'colour'"),
    (2, (*X30, "--config", "bfs", "--figure", "pie=a.svg"), "is not KIND=FILE.svg"),
    (2, (*X30, "--config", "bfs", "--figure", "scatter=a.png"), "does not end in .svg"),
    (2, (*X30, "--config", "bfs", "--repeat", "0"), "--repeat"),
    (30, (*X30, "--config", "bsf"), "configuration 'bsf': there is no search 'bsf'; did you mean 'bfs'?"),
    (30, ("hanio", "--config", "bfs"), "did you mean 'hanoi'?"),
    (30, ("hanoi:disks=2..", "--config", "bfs"), "hanoi:disks=2..: '2..' is no range"),
    (30, ("hanoi:disks=0..2", "--config", "bfs"), "disks=0 is out of range"),
    (30, ("counter.dve", "--error", "z == 1", "--config", "bfs"), "z"),
    (30, (*X30, "--config", "bfs", "--figure", "scatter=a.svg"), "shows two configurations, not 1"),
    (30, (*X30, *TWO, "--figure", "scatter=missing/a.svg"), "missing/a.svg: cannot be written"),
    (30, (*X30, "--config", "bfs", "--results", "missing/runs.jsonl"), "missing/runs.jsonl: cannot be written"),
    (30, (*X30, "--config", "bfs", "--results", "talk.dve"), "talk.dve:1: is no line of JSON"),
    (30, ("missing.toml",), "missing.toml: cannot be read"),
]


@pytest.mark.parametrize(("code", "args", "fault"), BAD)
def test_bad_input_gets_one_line(here: Runner, code: int, args: tuple[str, ...], fault: str) -> None:
    before = sorted(os.listdir("."))
    ran = here(*args)
    assert (ran.code, ran.out) == (code, "")
    (line,) = ran.err.splitlines()
    assert line.startswith("error: ")
    assert fault in line
    failed = here(*args, "--json")
    assert documented(failed)["exit_code"] == code
    assert sorted(os.listdir(".")) == before
