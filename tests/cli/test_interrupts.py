"""Ctrl-C: what is known is told, and no file or process is left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import LARGE as LARGE_TEXT
from tests.cli.running import Runner, environment, run_apart, run_interrupted

SUM = "a[0] + a[1] + a[2] + a[3] + a[4] + a[5]"
LARGE = ("large.dve", "--error", f"{SUM} == 1500")
NEVER = ("large.dve", "--error", f"{SUM} > 1600")
PDB = ("--heuristic", "pdb", "--pattern", "a*")
SLOW = {
    "explore": (("explore", "large.dve"), "states explored"),
    "explicit": (("check", *NEVER, "--certificate", "new.json"), "states explored"),
    "directed": (("check", *NEVER, "--heuristic", "blind", "--certificate", "new.json"), "states explored"),
    "symbolic": (("check", *LARGE, "--engine", "symbolic", "--direction", "forward"), "layer: "),
    "database on the way": (("check", *LARGE, *PDB, "--certificate", "new.json"), "pattern database: "),
    "merging": (("check", "line_segment:instance=D9", "--heuristic", "merge:100000"), "merging 67 "),
    "database": (("patterndb", "build", *LARGE, "--pattern", "a*", "-o", "old.pdb"), "pattern database: "),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", SLOW)
def test_control_c_ends_long_work_with_what_is_known(folder: Path, what: str) -> None:
    command, sign = SLOW[what]
    if what == "merging":  # what is still to be compiled would end with other words
        run_apart("check", "counter.dve", "--error", "x == 31", "--heuristic", "merge:10", cwd=folder)
    (folder / "old.pdb").write_text("as it was")
    before = sorted(os.listdir(folder))
    ran = run_interrupted(*command, "--json", cwd=folder, sign=sign)
    assert ran.code == 130
    assert (ran.document["exit_code"], ran.document["verdict"]) == (130, None if what == "explore" else "unknown")
    assert "interrupted" in ran.document["reason"]
    assert ran.err == ("note: there is no proof, so new.json is not written\n" if "new.json" in command else "")
    if what == "symbolic":
        assert 1 <= ran.document["lower_bound"] == len(ran.document["layers"])
    assert sorted(os.listdir(folder)) == before
    assert (folder / "old.pdb").read_text() == "as it was"


@pytest.mark.slow
def test_control_c_while_looking_ahead_leaves_the_answer(folder: Path) -> None:
    """Every way leads to the error at last, by any of very many states."""
    (folder / "ways.dve").write_text(re.sub(r"effect (a\[\d\])", r"guard \1 < 200; effect \1", LARGE_TEXT))
    asked = ("check", "ways.dve", "--error", "a[0] == 2", "--avoidable", "--budget", "1000000000")
    ran = run_interrupted(*asked, cwd=folder, sign="looking for ways around")
    assert (ran.code, ran.out.splitlines()[0]) == (130, "✗ error reachable: a[0] == 2")
    assert ran.err == "note: interrupted while looking along the trace: the rest is missing\n"


ANSWERED = {signal.SIGTERM: (143, "terminated"), signal.SIGHUP: (129, "hung up")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "number"),
    [
        ("explicit", signal.SIGHUP),
        ("explicit", signal.SIGTERM),
        ("symbolic", signal.SIGTERM),
        ("database", signal.SIGTERM),
    ],
)
def test_sigterm_and_sighup_are_answered_like_control_c(folder: Path, what: str, number: signal.Signals) -> None:
    command, sign = SLOW[what]
    before = sorted(os.listdir(folder))
    ran = run_interrupted(*command, "--json", cwd=folder, sign=sign, number=number)
    code, words = ANSWERED[number]
    assert (ran.code, ran.document["exit_code"], ran.document["verdict"]) == (code, code, "unknown")
    assert words in ran.document["reason"]
    assert sorted(os.listdir(folder)) == before


KILLED = {
    "symbolic": SLOW["symbolic"],
    "selection": (("check", *NEVER, "--heuristic", "pdb:cegar"), "selecting a pattern"),
    "compare": (("compare", *LARGE, "--config", "symbolic:forward"), "running: large.dve"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", KILLED)
def test_children_end_with_a_process_that_is_killed(folder: Path, what: str) -> None:
    command, sign = KILLED[what]
    before = sorted(os.listdir(folder))
    assert run_interrupted(*command, cwd=folder, sign=sign, number=signal.SIGKILL).code == -signal.SIGKILL
    assert sorted(os.listdir(folder)) == before


WRITTEN = {
    "new.json": ("check", "counter.dve", "--error", "x == 31", "--certificate", "new.json"),
    "trace.json": ("check", "counter.dve", "--error", "x == 30", "--trace", "trace.json"),
    "new.pdb": ("patterndb", "build", "counter.dve", "--error", "x == 30", "--pattern", "x", "-o", "new.pdb"),
}


@pytest.mark.parametrize("old", [None, "as it was"])
@pytest.mark.parametrize("name", WRITTEN)
def test_control_c_while_a_file_is_written_leaves_what_was_there(
    symdmc: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, old: str | None
) -> None:
    if old is not None:
        (folder / name).write_text(old)
    before = sorted(os.listdir(folder))

    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    ran = symdmc(*WRITTEN[name])
    assert (ran.code, ran.out, ran.err) == (130, "", "error: interrupted\n")
    assert sorted(os.listdir(folder)) == before
    assert old is None or (folder / name).read_text() == old


IN_A_DESTRUCTOR = """
import os, time
from symdmc.running.signals import answer_signals

class Slow:
    def __del__(self):
        print("ready", flush=True)
        time.sleep(60)

answer_signals()
try:
    slow = Slow()
    del slow
    time.sleep(60)
except KeyboardInterrupt as interrupt:
    os._exit(interrupt.exit_code)
"""


def test_a_signal_in_a_destructor_is_answered_after_it(folder: Path) -> None:
    command = [sys.executable, "-c", IN_A_DESTRUCTOR]
    child = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.terminate()
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (143, "")
