"""`symdmc patterndb`: build, show, lookup, compare."""

from __future__ import annotations

import base64
import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from symdmc.patterndb.store import digest
from tests.cli.running import ROOT, Runner, run_apart

SCHEMAS: dict[str, Any] = {
    name: json.loads((ROOT / f"docs/schemas/patterndb-{name}.schema.json").read_text())
    for name in ("build", "show", "lookup", "compare")
}
FILE_SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/schemas/database.schema.json").read_text())

TALKED = ("--error", "got == 2 and Sender.idle")
"""Reached in the middle of the talk; behind it is a dead end."""
BUILD = ("build", "talk.dve", *TALKED, "--pattern", "got,Sender*")


def document(symdmc: Runner, *args: str, code: int = 0) -> dict[str, Any]:
    """What the command prints with --json, which must follow its schema."""
    ran = symdmc("patterndb", *args, "--json")
    assert ran.code == code, ran.err
    jsonschema.Draft202012Validator(SCHEMAS[args[0]]).validate(ran.document)
    assert ran.document["exit_code"] == code
    return ran.document


def refused(symdmc: Runner, *args: str, code: int = 30) -> list[str]:
    """The lines that a bad input gets, without their codes; with --json the same are the reason."""
    ran = symdmc("patterndb", *args)
    assert (ran.code, ran.out) == (code, "")
    told = [line.removeprefix("error: ") for line in ran.err.splitlines() if line.startswith("error: ")]
    found = document(symdmc, *args, code=code)
    lines: list[str] = found["reason"].splitlines()
    codes = [complaint["code"] for complaint in found["complaints"]]
    assert told == [f"{line} [{each}]" for line, each in zip(lines, codes, strict=True)]
    return lines


@pytest.fixture
def talk(symdmc: Runner, folder: Path) -> Path:
    """A complete database of talk.dve."""
    assert symdmc("patterndb", *BUILD, "--complete", "-o", "talk.pdb").code == 0
    return folder / "talk.pdb"


def test_build_tells_what_was_built(symdmc: Runner, folder: Path) -> None:
    ran = symdmc("patterndb", *BUILD, "--complete", "-o", "talk.pdb")
    first, *rest, last = ran.out.splitlines()
    assert first.endswith("pattern database written to talk.pdb")
    assert rest == [
        "  pattern: Sender, got, Sender->n",
        "  h of the initial states: 4",
        "  5 layers, complete",
        "  restricted to the abstract states that are forward reachable",
    ]
    assert last.startswith("  look-up table of 11 nodes, ")
    jsonschema.Draft202012Validator(FILE_SCHEMA).validate(json.loads((folder / "talk.pdb").read_text()))


def test_build_as_json(symdmc: Runner, folder: Path) -> None:
    found = document(symdmc, *BUILD, "--order", "declared", "-o", "talk.pdb")
    assert (found["file"], found["verdict"], found["complete"]) == ("talk.pdb", None, False)
    assert (found["h_initial"], found["restriction"], len(found["layers"])) == (4, "forward", 5)
    assert [layer["distance"] for layer in found["layers"]] == list(range(5))
    assert (folder / "talk.pdb").exists()


def test_a_quiet_build_prints_one_line(symdmc: Runner) -> None:
    ran = symdmc("patterndb", *BUILD, "-o", "talk.pdb", "--quiet")
    assert (ran.err, len(ran.out.splitlines())) == ("", 1)


def test_a_build_may_prove_safety(symdmc: Runner) -> None:
    question = ("counter.dve", "--error", "x == 31")
    ran = symdmc("patterndb", "build", *question, "--pattern", "x", "-o", "x.pdb")
    assert ran.code == 0
    assert "safe: no error state of x == 31 is reachable; pattern database written to x.pdb" in ran.out
    assert "  initial states: dead ends, which proves safety\n" in ran.out
    found = document(symdmc, "build", *question, "--pattern", "x", "-o", "x.pdb")
    assert (found["verdict"], found["h_initial"], found["layers"]) == ("safe", "dead end", [])
    shown = document(symdmc, "show", "x.pdb", *question)
    assert (shown["verdict"], shown["reason"]) == (None, "initial states: dead ends, which would prove safety")
    assert symdmc("patterndb", "lookup", "x.pdb", *question).out == "dead end\n  the initial states\n"


def test_check_searches_with_what_was_built(symdmc: Runner, talk: Path) -> None:
    ran = symdmc("check", "talk.dve", *TALKED, "--heuristic", "pdb", "--database", "talk.pdb", "--json")
    assert (ran.code, ran.document["length"], ran.document["h_initial"]) == (10, 4, 4)


