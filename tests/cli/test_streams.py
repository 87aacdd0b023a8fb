"""What goes where: results to stdout, the rest to stderr, colours and progress only to terminals."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ROOT, Runner, environment, run_apart

X30 = ("check", "counter.dve", "--error", "x == 30")


def on_terminal(*args: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What a command shows on a terminal that is 100 columns wide."""
    reader, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "symdmc", *args],
        cwd=cwd,
        env={**environment(), "TERM": "xterm-256color", "COLUMNS": "100", **(env or {})},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:  # the child has closed its side
            break
        if not part:
            break
        shown += part
    os.close(reader)
    child.wait(timeout=60)
    return shown.decode()


def test_a_terminal_gets_colours_unless_no_color_is_set(folder: Path) -> None:
    assert "\x1b[" in on_terminal(*X30, cwd=folder, env={"NO_COLOR": ""})
    assert "\x1b[" not in on_terminal(*X30, cwd=folder, env={"NO_COLOR": "1"})


def test_complaints_obey_no_color_too(folder: Path) -> None:
    assert "\x1b[" in on_terminal("check", "missing.dve", cwd=folder, env={"NO_COLOR": ""})
    assert "\x1b[" not in on_terminal("check", "missing.dve", cwd=folder, env={"NO_COLOR": "1"})


def test_a_pipe_gets_plain_text(folder: Path) -> None:
    ran = run_apart(*X30, cwd=folder, env={"COLUMNS": "40"})
    assert "\x1b" not in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100
    assert ran.err == ""


def test_narrow_plain_text_loses_nothing(symdmc: Runner, folder: Path) -> None:
    names = [f"variable_with_a_very_long_name_{number}" for number in range(8)]
    declared = "".join(f"byte {name} = 0;\n" for name in names)
    effects = ", ".join(f"{name} = {number + 100}" for number, name in enumerate(names))
    process = f"process P {{ state s, t; init s; trans s -> t {{ effect {effects}; }}; }}\nsystem async;\n"
    (folder / "long.dve").write_text(declared + process)
    out = symdmc("check", "long.dve", "--error", "P.t").out
    flat = re.sub(r"\s+", "", out)
    assert all(f"{name}:0->{number + 100}" in flat for number, name in enumerate(names))


def test_a_text_of_the_model_is_never_read_as_markup(symdmc: Runner) -> None:
    out = symdmc("check", "talk.dve", "--error", "a[1] == 2 and got == 2").out
    assert "error reachable: a[1] == 2 and got == 2" in out
    assert "a[1]: 0 -> 2" in out


def test_ascii_streams_get_ascii_signs(folder: Path) -> None:
    ran = run_apart(*X30, cwd=folder, env={"PYTHONIOENCODING": "ascii"})
    assert ran.code == 10
    assert ran.out.startswith("x error reachable")
    assert ran.out.isascii()


def test_json_on_an_ascii_stream_is_json(folder: Path) -> None:
    (folder / "\u00e9.dve").write_text((folder / "counter.dve").read_text())
    ran = run_apart("check", "\u00e9.dve", "--error", "x == 0", "--json", cwd=folder, env={"PYTHONIOENCODING": "ascii"})
    assert ran.document["model"] == "\u00e9.dve"


def test_a_closed_pipe_is_no_reason_to_complain(folder: Path) -> None:
    command = f"{sys.executable} -m symdmc show counter.dve --all --json | true"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""


def test_a_closed_pipe_does_not_change_the_verdict(folder: Path) -> None:
    command = f"{sys.executable} -m symdmc check counter.dve --error 'x == 30' | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (10, "")


def test_a_full_disk_is_one_line(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    command = f"{sys.executable} -m symdmc check counter.dve --error 'x == 30' > /dev/full"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (30, "error: the output: No space left on device [system-error]\n")


@pytest.mark.slow
def test_a_long_run_shows_progress_on_a_terminal_and_cleans_up(folder: Path) -> None:
    run_apart("explore", "arbiter_tree:height=3,faulty=false", cwd=folder)  # compiles the engine where it is not yet
    shown = on_terminal("explore", "large.dve", "--time-limit", "8", cwd=folder)
    assert re.search(r"states explored, [\d,]+/s, depth \d+, [\d,]+ MB", shown)
    assert "\r\x1b[K" in shown
    assert "unknown: time limit" in re.split("\r\x1b\\[K", shown)[-1]


def test_no_progress_reaches_a_file(folder: Path) -> None:
    assert run_apart("explore", "large.dve", "--time-limit", "2", cwd=folder).err == ""


def test_notes_and_warnings_are_on_stderr_and_quiet_drops_them(symdmc: Runner) -> None:
    loud, quiet = symdmc("explore", "talk.dve"), symdmc("explore", "talk.dve", "--quiet")
    assert loud.err.startswith("warning: talk.dve:")
    assert "warning" not in loud.out
    assert quiet.err == ""


CLOSED = {
    ">&-": (10, ""),
    "2>&-": (10, "x == 30"),
    "<&-": (10, "x == 30"),
    ">&- 2>&- <&-": (10, ""),
    "--json >&-": (10, ""),
}


@pytest.mark.parametrize("closed", CLOSED)
def test_a_closed_stream_changes_nothing_but_what_is_seen(folder: Path, closed: str) -> None:
    line = f"{sys.executable} -m symdmc {shlex.join(X30)} {closed}"
    done = subprocess.run(line, shell=True, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60)
    code, told = CLOSED[closed]
    assert (done.returncode, done.stderr) == (code, "")
    assert told in done.stdout
    assert bool(told) == bool(done.stdout)


def test_an_empty_environment_is_enough(folder: Path) -> None:
    command = [sys.executable, "-m", "symdmc", *X30]
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (10, "")


FULL = {"--trace": X30, "--certificate": ("check", "counter.dve", "--error", "x == 31")}


@pytest.mark.parametrize("option", FULL)
def test_a_full_disk_is_told_in_one_line_and_leaves_what_was_there(folder: Path, option: str) -> None:
    (folder / "out.json").write_text("as it was")
    line = f"ulimit -f 0; {sys.executable} -m symdmc {shlex.join(FULL[option])} {option} out.json"
    before = sorted(folder.iterdir())
    done = subprocess.run(line, shell=True, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 30
    assert done.stderr == "error: out.json: cannot be written: File too large; choose another file [cannot-write]\n"
    assert sorted(folder.iterdir()) == before
    assert (folder / "out.json").read_text() == "as it was"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("where", ["--json >/dev/full", ">/dev/full", "--trace /dev/full"])
def test_a_full_device_is_told_in_one_line(folder: Path, where: str) -> None:
    line = f"{sys.executable} -m symdmc {shlex.join(X30)} {where}"
    done = subprocess.run(line, shell=True, cwd=folder, env=environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 30
    assert done.stderr.endswith("\n")
    assert "No space left on device" in done.stderr
    assert len(done.stderr.splitlines()) == 1
