"""Ranges, configurations and suites: what they stand for, and one line for whatever is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from symdmc.checking.request import Question
from symdmc.errors import ModelError
from symdmc.experiment.configuration import Sweep, configurations_of, heuristics_of
from symdmc.experiment.plan import planned_configurations, planned_rows
from symdmc.experiment.ranges import models_of
from symdmc.experiment.suite_file import Suite, joined, read_suite
from symdmc.search.symbolic.options import SymbolicOptions


@pytest.mark.parametrize(
    ("spelling", "models"),
    [
        ("hanoi", ["hanoi"]),
        ("a/b..c.dve", ["a/b..c.dve"]),
        ("hanoi:disks=4", ["hanoi:disks=4"]),
        ("hanoi:disks=2..4", ["hanoi:disks=2", "hanoi:disks=3", "hanoi:disks=4"]),
        ("hanoi:disks=4..9/3", ["hanoi:disks=4", "hanoi:disks=7"]),
        ("hanoi:disks=2/5", ["hanoi:disks=2", "hanoi:disks=5"]),
        ("f:instance=C9..C11", ["f:instance=C9", "f:instance=C10", "f:instance=C11"]),
        ("f:instance=C1..2", ["f:instance=C1", "f:instance=C2"]),
        ("f:n=1..2,v=a/b", ["f:n=1,v=a", "f:n=1,v=b", "f:n=2,v=a", "f:n=2,v=b"]),
    ],
)
def test_a_range_stands_for_several_models(spelling: str, models: list[str]) -> None:
    assert list(models_of(spelling)) == models


def test_a_file_with_the_name_of_a_range_is_that_file(tmp_path: Path) -> None:
    file = tmp_path / "odd:n=1..3"
    file.touch()
    assert models_of(str(file)) == (str(file),)


@pytest.mark.parametrize(
    ("spelling", "fault"),
    [
        ("f:n=1..", "is no range"),
        ("f:n=a..b", "is no range"),
        ("f:n=1..2..3", "is no range"),
        ("f:n=5..2", "is empty"),
        ("f:n=1..9/0", "step 0"),
        ("f:n=C1..D2", "begin differently"),
        ("f:n=1//2", "empty value"),
        ("f:n=1..999999999", "stands for"),
        ("f:n=1..200,m=1..200", "stands for 40,000"),
    ],
)
def test_a_bad_range_is_refused_with_one_line_that_names_it(spelling: str, fault: str) -> None:
    with pytest.raises(ModelError, match=fault) as raised:
        models_of(spelling)
    (complaint,) = raised.value.complaints
    assert str(complaint).startswith(f"{spelling}: ")
    assert complaint.remedy


@pytest.mark.parametrize(
    ("spelling", "search", "heuristics", "direction"),
    [
        ("bfs", "bfs", (), None),
        ("astar+blind", "astar", ("blind",), None),
        ("wastar:1.5+fsm-max+pdb,keep=P/Q", "wastar:1.5", ("fsm-max", "pdb,keep=P/Q"), None),
        ("symbolic", "symbolic", (), None),
        ("symbolic:backward", "symbolic", (), "backward"),
        ("symbolic+pdb,keep=P", "symbolic", ("pdb,keep=P",), None),
        ("greedy+fsm-max+user:x + y", "greedy", ("fsm-max", "user:x+y"), None),
        ("astar+domain:x=0+3/1..2+4..9", "astar", ("domain:x=0+3/1..2+4..9",), None),
        ("astar+domain:P=in+out/on+hL+blind", "astar", ("domain:P=in+out/on", "hL", "blind"), None),
        ("astar+hL+domain:x=0+3/1,y=2+4+merge:9", "astar", ("hL", "domain:x=0+3/1,y=2+4", "merge:9"), None),
        ("astar+domain:P=blocked+in/on", "astar", ("domain:P=blocked+in/on",), None),
        ("symbolic+domain:x=0+3/1", "symbolic", ("domain:x=0+3/1",), None),
        ("astar+domain:auto+hL", "astar", ("domain:auto", "hL"), None),
    ],
)
def test_a_configuration_is_a_search_and_its_heuristics(
    spelling: str, search: str, heuristics: tuple[str, ...], direction: str | None
) -> None:
    (found,) = planned_configurations([spelling])
    request = found.request
    assert ("symbolic" if request.is_symbolic else request.search.spelling) == search
    assert tuple(each.text for each in request.heuristics) == heuristics
    assert request.symbolic.direction == (direction or SymbolicOptions().direction)
    assert found.text == spelling
    assert heuristics_of(found.request.heuristic_text) == heuristics or not heuristics


def test_the_name_of_a_file_with_predicates_may_have_a_plus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a+b.txt").write_text("x >= 3\n")
    (found,) = planned_configurations(["astar+pred:given,file=a+b.txt,b=2+hL"])
    assert tuple(each.text for each in found.request.heuristics) == ("pred:given,file=a+b.txt,b=2", "hL")


def test_a_file_with_predicates_must_be_there_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none.txt: cannot be read: .*; give the path of a file with a predicate"):
        planned_configurations([f"astar+pred:given,file={tmp_path}/none.txt"])


def test_a_suite_finds_files_with_predicates_beside_it(tmp_path: Path) -> None:
    (tmp_path / "near.txt").write_text("x >= 3\n")
    written = ["astar+pred:given,file=near.txt+hL", "astar+pred:given,file=far.txt", "greedy + user:x,file=near.txt"]
    (tmp_path / "suite.toml").write_text(f"configs = {written}")
    found = read_suite(tmp_path / "suite.toml").configs
    assert found == (f"astar+pred:given,file={tmp_path}/near.txt+hL", *written[1:])


def test_a_suite_finds_traces_beside_it(tmp_path: Path) -> None:
    (tmp_path / "near.json").touch()
    written = [
        "astar+hL+hamming:near.json",
        "greedy + fsm-trail:near.json",
        "astar+hamming:far.json",
        "astar+hL",
        "bfs",
    ]
    (tmp_path / "suite.toml").write_text(f"configs = {written}")
    moved = (f"astar+hL+hamming:{tmp_path}/near.json", f"greedy +fsm-trail:{tmp_path}/near.json")
    assert read_suite(tmp_path / "suite.toml").configs == (*moved, *written[2:])


def test_a_range_stands_for_several_configurations_and_says_where_each_stands() -> None:
    found = configurations_of("wastar:1..3+pdb,keep=P")
    assert [each.text for each in found] == [f"wastar:{n}+pdb,keep=P" for n in (1, 2, 3)]
    assert [each.sweep for each in found] == [Sweep("wastar:N+pdb,keep=P", n) for n in (1, 2, 3)]
    assert [each.text for each in configurations_of("greedy+merge:10..30/10,order=definition")] == [
        f"greedy+merge:{n},order=definition" for n in (10, 20, 30)
    ]


def test_ranges_inside_of_an_argument_are_none_of_ours() -> None:
    assert [each.text for each in configurations_of("astar+domain:x=0/1..9/10")] == ["astar+domain:x=0/1..9/10"]


def test_a_configuration_that_is_named_twice_runs_once() -> None:
    assert [each.text for each in planned_configurations(["bfs", "wastar:1..2+blind", "wastar:2+blind", "bfs"])] == [
        *("bfs", "wastar:1+blind", "wastar:2+blind")
    ]


@pytest.mark.parametrize(
    ("spelling", "fault"),
    [
        ("", "something is missing"),
        ("astar+", "something is missing"),
        ("+blind", "something is missing"),
        ("bsf", "did you mean 'bfs'"),
        ("blind", "there is no search 'blind'"),
        ("astar", "needs a heuristic"),
        ("wastar+blind", "write wastar:WEIGHT"),
        ("wastar:x+blind", "weight"),
        ("bfs+blind", "takes no heuristic"),
        ("rdfs:3", "takes no argument"),
        ("symbolic:sideways", "no direction 'sideways'"),
        ("symbolic:forward+pdb,keep=P", "direction is for searches without a heuristic"),
        ("symbolic+blind", "takes pattern databases only, not blind"),
        ("astar+bilnd", "did you mean 'blind'"),
        ("astar+hL+bilnd", "did you mean 'blind'"),
        ("astar+domain:auto+bilnd", "did you mean 'blind'"),
        ("astar+domain:x=0/1+", "something is missing"),
        ("astar+pred:given", "there is no predicate; .* pred:given,file=FILE"),
        ("astar+pred:given,b=0,file=ours.txt", "b=0 is no bound"),
        ("astar+pdb", "needs a pattern"),
        ("astar+blind:3", "takes no argument"),
        ("wastar:1..2+merge:3..4", "one range only"),
    ],
)
def test_a_bad_configuration_is_refused_with_one_line_that_names_it(spelling: str, fault: str) -> None:
    with pytest.raises(ModelError, match=fault) as raised:
        planned_configurations([spelling])
    (complaint,) = raised.value.complaints
    assert spelling in str(complaint)


def test_all_faults_of_models_and_configurations_are_reported_at_once() -> None:
    with pytest.raises(ModelError) as raised:
        planned_configurations(["bsf", "bfs", "astar"])
    assert len(raised.value.complaints) == 2
    with pytest.raises(ModelError) as raised:
        planned_rows(["hanoi:disks=0..1", "hanio", "hanoi:disks=3..1"], Question())
    assert len(raised.value.complaints) == 3


def test_rows_are_models_in_order_then_those_with_a_name() -> None:
    rows = planned_rows(["hanoi:disks=1..2", "hanoi:disks=2"], Question(), {"both": "hanoi:disks=1..2"})
    assert [(row.name, [each.model for each in row.instances]) for row in rows] == [
        ("hanoi:disks=1", ["hanoi:disks=1"]),
        ("hanoi:disks=2", ["hanoi:disks=2"]),
        ("both", ["hanoi:disks=1", "hanoi:disks=2"]),
    ]
    assert {each.property for row in rows for each in row.instances} == {"solved"}


def test_a_question_is_part_of_the_identity_of_an_instance() -> None:
    (one,), (other,) = (planned_rows(["hanoi:disks=1"], question) for question in (Question(), Question(deadlock=True)))
    assert one.instances[0].identity != other.instances[0].identity


def suite(folder: Path, text: str) -> Suite:
    (folder / "suite.toml").write_text(text)
    return read_suite(folder / "suite.toml")


def test_a_suite_names_models_configurations_and_limits(tmp_path: Path) -> None:
    (tmp_path / "lift.dve").touch()
    found = suite(
        tmp_path,
        'models = ["lift.dve", "hanoi:disks=2..3"]\nconfigs = ["bfs"]\ntime_limit = 1.5\nrepeat = 3\n'
        '[rows]\nR5 = "random_system:seed=0..14"\n',
    )
    assert found == Suite(
        models=(str(tmp_path / "lift.dve"), "hanoi:disks=2..3"),
        rows={"R5": "random_system:seed=0..14"},
        configs=("bfs",),
        time_limit=1.5,
        repeat=3,
    )


def test_of_several_suites_the_last_word_counts_and_models_add_up() -> None:
    first = Suite(models=("a",), configs=("bfs",), time_limit=10, repeat=2)
    second = Suite(models=("b",), configs=("dfs",), time_limit=0.0)
    assert joined((first, second)) == Suite(models=("a", "b"), configs=("bfs", "dfs"), time_limit=0.0, repeat=2)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("models = [", "is no TOML"),
        ("modles = []", "no key 'modles'; did you mean 'models'"),
        ('models = "hanoi"', "'models' has a wrong value"),
        ("configs = [1]", "'configs' has a wrong value"),
        ("rows = []", "'rows' has a wrong value"),
        ("time_limit = -1", "'time_limit' has a wrong value"),
        ("memory_limit = true", "'memory_limit' has a wrong value"),
        ("repeat = 0", "'repeat' has a wrong value"),
    ],
)
def test_a_bad_suite_is_refused_with_the_name_of_the_key(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ModelError, match=fault) as raised:
        suite(tmp_path, text)
    assert "suite.toml: " in str(raised.value)