def test_a_perimeter_makes_distances_exact_and_a_projection_is_chosen(symdmc: Runner) -> None:
    lamp = ("talk.dve", *TALKED, "--pattern", "Receiver")
    coarse = document(symdmc, "build", *lamp, "-o", "coarse.pdb")["h_initial"]
    struck = document(symdmc, "build", *lamp, "--projection", "syntactic", "-o", "struck.pdb")["h_initial"]
    exact = document(symdmc, "build", *lamp, "--perimeter", "3", "-o", "exact.pdb")
    assert struck <= coarse < exact["h_initial"] == 4
    assert exact["pattern"] == ["Receiver"]
    for name in ("struck.pdb", "exact.pdb"):
        ran = symdmc("check", "talk.dve", *TALKED, "--heuristic", "pdb", "--database", name, "--json")
        assert (ran.code, ran.document["length"], ran.document["shortest"]) == (10, 4, True)


@pytest.mark.parametrize(("limit", "code"), [(("--time-limit", "0"), 21), (("--memory-limit", "1"), 22)])
def test_a_limit_is_an_outcome_and_leaves_no_file(
    symdmc: Runner, folder: Path, limit: tuple[str, str], code: int
) -> None:
    (folder / "old.pdb").write_text("as it was")
    ran = symdmc("patterndb", *BUILD, "-o", "old.pdb", "--quiet", *limit)
    assert (ran.code, ran.err) == (code, "")
    (line,) = ran.out.splitlines()
    assert line.endswith("limit reached while building the pattern database; old.pdb is not written")
    found = document(symdmc, *BUILD, "-o", "new.pdb", *limit, code=code)
    assert (found["verdict"], found["file"]) == ("unknown", None)
    assert (folder / "old.pdb").read_text() == "as it was"
    assert not (folder / "new.pdb").exists()


def test_a_time_limit_in_the_middle_of_a_build_is_an_outcome(symdmc: Runner, folder: Path) -> None:
    question = ("large.dve", "--error", "a[0] + a[1] + a[2] + a[3] + a[4] + a[5] == 1500", "--pattern", "a*")
    before = sorted(os.listdir(folder))
    ran = symdmc("patterndb", "build", *question, "-o", "large.pdb", "--time-limit", "3")
    assert (ran.code, ran.err) == (21, "")
    first, *_ = ran.out.splitlines()
    assert first.endswith("time limit reached while building the pattern database; large.pdb is not written")
    ran = symdmc("check", *question, "--heuristic", "pdb", "--certificate", "new.json", "--time-limit", "3", "--json")
    assert (ran.code, ran.document["verdict"]) == (21, "unknown")
    assert ran.document["reason"] == "time limit reached while making the heuristic"
    assert ran.err == "note: there is no proof, so new.json is not written\n"
    assert sorted(os.listdir(folder)) == before


def test_show_counts_the_abstract_states(symdmc: Runner, talk: Path) -> None:
    out = symdmc("patterndb", "show", "talk.pdb", "talk.dve", *TALKED).out
    rows = [line.split() for line in out.partition("distance ")[2].splitlines()]
    assert [row[:2] for row in rows[2:7]] == [[str(distance), "1"] for distance in range(5)]
    assert "dead ends: 1 of 6 abstract states (16.7 %)" in out
    assert "outside of the restriction: 34 abstract states" in out


def test_show_as_json(symdmc: Runner, talk: Path) -> None:
    found = document(symdmc, "show", "talk.pdb", "talk.dve", *TALKED)
    assert [layer["states"] for layer in found["layers"]] == [1] * 5
    assert (found["dead_ends"], found["inside"], found["outside"], found["beyond"]) == (1, 6, 34, None)


def test_show_of_a_partial_database_knows_no_dead_ends(symdmc: Runner, folder: Path) -> None:
    symdmc("patterndb", *BUILD, "-o", "part.pdb")
    ran = symdmc("patterndb", "show", "part.pdb", "talk.dve", *TALKED)
    assert "5 or more                 1" in ran.out
    assert "dead ends: not known before the database is complete; 6 abstract states in all" in ran.out
    found = document(symdmc, "show", "part.pdb", "talk.dve", *TALKED)
    assert (found["dead_ends"], found["inside"], found["beyond"]) == (None, 6, 1)


