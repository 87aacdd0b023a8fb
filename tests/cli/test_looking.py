"""Looking along traces: `--watch`, `--only`, `--estimate`, `--avoidable` and `--why-not`."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import jsonschema
import pytest

import symdmc as package
from symdmc.checking import looking, preparing
from symdmc.model.trace import Trace
from symdmc.outcome import Stop
from symdmc.running.run import LimitReached
from symdmc.running.signals import Signalled
from symdmc.search.avoidance import Fate
from tests.cli.running import ROOT, Runner

SCHEMAS: dict[str, dict[str, Any]] = {
    name: json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text()) for name in ("check", "replay")
}
TALKED = ("check", "talk.dve", "--error", "got == 2")


def rows(out: str) -> list[list[str]]:
    """The rows of the table of steps, cell by cell."""
    return [re.split(r"\s{2,}", line.strip()) for line in out.splitlines() if re.match(r" +\d+  ", line)]


def test_a_watched_expression_is_a_column_with_its_value_in_each_state(symdmc: Runner) -> None:
    found = rows(symdmc(*TALKED, "--watch", "got * 10").out)
    assert [row[0] for row in found] == ["0", "1", "2", "3"]
    assert [row[-1] for row in found] == ["0", "10", "10", "20"]


def test_a_fault_in_a_watched_expression_is_shown_and_explained(symdmc: Runner) -> None:
    out = symdmc(*TALKED, "--watch", "a[got - 1]").out
    assert [row[-1] for row in rows(out)] == ["fault", "1", "1", "2"]
    assert "a[got - 1] faults in 1 state, the first after 0 steps: index -1 of a is outside 0..2" in out


def test_processes_and_arrays_are_watched_by_their_names(symdmc: Runner) -> None:
    found = rows(symdmc(*TALKED, "--watch", "Sender", "--watch", "a").out)
    assert [row[-2:] for row in found][1:3] == [["busy", "[1, 0, 0]"], ["idle", "[1, 0, 0]"]]


def test_what_is_watched_and_estimated_is_in_json(symdmc: Runner) -> None:
    document = symdmc(*TALKED, "--watch", "6 / got", "--watch", "a", "--estimate", "fsm-max", "--json").document
    jsonschema.validate(document, SCHEMAS["check"])
    assert document["watched"] == [
        {"name": "6 / got", "values": ["fault: division by zero", 6, 6, 3]},
        {"name": "a", "values": [[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 2, 0]]},
    ]
    ((name, values),) = ((each["name"], each["values"]) for each in document["estimates"])
    assert name == "fsm-max"
    assert values[-1] == 0
    assert all(value <= 3 - number for number, value in enumerate(values))


def test_without_a_trace_nothing_is_seen_along_it(symdmc: Runner) -> None:
    document = symdmc("check", "talk.dve", "--error", "got == 9", "--watch", "got", "--avoidable", "--json").document
    jsonschema.validate(document, SCHEMAS["check"])
    assert (document["watched"], document["estimates"], document["avoidance"]) == (None, None, None)


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        (("--watch", "gott"), "unknown name 'gott'; did you mean 'got'"),
        (("--watch", "got +", "--watch", "b"), "<watch>:1:"),
        (("--only", "Sendr"), "there is no process or variable 'Sendr'; did you mean 'Sender'?"),
        (("--only", " , "), "no process or variable is named"),
        (("--estimate", "pbd"), "Invalid value for '--estimate': there is no heuristic 'pbd'; did you mean 'pdb'?"),
        (("--budget", "5"), "--budget is for --avoidable"),
    ],
)
def test_what_cannot_be_looked_at_is_told_before_the_search(
    symdmc: Runner, option: tuple[str, ...], complaint: str
) -> None:
    ran = symdmc(*TALKED, *option)
    assert ran.code in (2, 30)
    assert ran.out == ""
    assert complaint in ran.err


def test_only_shows_the_steps_and_changes_of_a_part(symdmc: Runner) -> None:
    out = symdmc(*TALKED, "--only", "Rec*,got").out
    assert "first state: Receiver.wait; all variables 0" in out
    assert [row[0] for row in rows(out)] == ["1", "3"]
    assert [row[2] for row in rows(out)] == ["got: 0 -> 1", "got: 1 -> 2"]
    assert "1 step of others left out (--only)" in out
    assert "(--only)" not in symdmc(*TALKED, "--only", "Sender").out


def test_the_file_has_the_whole_trace_whatever_is_shown(symdmc: Runner) -> None:
    symdmc(*TALKED, "--only", "got", "--trace", "part.json")
    assert symdmc("replay", "talk.dve", "part.json", "--quiet").code == 0


def test_an_estimate_is_that_of_the_heuristic_in_every_state(symdmc: Runner) -> None:
    out = symdmc("check", "counter.dve", "--error", "x == 30", "--estimate", "user:x", "--watch", "x").out
    found = rows(out)
    assert [row[-1] for row in found] == [row[-2] for row in found]
    assert len(found) == 11


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is selected and made from now on."""
    found: list[str] = []

    def counted(name: str) -> None:
        function = getattr(preparing, name)

        def call(*args: object) -> object:
            found.append(name)
            return function(*args)

        monkeypatch.setattr(preparing, name, call)

    counted("_maximum")
    counted("_selected_in_child")
    return found


