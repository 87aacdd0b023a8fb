"""`symdmc explore`: counts, limits, JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.running import ROOT, Runner

SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/schemas/explore.schema.json").read_text())


def test_states_transitions_depth_and_deadlocks_are_counted(symdmc: Runner) -> None:
    document = symdmc("explore", "talk.dve", "--json").document
    assert {key: document[key] for key in ("states", "transitions", "depth", "deadlocks")} == {
        "states": 6,
        "transitions": 5,
        "depth": 5,
        "deadlocks": 1,
    }
    assert document["first_deadlock"]["length"] == 5


def test_the_counts_are_readable(symdmc: Runner) -> None:
    lines = symdmc("explore", "talk.dve").out.splitlines()
    assert lines[0] == "\u2713 6 states"
    assert lines[1] == "  5 transitions, depth 5, 1 deadlock"
    assert "symdmc check talk.dve --deadlock" in lines[-1]


ENDING = "process P { state s, e, t; init s; end e; trans s -> e {}, s -> t {}, t -> s {}; } system async;"
STUCK = ENDING.replace("s -> e {}, ", "").replace("t -> s {}", "s -> s {}")


def test_valid_ends_are_not_called_deadlocks(symdmc: Runner, folder: Path) -> None:
    (folder / "ends.dve").write_text(ENDING)
    (folder / "stuck.dve").write_text(STUCK)
    out = symdmc("explore", "ends.dve").out
    assert "  3 transitions, depth 1, 1 state without a step, valid ends included\n" in out
    assert "the nearest state without a step is a valid end, 1 step away; symdmc check ends.dve --deadlock looks" in out
    assert symdmc("check", "ends.dve", "--deadlock").code == 0
    assert "  1 state without a step, valid ends" in symdmc("explore", "ends.dve", "--engine", "symbolic").out
    out = symdmc("explore", "stuck.dve").out
    assert "1 state without a step, valid ends included\n" in out
    assert "the nearest deadlock is 1 step away; symdmc check stuck.dve --deadlock shows the way" in out
    assert symdmc("check", "stuck.dve", "--deadlock").code == 10


def test_quiet_prints_the_states_only(symdmc: Runner) -> None:
    assert symdmc("explore", "talk.dve", "--quiet").out == "\u2713 6 states\n"


def test_a_limit_leaves_the_counts_unknown(symdmc: Runner) -> None:
    ran = symdmc("explore", "talk.dve", "--time-limit", "0", "--json")
    assert ran.code == 21
    assert [ran.document[key] for key in ("states", "transitions", "depth", "deadlocks")] == [None] * 4
    assert symdmc("explore", "talk.dve", "--time-limit", "0").out.startswith("? unknown: time limit")


@pytest.mark.parametrize(
    "args", [("talk.dve",), ("divide.dve",), ("talk.dve", "--time-limit", "0"), ("missing.dve",), ("timed.py",)]
)
def test_json_follows_its_schema(symdmc: Runner, args: tuple[str, ...]) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(symdmc("explore", *args, "--json").document)


def test_faults_are_reported(symdmc: Runner) -> None:
    document = symdmc("explore", "divide.dve", "--json").document
    assert document["faults"] == 1
    assert "division by zero" in document["first_fault"]["reason"]
    assert "faults in 1 explored state" in symdmc("explore", "divide.dve").out


def test_the_state_space_is_written_as_aut_and_dot(symdmc: Runner, folder: Path) -> None:
    ran = symdmc("explore", "divide.dve", "--graph", "d.aut", "--quiet")
    assert (ran.code, ran.err) == (0, "")
    assert (folder / "d.aut").read_text().splitlines()[0] == "des (0,5,6)"
    assert symdmc("explore", "divide.dve", "--graph", "d.dot").code == 0
    assert '  s4 -> fault [label="fault: P: s -> t: division by zero", color=' in (folder / "d.dot").read_text()


def test_a_state_space_that_is_cut_says_so(symdmc: Runner, folder: Path) -> None:
    ran = symdmc("explore", "counter.dve", "--graph", "c.aut", "--states", "3")
    assert ran.code == 0
    assert ran.err == "note: c.aut has the first 3 states; --states allows more\n"
    assert (folder / "c.aut").read_text().splitlines()[-1] == '(3,"beyond",3)'
    ran = symdmc("explore", "counter.dve", "--graph", "none.aut", "--time-limit", "0")
    assert ran.code == 21
    assert not (folder / "none.aut").exists()


def test_the_options_of_the_state_space_are_checked(symdmc: Runner) -> None:
    for options, told in ((("--graph", "c.svg"), "does not end in .aut or .dot"), (("--states", "3"), "for --graph")):
        ran = symdmc("explore", "counter.dve", *options)
        assert ran.code == 2
        assert told in ran.err
