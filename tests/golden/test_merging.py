"""The worked example of [DFP09, section 3], and what merging finds on the families of section 7."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from symdmc.abstraction.merging.abstract_system import MergeOptions, abstract_system
from symdmc.checking.checks import task_for
from symdmc.errors import ModelError
from symdmc.evidence.certify import certify
from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.merge import merge_heuristic
from symdmc.lookup import tree_unfolding as lookup_tree_unfolding
from symdmc.lookup.tables import OUTSIDE
from symdmc.lookup.tree import TreeNode, TreeTable
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.reader.load import load
from symdmc.search.directed import directed as hybrid
from symdmc.task.task import Task
from tests import oracle
from tests.components import strategy_named

ERROR = "P1.p3 and P2.q3 and P3.r3"
ALPHA = {"p1": (2, 2, 2), "p2": (1, 1, 1), "p3": (None, 1, 0)}
"""The printed table: the distance of a state of P1 and P2 in their product is its class; None: never reached."""
DISTANCES = {2: (3, 4, 3), 1: (2, 2, 1), 0: (4, 5, 0)}
"""The printed table: for each class and each location of P3 the distance in the abstraction."""


def _example(names: tuple[str, ...]) -> System:
    """Figure 1 is a picture without text; these edges have all tables, rankings and paths that are printed."""
    edges: dict[str, list[tuple[str, str, str | None]]] = {
        "P1": [("p1", "p2", "b!"), ("p2", "p3", "a!"), ("p3", "p1", None)],
        "P2": [
            *(("q1", "q2", "c!"), ("q1", "q3", "a?"), ("q1", "q2", "a?")),
            *(("q2", "q3", "a?"), ("q2", "q3", None), ("q3", "q3", "a?")),
        ],
        "P3": [("r1", "r2", "b?"), ("r1", "r3", "c?"), ("r2", "r3", "c?"), ("r3", "r1", "b?")],
    }
    m = Builder("example")
    for channel in "abc":
        m.channel(channel)
    for name in names:
        process = m.process(name, initial=edges[name][0][0])
        for source, target, sync in edges[name]:
            process.edge(source, target, sync=sync)
    return m.build()


def _values(task: Task, **places: str) -> tuple[int, ...]:
    return tuple(variable.value_names.index(places[variable.name]) for variable in task.variables)


@pytest.mark.parametrize("names", [("P1", "P2", "P3"), ("P3", "P1", "P2")], ids=str)
def test_the_tables_of_the_worked_example(names: tuple[str, ...]) -> None:
    task = task_for(_example(names), error=ERROR)
    tree = abstract_system(task, MergeOptions(bound=3))
    assert isinstance(tree, TreeNode)
    inner = tree.left if isinstance(tree.left, TreeNode) else tree.right
    assert isinstance(inner, TreeNode)  # P1 and P2 first, in whatever order they are defined
    alpha, distance = TreeTable(inner), TreeTable(tree)
    for p, row in ALPHA.items():
        for q, expected in zip(("q1", "q2", "q3"), row, strict=True):
            assert alpha.code_of(_values(task, P1=p, P2=q, P3="r1")) == (4 if expected is None else expected)
            codes = [distance.code_of(_values(task, P1=p, P2=q, P3=r)) for r in ("r1", "r2", "r3")]
            assert codes == [OUTSIDE] * 3 if expected is None else tuple(codes) == DISTANCES[expected]


def test_the_worked_example_leads_the_search_straight_to_the_error() -> None:
    system = _example(("P1", "P2", "P3"))
    task = task_for(system, error=ERROR)
    heuristic = merge_heuristic(task, 3)
    result = hybrid.search(task, heuristic, strategy=strategy_named("greedy"))
    assert (result.verdict, result.length, result.explored) == (Verdict.ERROR, 3, 3)
    lost = _values(task, P1="p1", P2="q2", P3="r3")
    assert heuristic.estimate(lost) == 3
    assert task.state(lost) not in oracle.explore(system).distances(task.error)


def test_a_step_of_three_processes_counts_once() -> None:
    m = Builder("three")
    m.lockstep("go")
    for name in ("P", "Q", "R"):
        process = m.process(name, initial="here")
        process.edge("here", "there", sync="go")
    task = task_for(m.build(), error="P.there and Q.there and R.there")
    for order in ("ranking", "definition"):
        heuristic = merge_heuristic(task, 2, order=order)
        assert [heuristic.estimate(values) for values in task.initial_values()] == [1]


def test_an_error_condition_that_is_no_product_is_kept() -> None:
    m = Builder("sums")
    m.integer("x", 0, 4)
    m.integer("y", 0, 4)
    process = m.process("P", initial="a")
    process.edge("a", "a", guard="x < 4", do="x = x + 1")
    process.edge("a", "a", guard="y < 4", do="y = y + 1")
    task = task_for(m.build(), error="x + y == 7")
    assert merge_heuristic(task, 10).estimate((0, 1, 1)) == 5
    assert merge_heuristic(task, 10).estimate((0, 4, 4)) is None
    assert merge_heuristic(task_for(m.build(), error="x + y == 9"), 10).estimate((0, 0, 0)) is None


def test_distances_to_several_products_are_kept_apart() -> None:
    m = Builder("pairs")
    names = ("P", "Q", "R", "S")
    for name in names:
        process = m.process(name, initial="out")
        process.edge("out", "wants")
        process.edge("wants", "in")
    error = " or ".join(f"{one}.in and {other}.in" for one, other in combinations(names, 2))
    task = task_for(m.build(), error=error)
    assert [merge_heuristic(task, 27).estimate(values) for values in task.initial_values()] == [4]


@pytest.mark.parametrize(
    ("bound", "option", "complaint"),
    [
        (1, {}, "the bound 1 of merge is too small; give 2 or more"),
        (5, {"order": "random"}, "merge has no order 'random'; choose ranking or definition"),
        (5, {"buckets": "middle"}, "merge has no buckets 'middle'; choose low or high"),
        (5, {"shrink": "none"}, "merge has no shrink 'none'; choose distance or bisimulation"),
    ],
)
def test_wrong_options_are_refused_in_one_line(bound: int, option: dict[str, Any], complaint: str) -> None:
    task = task_for(_example(("P1", "P2", "P3")), error=ERROR)
    with pytest.raises(ModelError) as refused:
        merge_heuristic(task, bound, **option)
    assert str(refused.value) == complaint


@pytest.mark.parametrize(
    ("family", "length"),
    [
        ("arbiter_tree:height=2,variant=seed", 25),
        ("arbiter_tree:height=3,variant=seed", 35),
        ("hanoi:disks=4", 105),
    ],
)
def test_the_shortest_traces_of_the_paper(family: str, length: int) -> None:
    system = load(family)
    task = task_for(system, error=str(system.properties[0].error))
    blind = hybrid.search(task, merge_heuristic(task, 2), compiled=True)
    result = hybrid.search(task, merge_heuristic(task, 50), compiled=True)
    assert (blind.length, result.length, result.shortest, result.reopened) == (length, length, True, 0)
    assert result.explored < blind.explored


def test_a_bound_in_a_spelling_is_at_least_two() -> None:
    with pytest.raises(ModelError) as refused:
        HEURISTICS.read("merge:1")
    assert str(refused.value) == "merge:1: parameter bound=1 is out of range; give an integer from 2 to 1000000"


@pytest.mark.parametrize("writable", [True, False])
def test_without_dead_ends_in_a_diagram_a_certificate_has_all_reachable_states(
    writable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = load("arbiter_tree:height=2,faulty=false")
    task = task_for(system, error=str(system.properties[0].error))
    if not writable:
        monkeypatch.setattr(lookup_tree_unfolding, "MOST_NODES", 1)
    result = hybrid.search(task, merge_heuristic(task, 2, shrink="bisimulation"), compiled=True, certify=True)
    assert result.verdict is Verdict.SAFE
    assert result.stored == 0  # the initial state is a dead end
    assert result.certificate is not None
    assert bool(result.certificate.states) != writable
    assert certify(system, result.certificate)
