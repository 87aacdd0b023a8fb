"""`symdmc simulate` and `symdmc replay`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cli.running import Ran, Runner

SEVERAL = """\
from symdmc import Builder


def build():
    m = Builder("several")
    m.integer("x", 0, 9, initial=(2, 5))
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x > 0", do="x = x - 1")
    m.property("empty", "x == 0")
    return m.build()
"""


def converse(symdmc: Runner, monkeypatch: pytest.MonkeyPatch, answers: str, *args: str) -> Ran:
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    return symdmc("simulate", *args)


def test_a_number_takes_that_step_and_b_takes_it_back(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = converse(symdmc, monkeypatch, "2\nb\n1\nq\n", "counter.dve", "--trace", "walk.json")
    assert ran.code == 0
    assert "after 1 step: Up.s; x = 3; all else 0" in ran.out
    steps = json.loads(Path("walk.json").read_text())["steps"]
    assert [step["changes"] for step in steps] == [{"x": 1}]


def test_the_end_of_the_input_ends_the_walk(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    for answers in ("", "1", "1\n"):
        assert converse(symdmc, monkeypatch, answers, "counter.dve").code == 0


def test_nonsense_is_answered_with_the_commands(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = converse(symdmc, monkeypatch, f"99\nperhaps\n0\n\u00b2\n{'9' * 5000}\n?\n", "counter.dve")
    assert ran.code == 0
    assert ran.out.count("is no step and no command") == 5


def test_a_deadlock_is_named_and_chance_cannot_leave_it(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = converse(symdmc, monkeypatch, "r\n" * 6, "talk.dve")
    assert "after 5 steps" in ran.out
    assert ran.out.count("no step leads on: a deadlock") == 2


def test_faults_are_shown_where_they_lurk(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = converse(symdmc, monkeypatch, "1\n2\n1\n1\n1\n", "divide.dve")
    assert "fault: P: s -> t: division by zero" in ran.out


def test_several_initial_states_are_chosen_from(symdmc: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "several.py").write_text(SEVERAL)
    ran = converse(symdmc, monkeypatch, "2\nb\n1\n1\n1\n", "several.py")
    assert "   1  P.s; x = 2" in ran.out
    assert "   2  P.s; x = 5" in ran.out
    assert "after 2 steps: P.s; all variables 0" in ran.out
    assert "error state of property empty" in ran.out


def test_t_shows_the_way(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "what changes" in converse(symdmc, monkeypatch, "1\nt\n", "counter.dve").out


def test_a_random_walk_is_repeatable(symdmc: Runner) -> None:
    walks = [symdmc("simulate", "counter.dve", "--random", "15", "--seed", seed).out for seed in ("4", "4", "5")]
    assert walks[0] == walks[1] != walks[2]
    assert "15 steps" in walks[0]


def test_a_random_walk_ends_at_a_deadlock(symdmc: Runner) -> None:
    assert "5 steps; no step leads on: a deadlock" in symdmc("simulate", "talk.dve", "--random", "100").out


def test_a_walk_replays(symdmc: Runner) -> None:
    symdmc("simulate", "counter.dve", "--random", "9", "--trace", "walk.json")
    ran = symdmc("replay", "counter.dve", "walk.json")
    assert ran.code == 0
    assert "claims nothing" in ran.out


def test_a_walk_is_refused_as_an_answer_to_a_question(symdmc: Runner) -> None:
    symdmc("simulate", "counter.dve", "--random", "2", "--trace", "walk.json")
    assert symdmc("replay", "counter.dve", "walk.json", "--error", "x == 30").code == 40
    assert symdmc("replay", "counter.dve", "walk.json", "--error", "x < 30").code == 0


def test_an_error_trace_replays_against_its_own_claim(symdmc: Runner) -> None:
    symdmc("check", "counter.dve", "--error", "x == 30", "--trace", "trace.json")
    ran = symdmc("replay", "counter.dve", "trace.json", "--quiet")
    assert (ran.code, ran.out) == (
        0,
        "\u2713 the trace holds: length 10 (10 transitions), it ends in an error state: x == 30\n",
    )


def test_a_changed_trace_is_refused_with_the_step(symdmc: Runner) -> None:
    symdmc("check", "counter.dve", "--error", "x == 30", "--trace", "trace.json")
    trace = json.loads(Path("trace.json").read_text())
    trace["steps"][3]["changes"]["x"] += 1
    Path("trace.json").write_text(json.dumps(trace))
    ran = symdmc("replay", "counter.dve", "trace.json")
    assert ran.code == 40
    assert ran.out == ""
