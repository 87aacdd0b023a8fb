"""`symdmc.pattern_database`, and searches with databases that are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import symdmc
from symdmc.checking.checks import task_for
from symdmc.lookup.tables import OUTSIDE
from symdmc.outcome import Progress
from symdmc.patterndb.contents import compare_databases, contents_of, sampled_states
from symdmc.patterndb.store import read_database, write_database
from symdmc.task.state_names import state_named
from tests import oracle


def tree(height: int = 2, **parameters: object) -> symdmc.Task:
    return task_for(symdmc.load("arbiter_tree", height=height, **parameters))


def counting() -> symdmc.Task:
    """x goes from 0 to 5 and stays there; y may start with 1 or 2 and is never changed; the error is at 3."""
    m = symdmc.Builder("counting")
    m.integer("x", 0, 7)
    m.integer("y", 0, 3, initial=[[1, 2]])
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 5", do="x = x + 1")
    p.edge("s", "t", guard="x == 0")
    m.property("three", "x == 3")
    return task_for(m.build())


@pytest.mark.parametrize("pattern", [["Client0", "Client1"], "Client0,Client1", ["Client[01]"]])
def test_a_pattern_is_a_list_or_a_text(pattern: str | Sequence[str]) -> None:
    assert symdmc.pattern_database(tree(), keep=pattern).pattern == ("Client0", "Client1")


def test_a_state_of_the_model_and_its_values_have_the_same_distance() -> None:
    task = tree()
    database = symdmc.pattern_database(task, keep=["*"], complete=True)
    space = oracle.explore(task.system)
    distances = space.distances(task.error)
    for state in space.steps:
        assert database.distance(state) == database.distance(task.values(state)) == distances.get(state)


def test_a_database_knows_the_states_of_the_model_after_it_was_read(tmp_path: Path) -> None:
    task = tree()
    database = symdmc.pattern_database(task, keep=["Client*"], complete=True)
    write_database(tmp_path / "clients.pdb", database)
    read = read_database(tmp_path / "clients.pdb", task)
    for state in sampled_states(task, 50, seed=1):
        assert read.distance(state) == database.distance(state)


def test_a_state_outside_is_told_from_a_dead_end() -> None:
    task = counting()
    database = symdmc.pattern_database(task, keep=["x"], complete=True)
    assert [database.distance(state_named(task, f"x={x}")) for x in range(6)] == [3, 2, 1, 0, None, None]
    assert database.code(state_named(task, "x=6")) == database.code(state_named(task, "x=7")) == OUTSIDE
    with pytest.raises(symdmc.ModelError, match="outside of the pattern database of x; it cannot be reached"):
        database.distance(state_named(task, "x=7"))


def test_a_database_may_be_partial() -> None:
    task = counting()
    partial = symdmc.pattern_database(task, keep=["x"])
    assert (partial.complete, partial.h_initial, partial.distance(state_named(task, "x=5"))) == (False, 3, 4)
    assert (contents_of(partial).beyond, contents_of(partial).dead_ends) == (2, None)


def test_the_contents_add_up() -> None:
    found = contents_of(symdmc.pattern_database(counting(), keep=["x", "P"], complete=True))
    assert [layer.states for layer in found.layers] == [1, 1, 1, 1]
    assert (found.beyond, found.dead_ends, found.inside) == (None, 3, 7)


def test_what_a_state_does_not_name_has_its_first_initial_value() -> None:
    task = counting()
    assert task.state(state_named(task, "")) == next(task.semantics.initial_states())
    assert state_named(task, " x = 2 , P.t ") == (1, 2, 1)


def test_astar_gives_a_shortest_trace_that_was_replayed() -> None:
    task = tree()
    database = symdmc.pattern_database(task, keep=["Client*", "Node1"])
    result = symdmc.check(task, heuristic=database)
    assert (result.verdict, result.length, result.shortest) == (symdmc.Verdict.ERROR, 28, True)
    assert (result.search, result.heuristic, result.patterns) == ("astar", "pdb", (database.pattern,))
    assert result.h_initial == database.h_initial


def test_astar_takes_several_databases() -> None:
    task = tree()
    databases = [symdmc.pattern_database(task, keep=names) for names in (["Client*"], ["Root", "Node*"])]
    assert symdmc.check(task, heuristic=databases).length == 28
    with pytest.raises(symdmc.ModelError, match="no way to combine 'mux'; did you mean 'max'"):
        symdmc.check(task, heuristic=databases, combine="mux")  # type: ignore[arg-type]


def test_astar_needs_no_step_where_the_database_proves_safety() -> None:
    task = tree(faulty=False)
    database = symdmc.pattern_database(task, keep=["*"])
    result = symdmc.check(task, heuristic=database)
    assert database.proves_safety
    assert (result.verdict, result.explored) == (symdmc.Verdict.SAFE, 0)


def test_astar_refuses_a_database_of_another_task() -> None:
    database = symdmc.pattern_database(tree(), keep=["Client*"])
    with pytest.raises(symdmc.ModelError, match="belongs to another model or error condition"):
        symdmc.check(tree(faulty=False), heuristic=database)


def test_a_trace_that_does_not_replay_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from symdmc.search.directed import directed as hybrid

    honest = hybrid.search

    def cut(*args: object, **settings: object) -> symdmc.SearchResult:
        found = honest(*args, **settings)  # type: ignore[arg-type]
        assert found.trace is not None
        return replace(found, trace=replace(found.trace, steps=found.trace.steps[:-1]))

    monkeypatch.setattr(hybrid, "search", cut)
    task = tree()
    with pytest.raises(symdmc.InternalError, match="does not replay"):
        symdmc.check(task, heuristic=symdmc.pattern_database(task, keep=["Client*"]))


def test_limits_are_outcomes() -> None:
    task = tree()
    with pytest.raises(symdmc.ResourceLimit, match="time limit reached while building") as told:
        symdmc.pattern_database(task, keep=["Client*"], time_limit=0)
    assert told.value.exit_code == 21
    with pytest.raises(symdmc.ResourceLimit, match="memory limit reached") as told:
        symdmc.pattern_database(task, keep=["Client*"], memory_limit=1)
    assert told.value.exit_code == 22
    database = symdmc.pattern_database(task, keep=["Client*"])
    assert symdmc.check(task, heuristic=database, time_limit=0).exit_code == 21
    assert symdmc.check(task, heuristic=database, memory_limit=1).exit_code == 22


def test_bad_names_are_refused() -> None:
    with pytest.raises(symdmc.ModelError, match="did you mean 'Client0'"):
        symdmc.pattern_database(tree(), keep=["Clint0"])
    with pytest.raises(symdmc.ModelError, match="keeps nothing; give keep, predicates or classes"):
        symdmc.pattern_database(tree(), keep=[])
    with pytest.raises(symdmc.ModelError, match="no order 'locale'; did you mean 'local'"):
        symdmc.pattern_database(tree(), keep=["Root"], order="locale")  # type: ignore[arg-type]


def test_progress_reaches_the_caller() -> None:
    seen: list[Progress] = []
    symdmc.pattern_database(tree(), keep=["Client*"], progress=seen.append)
    assert any("pattern database: layer" in each.phase for each in seen)


def test_a_sample_has_as_many_reachable_states_as_asked_for() -> None:
    task = counting()
    sample = sampled_states(task, 300, seed=5)
    reachable = oracle.explore(task.system).steps
    assert len(sample) == 300
    assert all(state in reachable for state in sample)
    assert sample == sampled_states(task, 300, seed=5) != sampled_states(task, 300, seed=6)


def test_a_dead_end_counts_as_larger_than_every_number() -> None:
    task = counting()
    fine, coarse = (symdmc.pattern_database(task, keep=names, complete=True) for names in (["x", "P"], ["x"]))
    found = compare_databases(task, fine, coarse, states=200)
    one, other = found.sides
    assert found.equal + one.larger + other.larger == found.states == 200
    assert one.dead_ends > other.dead_ends > 0
    assert one.larger == one.dead_ends - other.dead_ends
    assert (other.larger, one.mean) == (0, other.mean)
