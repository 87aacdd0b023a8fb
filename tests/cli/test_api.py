"""The public functions and names of the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import symdmc
from symdmc.checking.checks import task_for
from symdmc.heuristics.pdb import PatternDatabases
from symdmc.outcome import Progress
from symdmc.search.symbolic.options import Direction
from tests.cli.running import environment

PYTHON_MODEL = """\
from symdmc import Builder


def build(limit: int = 4, wide: bool = False):
    m = Builder("counting")
    m.integer("x", 0, limit)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard=f"x < {limit}", do="x = x + 1")
    if wide:
        m.integer("y", 0, 1)
        p.edge("s", "s", guard="y == 0", do="y = 1")
    m.property("full", f"x == {limit}")
    return m.build()
"""


@pytest.fixture
def counting(folder: Path) -> str:
    (folder / "counting.py").write_text(PYTHON_MODEL)
    return "counting.py"


def test_every_public_name_is_there() -> None:
    assert all(getattr(symdmc, name) is not None for name in symdmc.__all__)
    assert set(symdmc.__all__) == set(dir(symdmc))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nobody'"):
        _ = symdmc.nobody  # type: ignore[attr-defined]


def test_importing_the_package_imports_nothing_heavy() -> None:
    script = "import sys, symdmc; sys.exit(', '.join({'numpy', 'lark', 'click', 'rich'} & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_load_reads_every_kind_of_model(counting: str, folder: Path) -> None:
    assert symdmc.load("counter.dve").processes[0].name == "Up"
    assert symdmc.load(folder / counting).properties[0].name == "full"
    assert len(symdmc.load("arbiter_tree", height=2).processes) == 8


def test_parameters_are_given_as_keywords_or_inline(counting: str) -> None:
    assert symdmc.load(counting, limit=7, wide=True) == symdmc.load(f"{counting}:limit=7,wide=true")
    assert symdmc.load("arbiter_tree:height=2", faulty=False) == symdmc.load("arbiter_tree:height=2,faulty=false")


def test_a_json_file_gives_the_same_system(folder: Path) -> None:
    import json

    from symdmc.model.files.json_format import system_to_json

    system = symdmc.load("talk.dve")
    (folder / "talk.json").write_text(json.dumps(system_to_json(system)))
    assert symdmc.load("talk.json") == system


def test_a_file_wins_over_a_family(folder: Path) -> None:
    (folder / "hanoi").write_text("this is no model")
    with pytest.raises(symdmc.ModelError, match="hanoi: is no kind of model"):
        symdmc.load("hanoi")


def test_a_folder_does_not_hide_a_family(folder: Path) -> None:
    (folder / "hanoi").mkdir()
    assert symdmc.load("hanoi", disks=2).processes


def test_check_takes_a_name_a_system_or_a_task(counting: str) -> None:
    system = symdmc.load(counting)
    results = [symdmc.check(counting), symdmc.check(system), symdmc.check(task_for(system))]
    assert [(result.verdict, result.length, result.shortest) for result in results] == [
        (symdmc.Verdict.ERROR, 4, True)
    ] * 3


def test_check_asks_what_it_is_told_to(counting: str) -> None:
    assert symdmc.check(counting, error="x == 2").length == 2
    assert symdmc.check(counting, error=["x == 3", "x == 1"]).length == 1
    assert symdmc.check(counting, deadlock=True).length == 4
    assert symdmc.check(counting, fault=True).verdict is symdmc.Verdict.SAFE
    assert symdmc.check(counting, property="full").property == "full"
    assert symdmc.check(counting, error="x == 9").verdict is symdmc.Verdict.SAFE


def test_a_task_keeps_its_question(counting: str) -> None:
    task = task_for(symdmc.load(counting), error="x == 2")
    assert symdmc.check(task).length == 2
    with pytest.raises(symdmc.ModelError, match="has its question already"):
        symdmc.check(task, deadlock=True)


def test_an_unknown_search_is_refused(counting: str) -> None:
    with pytest.raises(symdmc.ModelError, match="did you mean 'bfs'"):
        symdmc.check(counting, search="bsf")


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [
        ({"engine": "symbolik"}, "did you mean 'symbolic'"),
        ({"engine": "symbolic", "direction": "forwards"}, "no direction 'forwards'; did you mean 'forward'"),
        ({"engine": "symbolic", "direction": "up"}, "choose forward, backward or bidirectional"),
        ({"engine": "symbolic", "order": "locale"}, "no order 'locale'; did you mean 'local'"),
        ({"engine": "symbolic", "search": "dfs"}, "search='dfs' is for engine='explicit'"),
        ({"order": "force"}, "order is for engine='symbolic'"),
        ({"node_limit": 10, "direction": "forward"}, "direction is for engine='symbolic'"),
    ],
)
def test_an_engine_refuses_what_it_does_not_know(counting: str, chosen: dict[str, Any], complaint: str) -> None:
    with pytest.raises(symdmc.ModelError, match=complaint):
        symdmc.check(counting, **chosen)


def test_an_unknown_keyword_is_no_option_of_any_engine(counting: str) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'tiem_limit'; did you mean 'time_limit'"):
        symdmc.check(counting, tiem_limit=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("direction", ["forward", "backward", "bidirectional"])
def test_the_symbolic_engine_gives_a_shortest_trace(counting: str, direction: Direction) -> None:
    result = symdmc.check(counting, engine="symbolic", direction=direction, order="declared", merge_limit=0)
    assert (result.verdict, result.length, result.shortest) == (symdmc.Verdict.ERROR, 4, True)
    assert (result.engine, result.direction) == ("symbolic", direction)
    assert symdmc.check(counting, error="x == 9", engine="symbolic").verdict is symdmc.Verdict.SAFE


def test_the_symbolic_engine_counts_what_it_is_asked_to(counting: str) -> None:
    chained = symdmc.explore(counting, engine="symbolic", order="force", seed=2)
    layered = symdmc.explore(counting, engine="symbolic", layered=True)
    assert (chained.states, chained.deadlocks, chained.transitions, chained.depth) == (5, 1, None, None)
    assert (layered.states, layered.deadlocks, layered.transitions, layered.depth) == (5, 1, 4, 4)
    assert symdmc.explore(counting, layered=True).depth == 4


def test_limits_give_an_unknown_verdict(counting: str) -> None:
    assert symdmc.check(counting, time_limit=0).verdict is symdmc.Verdict.UNKNOWN
    assert symdmc.check(counting, memory_limit=1).exit_code == 22


def test_explore_counts(counting: str) -> None:
    found = symdmc.explore(counting)
    assert (found.states, found.transitions, found.depth, found.deadlocks) == (5, 4, 4, 1)
    assert symdmc.explore(task_for(symdmc.load(counting))).states == 5


def test_progress_reaches_the_caller() -> None:
    seen: list[Progress] = []
    symdmc.explore("arbiter_tree:height=3,faulty=false", progress=seen.append)
    assert seen
    assert all(isinstance(report, Progress) for report in seen)


class Nearest:
    """A heuristic of a user's own: how far the variable is from a value."""

    name = "nearest"
    admissible = False
    consistent = False

    def estimate(self, state: symdmc.NamedState) -> int:
        """The estimate for a state."""
        return abs(2 - int(state["x"]))


def test_a_heuristic_may_be_an_object_or_its_options(counting: str) -> None:
    own = symdmc.check(counting, error="x == 2", heuristic=Nearest(), search="greedy")
    assert (own.verdict, own.heuristic, own.shortest) == (symdmc.Verdict.ERROR, "nearest", False)
    options = symdmc.check(counting, error="x == 2", heuristic=[PatternDatabases(keep="x"), "blind"])
    assert (options.heuristic, options.shortest) == ("PatternDatabases+blind", True)
    assert options.length == symdmc.check(counting, error="x == 2").length
