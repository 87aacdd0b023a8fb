"""Predicates and merged values on the command line: check, certify, patterndb, and what is said of bad ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import symdmc as api
from tests.cli.running import Runner
from tests.spellings import guidance_for

PAIR = """
def build(high: int = 2000, faulty: bool = False):
    from symdmc import Builder

    m = Builder("pair")
    m.integer("x", 0, high)
    m.integer("y", 0, high)
    p = m.process("P", initial="run")
    p.edge("run", "run", guard=f"x < {high} and y < {high}", do="x = x + 1, y = y + 1")
    p.edge("run", "run", guard="x > 0 and y > 0", do="x = x - 1, y = y - 1")
    if faulty:
        p.edge("run", "run", guard="x == 20", do="x = 21")
    p.edge("run", "bad", guard="x > y")
    m.property("bad", "P.bad")
    return m.build()
"""
GIVEN = ("--heuristic", "pred:given", "--predicate", "x > y", "--predicate", "P.bad")


@pytest.fixture
def pair(folder: Path) -> Path:
    """Two counters of 2,001 values each that go up and down together."""
    (folder / "pair.py").write_text(PAIR)
    return folder / "pair.py"


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_predicates_prove_what_a_certificate_shows(symdmc: Runner, pair: Path, engine: str) -> None:
    ran = symdmc("check", "pair.py", *GIVEN, "--engine", engine, "--certificate", "proof.json", "--json")
    assert ran.code == 0, ran.err
    assert ran.document["explored"] in (0, None)
    assert ran.document["patterns"] == [["x > y", "P.bad"]]
    assert '"x > y"' in (pair.parent / "proof.json").read_text()
    assert symdmc("certify", "pair.py", "proof.json").code == 0


@pytest.mark.parametrize("extra", [(), ("--lookup", "layers"), ("--combine", "sum"), ("--engine", "symbolic")])
def test_traces_are_shortest_whatever_looks_the_estimates_up(
    symdmc: Runner, pair: Path, extra: tuple[str, ...]
) -> None:
    both = ("--heuristic", "domain:x=0..9/10..19/20/21..,y=0..", "--predicate", "x >= 19")
    ran = symdmc("check", "pair.py", "-p", "faulty=true", "-p", "high=30", *GIVEN, *both, *extra, "--json")
    assert ran.code == 10, ran.err
    assert (ran.document["length"], ran.document["shortest"]) == (22, True)


def test_a_file_of_predicates_may_have_comments(symdmc: Runner, pair: Path) -> None:
    (pair.parent / "ours.txt").write_text("# those of the error\nP.bad\n\nx > y  # the only way there\n")
    ran = symdmc("check", "pair.py", "--heuristic", "pred:given", "--predicates", "ours.txt", "--json")
    assert ran.code == 0
    assert ran.document["patterns"] == [["P.bad", "x > y"]]


def test_automatic_classes_are_explained(symdmc: Runner, pair: Path) -> None:
    spelling = ("--heuristic", "domain:auto", "--explain")
    ran = symdmc("check", "pair.py", "-p", "faulty=true", "-p", "high=300", *spelling)
    assert ran.code == 10
    assert "x=0/1..19/20/21..299/300" in ran.out
    assert "P          yes    it has few values" in ran.out


def test_databases_of_predicates_and_classes_are_written_and_read(symdmc: Runner, pair: Path) -> None:
    kept = ("--predicate", "x > y", "--domain", "x=0/1..", "--pattern", "P")
    assert symdmc("patterndb", "build", "pair.py", *kept, "--complete", "-o", "pair.pdb").code == 0
    ran = symdmc("check", "pair.py", "--heuristic", "pdb", "--database", "pair.pdb", "--json")
    assert (ran.code, ran.document["patterns"]) == (0, [["P", "x > y", "x=0/1..2000"]])
    ran = symdmc("patterndb", "lookup", "pair.pdb", "pair.py", "--json")
    assert ran.document["answer"] == "dead end"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("pred:given",), "there is no predicate; give one with --predicate"),
        (("pred:given", "--predicate", "x + y"), "'x + y' is a number, not a condition"),
        (("pred:given", "--predicate", "x > z"), "<predicate>:1:5: unknown name 'z'"),
        (("pred:given", "--predicate", "x >"), "<predicate>:1:4: "),
        (("pred:given", "--predicate", "1 < 2"), "is the same in every state"),
        (("pred:given", "--predicate", "x > y", "--predicate", "x>y"), "is given twice"),
        (("pred:given", "--predicates", "empty.txt"), "has no predicate"),
        (("pred:given", "--predicate", "x > y", "--projection", "syntactic"), "are projected exactly"),
        (("pdb,keep=P", "--predicate", "x > y"), "takes no predicates; use --heuristic pred:given"),
        (("domain:x=0/1..9",), "'x' can also be 10, which is in no class"),
        (("domain:z=0/1",), "there is no variable 'z'"),
        (("domain:x=0/1..,y=0/1..,x=0..",), "are merged twice"),
    ],
)
def test_bad_input_gets_one_line(symdmc: Runner, pair: Path, options: tuple[str, ...], complaint: str) -> None:
    (pair.parent / "empty.txt").write_text("# nothing\n")
    ran = symdmc("check", "pair.py", "--heuristic", *options)
    assert (ran.code, ran.out) == (30, "")
    (line,) = ran.err.splitlines()
    assert complaint in line


@pytest.mark.parametrize(
    "spelling", ["pred", "pred:found", "pred:given,kind=odd", "domain", "domain:most", "domain:auto,x=0/1"]
)
def test_a_wrong_spelling_is_wrong_usage(symdmc: Runner, pair: Path, spelling: str) -> None:
    assert symdmc("check", "pair.py", "--heuristic", spelling).code == 2


def test_the_functions_of_the_interface_build_such_databases(pair: Path) -> None:
    task = api.load(str(pair), faulty=True, high=40).task()
    predicates = api.predicate_database(task, ["x > y", "P.bad", "x >= 20"], complete=True)
    classes = api.domain_database(task, {"x": "0..19/20/21..", "y": "0.."}, keep="P", complete=True)
    assert (predicates.h_initial, classes.h_initial) == (3, 1)
    found = api.astar(task, [predicates, classes])
    assert (found.length, found.shortest) == (22, True)
    assert api.check(task, heuristic="pred:given", predicate=["x > y"]).length == 22
    assert guidance_for(task, "pred:given").predicates
