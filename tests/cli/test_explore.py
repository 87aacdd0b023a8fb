"""`symdmc explore`: counts, limits, JSON."""

from __future__ import annotations

import json
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