def test_show_draws_the_layers(symdmc: Runner, talk: Path, folder: Path) -> None:
    ran = symdmc("patterndb", "show", "talk.pdb", "talk.dve", *TALKED, "--layers", "layers.svg")
    assert ran.code == 0
    text = (folder / "layers.svg").read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "talk.dve: Sender, got, Sender-&gt;n" in text
    assert "distance to the error states" in text
    assert "most states in one: 1" in text
    assert refused(symdmc, "show", "talk.pdb", "talk.dve", "--layers", "layers.png", code=2)


@pytest.mark.parametrize(
    ("state", "first", "answer", "estimate"),
    [
        (None, "4", "distance", 4),
        ("got=2,Sender->n=2,Sender.busy", "1", "distance", 1),
        ("Sender.busy, got=3, Sender->n=3, a[1]=2", "dead end", "dead end", None),
        ("got=3", "outside: the state cannot be reached", "outside", None),
        ("got=255", "outside: the state cannot be reached", "outside", None),
    ],
)
def test_lookup_answers(
    symdmc: Runner, talk: Path, state: str | None, first: str, answer: str, estimate: int | None
) -> None:
    asked = ("lookup", "talk.pdb", "talk.dve", *TALKED, *(() if state is None else ("--state", state)))
    ran = symdmc("patterndb", *asked)
    assert (ran.code, ran.out.splitlines()[0]) == (0, first)
    found = document(symdmc, *asked)
    assert (found["answer"], found["estimate"]) == (answer, estimate)
    assert (found["state"] is None) == (state is None)


def test_lookup_shows_the_whole_state(symdmc: Runner, talk: Path) -> None:
    asked = ("lookup", "talk.pdb", "talk.dve", *TALKED, "--state", "Sender.busy,a[1]=2")
    assert "  Sender.busy Receiver.wait; a = [0, 2, 0]; all else 0\n" in symdmc("patterndb", *asked).out
    state = document(symdmc, *asked)["state"]
    assert state == {"Sender": "busy", "Receiver": "wait", "got": 0, "a": [0, 2, 0], "Sender->n": 0}


@pytest.mark.parametrize(
    ("state", "complaint"),
    [
        ("Sendr.busy", "the state has 'Sendr', which is no process; did you mean 'Sender'?"),
        ("Sender.buzy", "process 'Sender' has no location 'buzy'; did you mean 'busy'?"),
        ("gott=1", "the state has 'gott', which is no variable; did you mean 'got'?"),
        ("a=1", "the state has the whole array 'a'; name its cells, as in a[0]=1"),
        ("got=256", "'got' cannot be '256'; give an integer from 0 to 255"),
        ("got=one", "'got' cannot be 'one'; give an integer from 0 to 255"),
        ("got=1,got=2", "the state has 'got=1' and 'got=2'; give 'got' one value"),
        ("Sender=busy", "the state has a value of the process 'Sender'; write Sender.LOCATION"),
        ("got", "the state has 'got'; write PROCESS.LOCATION or VARIABLE=VALUE"),
    ],
)
def test_a_state_that_cannot_be_read_gets_one_line(symdmc: Runner, talk: Path, state: str, complaint: str) -> None:
    assert refused(symdmc, "lookup", "talk.pdb", "talk.dve", *TALKED, "--state", state) == [complaint]


def test_compare_tells_which_estimates_are_larger(symdmc: Runner, talk: Path) -> None:
    symdmc("patterndb", "build", "talk.dve", *TALKED, "--pattern", "got", "-o", "got.pdb")
    asked = ("compare", "talk.pdb", "got.pdb", "talk.dve", *TALKED, "--states", "500")
    ran = symdmc("patterndb", *asked)
    assert ran.out.startswith("500 states of random walks with seed 0\n")
    found = document(symdmc, *asked)
    fine, coarse = found["databases"]
    assert (found["states"], found["seed"]) == (500, 0)
    assert found["equal"] + fine["larger"] + coarse["larger"] == 500
    assert (coarse["larger"], coarse["dead_ends"]) == (0, 0)
    assert fine["dead_ends"] > 0
    assert fine["mean"] >= coarse["mean"]
    assert fine["larger"] >= fine["dead_ends"]


def test_comparing_a_database_with_itself_finds_no_difference(symdmc: Runner, talk: Path) -> None:
    found = document(symdmc, "compare", "talk.pdb", "talk.pdb", "talk.dve", *TALKED, "--states", "50", "--seed", "7")
    assert found["equal"] == 50
    assert found["databases"][0] == found["databases"][1]


