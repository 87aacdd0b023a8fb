"""Every search with every heuristic gives the oracle's verdict; "safe" has a certificate that the checker accepts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import check_task, task_for
from symdmc.checking.request import check_request
from symdmc.errors import EvidenceRefused
from symdmc.evidence.certify import certify
from symdmc.heuristics.blind import Blind
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.outcome import SearchResult, Verdict
from symdmc.reader.load import load
from symdmc.running.run import Limits, Run
from symdmc.search.certificates import boxes as proof_boxes
from symdmc.search.certificates import certificate as proof
from symdmc.search.directed import directed as hybrid
from symdmc.search.explicit import explicit
from symdmc.search.explicit.compiled import compiled_walk
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.certificates import judged_by, satisfies
from tests.strategies import systems, systems_with_error

ENGINES: dict[str, Callable[[Task, str], SearchResult]] = {
    "bfs": lambda task, pattern: check_task(task, check_request(certify=True)),
    "dfs": lambda task, pattern: check_task(task, check_request(search="dfs", certify=True)),
    "forward": lambda task, pattern: check_task(
        task, check_request(engine="symbolic", direction="forward", certify=True)
    ),
    "backward": lambda task, pattern: check_task(
        task, check_request(engine="symbolic", direction="backward", certify=True)
    ),
    "both": lambda task, pattern: check_task(
        task, check_request(engine="symbolic", direction="bidirectional", certify=True)
    ),
    "blind": lambda task, pattern: check_task(task, check_request(heuristic="blind", certify=True)),
    "astar": lambda task, pattern: _directed(task, pattern, "astar"),
    "wastar": lambda task, pattern: _directed(task, pattern, "wastar:2"),
    "idastar": lambda task, pattern: _directed(task, pattern, "idastar"),
    "greedy": lambda task, pattern: _directed(task, pattern, "greedy"),
    "ehc": lambda task, pattern: _directed(task, pattern, "ehc"),
    "partial": lambda task, pattern: _directed(task, pattern, "astar", complete=False),
    "sum": lambda task, pattern: _directed(task, pattern, "astar", combine="sum"),
    "layers": lambda task, pattern: _directed(task, pattern, "astar", lookup="layers"),
    "perimeter": lambda task, pattern: _directed(task, pattern, "astar", perimeter=2),
    "syntactic": lambda task, pattern: _directed(task, pattern, "astar", projection="syntactic"),
    "symbolic astar": lambda task, pattern: _directed(task, pattern, "astar", engine="symbolic"),
    "symbolic perimeter": lambda task, pattern: _directed(task, pattern, "astar", engine="symbolic", perimeter=1),
}
ANY_LENGTH = ("dfs", "wastar", "greedy", "ehc")


def _symbolic(task: Task, direction: str) -> SearchResult:
    return check_task(task, check_request(engine="symbolic", direction=direction, certify=True))  # type: ignore[arg-type]


def _directed(task: Task, pattern: str, search: str, **options: Any) -> SearchResult:
    own: dict[str, Any] = {
        "heuristic": "pdb",
        "pattern": (pattern, task.variables[0].name),
        "search": search,
        "certify": True,
    }
    return check_task(task, check_request(**({"complete": True, "certify": True} | own | options)))


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=12)
@given(data=st.data(), system=systems(costs=True))
def test_verdict_and_length_are_right_and_certificates_hold(engine: str, data: st.DataObject, system: System) -> None:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    asked += [ErrorCondition(name="deadlock", deadlock=True), ErrorCondition(name="fault", fault=True)]
    error = data.draw(st.sampled_from(asked))
    task = compile_task(system, error)
    kept = data.draw(st.sets(st.sampled_from([variable.name for variable in task.variables]), min_size=1))
    result = ENGINES[engine](task, ",".join(sorted(kept)))
    length = oracle.explore(system).shortest(error)
    safe = length is None
    event(f"safe: {safe}")
    assert result.shortest or safe or engine in ANY_LENGTH
    assert result.length == length or not result.shortest
    assert (result.verdict is Verdict.SAFE) == safe
    assert (result.certificate is not None) == safe
    if result.certificate is not None:
        certified = certify(system, result.certificate, error=error)
        assert certified.error == error


COMPILED: dict[str, Callable[[Task, TaskHeuristic], SearchResult]] = {
    "bfs": lambda task, heuristic: explicit.search(task, certify=True, compiled=True),
    "rdfs": lambda task, heuristic: explicit.search(task, order="rdfs", certify=True, compiled=True),
    "astar": lambda task, heuristic: hybrid.search(task, heuristic, certify=True, compiled=True),
}


@pytest.mark.parametrize("engine", COMPILED)
@settings(max_examples=15)
@given(system=systems(costs=True), seed=st.integers(0, 2**16))
def test_the_diagram_of_the_states_met_has_these_and_no_others(engine: str, system: System, seed: int) -> None:
    task = compile_task(system, ErrorCondition(name="never"))
    reachable = set(oracle.explore(system).steps)
    assume(reachable)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "LISTED", 0)
        found = COMPILED[engine](task, Blind(task)).certificate
    assert found is not None
    assert found.states == ()
    (piece,) = found.pieces
    semantics, choose = Semantics(system), random.Random(seed)
    others = (neighbour(state, system, choose) for state in sorted(reachable, key=repr) for _ in range(3))
    for state in (*reachable, *others):
        inside = all(satisfies(semantics, diagram, state) for diagram in piece.diagrams)
        assert inside == (state in reachable)
    visited = certify(system, found).states
    # Where everything is reachable, nothing has to be visited.
    assert visited == (len(reachable) if any(diagram.nodes for diagram in piece.diagrams) else 0)


def neighbour(state: State, system: System, choose: random.Random) -> State:
    """A state that differs in one location or cell, or, by chance, in none."""
    locations, values = list(state.locations), [list(cells) for cells in state.values]
    number = choose.randrange(len(locations) + len(values))
    if number < len(locations):
        locations[number] = choose.choice(system.processes[number].locations).name
    else:
        variable, cells = system.storage[number - len(locations)], values[number - len(locations)]
        if not variable.constant:
            near = [variable.type.low, variable.type.high, cells[0] - 1, cells[0] + 1]
            cells[choose.randrange(len(cells))] = min(max(choose.choice(near), variable.type.low), variable.type.high)
    return State(tuple(locations), tuple(map(tuple, values)))


@pytest.mark.parametrize("search", ["astar", "greedy"])
@settings(max_examples=12)
@given(data=st.data(), asked=systems_with_error(costs=True))
def test_dead_ends_and_a_diagram_of_the_states_met_are_a_proof(
    search: str, data: st.DataObject, asked: tuple[System, ErrorCondition]
) -> None:
    system, error = asked
    task = compile_task(system, error)
    kept = data.draw(st.sets(st.sampled_from([variable.name for variable in task.variables]), min_size=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "LISTED", 0)
        patch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
        result = _directed(task, ",".join(sorted(kept)), search)
    if result.certificate is not None:
        event(f"states met: {result.stored > 0}, dead ends: {bool(result.dead_ends)}")
        assert result.certificate.states == ()
        for way in ("z3", "visits"):
            with judged_by(way):
                assert certify(system, result.certificate, error=error)


def test_states_met_beside_dead_ends_are_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    m = Builder("trap")
    m.integer("x", 0, 5)
    m.integer("y", 0, 5)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="x < 5", do="x = x + 1, y = y + 1")
    p.edge("a", "trap")
    system = m.build()
    task = task_for(system, error="P.a and x == 5 and y == 0")
    monkeypatch.setattr(proof, "LISTED", 0)
    monkeypatch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
    result = _directed(task, "P", "astar")
    assert (result.stored, result.dead_ends) == (6, 6)
    assert result.certificate is not None
    assert len(result.certificate.pieces) == 3  # the dead ends of both databases, and the states
    for way in ("z3", "visits"):
        with judged_by(way):
            assert certify(system, result.certificate)


@pytest.mark.parametrize("limits", [Limits(memory_mb=1), Limits(seconds=0.0)], ids=str)
def test_a_limit_may_leave_no_room_for_a_certificate(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "LISTED", 0)
    task = task_for(load("arbiter_tree:height=2,faulty=false"), error="false")
    walk = compiled_walk(task, order="bfs", seed=0, run=Run(), bound=None, explore=True)
    assert proof.certificate_of_walk(task, walk, Run()) is not None
    assert proof.certificate_of_walk(task, walk, Run(limits)) is None


def test_dead_ends_of_a_database_that_proves_nothing_are_no_certificate() -> None:
    system = load("arbiter_tree:height=2")
    task = compile_task(system, ErrorCondition(name="both", expression=system.properties[0].error))
    from symdmc.patterndb.build import BuildOptions, build_database

    database = build_database(task, range(len(task.variables)), BuildOptions(complete=True))
    assert not database.proves_safety
    with pytest.raises(EvidenceRefused, match="initial state"):
        certify(system, proof.certificate_of(task, dead_ends=[database.table]))


def test_without_a_verdict_there_is_no_certificate() -> None:
    system = load("arbiter_tree:height=2")
    task = compile_task(system, ErrorCondition(name="both", expression=system.properties[0].error))
    assert check_task(task, check_request(certify=True)).certificate is None


def _trap() -> System:
    """Three processes with ways into traps, behind each of which the error condition cannot hold any more."""
    m = Builder("traps")
    m.integer("x", 0, 9)
    m.integer("y", 0, 9)
    for name in ("P", "Q", "R"):
        p = m.process(name, initial="a")
        p.edge("a", "a", guard="x < 9", do="x = x + 1, y = 9 - y")
        p.edge("a", "trap")
        p.edge("trap", "deep")
    return m.build()


def test_dead_ends_of_a_relaxation_are_written_as_few_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    system = _trap()
    task = task_for(system, error="P.a and Q.a and R.a and x == 9 and y == 0")
    monkeypatch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
    result = check_task(task, check_request(heuristic="hL", certify=True))
    assert (result.stored, result.dead_ends) == (9, 30)
    assert result.certificate is not None
    assert len(result.certificate.pieces) == 4  # a process in its trap, whatever the others do; x and y at their end
    assert len(result.certificate.states) == 9
    for way in ("z3", "visits"):
        with judged_by(way):
            assert certify(system, result.certificate)


@pytest.mark.parametrize("limit", ["MOST_BOXES", "MOST_EXPANDED"])
def test_where_boxes_would_be_too_many_all_states_are_listed(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system = _trap()
    task = task_for(system, error="P.a and Q.a and R.a and x == 9 and y == 0")
    monkeypatch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
    monkeypatch.setattr(proof_boxes, limit, 1)
    result = check_task(task, check_request(heuristic="hL", certify=True))
    assert result.certificate is not None
    assert result.certificate.pieces == ()
    assert len(result.certificate.states) == 10 * 27 == len(oracle.explore(system).steps)
    assert certify(system, result.certificate)


@pytest.mark.parametrize("heuristics", [("hL",), ("hU",), ("hL", "pdb:dpr")], ids="+".join)
def test_an_initial_state_that_is_a_dead_end_is_proved_by_one_box(heuristics: tuple[str, ...]) -> None:
    system = _trap()
    task = task_for(system, error="P.a and x == 3 and y == 5 and x == y")
    result = check_task(task, check_request(heuristic=heuristics, certify=True))
    assert (result.verdict, result.explored, result.h_initial) == (Verdict.SAFE, 0, "dead end")
    assert result.certificate is not None
    assert len(result.certificate.pieces) == 1
    assert certify(system, result.certificate)
