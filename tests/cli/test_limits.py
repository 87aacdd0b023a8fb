"""Limits hold from the first byte of a model to the last of a certificate, in every command that takes a model."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from symdmc import ResourceLimit, check, explore, pattern_database, select_patterns, task_for
from symdmc.checking.request import Question
from symdmc.evidence import certificate as certificates
from symdmc.experiment.children import request_of
from symdmc.experiment.record import RUN, TIME, Job
from symdmc.experiment.worker import outcome_of
from symdmc.outcome import Stop, Verdict
from symdmc.running.run import Limits
from symdmc.task.values import analysis
from tests.cli.running import Runner

ENDLESS = "def build():\n    while True:\n        pass\n"
GREEDY = "def build():\n    kept = []\n    while True:\n        kept.append('x' * (1 << 20))\n"
LATEST = 8.0
"""Seconds in which a command ends whose limit is half a second, on a busy machine."""
COMMANDS = {
    "check": ("check", "MODEL", "--error", "x"),
    "explore": ("explore", "MODEL"),
    "show": ("show", "MODEL"),
    "simulate": ("simulate", "MODEL", "--random", "3"),
    "replay": ("replay", "MODEL", "trace.json"),
    "certify": ("certify", "MODEL", "proof.json"),
    "patterndb build": ("patterndb", "build", "MODEL", "--pattern", "x", "-o", "x.pdb"),
    "patterndb show": ("patterndb", "show", "x.pdb", "MODEL"),
    "patterndb lookup": ("patterndb", "lookup", "x.pdb", "MODEL"),
    "patterndb compare": ("patterndb", "compare", "x.pdb", "x.pdb", "MODEL"),
    "compare": ("compare", "MODEL", "--config", "bfs"),
}
X31 = ("check", "counter.dve", "--error", "x == 31", "--certificate", "proof.json")


def never(*args: object, **settings: object) -> None:
    """Work that does not end."""
    time.sleep(60)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_time_limit_holds_while_a_model_is_read(symdmc: Runner, folder: Path, name: str) -> None:
    (folder / "endless.py").write_text(ENDLESS)
    began = time.monotonic()
    ran = symdmc(*("endless.py" if word == "MODEL" else word for word in COMMANDS[name]), "--time-limit", "0.5")
    assert ran.code == 21
    assert "time limit reached" in ran.out + ran.err
    assert len((ran.out + ran.err).splitlines()) == 1
    assert time.monotonic() - began < LATEST


@pytest.mark.parametrize("name", ["check", "certify"])
def test_the_memory_limit_holds_while_a_model_is_read(symdmc: Runner, folder: Path, name: str) -> None:
    (folder / "greedy.py").write_text(GREEDY)
    ran = symdmc(*("greedy.py" if word == "MODEL" else word for word in COMMANDS[name]), "--memory-limit", "500")
    assert (ran.code, ran.out, ran.err) == (22, "", "error: memory limit reached while reading the model\n")


def test_the_time_limit_holds_in_value_analysis(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "analyse_values", never)
    ran = symdmc("show", "counter.dve", "--time-limit", "0.5")
    assert (ran.code, ran.err) == (21, "error: time limit reached while analysing values\n")


def test_a_certificate_that_is_not_done_in_time_leaves_the_verdict(
    symdmc: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "certificate_text", never)
    ran = symdmc(*X31, "--time-limit", "2", "--quiet")
    assert ran.code == 0
    assert "safe" in ran.out
    assert not (folder / "proof.json").exists()


def test_a_certificate_that_cannot_be_made_in_time_leaves_the_verdict(
    symdmc: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symdmc.search.explicit.explicit.certificate_of_walk", never)
    ran = symdmc(*X31, "--time-limit", "2")
    assert ran.code == 0
    assert "the limits left no room to write the proof down, so proof.json is not written" in ran.err
    assert not (folder / "proof.json").exists()


def test_limits_hold_in_python_too(folder: Path) -> None:
    (folder / "endless.py").write_text(ENDLESS)
    result = check("endless.py", error="x", time_limit=0.5)
    assert (result.verdict, result.stop) == (Verdict.UNKNOWN, Stop.TIME)
    assert result.reason == "time limit reached while reading the model"
    found = explore("endless.py", time_limit=0.5)
    assert (found.states, found.stop, found.exit_code) == (None, Stop.TIME, 21)


def test_the_verdict_of_a_check_that_a_limit_ended_is_unknown(symdmc: Runner, folder: Path) -> None:
    (folder / "endless.py").write_text(ENDLESS)
    document = symdmc("check", "endless.py", "--error", "x", "--time-limit", "0.5", "--json").document
    assert (document["verdict"], document["exit_code"]) == ("unknown", 21)
    assert document["reason"] == "time limit reached while reading the model"


def test_limits_hold_for_databases_and_selections_in_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdmc.checking.databases.built_databases", never)
    monkeypatch.setattr("symdmc.checking.databases.selected", never)
    monkeypatch.setattr("symdmc.checking.checks._answer", never)
    task = task_for("counter.dve", error="x == 30")
    for work in (
        lambda: pattern_database(task, keep="x", time_limit=0.5),
        lambda: pattern_database(task, predicates="x >= 3", time_limit=0.5),
        lambda: select_patterns(task, "dpr", time_limit=0.5),
    ):
        with pytest.raises(ResourceLimit, match="time limit"):
            work()
    assert check(task, heuristic="blind", time_limit=0.5).stop is Stop.TIME


def test_the_limit_of_a_run_of_compare_holds_while_its_model_is_read(folder: Path) -> None:
    (folder / "endless.py").write_text(ENDLESS)
    job = Job(kind=RUN, model="endless.py", identity="", configuration="bfs", seed=None, states=None)
    found = outcome_of(request_of(job, Question(error=("x",)), Limits(seconds=0.5)))
    assert (found["outcome"], found["exit_code"]) == (TIME, 21)
