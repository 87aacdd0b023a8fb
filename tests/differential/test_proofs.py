"""Every search with every heuristic gives the oracle's verdict; "safe" has a certificate that the checker accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.errors import EvidenceRefused
from symdmc.evidence.certify import certify
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import SearchResult, Verdict
from symdmc.registry.checks import check_task
from symdmc.registry.directed import Guidance
from symdmc.registry.models import load
from symdmc.search.proof import certificate_of
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import systems

ENGINES: dict[str, Callable[[Task, str], SearchResult]] = {
    "bfs": lambda task, pattern: check_task(task, certify=True),
    "dfs": lambda task, pattern: check_task(task, search="dfs", certify=True),
    "forward": lambda task, pattern: check_task(task, engine="symbolic", direction="forward", certify=True),
    "backward": lambda task, pattern: check_task(task, engine="symbolic", direction="backward", certify=True),
    "both": lambda task, pattern: check_task(task, engine="symbolic", direction="bidirectional", certify=True),
    "blind": lambda task, pattern: check_task(task, guidance=Guidance(heuristic="blind"), certify=True),
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


def _directed(
    task: Task, pattern: str, search: str, *, engine: str = "explicit", complete: bool = True, **options: Any
) -> SearchResult:
    patterns = (pattern, task.variables[0].name)
    guidance = Guidance(heuristic="pdb", patterns=patterns, complete=complete, **options)
    return check_task(task, engine=engine, search=search, guidance=guidance, certify=True)


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


def test_dead_ends_of_a_database_that_proves_nothing_are_no_certificate() -> None:
    system = load("arbiter_tree:height=2")
    task = compile_task(system, ErrorCondition(name="both", expression=system.properties[0].error))
    from symdmc.patterndb.build import BuildOptions, build_database

    database = build_database(task, range(len(task.variables)), BuildOptions(complete=True))
    assert not database.proves_safety
    with pytest.raises(EvidenceRefused, match="initial state"):
        certify(system, certificate_of(task, dead_ends=[database.table]))


def test_without_a_verdict_there_is_no_certificate() -> None:
    system = load("arbiter_tree:height=2")
    task = compile_task(system, ErrorCondition(name="both", expression=system.properties[0].error))
    assert check_task(task, certify=True).certificate is None
