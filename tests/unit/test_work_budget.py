"""Work on databases that ends: fewer layers, no database, larger ones after a long search; the answer stays."""

from __future__ import annotations

import pytest

from symdmc.api.checking import check
from symdmc.checking.checks import check_task, task_for
from symdmc.checking.request import CheckOptions, check_request
from symdmc.encode.diagrams import DiagramLimit, Diagrams, WorkLeft
from symdmc.encode.order.orders import ORDERS
from symdmc.errors import ModelError, UnsupportedFeature
from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.outcome import SearchResult
from symdmc.patterndb.build import BuildOptions
from symdmc.patterndb.supervised import built_databases
from symdmc.running.run import Run

LENGTH = 12
ANY_WORK = 10**12


def _corridors() -> System:
    """Two counters that both have to get to their end."""
    m = Builder("corridors")
    for name in ("x", "y"):
        m.integer(name, 0, LENGTH // 2)
        m.process(f"P{name}", initial="a").edge("a", "a", guard=f"{name} < {LENGTH // 2}", do=f"{name} = {name} + 1")
    return m.build()


TASK = task_for(_corridors(), error=f"x == {LENGTH // 2} and y == {LENGTH // 2}")
PATTERN = tuple(range(len(TASK.variables)))


def _checked(spelling: str) -> SearchResult:
    return check_task(TASK, check_request(heuristic=spelling))


def test_work_is_counted_alike_in_every_run_and_ends_operations() -> None:
    left = []
    for _ in range(2):
        diagrams = Diagrams(["a", "b"])
        diagrams.work = WorkLeft(250)
        a, b = diagrams.bdd.var("a"), diagrams.bdd.var("b")
        diagrams.both(a, b)
        diagrams.either(a, b)
        with pytest.raises(DiagramLimit, match="more work"):
            diagrams.without(a, b)
        left.append(diagrams.work.nodes)
    assert left[0] == left[1] < 0


def test_databases_share_the_work_and_those_that_it_does_not_suffice_for_are_left_out() -> None:
    run = Run()
    first, second = built_databases(TASK, [PATTERN, PATTERN], BuildOptions(work=WorkLeft(ANY_WORK)), run)
    assert first is not None
    assert second is not None
    assert first.h_initial == second.h_initial == LENGTH
    assert built_databases(TASK, [PATTERN, PATTERN], BuildOptions(work=WorkLeft(0)), run) == [None, None]
    shares = [
        built_databases(TASK, [PATTERN, PATTERN], BuildOptions(work=WorkLeft(work)), run)
        for work in range(10_000, 200_000, 10_000)
    ]
    assert any(one is not None and other is None for one, other in shares)


def test_the_answer_is_the_same_however_much_work_is_allowed() -> None:
    remarks: set[str] = set()
    for work in range(1, 80_000, 4_000):
        result = _checked(f"pdb:coi,work={work}")
        assert (result.length, result.shortest) == (LENGTH, True)
        remarks.update(result.selections[0].remarks)
        assert (result.patterns is None) == any("left out" in words for words in result.selections[0].remarks)
    assert any("is left out" in words for words in remarks)
    assert any("ends at distance" in words for words in remarks)
    assert _checked("pdb:coi,work=0").selections[0].remarks == ()


def test_a_long_search_begins_anew_with_the_databases_that_took_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
    monkeypatch.setattr("symdmc.checking.directed.PATIENCE", 3)
    result = _checked("pdb:coi,work=1")
    assert (result.length, result.h_initial, result.selections[0].remarks) == (LENGTH, LENGTH, ())


def test_patterns_by_hand_get_all_the_work_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdmc.checking.directed.FIRST_WORK", 1)
    by_hand = check_task(TASK, check_request(heuristic="pdb", pattern=("x,y",)))
    assert by_hand.h_initial == LENGTH
    assert _checked("pdb:coi").h_initial == 0


def test_a_look_up_table_that_is_too_large_is_left_out_unless_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdmc.encode.tables.export.MOST_ENTRIES", 10)
    selected = _checked("pdb:coi")
    assert (selected.length, selected.shortest, selected.patterns) == (LENGTH, True, None)
    assert "is left out" in selected.selections[0].remarks[0]
    with pytest.raises(UnsupportedFeature, match="the look-up table would have more than 10 entries; keep fewer"):
        check_task(TASK, check_request(heuristic="pdb", pattern=("x,y",)))


def test_variables_of_many_values_that_depend_on_each_other_have_a_table() -> None:
    result = check("flow_control:room=30,frames=300", heuristic="pdb:cegar")
    assert (result.length, result.shortest, result.h_initial) == (15, True, 11)


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_of_the_diagrams_can_be_spelled(order: str) -> None:
    source = HEURISTICS.read(f"pdb:coi,order={order}").patterns
    assert source is not None
    assert source.build_options(DatabaseRequest()).order == order
    assert _checked(f"pdb:coi,order={order}").length == LENGTH


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (CheckOptions(heuristic=("pdb,work=5",), pattern="x"), "leave out 'work', or name a selection"),
        (CheckOptions(heuristic=("pdb:coi,work=5",), combine="sum"), "'work' is for the maximum"),
        (CheckOptions(heuristic=("pdb:coi,work=5",), lookup="layers"), "'work' is for the maximum"),
        (CheckOptions(heuristic=("pdb:coi,order=odd",)), "order"),
    ],
)
def test_work_and_order_that_fit_nothing_are_refused(given: CheckOptions, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        check_task(TASK, check_request(**given))


@pytest.mark.parametrize("option", ["order=hubs", "work=5"])
def test_the_symbolic_engine_refuses_options_of_single_databases(option: str) -> None:
    with pytest.raises(ModelError, match="the symbolic engine has"):
        check_task(TASK, check_request(engine="symbolic", heuristic=(f"pdb:coi,{option}",)))