def test_the_same_seed_gives_the_same_comparison(symdmc: Runner, folder: Path) -> None:
    question = ("counter.dve", "--error", "x == 30")
    for name in ("x", "Up"):
        symdmc("patterndb", "build", *question, "--pattern", name, "-o", f"{name}.pdb", "--quiet")
    asked = ("patterndb", "compare", "x.pdb", "Up.pdb", *question, "--states", "70")
    runs = {run_apart(*asked, cwd=folder, env={"PYTHONHASHSEED": seed}).out for seed in ("1", "2")}
    assert len(runs) == 1
    assert symdmc(*asked, "--seed", "1").out != symdmc(*asked, "--seed", "2").out


def test_a_name_that_is_not_known_is_refused(symdmc: Runner, folder: Path) -> None:
    lines = refused(symdmc, "build", "talk.dve", *TALKED, "--pattern", "gott,Sender", "-o", "x.pdb")
    assert lines == ["the pattern has 'gott', which is no process or variable; did you mean 'got'?"]
    assert not (folder / "x.pdb").exists()


def test_an_unwritable_file_is_found_out_first(symdmc: Runner) -> None:
    (line,) = refused(symdmc, *BUILD[:1], "no_such_model.dve", *BUILD[2:], "-o", "no/such/folder/x.pdb")
    assert line.startswith("no/such/folder/x.pdb: cannot be written")


def going_round(text: str) -> str:
    """The database with a node that takes the children of the next one, which lead back to it."""
    content = json.loads(text)
    start = np.frombuffer(base64.b64decode(content["start"]), dtype="<i8").copy()
    start[0] = start[1]
    content["start"] = base64.b64encode(start.tobytes()).decode("ascii")
    children = np.frombuffer(base64.b64decode(content["children"]), dtype="<i8").copy()
    children[start[1]] = 0
    content["children"] = base64.b64encode(children.tobytes()).decode("ascii")
    return resealed(content)


def resealed(content: dict[str, Any]) -> str:
    """The database with the digest of what it now says."""
    return json.dumps(content | {"sha256": digest(content)})


@pytest.mark.parametrize("name", ["show", "lookup", "compare"])
def test_a_file_that_does_not_fit_is_refused(symdmc: Runner, talk: Path, folder: Path, name: str) -> None:
    def told(file: str, *question: str) -> str:
        files = (file, "talk.pdb") if name == "compare" else (file,)
        (line,) = refused(symdmc, name, *files, *question)
        return line

    text = talk.read_text()
    (folder / "flipped.pdb").write_text(text.replace('"root": 10', '"root": 9'))
    (folder / "root.pdb").write_text(resealed(json.loads(text) | {"root": 99}))
    (folder / "round.pdb").write_text(going_round(text))
    (folder / "half.pdb").write_text(text[: len(text) // 2])
    (folder / "model.pdb").write_text('{"schema": "symdmc-model/1"}')
    assert "talk.pdb: belongs to another model or error condition" in told(
        "talk.pdb", "talk.dve", "--error", "got == 3"
    )
    assert "talk.pdb: belongs to another model" in told("talk.pdb", "counter.dve", "--error", "x == 30")
    assert told("flipped.pdb", "talk.dve", *TALKED).startswith("flipped.pdb: is damaged: its digest is not that of")
    assert told("root.pdb", "talk.dve", *TALKED).startswith("root.pdb: is damaged; build it again")
    assert told("round.pdb", "talk.dve", *TALKED).startswith("round.pdb: is damaged; build it again")
    assert told("half.pdb", "talk.dve", *TALKED).startswith("half.pdb")
    assert 'has the format "symdmc-model/1"' in told("model.pdb", "talk.dve", *TALKED)
    assert told("none.pdb", "talk.dve", *TALKED).startswith("none.pdb: cannot be read")


def test_a_wrong_command_line_gets_one_line(symdmc: Runner) -> None:
    ran = symdmc("patterndb", "bild")
    assert (ran.code, ran.out) == (2, "")
    assert (
        ran.err
        == "error: there is no command 'bild'; did you mean 'build'?; see symdmc patterndb --help [unknown-command]\n"
    )
    found = document(symdmc, "build", "talk.dve", code=2)
    assert "Missing option '-o' / '--output'" in found["reason"]
    found = document(symdmc, "build", "talk.dve", "-o", "talk.pdb", code=2)
    assert "give what it keeps: --pattern, --predicate or --domain" in found["reason"]


def test_the_group_alone_shows_its_commands(symdmc: Runner) -> None:
    ran = symdmc("patterndb")
    assert (ran.code, ran.err) == (0, "")
    assert [ran.out.index(f"\n  {name} ") for name in ("build", "show", "lookup", "compare")] == sorted(
        ran.out.index(f"\n  {name} ") for name in ("build", "show", "lookup", "compare")
    )
