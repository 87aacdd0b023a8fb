"""Nesting, digits and names beyond all measure: one short line, at once."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import COUNTER, Runner
from tests.cli.test_bad_input import complaint

MANY = 100_000
DIGITS = "9" * MANY
SECONDS = 10
"""Far more than any of these takes on an idle machine."""


def _json(**members: Any) -> str:
    process = {"name": "P", "initial": ["s"], "locations": [{"name": "s"}], "edges": []}
    return json.dumps({"schema": "symdmc-model/1", "name": "m", "processes": [process], **members})


def _variable(high: str) -> str:
    return _json(variables=[{"name": "x", "low": 0, "high": 7, "initial": [0]}]).replace("7", high)


DVE = {
    "parentheses": ("x < 30", "(" * MANY + "x" + ")" * MANY, "brackets are nested more than 200 levels deep"),
    "indices": ("x < 30", "x[" * MANY + "x" + "]" * MANY, "brackets are nested more than 200 levels deep"),
    "braces": ("trans", "{" * MANY, "brackets are nested more than 200 levels deep"),
    "digits in a guard": ("x < 30", f"x < {DIGITS}", "this number does not fit into 32 bits"),
    "digits in a value": ("x = 0", f"x = {DIGITS}", ":1:10: this number does not fit into 32 bits"),
    "digits in a size": ("byte y", f"byte z[{DIGITS}]; byte y", "this number does not fit into 32 bits"),
    "digits in an enumeration": ("byte y", f"enum {{ a = {DIGITS} }}; byte y", "does not fit into 32 bits"),
    "a thousand million processes": (
        "system",
        "template W() { state s; init s; } process M[1000000000] = W(); system",
        "'M' has the size 1000000000; choose one in 1..65536",
    ),
    "very many times very many processes": (
        "system",
        "template W() { state s; init s; }"
        + "".join(f"process M{k}[65536] = W();" for k in range(MANY // 100))
        + "system",
        "the model would grow by more than 33,554,432 letters; make fewer, or make their text shorter",
    ),
    "very many times very many channels": (
        "byte y",
        "".join(f"channel c{k}[65536][0];" for k in range(MANY // 100)) + "byte y",
        "the model would grow by more than 33,554,432 letters; make fewer, or make their text shorter",
    ),
    "a character that is none": ("byte y", "byte \0y", "is not a text file"),
    "bytes that are no UTF-8": ("byte y", "byte \xff", ":2:6: unexpected '\xff'"),
}

JSON = {
    "lists": ("[" * MANY + "]" * MANY, "is nested too deeply"),
    "objects": ('{"a":' * MANY + "1" + "}" * MANY, "is nested too deeply"),
    "digits": (_variable(DIGITS), "has a number of 100,000 digits"),
    "an exponent": (_variable(f"1e{DIGITS}"), "Infinity stands where an integer is expected"),
    "digits after the point": (_variable(f"1.{DIGITS}"), "stands where an integer is expected"),
    "digits in a condition": (
        _json(properties=[{"name": "p", "error": DIGITS}]),
        "$.properties[0].error: this number does not fit into 32 bits",
    ),
    "parentheses in a condition": (
        _json(properties=[{"name": "p", "error": "(" * MANY}]),
        "$.properties[0].error: brackets are nested more than 200 levels deep",
    ),
    "one key twice among many": (
        "{" + ",".join(f'"k{k}":1' for k in range(MANY)) + f',"k{MANY - 1}":1}}',
        f"an object has the key 'k{MANY - 1}' twice",
    ),
    "a name that nobody can read": (
        _json(properties=[{"name": "a" * 1_000_000, "error": "P.s"}]),
        "there is no property 'end'",
    ),
}

TOML = {
    "lists": "models = " + "[" * MANY,
    "closed lists": "models = " + "[" * MANY + "]" * MANY,
    "tables": "models = " + "{a=" * MANY,
    "parts of a key": ".".join("a" * MANY) + " = 1",
    "parts of the name of a table": "[" + ".".join("a" * MANY) + "]",
    "parts of a key in a table": "models = {" + " . ".join("a" * MANY) + " = 1}",
    "a character that is none": 'models = "\0"',
}


def _short(line: str) -> str:
    assert len(line) < 1_500
    return line


@pytest.mark.parametrize("name", DVE)
def test_a_dve_model_beyond_measure_is_refused(symdmc: Runner, folder: Path, name: str) -> None:
    old, new, words = DVE[name]
    assert old in COUNTER
    (folder / "bad.dve").write_bytes(COUNTER.replace(old, new, 1).encode("latin-1"))
    begin = time.monotonic()
    assert words in _short(complaint(symdmc("check", "bad.dve", "--error", "x == 3"), 30))
    assert time.monotonic() - begin < SECONDS


@pytest.mark.parametrize("name", JSON)
def test_a_json_model_beyond_measure_is_refused(symdmc: Runner, folder: Path, name: str) -> None:
    text, words = JSON[name]
    (folder / "bad.json").write_text(text)
    begin = time.monotonic()
    assert words in _short(complaint(symdmc("check", "bad.json", "--property", "end"), 30))
    assert time.monotonic() - begin < SECONDS


@pytest.mark.parametrize("command", ["certify", "replay"])
@pytest.mark.parametrize("name", ["lists", "objects", "digits"])
def test_evidence_beyond_measure_is_refused(symdmc: Runner, folder: Path, command: str, name: str) -> None:
    (folder / "bad.json").write_text(JSON[name][0])
    assert JSON[name][1] in _short(complaint(symdmc(command, "counter.dve", "bad.json"), 30))


@pytest.mark.parametrize("name", TOML)
def test_a_suite_beyond_measure_is_refused(symdmc: Runner, folder: Path, name: str) -> None:
    (folder / "bad.toml").write_text(TOML[name])
    begin = time.monotonic()
    assert "bad.toml" in _short(complaint(symdmc("compare", "bad.toml"), 30))
    assert time.monotonic() - begin < SECONDS


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--error", DIGITS), 30),
        (("--error", "(" * MANY), 30),
        (("--error", "x" * MANY), 30),
        (("--property", "x" * MANY), 30),
        (("--error", "x == 3", "--seed", DIGITS), 2),
        (("--error", "x == 3", "--heuristic", f"merge:{DIGITS}"), 2),
        (("--error", "x == 3", "--heuristic", f"pdb:{'(' * MANY}"), 2),
        (("--error", "x == 3", "--search", f"wastar:{DIGITS}"), 2),
    ],
)
def test_options_beyond_measure_are_refused(symdmc: Runner, options: tuple[str, ...], code: int) -> None:
    _short(complaint(symdmc("check", "counter.dve", *options), code))


def test_very_many_faults_are_counted(symdmc: Runner, folder: Path) -> None:
    (folder / "bad.json").write_text(_json(**{f"k{number}": 1 for number in range(1_000)}))
    lines = symdmc("check", "bad.json", "--property", "p").err.splitlines()
    assert lines[99].startswith("error: bad.json: $.k99: ")
    assert lines[100:] == ["error: 900 further faults are not listed"]


WORKERS = """\
const int N = 30000;
enum state_of { idle, busy = 7 };
channel ring[N][0];
template Worker(int id, channel in, channel out, process next) {
  enum state_of mine = busy;
  byte count;
  state s, t;
  init s;
  trans
    s -> t { guard mine != idle and next.s; sync in?; effect mine = idle; },
    t -> s { guard next->count < 9; sync out!; effect count = id % 9; };
}
process W[N] = Worker(i, ring[i], ring[(i + 1) % N], W[(i + 1) % N]);
system async;
"""


@pytest.mark.parametrize("command", [("show",), ("check", "--error", "W_0.t")])
def test_a_time_limit_holds_while_processes_are_made_from_a_template(
    symdmc: Runner, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "many.dve").write_text(WORKERS)
    begin = time.monotonic()
    ran = symdmc(command[0], "many.dve", *command[1:], "--time-limit", "2")
    assert ran.code == 21, ran.err
    assert time.monotonic() - begin < SECONDS


def test_very_many_processes_with_the_same_fault_have_one_complaint(symdmc: Runner, folder: Path) -> None:
    (folder / "many.dve").write_text(WORKERS.replace("count < 9", "cuont < 9").replace("30000", "4000"))
    ran = symdmc("show", "many.dve")
    told = "many.dve:11:26: process 'W_1' has no variable 'cuont', in process 'W_0'; did you mean 'count'?"
    assert (ran.code, ran.out, ran.err) == (30, "", f"error: {told} [unknown-name]\n")
