"""What a database file says is believed by a search, and by nobody else."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

import symdmc as package
from symdmc.checking.believed import proved
from symdmc.checking.request import CheckRequest
from symdmc.errors import EvidenceRefused
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.outcome import SearchResult, Stop, Verdict
from symdmc.patterndb.store import digest, read_database, write_database
from symdmc.running.run import LimitReached, Run
from symdmc.search.directed.astar import AStar
from tests.cli.running import Runner

DOOR = """\
byte x = 0;
process A {
  state in, out;
  init in;
  trans in -> out { guard x < 3; effect x = x + 1; }, out -> in { };
}
system async;
"""
ERROR, SAFE = ("--error", "x == 3"), ("--error", "x == 4")
DEAD_END, OUTSIDE = 1 << 30, (1 << 30) + 1
ENGINES = [("--search", "astar"), ("--search", "idastar"), ("--search", "wastar:2"), ("--engine", "symbolic")]


@pytest.fixture
def door(folder: Path, symdmc: Runner) -> Path:
    (folder / "door.dve").write_text(DOOR)
    for name, question in (("error.pdb", ERROR), ("safe.pdb", SAFE)):
        built = ("build", "door.dve", *question, "--pattern", "A,x", "--complete", "-o", name)
        assert symdmc("patterndb", *built).code == 0
    return folder


def forge(path: Path, change: Callable[[int], int]) -> None:
    """Change all codes in the table of a database, with a digest that fits."""
    content = json.loads(path.read_text())
    children = np.frombuffer(base64.b64decode(content["children"]), dtype="<i8").tolist()
    changed = [-1 - change(-1 - each) if each < 0 else each for each in children]
    content["children"] = base64.b64encode(np.array(changed, dtype="<i8").tobytes()).decode()
    content["h_initial"] = None if all(-1 - each >= DEAD_END for each in changed if each < 0) else 0
    path.write_text(json.dumps(content | {"sha256": digest(content)}))


def asked(symdmc: Runner, question: tuple[str, ...], file: str, *more: str) -> tuple[int, str, str]:
    ran = symdmc("check", "door.dve", *question, "--heuristic", "pdb", "--database", file, *more)
    return ran.code, ran.out, ran.err


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_true_is_said(symdmc: Runner, door: Path, engine: tuple[str, ...]) -> None:
    code, out, err = asked(symdmc, ERROR, "error.pdb", *engine)
    assert (code, err) == (10, "")
    assert engine[1] == "wastar:2" or "a shortest trace: length 5" in out
    code, out, err = asked(symdmc, SAFE, "safe.pdb", *engine)
    assert (code, err) == (0, "")
    assert "; the certificate of this was checked" in out


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("certificate", [(), ("--certificate", "proof.json")])
def test_false_dead_ends_never_make_a_system_safe(
    symdmc: Runner, door: Path, engine: tuple[str, ...], certificate: tuple[str, ...]
) -> None:
    forge(door / "error.pdb", lambda code: max(code, DEAD_END))
    code, out, err = asked(symdmc, ERROR, "error.pdb", *engine, *certificate)
    assert (code, out) == (40, "")
    assert err.startswith("error: error.pdb: its dead ends prove nothing: it does not hold that ")
    assert err.endswith("; build it again with `symdmc patterndb build` [database-not-true]\n")
    assert err.count("\n") == 1
    assert not (door / "proof.json").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_one_dead_end_on_the_way_is_found(symdmc: Runner, door: Path, engine: tuple[str, ...]) -> None:
    forge(door / "error.pdb", lambda code: DEAD_END if code == 2 else code)
    code, out, err = asked(symdmc, ERROR, "error.pdb", *engine)
    assert (code, out) == (40, "")
    assert "error.pdb: its dead ends prove nothing" in err


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_outside_of_a_file_is_no_bug_of_the_program(
    symdmc: Runner, door: Path, engine: tuple[str, ...]
) -> None:
    forge(door / "error.pdb", lambda code: OUTSIDE if code == 2 else code)
    code, out, err = asked(symdmc, ERROR, "error.pdb", *engine)
    assert (code, out) == (40, "")
    assert err.startswith("error: error.pdb: what it says is not true: a reachable state lies outside of ")
    compared = symdmc("patterndb", "compare", "error.pdb", "error.pdb", "door.dve", *ERROR)
    assert (compared.code, compared.out) == (40, "")
    assert compared.err.startswith("error: error.pdb: what it says is not true: a state outside of it is reached; ")


TWO_WAYS = """\
byte x = 0;
process A {
  state s, t, u, e;
  init s;
  trans s -> t { }, t -> e { }, s -> u { }, u -> u { guard x < 2; effect x = x + 1; }, u -> e { guard x == 2; };
}
system async;
"""


@pytest.mark.parametrize("engine", [ENGINES[0], ENGINES[3]])
def test_estimates_that_are_too_large_make_no_trace_a_shortest_one(
    symdmc: Runner, folder: Path, engine: tuple[str, ...]
) -> None:
    (folder / "ways.dve").write_text(TWO_WAYS)
    check = ("check", "ways.dve", "--error", "A.e", "--heuristic", "pdb", "--database", "ways.pdb", *engine)
    build = ("patterndb", "build", "ways.dve", "--error", "A.e", "--pattern", "A,x", "--complete", "-o", "ways.pdb")
    assert symdmc(*build).code == 0
    assert symdmc(*check, "--json").document["length"] == 2
    found = read_database(folder / "ways.pdb", symdmc_task(folder / "ways.dve"))
    assert found.distance((1, 0)) == 1
    raise_estimate_of_t(folder / "ways.pdb")
    ran = symdmc(*check)
    assert (ran.code, ran.out) == (40, "")
    assert ran.err.startswith("error: ways.pdb: its estimates are not true: a step ")


def symdmc_task(path: Path) -> package.Task:
    return package.task_for(path, error="A.e")


def raise_estimate_of_t(path: Path) -> None:
    """Give all states with A.t the estimate 3, in a table that tests A last."""
    content = json.loads(path.read_text())
    table = {key: np.frombuffer(base64.b64decode(content[key]), dtype="<i8").tolist() for key in ("children", "start")}
    variable = np.frombuffer(base64.b64decode(content["variable"]), dtype="<i8").tolist()
    classes = np.frombuffer(base64.b64decode(content["classes"]["0"]), dtype="<i8").tolist()
    for node, tested in enumerate(variable):
        if tested == 0:
            table["children"][table["start"][node] + classes[1]] = -1 - 3
    content["children"] = base64.b64encode(np.array(table["children"], dtype="<i8").tobytes()).decode()
    path.write_text(json.dumps(content | {"sha256": digest(content)}))


def test_where_estimates_take_too_much_work_to_check_nothing_is_claimed(
    symdmc: Runner, door: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symdmc.checking.believed.CONSISTENCY_WORK", 0)
    for engine in ENGINES:
        ran = symdmc("check", "door.dve", *ERROR, "--heuristic", "pdb", "--database", "error.pdb", *engine, "--json")
        assert (ran.code, ran.document["length"], ran.document["shortest"]) == (10, 5, False)
        assert ran.document["lower_bound"] == 0
        assert ran.document["reason"].endswith(
            "; whether the estimates of error.pdb are true was not checked: it takes too much work"
        )


def test_a_search_that_is_stopped_claims_nothing_about_lengths(symdmc: Runner, door: Path) -> None:
    ran = symdmc(
        "check", "door.dve", *ERROR, "--heuristic", "pdb", "--database", "error.pdb", "--time-limit", "0", "--json"
    )
    assert (ran.code, ran.document["lower_bound"]) == (21, 0)


def test_python_does_not_believe_files_either(symdmc: Runner, door: Path) -> None:
    forge(door / "error.pdb", lambda code: max(code, DEAD_END))
    task = package.task_for(door / "door.dve", error="x == 3")
    with pytest.raises(EvidenceRefused, match=r"error\.pdb: its dead ends prove nothing"):
        package.check(task, heuristic=read_database(door / "error.pdb", task))
    with pytest.raises(EvidenceRefused, match=r"error\.pdb: its dead ends prove nothing"):
        package.check(door / "door.dve", error="x == 3", heuristic="pdb", database=door / "error.pdb")


@pytest.mark.parametrize("sign", ["checking the proof", "checking the estimates of error.pdb"])
def test_an_interrupt_of_a_proof_leaves_the_claim_open(
    symdmc: Runner, door: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    def interrupt(*args: object, **settings: object) -> NoReturn:
        raise LimitReached(Stop.INTERRUPT)

    question, file, verdict = (SAFE, "safe.pdb", "unknown") if "proof" in sign else (ERROR, "error.pdb", "error")
    for call in ("certified_within", "in_child"):
        monkeypatch.setattr(f"symdmc.checking.believed.{call}", interrupt)
    ran = symdmc("check", "door.dve", *question, "--heuristic", "pdb", "--database", file, "--json")
    assert (ran.code, ran.document["verdict"], ran.document["shortest"]) == (130, verdict, False)
    assert ran.document["lower_bound"] == 0
    assert file in ran.document["reason"]
    assert "interrupted" in ran.document["reason"]


def test_a_search_that_ends_without_an_answer_has_no_bound_from_a_file(door: Path) -> None:
    task = package.task_for(door / "door.dve", error="x == 3")
    databases = DatabaseRequest(opened=(read_database(door / "error.pdb", task),))
    request = CheckRequest(search=AStar(), databases=databases)
    stopped = SearchResult(verdict=Verdict.UNKNOWN, reason="", property="x == 3", stop=Stop.TIME, lower_bound=4)
    assert proved(task, stopped, request, Run()).lower_bound == 0


def test_files_that_share_costs_are_held_to_their_shares(door: Path) -> None:
    """Each of them is true of the costs of the model; that their sum is not admissible shows in their shares alone."""
    task = package.task_for(door / "door.dve", error="x == 3")
    whole, files = read_database(door / "error.pdb", task), (door / "one.pdb", door / "other.pdb")
    for place, file in enumerate(files):
        shares = (each.cost if number % 2 == place else 0 for number, each in enumerate(task.transitions))
        write_database(file, replace(whole, costs=tuple(shares)))
    databases = [read_database(file, task) for file in files]
    assert sum(each.distance(values) or 0 for each in databases for values in task.initial_values()) == 2 * 5
    refused = r"one\.pdb: its estimates are not true: a step of cost 0"
    with pytest.raises(EvidenceRefused, match=refused):
        package.check(task, heuristic=databases, combine="sum")
    with pytest.raises(EvidenceRefused, match=refused):
        package.check(task, heuristic="pdb", database=files, combine="sum")
    assert package.check(task, heuristic=databases).shortest


@pytest.mark.parametrize("certify", [False, True])
def test_a_proof_that_rests_on_a_file_is_for_who_asks_for_it(door: Path, certify: bool) -> None:
    found = package.check(
        door / "door.dve", error="x == 4", heuristic="pdb", database=door / "safe.pdb", certify=certify
    )
    assert found.reason.endswith("; the certificate of this was checked")
    assert (found.certificate is not None) is certify


def test_that_an_error_can_be_avoided_rests_on_no_file(door: Path) -> None:
    forge(door / "error.pdb", lambda code: DEAD_END)
    task = package.task_for(door / "door.dve", error="x == 3")
    trace = package.check(task).trace
    assert trace is not None
    forged = read_database(door / "error.pdb", task)
    assert package.avoidable(task, trace, heuristic=forged) == package.avoidable(task, trace)
