"""`symdmc check`: verdicts, traces, shortening, JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.outcome import FaultReport, SearchResult, Stop, Verdict
from tests.cli.running import ROOT, Runner

X30 = ("counter.dve", "--error", "x == 30")
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/schemas/check.schema.json").read_text())


def test_the_verdict_comes_first_then_why_then_the_costs(symdmc: Runner) -> None:
    first, second, third, *_ = symdmc("check", *X30).out.splitlines()
    assert first == "\u2717 error reachable: x == 30"
    assert second == "  a shortest trace: length 10 (10 transitions)"
    assert re.fullmatch(
        r"  explicit bfs: [\d,]+ states explored, [\d,]+ steps generated, \d+\.\d\d s, [\d,]+ MB", third
    )


def test_safe_says_that_everything_was_seen(symdmc: Runner) -> None:
    first, second, *_ = symdmc("check", "counter.dve", "--error", "x == 31").out.splitlines()
    assert first == "\u2713 safe: no error state of x == 31 is reachable"
    assert "all" in second
    assert "visited" in second


def test_the_trace_shows_who_moves_and_only_what_changes(symdmc: Runner) -> None:
    lines = symdmc("check", "talk.dve", "--error", "got == 2").out.splitlines()
    assert "first state: Sender.idle Receiver.wait; all variables 0" in lines
    rows = [line.split(maxsplit=1) for line in lines if line.strip()[:1].isdigit()]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert re.split(r"\s{2,}", rows[0][1]) == [
        "c(1): Sender! Receiver?",
        "Sender: idle -> busy, got: 0 -> 1, a[0]: 0 -> 1, Sender->n: 0 -> 1",
    ]
    assert rows[1][1] == "Sender: busy -> idle"


def test_a_long_trace_is_cut_in_the_middle(symdmc: Runner) -> None:
    shown = symdmc("check", *X30, "--steps", "4").out
    assert re.findall(r"^ +(\d+)  ", shown, re.MULTILINE) == ["1", "2", "9", "10"]
    assert "... 6 steps (--steps all)" in shown
    whole = symdmc("check", *X30, "--steps", "all").out
    assert re.findall(r"^ +(\d+)  ", whole, re.MULTILINE) == [str(number) for number in range(1, 11)]
    assert "..." not in whole


def test_no_steps_leave_the_first_state(symdmc: Runner) -> None:
    shown = symdmc("check", *X30, "--steps", "0").out
    assert shown.splitlines()[-1].startswith("first state: ")


def test_an_error_at_the_start_has_length_zero(symdmc: Runner) -> None:
    ran = symdmc("check", "counter.dve", "--error", "x == 0")
    assert ran.code == 10
    assert "length 0 (0 transitions)" in ran.out


def test_quiet_prints_the_verdict_only(symdmc: Runner) -> None:
    ran = symdmc("check", *X30, "--quiet")
    assert (ran.out, ran.err) == ("\u2717 error reachable: x == 30\n", "")


def test_a_database_that_takes_too_much_is_left_out_with_a_remark(symdmc: Runner) -> None:
    ran = symdmc("check", "counter.dve", "--error", "x == 30", "--heuristic", "pdb:coi,work=1")
    assert ran.code == 10
    (line,) = (line for line in ran.out.splitlines() if "pdb:coi,work=1 keeps" in line)
    assert line.endswith("is left out, it takes too much work")
    told = symdmc("check", "counter.dve", "--error", "x == 30", "--heuristic", "pdb:coi,work=1", "--json").document
    assert len(told["selections"][0]["remarks"]) == 1
    assert told["patterns"] is None
    assert (told["length"], told["shortest"]) == (10, True)


@pytest.mark.parametrize("faulty", ["true", "false"])
def test_states_met_while_a_pattern_is_chosen_are_told_beside_those_explored(symdmc: Runner, faulty: str) -> None:
    model = f"arbiter_tree:height=2,faulty={faulty}"
    told = symdmc("check", model, "--heuristic", "pdb:cegar", "--json").document
    followed = told["selections"][0]["followed"]
    assert followed > 0
    assert told["explored"] == (followed if faulty == "true" else 0)
    assert (told["generated"] > 0) == (faulty == "true")
    assert told["peak_memory_mb"] > 0
    shown = symdmc("check", model, "--heuristic", "pdb:cegar").out
    assert f"; {followed} states met on abstract traces\n" in shown


def test_several_errors_mean_any_of_them(symdmc: Runner) -> None:
    document = symdmc("check", "counter.dve", "--error", "x == 30", "--error", "x == 6", "--json").document
    assert document["length"] == 2
    assert document["property"] == "x == 30 or x == 6"


def test_assertions_are_asked_by_default_where_there_are_any(symdmc: Runner) -> None:
    assert symdmc("check", "asserted.dve").code == 10
    assert symdmc("check", "asserted.dve", "--assertions").code == 10


def test_a_deadlock_is_an_error_when_asked(symdmc: Runner) -> None:
    assert symdmc("check", "talk.dve", "--deadlock", "--json").document["length"] == 5


def test_properties_come_from_a_file(symdmc: Runner, folder: Path) -> None:
    (folder / "asked.txt").write_text("near; x == 3\nfar; x == 30\n")
    document = symdmc("check", "counter.dve", "--properties", "asked.txt", "--property", "near", "--json").document
    assert (document["property"], document["length"]) == ("near", 1)


@pytest.mark.parametrize("search", ["dfs", "rdfs"])
def test_only_breadth_first_search_claims_shortest(symdmc: Runner, search: str) -> None:
    document = symdmc("check", *X30, "--search", search, "--json").document
    assert document["verdict"] == "error"
    assert document["length"] >= 10
    assert document["shortest"] is False
    assert document["search"] == search
    assert symdmc("check", *X30, "--json").document["shortest"] is True


def test_the_same_seed_gives_the_same_trace(symdmc: Runner) -> None:
    runs = [symdmc("check", *X30, "--search", "rdfs", "--seed", "5", "--json").document for _ in range(2)]
    assert runs[0]["trace"] == runs[1]["trace"]
    assert runs[0]["seed"] == 5


def test_a_saved_trace_is_the_one_in_the_json(symdmc: Runner, folder: Path) -> None:
    document = symdmc("check", *X30, "--trace", "trace.json", "--json").document
    assert json.loads((folder / "trace.json").read_text()) == document["trace"]
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_without_a_trace_no_file_is_written(symdmc: Runner, folder: Path) -> None:
    ran = symdmc("check", "counter.dve", "--error", "x == 31", "--trace", "trace.json")
    assert ran.code == 0
    assert "not written" in ran.err
    assert not (folder / "trace.json").exists()


def long_trace(symdmc: Runner) -> int:
    """Save a trace that is longer than it must be; returns its length."""
    for seed in range(20):
        ran = symdmc("check", *X30, "--search", "rdfs", "--seed", str(seed), "--trace", "long.json", "--json")
        if ran.document["length"] > 10:
            return int(ran.document["length"])
    pytest.fail("every random walk was a shortest one")


def test_shorten_finds_a_shortest_trace(symdmc: Runner) -> None:
    given = long_trace(symdmc)
    document = symdmc("check", "counter.dve", "--shorten", "long.json", "--json").document
    assert document["length"] == 10 < given
    assert document["shortest"] is True
    assert document["property"] == "x == 30"


def test_shorten_keeps_the_given_trace_when_a_limit_strikes(symdmc: Runner) -> None:
    given = long_trace(symdmc)
    ran = symdmc("check", "counter.dve", "--shorten", "long.json", "--time-limit", "0", "--json")
    assert ran.code == 10
    assert (ran.document["length"], ran.document["shortest"]) == (given, False)
    assert "time limit" in ran.document["reason"]
    assert ran.document["trace"] == json.loads(Path("long.json").read_text())


def test_shorten_answers_for_the_question_that_is_asked(symdmc: Runner) -> None:
    long_trace(symdmc)
    assert (
        symdmc("check", "counter.dve", "--shorten", "long.json", "--error", "x >= 30", "--json").document["length"]
        == 10
    )
    assert symdmc("check", "counter.dve", "--shorten", "long.json", "--error", "x == 29").code == 40


def test_an_interrupted_shortening_still_shows_the_given_trace(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    given = long_trace(symdmc)
    answer = SearchResult(
        verdict=Verdict.UNKNOWN, reason="interrupted", property="x == 30", stop=Stop.INTERRUPT, lower_bound=2
    )
    monkeypatch.setattr("symdmc.search.explicit.explicit.search", lambda task, **settings: answer)
    ran = symdmc("check", "counter.dve", "--shorten", "long.json", "--json")
    assert ran.code == ran.document["exit_code"] == 130
    assert (ran.document["verdict"], ran.document["length"]) == ("error", given)


@pytest.mark.parametrize(("bound", "shortest"), [(9, False), (10, True)])
def test_a_given_trace_that_the_bound_proves_shortest_is_called_so(
    symdmc: Runner, monkeypatch: pytest.MonkeyPatch, bound: int, shortest: bool
) -> None:
    symdmc("check", *X30, "--trace", "short.json")
    answer = SearchResult(
        verdict=Verdict.UNKNOWN, reason="time limit", property="x == 30", stop=Stop.TIME, lower_bound=bound
    )
    monkeypatch.setattr("symdmc.search.explicit.explicit.search", lambda task, **settings: answer)
    assert symdmc("check", "counter.dve", "--shorten", "short.json", "--json").document["shortest"] is shortest


def test_faults_are_reported_with_the_way_to_see_them(symdmc: Runner) -> None:
    ran = symdmc("check", "divide.dve", "--error", "x > 3")
    assert ran.code == 0
    assert "faults in 1 explored state, the first after 3 steps" in ran.out
    assert "division by zero" in ran.out
    assert "symdmc check divide.dve --error fault" in ran.out


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_build_can_notice_faults(symdmc: Runner, quiet: tuple[str, ...]) -> None:
    plain = symdmc("check", "divide.dve", "--error", "x > 3", *quiet)
    failing = symdmc("check", "divide.dve", "--error", "x > 3", "--fail-on-fault", *quiet)
    assert (plain.code, failing.code) == (0, 11)
    for ran in (plain, failing):
        assert "faults in 1 explored state, the first after 3 steps" in ran.out
    assert symdmc("check", "divide.dve", "--error", "x > 3", "--fail-on-fault", "--json").document["exit_code"] == 11
    assert symdmc("check", "divide.dve", "--error", "x == 1", "--fail-on-fault", *quiet).code == 10
    assert symdmc("check", "counter.dve", "--error", "x > 300", "--fail-on-fault", *quiet).code == 0


def test_faults_that_nobody_looked_for_fail_a_build_too(symdmc: Runner) -> None:
    asked = ("check", "divide.dve", "--error", "x > 3", "--engine", "symbolic", "--quiet")
    assert "faults" not in symdmc(*asked).out
    failing = symdmc(*asked, "--fail-on-fault")
    assert failing.code == 11
    assert "faults not excluded: this search does not look for them" in failing.out


def test_asking_for_faults_shows_the_step_that_faults(symdmc: Runner) -> None:
    ran = symdmc("check", "divide.dve", "--error", "fault")
    assert ran.code == 10
    assert "length 3" in ran.out
    assert ran.out.splitlines()[-1] == "then a fault: P: s -> t: division by zero"


def test_safe_says_when_nobody_looked_for_faults(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from symdmc.search.explicit.explicit import search

    def blind(task: object, **settings: object) -> SearchResult:
        return replace(search(task, **settings), faults=None)  # type: ignore[arg-type]

    monkeypatch.setattr("symdmc.search.explicit.explicit.search", blind)
    ran = symdmc("check", "counter.dve", "--error", "x == 31")
    assert "faults not excluded" in ran.out
    assert symdmc("check", "counter.dve", "--error", "x == 31", "--json").document["faults"] is None


@pytest.mark.parametrize(
    "args",
    [
        X30,
        ("counter.dve", "--error", "x == 31"),
        (*X30, "--time-limit", "0"),
        (*X30, "--memory-limit", "1"),
        (*X30, "--search", "rdfs", "--seed", "3"),
        ("divide.dve", "--error", "x > 3"),
        ("talk.dve", "--deadlock"),
        ("missing.dve",),
        ("timed.py",),
        (*X30, "--time-limit", "-1"),
        ("counter.dve",),
    ],
    ids=" ".join,
)
def test_json_follows_its_schema(symdmc: Runner, args: tuple[str, ...]) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(symdmc("check", *args, "--json").document)


def test_the_schema_refuses_a_shortest_claim_without_an_error(symdmc: Runner) -> None:
    document = symdmc("check", "counter.dve", "--error", "x == 31", "--json").document
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(document | {"shortest": True})


def test_json_has_nothing_but_the_object_on_stdout(symdmc: Runner) -> None:
    ran = symdmc("check", *X30, "--json")
    assert ran.document["verdict"] == "error"
    assert ran.document["model"] == "counter.dve"
    assert re.fullmatch("[0-9a-f]{32}", ran.document["fingerprint"])


def test_json_names_the_model_with_its_parameters(symdmc: Runner) -> None:
    document = symdmc("check", "arbiter_tree:height=2", "-p", "faulty=true", "--json").document
    assert document["model"] == "arbiter_tree:height=2,faulty=true"
    assert document["length"] == 28


def test_a_false_fault_trace_is_our_own_bug(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from symdmc.search.explicit.explicit import search

    def with_false_fault(task: object, **settings: object) -> SearchResult:
        found = search(task, **settings)  # type: ignore[arg-type]
        return replace(found, faults=FaultReport(states=1, first=found.trace, reason="somewhere"))

    monkeypatch.setattr("symdmc.search.explicit.explicit.search", with_false_fault)
    assert symdmc("check", *X30).code == 39


def test_a_trace_is_drawn_as_a_sequence_diagram(symdmc: Runner, folder: Path) -> None:
    ran = symdmc("check", "talk.dve", "--deadlock", "--sequence", "talk.mmd", "--trace", "talk.json", "--quiet")
    assert ran.code == 10
    text = (folder / "talk.mmd").read_text()
    assert "  p0->>p1: 1. c(1)\n" in text
    assert symdmc("replay", "talk.dve", "talk.json", "--sequence", "again.mmd", "--quiet").code == 0
    assert (folder / "again.mmd").read_text() == text
    ran = symdmc("check", "counter.dve", "--error", "x > 30", "--sequence", "none.mmd")
    assert ran.err == "note: there is no trace, so none.mmd is not written\n"
    assert not (folder / "none.mmd").exists()
    assert symdmc("check", "counter.dve", "--error", "x > 30", "--sequence", "none.txt").code == 2