@pytest.mark.parametrize("heuristic", ["pdb:coi:1", "pdb:dpr", "hL", "domain:auto,small=0"])
def test_the_heuristic_of_the_search_is_not_made_again(symdmc: Runner, made: list[str], heuristic: str) -> None:
    alone = symdmc(*TALKED, "--estimate", heuristic)
    once = list(made)
    guided = symdmc(*TALKED, "--heuristic", heuristic, "--estimate", heuristic, "--avoidable")
    assert [row[-1] for row in rows(guided.out)] == [row[-1] for row in rows(alone.out)]
    assert made == 2 * once
    both = symdmc(*TALKED, "--heuristic", "hL", "--heuristic", heuristic, "--estimate", heuristic, "--estimate", "hL")
    assert [row[-2] for row in rows(both.out)] == [row[-1] for row in rows(alone.out)]
    assert made == 3 * once


@pytest.mark.parametrize("other", [("--complete",), ("--estimate", "pdb:coi:2")])
def test_a_heuristic_that_was_made_otherwise_is_made_for_the_look(
    symdmc: Runner, made: list[str], other: tuple[str, ...]
) -> None:
    ran = symdmc(*TALKED, "--heuristic", "pdb:coi:1", "--estimate", "pdb:coi:1", *other)
    assert ran.code == 10
    assert made.count("_maximum") == 2


def test_an_estimate_in_a_dead_end_says_so(symdmc: Runner) -> None:
    symdmc("check", "talk.dve", "--error", "Sender->n == 2", "--trace", "t.json", "--quiet")
    out = symdmc("replay", "talk.dve", "t.json", "--error", "Sender.busy", "--estimate", "hL").out
    assert rows(out)[-1][-1] == "0"
    system = package.load("talk.dve")
    trace = package.check(system, deadlock=True).trace
    assert trace is not None
    (column,) = package.estimates(package.task_for(system, error="got == 1"), trace, "hL")
    assert column.values[0] == 1
    assert "dead end" in column.values


def test_replay_prints_json(symdmc: Runner) -> None:
    symdmc(*TALKED, "--trace", "t.json")
    ran = symdmc(
        *("replay", "talk.dve", "t.json", "--watch", "got", "--why-not", "Sender: busy -> idle", "--at", "2"),
        *("--avoidable", "--json"),
    )
    jsonschema.validate(ran.document, SCHEMAS["replay"])
    assert (ran.code, ran.document["verdict"], ran.document["length"]) == (0, "error", 3)
    assert ran.document["explained_at"] == 2
    (edge,) = ran.document["explained"]
    assert edge["edge"] == "Sender: busy -> idle"
    assert edge["obstacles"][0] == {"kind": "location", "text": "Sender is at idle, not at busy", "within": []}
    assert ran.document["avoidance"]["lost_after"] == 0
    refused = symdmc("replay", "counter.dve", "t.json", "--json")
    jsonschema.validate(refused.document, SCHEMAS["replay"])
    assert (refused.code, refused.document["verdict"]) == (40, None)


def test_an_error_that_all_ways_lead_to_could_not_be_avoided(symdmc: Runner) -> None:
    out = symdmc(*TALKED, "--avoidable").out
    assert "no: from the first state on every way leads to the error (4 states visited)" in out


def test_what_the_budget_does_not_suffice_for_is_unknown(symdmc: Runner) -> None:
    out = symdmc("check", "counter.dve", "--error", "x == 30", "--avoidable", "--budget", "1").out
    assert "is unknown: the budget of 1 state is spent" in out


def test_a_path_without_a_claim_has_no_error_to_avoid(symdmc: Runner) -> None:
    symdmc("simulate", "counter.dve", "--random", "2", "--trace", "walk.json")
    ran = symdmc("replay", "counter.dve", "walk.json", "--avoidable")
    assert ran.code == 0
    assert "note: the trace claims nothing about its last state" in ran.err
    assert "could it have been avoided" not in ran.out


