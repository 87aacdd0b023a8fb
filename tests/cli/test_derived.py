"""Predicates and merged values on the command line: check, certify, patterndb, and what is said of bad ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import symdmc as api
from symdmc.checking.checks import task_for
from tests.cli.running import Runner
from tests.components import options_for

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
    assert ran.document["patterns"] == [["P", "x - y >= 1"]]
    assert '"x - y >= 1"' in (pair.parent / "proof.json").read_text()
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
    assert ran.document["patterns"] == [["P", "x - y >= 1"]]


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
    assert (ran.code, ran.document["patterns"]) == (0, [["P", "x - y >= 1", "x=0/1..2000"]])
    ran = symdmc("patterndb", "lookup", "pair.pdb", "pair.py", "--json")
    assert ran.document["answer"] == "dead end"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("pred:given", "--predicate", "x + y"), "'x + y' is a number, not a condition"),
        (("pred:given", "--predicate", "x > z"), "<predicate>:1:5: unknown name 'z'"),
        (("pred:given", "--predicate", "x >"), "<predicate>:1:4: "),
        (("pred:given", "--predicate", "1 < 2"), "'1 < 2' always holds"),
        (("pred:given", "--predicate", "x >= 3 and x <= 2"), "'x >= 3 and x <= 2' never holds"),
        (
            ("pred:given", "--predicate", "x > y", "--predicate", "y<x"),
            "'y<x' is a duplicate of 'x > y' (<predicate>:1)",
        ),
        (
            ("pred:given", "--predicate", "x >= 1.5"),
            "<predicate>:1:6: 1.5 is no whole number, and variables are integers",
        ),
        (("pred:given", "--predicate", "x * y >= 3"), "<predicate>:1:1: 'x * y >= 3' is not linear"),
        (("pred:given,keep=P", "--predicate", "x * x > 2"), "<predicate>:1:1: 'x * x > 2' is not linear"),
        (("pred:given,kind=cartesian", "--predicate", "x * x > 2"), "<predicate>:1:1: 'x * x > 2' is not linear"),
        (("pred:given", "--predicates", "empty.txt"), "empty.txt: has no predicate"),
        (("pred:given,file=empty.txt",), "empty.txt: has no predicate"),
        (("pred:given,file=missing.txt",), "missing.txt: cannot be read"),
        (
            ("pred:given,file=one.txt", "--predicate", "x <= 3"),
            "one.txt:2:1: 'x < 4' is a duplicate of 'x <= 3' (<pred",
        ),
        (("domain:x=0/1..9",), "'x' can also be 10, which is in no class"),
        (("domain:z=0/1",), "there is no variable 'z'"),
        (("domain:x=0/1..,y=0/1..,x=0..",), "are merged twice"),
    ],
)
def test_bad_input_gets_one_line(symdmc: Runner, pair: Path, options: tuple[str, ...], complaint: str) -> None:
    (pair.parent / "empty.txt").write_text("# nothing\n")
    (pair.parent / "one.txt").write_text("# one\nx < 4\n")
    ran = symdmc("check", "pair.py", "--heuristic", *options)
    assert (ran.code, ran.out) == (30, "")
    (line,) = ran.err.splitlines()
    assert complaint in line


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("pred:given",), "there is no predicate; give one with --predicate, or a file with --predicates"),
        (("pred:given", "--predicate", "x > y", "--projection", "syntactic"), "are projected exactly"),
        (("pred:syntax", "--projection", "syntactic"), "are projected exactly"),
        (("pdb,keep=P", "--predicate", "x > y"), "--predicate is for --heuristic pred:given"),
    ],
)
def test_options_that_do_not_fit_get_one_line(
    symdmc: Runner, pair: Path, options: tuple[str, ...], complaint: str
) -> None:
    ran = symdmc("check", "pair.py", "--heuristic", *options)
    assert (ran.code, ran.out) == (2, "")
    (line,) = ran.err.splitlines()
    assert complaint in line


def test_all_faults_of_a_call_are_told_and_patterndb_tells_the_same(symdmc: Runner, pair: Path) -> None:
    (pair.parent / "bad.txt").write_text("x < 4\nx <= 3\nx * y > 2\nq > 1\n")
    asked = ("--predicate", "x >= 1.5", "--predicates", "bad.txt")
    checked = symdmc("check", "pair.py", "--heuristic", "pred:given", *asked)
    built = symdmc("patterndb", "build", "pair.py", *asked, "-o", "bad.pdb")
    assert (checked.code, built.code, checked.err) == (30, 30, built.err)
    starts = [line.split(": ")[1] for line in checked.err.splitlines()]
    assert starts == ["<predicate>:1:6", "bad.txt:2:1", "bad.txt:3:1", "bad.txt:4:1"]


def test_automatic_kind_needs_no_diagrams_of_variables_with_many_values(symdmc: Runner, pair: Path) -> None:
    wide = ("check", "pair.py", "-p", "high=100000", "--predicate", "x > y", "--predicate", "P.bad")
    assert symdmc(*wide, "--heuristic", "pred:given").code == 0
    assert symdmc(*wide, "--heuristic", "pred:given,kind=exact").code == 31


def test_predicates_of_a_file_are_one_more_way_to_give_them(symdmc: Runner, pair: Path) -> None:
    (pair.parent / "ours.txt").write_text("P.bad\n")
    spelling = ("--heuristic", "pred:given,file=ours.txt", "--predicate", "x > y")
    ran = symdmc("check", "pair.py", *spelling, "--explain", "--json")
    assert (ran.code, ran.document["explored"]) == (0, 0)
    (chosen,) = ran.document["selections"]
    assert [reason["variable"] for reason in chosen["reasons"]] == ["x - y >= 1", "P.bad"]


def test_configurations_have_predicates_of_files_and_classes_with_a_plus(symdmc: Runner, pair: Path) -> None:
    (pair.parent / "our+s.txt").write_text("P.bad\nx > y\n")
    configs = ("astar+pred:given,file=our+s.txt+hL", "astar+domain:x=0..9+11..19/10/20..,y=0..", "bfs")
    asked = [word for config in configs for word in ("--config", config)]
    ran = symdmc("compare", "pair.py:high=30,faulty=true", *asked, "--columns", "length", "--json")
    assert ran.code == 0, ran.err
    assert [run["configuration"] for run in ran.document["runs"]] == list(configs)
    assert [run["length"] for run in ran.document["runs"]] == [22, 22, 22]


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("pred:given,kind=cartesian,keep=x", "keep= and kind=cartesian do not go together; leave one of them out"),
        ("pred:given,combine=partition,perimeter=1", "perimeter= and combine=partition do not go together"),
        ("pred:given,combine=sum,keep=x", "keep= and combine=sum do not go together"),
        ("pred:given,b=0", "b=0 is no bound on the processes of a part; give 1 or more, or all"),
        ("pred:refine,r=-1", "r=-1 is out of range; give an integer from 0"),
    ],
)
def test_options_that_do_not_fit_are_told_in_one_line(symdmc: Runner, pair: Path, spelling: str, told: str) -> None:
    ran = symdmc("check", "pair.py", "--heuristic", spelling, "--predicate", "x > y")
    (line,) = ran.err.splitlines()
    assert (ran.code, told in line) == (2, True)


def test_parts_that_no_predicate_fits_are_told_in_one_line(symdmc: Runner, folder: Path) -> None:
    asked = ("--heuristic", "pred:given,b=1", "--predicate", "Client0.waiting + Client3.waiting >= 2")
    ran = symdmc("check", "arbiter_tree:height=2", *asked)
    (line,) = ran.err.splitlines()
    assert ran.code == 30
    assert "no part of b=1 processes has all that any of the predicates reads; give a larger b, or b=all" in line


@pytest.mark.parametrize(
    "spelling", ["pred", "pred:found", "pred:given,kind=odd", "domain", "domain:most", "domain:auto,x=0/1"]
)
def test_a_wrong_spelling_is_wrong_usage(symdmc: Runner, pair: Path, spelling: str) -> None:
    assert symdmc("check", "pair.py", "--heuristic", spelling).code == 2


def test_the_functions_of_the_interface_build_such_databases(pair: Path) -> None:
    task = task_for(api.load(str(pair), faulty=True, high=40))
    predicates = api.pattern_database(task, predicates=["x > y", "P.bad", "x >= 20"], complete=True)
    classes = api.pattern_database(task, classes={"x": "0..19/20/21..", "y": "0.."}, keep="P", complete=True)
    assert (predicates.h_initial, classes.h_initial) == (3, 1)
    found = api.check(task, heuristic=[predicates, classes])
    assert (found.length, found.shortest) == (22, True)
    assert api.check(task, heuristic="pred:given", predicate=["x > y"]).length == 22
    assert options_for(task, "pred:given")["predicate"]
