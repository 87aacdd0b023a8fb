"""The campaign of hostile input, briefly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from campaigns.hostile import INPUTS, OUTPUTS, READERS, SURROUNDINGS, Campaign, Row

BRIEF = (
    ("a pipe that nobody writes to", "check"),
    ("/dev/zero behind a link", "certify"),
    ("DVE: 500 large arrays", "show"),
    ("JSON: lists", "database"),
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it needs /dev/full, and memory is measured as Linux does")
def test_hostile_input_is_refused_in_time(tmp_path: Path) -> None:
    runs = Campaign(tmp_path, slack=30)
    runs.prepare()
    for name, command in BRIEF:
        assert runs.read(name, command).failures == []
    assert runs.written("a folder", "trace").failures == []


def test_every_input_is_for_known_commands() -> None:
    assert {command for given in INPUTS.values() for command in given.commands} == READERS.keys()
    assert not INPUTS.keys() & OUTPUTS.keys() & SURROUNDINGS.keys()
    assert {name for name, _ in BRIEF} <= INPUTS.keys()


def test_a_run_that_ends_wrongly_is_noted(tmp_path: Path) -> None:
    runs, row = Campaign(tmp_path), Row()
    (tmp_path / "good.dve").write_text("byte")
    ended = runs.run(("check", "good.dve", "--error", "x"))
    runs.judged("wrong code", ended, (10,), row, seconds=60)
    runs.judged("too slow", ended, (30,), row, seconds=0.0)
    runs.judged("too large", ended, (30,), row, seconds=60, megabytes=1)
    runs.judged("right", ended, (30,), row, seconds=60)
    assert [failure.partition(":")[0] for failure in row.failures] == [
        "wrong code",
        *["too slow"] * 2,
        "too large",
    ]