@pytest.mark.parametrize(
    ("ended", "options", "kept"),
    [
        ("watch", ("--watch", "got"), ()),
        ("why_not", ("--watch", "got", "--why-not", "Sender: busy -> idle"), ("watched",)),
        ("compile_task", ("--watch", "got", "--estimate", "hL"), ("watched",)),
        ("avoidance", ("--watch", "got", "--estimate", "hL", "--avoidable"), ("watched", "estimates")),
    ],
)
@pytest.mark.parametrize(("signal", "words", "code"), [(None, "interrupted", 130), ("terminated", "terminated", 143)])
def test_a_signal_while_looking_along_the_trace_leaves_the_answer(
    symdmc: Runner,
    monkeypatch: pytest.MonkeyPatch,
    ended: str,
    options: tuple[str, ...],
    kept: tuple[str, ...],
    signal: str | None,
    words: str,
    code: int,
) -> None:
    def interrupted(*args: object, **others: object) -> None:
        raise KeyboardInterrupt if signal is None else Signalled(Stop(signal))

    symdmc(*TALKED, "--trace", "t.json")
    monkeypatch.setattr(looking, ended, interrupted)
    for command in (TALKED, ("replay", "talk.dve", "t.json"))[ended == "why_not" :]:
        ran = symdmc(*command, *options)
        assert ran.code == code
        assert ran.out.startswith("✗ error reachable" if command == TALKED else "✓ the trace holds")
        assert "2   Sender" in ran.out
        assert f"note: {words} while looking along the trace: the rest is missing\n" in ran.err
        document = symdmc(*command, *options, "--json").document
        assert (document["exit_code"], document["length"]) == (code, 3)
        assert {key for key in ("watched", "estimates", "avoidance") if document[key]} == set(kept)


def test_a_limit_that_ends_the_look_ahead_leaves_the_answer(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object, **__: object) -> None:
        raise LimitReached(Stop.TIME)

    monkeypatch.setattr(looking, "avoidance", ended)
    ran = symdmc(*TALKED, "--avoidable", "--time-limit", "60")
    assert ran.code == 10
    assert "a shortest trace: length 3" in ran.out
    assert "note: no look ahead along the trace: time limit reached" in ran.err


def test_a_walk_is_shown_with_what_is_watched_and_why_it_ends(symdmc: Runner) -> None:
    ran = symdmc(
        *("simulate", "talk.dve", "--random", "9", "--watch", "got", "--only", "Receiver,got"),
        *("--why-not", "Sender", "--why-not", "c: Sender!"),
    )
    assert [row[0] for row in rows(ran.out)] == ["0", "1", "3", "5"]
    assert "after 5 steps:" in ran.out
    assert "Sender: busy -> idle cannot be taken:\n  the guard is false: Sender->n < 3 (Sender->n = 3)" in ran.out
    assert "  Sender is at busy, not at idle" in ran.out


def test_one_may_ask_why_not_on_the_way(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("w\n1\nw c\nw Sender: busy -> idle\nw Nobody\nt\n"))
    out = symdmc("simulate", "talk.dve", "--watch", "got", "--only", "Receiver").out
    assert "every edge that leaves a location can be taken" in out
    assert "Receiver: wait -> wait (c?got) cannot be taken:\n  no other process can send on c\n" in out
    assert "    Sender is at busy, not at idle" in out
    assert "Sender: busy -> idle can be taken: Sender: busy -> idle" in out
    assert "there is no process or channel 'Nobody'" in out
    assert "after 1 step: Receiver.wait\n      got = 1\n" in out


def test_why_not_is_for_random_walks_or_the_conversation(symdmc: Runner) -> None:
    assert "--why-not is for --random" in symdmc("simulate", "talk.dve", "--why-not", "Sender").err
    symdmc(*TALKED, "--trace", "t.json")
    assert (
        "there is no state after 4 steps" in symdmc("replay", "talk.dve", "t.json", "--why-not", "c", "--at", "4").err
    )
    assert "--at is for --why-not" in symdmc("replay", "talk.dve", "t.json", "--at", "4").err


def test_python_looks_along_traces_too(symdmc: Runner) -> None:
    system = package.load("talk.dve")
    trace = package.check(system, error="got == 2").trace
    assert trace is not None
    (column,) = package.watch(system, trace, "got")
    assert column.values == (0, 1, 1, 2)
    (why,) = package.why_not(system, trace.final, "Sender: busy -> idle")
    assert why.steps == ("Sender: busy -> idle",)
    (own,) = package.estimates(system, trace, ["fsm-max"])
    assert own.values[-1] == 0
    found = package.avoidable(TANK, _dry(), heuristic="hL")
    assert (found.lost_after, found.other_step_at) == (2, 1)
    ((label, fate, proof),) = ((other.label, other.fate, other.proof) for other in found.other_steps)
    assert (label, fate, proof) == ("Tank: open -> shut", Fate.SAFE, "it leads to a dead end of hL")
    with pytest.raises(package.ModelError, match="leads to no error state"):
        package.avoidable(package.task_for(TANK, error="Tank.safe"), _dry())


def _tank() -> package.System:
    m = package.Builder("tank")
    m.integer("left", 0, 3, initial=3)
    tank = m.process("Tank", initial="open")
    tank.edge("open", "open", guard="left > 1", do="left = left - 1")
    tank.edge("open", "shut", guard="left > 1")
    tank.edge("shut", "safe")
    tank.edge("open", "dry", guard="left == 1", do="left = 0")
    return m.build()


TANK = _tank()


def _dry() -> Trace:
    trace = package.check(TANK, error="Tank.dry").trace
    assert trace is not None
    return trace
