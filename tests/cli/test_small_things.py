"""What makes the command line pleasant: colours, plurals, endings, standard input, words that fit what was asked."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.model.files.json_format import system_to_json
from symdmc.reader.load import load
from symdmc.report.console import console_for, print_line
from symdmc.spelling.colours import takes_colours
from tests.cli.running import COUNTER, ROOT, Runner, environment

ONE = """\
process P {
  state s;
  init s;
}
system async;
"""
WIDE = """\
from symdmc import Builder


def build():
    m = Builder("wide")
    m.integer("x", 0, 1000000)
    m.process("P", initial="s").edge("s", "s", guard="x < 1000000", do="x = x + 1")
    m.property("far", "x == 99999")
    return m.build()
"""
SUM = """\
from symdmc import Builder


def build():
    m = Builder("sum")
    m.integer("x", 0, 9)
    m.integer("y", 0, 9, initial=3)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="y > 0 and x < 9", do="x = x + 1, y = y - 1")
    p.edge("s", "nowhere", guard="x > 8 and y > 8")
    p.edge("nowhere", "nothing", guard="x > 9")
    return m.build()
"""
"""The sum of both stays 3."""
CHECK: dict[str, Any] = json.loads((ROOT / "docs/schemas/check.schema.json").read_text())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("no_colour", "forced", "terminal", "term", "coloured"),
    [
        ("", "", True, "xterm", True),
        ("", "", True, "dumb", False),
        ("", "", False, "xterm", False),
        ("", "1", False, "xterm", True),
        ("", "1", True, "dumb", True),
        ("1", "1", False, "xterm", False),
        ("1", "", True, "xterm", False),
    ],
)
def test_colours_follow_terminal_and_environment(
    monkeypatch: pytest.MonkeyPatch, no_colour: str, forced: str, terminal: bool, term: str, coloured: bool
) -> None:
    for name, value in (("NO_COLOR", no_colour), ("FORCE_COLOR", forced), ("TERM", term)):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("COLORTERM", raising=False)
    stream = Terminal() if terminal else io.StringIO()
    assert takes_colours(stream) == coloured
    print_line(console_for(stream), "words", "bold red")
    assert ("\x1b[" in stream.getvalue()) == coloured
    assert "words" in stream.getvalue()


def test_forced_colours_leave_the_width_of_a_file(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = symdmc("check", "talk.dve", "--error", "got == 2").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = symdmc("check", "talk.dve", "--error", "got == 2")
    assert ran.out != plain
    timeless = re.compile(r", [\d.]+ s, [\d,]+ MB")
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in ran.out.splitlines()]
    assert [timeless.sub("", line) for line in lines] == [timeless.sub("", line) for line in plain.splitlines()]
    assert symdmc("check", "talk.dve", "--error", "gott").err.count("\x1b[1;31merror:\x1b[0m <error>") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("check", "one.dve", "--error", "0"),
        ("check", "one.dve", "--error", "0", "--search", "dfs"),
        ("check", "one.dve", "--error", "0", "--heuristic", "blind"),
        ("check", "one.dve", "--error", "0", "--heuristic", "fsm-max", "--search", "bitstate"),
        ("check", "one.dve", "--error", "0", "--engine", "symbolic"),
        ("check", "one.dve", "--deadlock", "--avoidable"),
        ("explore", "one.dve"),
        ("explore", "one.dve", "--engine", "symbolic", "--depth"),
        ("show", "one.dve"),
        ("show", "one.dve", "--predicates", "--error", "P.s"),
        ("simulate", "one.dve", "--random", "3"),
        ("check", "counter.dve", "--error", "x == 1", "--search", "dfs", "--watch", "1 / y", "--only", "y"),
    ],
    ids=" ".join,
)
def test_one_thing_is_told_in_the_singular(symdmc: Runner, folder: Path, command: tuple[str, ...]) -> None:
    (folder / "one.dve").write_text(ONE)
    ran = symdmc(*command)
    assert ran.code in (0, 10, 20), ran.err
    assert re.findall(r"(?<![\d.,])1 (?!s\b|is\b)[a-z]*s\b(?<!process)", ran.out + ran.err) == []


def test_a_choice_that_is_missing_is_told_in_one_line(symdmc: Runner) -> None:
    ran = symdmc("completion")
    assert ran.code == 2
    assert ran.err == (
        "error: Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish; "
        "see symdmc completion --help [missing-argument]\n"
    )


def test_endings_may_be_in_upper_case(symdmc: Runner, folder: Path) -> None:
    (folder / "UP.DVE").write_text(COUNTER)
    (folder / "UP.JSON").write_text(json.dumps(system_to_json(load("counter.dve"))))
    (folder / "WIDE.Py").write_text(WIDE)
    for name in ("UP.DVE", "UP.JSON"):
        assert symdmc("check", name, "--error", "x == 3", "--quiet").code == 10
    assert symdmc("show", "WIDE.Py").code == 0
    assert symdmc("show", "UP.DVE", "--graph", "picture.SVG").code == 0
    assert (folder / "picture.SVG").read_text().startswith("<svg")


@pytest.mark.parametrize("as_json", [False, True])
def test_a_model_comes_through_standard_input(folder: Path, as_json: bool) -> None:
    text = json.dumps(system_to_json(load("counter.dve"))) if as_json else COUNTER
    done = through("check", "-", "--error", "x == 3", "--quiet", text=text, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (10, "\u2717 error reachable: x == 3\n", "")


def test_faults_in_standard_input_are_told_with_their_place(folder: Path) -> None:
    assert "error: <stdin>:2:" in through("check", "-", text="byte x;\nbyte x;\n" + ONE, cwd=folder).stderr
    assert "error: <stdin>:1:2: is not JSON" in through("check", "-", text="{", cwd=folder).stderr
    assert "is empty; give a model in DVE or JSON" in through("check", "-", text="", cwd=folder).stderr
    assert "takes no parameters" in through("check", "-", "-p", "a=1", text=ONE, cwd=folder).stderr
    assert "use --random" in through("simulate", "-", text=ONE, cwd=folder).stderr


def through(*args: str, text: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command with a text as its standard input."""
    return subprocess.run(
        [sys.executable, "-m", "symdmc", *args],
        input=text,
        cwd=cwd,
        env={**environment(), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def test_an_answer_from_before_the_search_is_that_of_the_engine_asked_for(symdmc: Runner) -> None:
    command = ("check", "arbiter_tree:height=2", "--engine", "symbolic", "--heuristic", "pdb:cegar")
    ran = symdmc(*command, "--json")
    jsonschema.validate(ran.document, CHECK)
    assert (ran.document["engine"], ran.document["settled_by"], ran.document["search"]) == (
        *("symbolic", "pdb:cegar"),
        None,
    )
    assert "  pdb:cegar, before any search of the symbolic engine: " in symdmc(*command, "--steps", "0").out


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_a_check_that_a_limit_ended_names_what_was_asked(symdmc: Runner, engine: str) -> None:
    ran = symdmc(
        *("check", "arbiter_tree:height=2", "--engine", engine, "--heuristic", "pdb:dpr", "--time-limit", "0", "--json")
    )
    assert ran.code == 21
    if ran.document["engine"] is not None:
        assert (ran.document["engine"], ran.document["heuristic"]) == (engine, "pdb:dpr")
        jsonschema.validate(ran.document, CHECK)


@pytest.mark.parametrize(
    ("heuristic", "words"),
    [
        (("pdb:cegar",), "in an abstraction that keeps 7 of 8 variables no error can be reached from the start"),
        (("hL",), "all 576 reachable states visited, none is an error state"),
        (
            ("pdb,keep=*", "pdb,keep=Root/Client0"),
            "in one of 2 abstractions that keep 8 of 8 variables no error can be reached from the start",
        ),
    ],
    ids=str,
)
def test_dead_ends_at_the_start_are_told_in_plain_words(symdmc: Runner, heuristic: tuple[str, ...], words: str) -> None:
    options = [part for each in heuristic for part in ("--heuristic", each)]
    lines = symdmc("check", "arbiter_tree:height=2,faulty=false", *options).out.splitlines()
    assert lines[1] == f"  {words}"


@pytest.mark.parametrize(
    ("heuristic", "words"),
    [
        ("hL", "hL shows that no error can be reached from the start"),
        ("pred:given", "in an abstraction that keeps 1 predicate no error can be reached from the start"),
    ],
)
def test_what_is_no_pattern_is_named_otherwise(symdmc: Runner, folder: Path, heuristic: str, words: str) -> None:
    (folder / "sum.py").write_text(SUM)
    predicate = ("--predicate", "x + y == 5") if heuristic == "pred:given" else ()
    error = "x + y == 5" if predicate else "P.nothing"
    lines = symdmc("check", "sum.py", "--error", error, "--heuristic", heuristic, *predicate).out.splitlines()
    assert lines[1] == f"  {words}"


@pytest.mark.parametrize("pattern", ["P", "x"])
def test_advice_about_wide_variables_is_not_what_was_done(symdmc: Runner, folder: Path, pattern: str) -> None:
    (folder / "wide.py").write_text(WIDE)
    ran = symdmc("check", "wide.py", "--heuristic", "pdb", "--pattern", pattern)
    assert ran.code == 31
    assert "too many for decision diagrams; bound it, or use neither the symbolic engine nor heuristics" in ran.err
    assert "--engine explicit" not in ran.err
