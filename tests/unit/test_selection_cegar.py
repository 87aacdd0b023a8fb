"""Refinement by counterexamples on systems that can be checked by hand: what is added, why, and what is answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.patterndb import pattern_of
from symdmc.checking.checks import check_task, task_for
from symdmc.checking.request import check_request
from symdmc.evidence.replay import replay
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.model.builder import Builder
from symdmc.model.question import ask
from symdmc.outcome import Verdict
from symdmc.patterndb.build import build_database
from symdmc.patterndb.work import WorkBudget
from symdmc.reader.load import load
from symdmc.search.directed.directed import search
from symdmc.selection.cegar import BUDGET, Cegar
from symdmc.selection.refinement.choice import Addition, additions
from symdmc.selection.refinement.flaws import Flaw
from symdmc.selection.refinement.following import follow
from symdmc.selection.refinement.precision import Distinction, Repair
from symdmc.selection.refinement.shortest_traces import DirectionMemory, shortest_traces
from symdmc.selection.selection import Selection
from symdmc.task import Task, compile_task
from symdmc.task.variable_names import pattern_numbers


def _names(task: Task, chosen: Selection) -> list[list[str]]:
    return [[task.variables[number].name for number in pattern] for pattern in chosen.patterns]


def _why(chosen: Selection, variable: str) -> str:
    return next(reason.why for reason in chosen.reasons if reason.variable == variable)


def _mutual_exclusion() -> Task:
    """Two processes that take turns by a lock, and a third one that has nothing to do with it."""
    m = Builder("lock")
    m.integer("lock", 0, 1)
    m.integer("noise", 0, 3)
    for name in ("P", "Q"):
        p = m.process(name, initial="out")
        p.edge("out", "in", guard="lock == 0", do="lock = 1")
        p.edge("in", "out", do="lock = 0")
    bystander = m.process("R", initial="a")
    bystander.edge("a", "b", do="noise = 1")
    bystander.edge("b", "a", do="noise = 0")
    system = m.build()
    return compile_task(system, ask(system, error="P.in and Q.in"))


def test_the_lock_is_kept_because_it_forbids_to_enter_and_proves_safety() -> None:
    task = _mutual_exclusion()
    chosen = Cegar().select(task)
    assert _names(task, chosen) == [["P", "Q", "lock"]]
    assert chosen.answer is None
    assert build_database(task, chosen.patterns[0]).proves_safety
    assert _why(chosen, "P") == "the error condition reads it"
    assert "the system forbids" in _why(chosen, "lock")
    assert "1 step before the error" in _why(chosen, "lock")
    assert "nothing that it forbids" in _why(chosen, "R")
    assert [step.partition(":")[0] for step in chosen.steps] == ["P, Q", "+ lock"]
    assert "length 2, real up to 1" in chosen.steps[0]
    assert "proves" in chosen.steps[1]


def _needs_a_helper() -> Task:
    """P moves once x is 1, which only Q can do: the shortest trace has two steps."""
    m = Builder("helper")
    m.integer("x", 0, 1)
    m.process("P", initial="s").edge("s", "t", guard="x == 1")
    m.process("Q", initial="s").edge("s", "t", do="x = 1")
    system = m.build()
    return compile_task(system, ask(system, error="P.t"))


def test_a_trace_that_follows_the_shortest_abstract_ones_is_shortest() -> None:
    task = _needs_a_helper()
    answer = Cegar().select(task).answer
    assert answer is not None
    assert answer.verdict is Verdict.ERROR
    assert answer.trace is not None
    assert answer.shortest
    assert answer.length == answer.lower_bound == 2
    replay(task.system, answer.trace, task.error)


def test_a_trace_with_inserted_steps_is_not_said_to_be_shortest() -> None:
    task = _needs_a_helper()
    chosen = Cegar(rounds=0).select(task)
    assert _names(task, chosen) == [["P"]]
    answer = chosen.answer
    assert answer is not None
    assert answer.trace is not None
    assert answer.length == 2
    assert not answer.shortest
    assert answer.lower_bound == 1
    assert "with steps inserted" in chosen.steps[-1]
    assert Cegar(rounds=0, budget=replace(BUDGET, inserted_states=0)).select(task).answer is None


@pytest.mark.parametrize(("search", "is_settled"), [("astar", False), ("greedy", True)])
def test_a_trace_that_need_not_be_shortest_is_no_answer_where_a_shortest_one_is_asked_for(
    search: str, is_settled: bool
) -> None:
    result = check_task(_needs_a_helper(), check_request(heuristic="pdb:cegar,rounds=0", search=search))
    assert result.verdict is Verdict.ERROR
    assert result.length == 2
    assert (result.settled_by == "pdb:cegar,rounds=0", result.shortest) == (is_settled, not is_settled)


def test_a_value_that_is_passed_is_kept_where_it_would_have_to_be_another_one() -> None:
    m = Builder("copied")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="s")
    p.edge("s", "t", do="x = y")
    p.edge("t", "u", do="y = 3")
    system = m.build()
    task = compile_task(system, ask(system, error="x == 3"))
    chosen = Cegar().select(task)
    assert chosen.answer is None
    assert build_database(task, chosen.patterns[0]).proves_safety
    assert _names(task, chosen) == [["P", "x", "y"]]
    assert "forbids P: s -> t" in _why(chosen, "y")


def test_what_has_too_many_values_is_not_added_and_the_reason_says_so() -> None:
    m = Builder("counter")
    m.byte("x")
    p = m.process("P", initial="s")
    p.edge("s", "s", do="x = x + 1")
    p.edge("s", "t", guard="x == 200")
    system = m.build()
    task = compile_task(system, ask(system, error="P.t"))
    chosen = Cegar(budget=replace(BUDGET, values=100)).select(task)
    assert _names(task, chosen) == [["P"]]
    assert _why(chosen, "x") == "has 256 values, too many to be added"
    assert chosen.steps[-1].startswith("with steps inserted") or chosen.steps[-1] == "nothing else may be added"


def test_without_any_work_allowed_nothing_is_kept() -> None:
    chosen = Cegar(budget=replace(BUDGET, work=0)).select(_mutual_exclusion())
    assert chosen.patterns == ()
    assert chosen.answer is None
    assert chosen.steps[0] == "P, Q: given up, images with more than 0 nodes"


def test_a_pattern_whose_database_takes_too_much_is_given_back() -> None:
    chosen = Cegar(rounds=0, budget=replace(BUDGET, database_work=0)).select(_needs_a_helper())
    assert chosen.patterns == ()
    assert chosen.steps[-1] == "- P: the database would exceed the budget"


def _two_bounds() -> Task:
    """P may stay at s for two units of time, and what takes none follows; it has to have waited for three.

    The clocks of two others have bounds as well.
    """
    m = Builder("bounds")
    for name, longest in (("P", 2), ("Q", 4), ("R", 4)):
        p = m.process(name, initial="s")
        p.digital_clock("x", 5)
        p.location("s", invariant=f"x <= {longest}")
        p.location("u", committed=True)
        p.edge("s", "u")
        p.edge("u", "t", guard="x >= 3")
    m.tick()
    system = m.build()
    return compile_task(system, ask(system, error="P.t"))


def test_of_many_bounds_on_time_only_the_broken_one_is_kept() -> None:
    task = _two_bounds()
    chosen = Cegar().select(task)
    assert _names(task, chosen) == [["P", "P->x"]]
    assert build_database(task, chosen.patterns[0]).proves_safety


def test_where_what_stops_the_traces_is_refused_something_on_the_way_is_kept() -> None:
    m = Builder("detour")
    m.byte("big")
    m.integer("y", 0, 1)
    p = m.process("P", initial="s")
    p.edge("s", "left", do="big = big + 1")
    p.edge("left", "s")
    p.edge("left", "end", guard="big == 200")
    p.edge("s", "right", guard="y == 1")
    p.edge("right", "end")
    m.process("Q", initial="a").edge("a", "b", do="y = 1", guard="big == 100")
    system = m.build()
    task = compile_task(system, ask(system, error="P.end"))
    chosen = Cegar(budget=replace(BUDGET, values=100, inserted_states=0)).select(task)
    assert _names(task, chosen) == [["P", "y"]]
    assert _why(chosen, "big") == "has 256 values, too many to be added"


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(
    ("model", "pattern", "length"),
    [
        ("mutex:instance=M1", "*", 42),
        ("mutex:instance=M1", "User*,busy_*,granted", 8),
        ("mutex:instance=M1,faulty=false", "*", None),
        ("arbiter_tree:height=2", "*", 28),
    ],
)
def test_shortest_abstract_traces_are_the_same_forward_and_backward(
    model: str, pattern: str, length: int | None, backward: bool
) -> None:
    task = task_for(load(model))
    work = WorkBudget(nodes=10**8, effort=10**10)
    directions = DirectionMemory(backward=backward, nodes=10**7)
    found = shortest_traces(task, pattern_numbers(task, pattern), work, lambda words: None, directions, 4 * 10**7)
    assert directions.backward == backward
    assert (None if found is None else found.length) == length
    if found is not None:
        followed = follow(task, found, 5_000)
        assert (followed.error is not None) == (pattern == "*")


def test_the_direction_that_worked_last_is_tried_first_and_with_more_nodes() -> None:
    little = 250_000
    assert list(DirectionMemory().attempts(10 * little)) == [
        (False, little),
        (True, 4 * little),
        (False, 10 * little // 4),
        (True, 10 * little),
    ]
    assert next(DirectionMemory(backward=True, nodes=9 * little).attempts(10**9)) == (True, 36 * little)


def test_deadlocks_are_refined_too() -> None:
    m = Builder("stuck")
    m.integer("x", 0, 2)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 2", do="x = x + 1")
    m.process("Q", initial="s").edge("s", "t", guard="x == 2")
    system = m.build()
    task = compile_task(system, ask(system, deadlock=True))
    answer = Cegar().select(task).answer
    assert answer is not None
    assert answer.shortest
    assert answer.length == 3


def test_reports_say_what_is_going_on() -> None:
    said: list[str] = []
    Cegar().select(_mutual_exclusion(), report=said.append)
    assert said[0] == "2 variables, layer 1"
    assert said[-1].startswith("3 variables")


@pytest.mark.parametrize("height", [2, 3, 4])
def test_the_arbiter_tree_gets_the_ways_to_the_root_and_the_siblings_along_them(height: int) -> None:
    by_hand: dict[bool, set[int]] = {}
    for faulty in (True, False):
        system = load("arbiter_tree", height=height, faulty=faulty)
        task = compile_task(system, ask(system))
        chosen = Cegar().select(task)
        by_hand[faulty] = set(pattern_numbers(task, pattern_of(height)))
        (pattern,) = chosen.patterns
        assert set(pattern) == by_hand[faulty] - {task.layout.process["Root"]}  # which is not needed, it turns out
        database = build_database(task, pattern)
        result = search(task, database_heuristic(task, [database]))
        if faulty:
            assert chosen.answer is not None
            assert chosen.answer.shortest
            assert chosen.answer.length == result.length == 8 * height + 12
            assert result.explored <= 2 * (8 * height + 12)
        else:
            assert chosen.answer is None
            assert result.verdict is Verdict.SAFE
            assert result.explored == 0


def test_the_variable_that_repairs_most_flaws_is_added_first() -> None:
    task = _mutual_exclusion()  # P, Q, R, lock, noise
    ways = [({0}, {2}), ({1}, {2}), ({3, 4},)]
    found = [Flaw(f"step {k}", k, tuple(map(_whole, each))) for k, each in enumerate(ways)]
    chosen = additions(found, task, 8)
    assert [_variables(each) for each in chosen] == [(2,), (3, 4)]
    assert chosen[0].why == "the system forbids step 0, 0 steps before the error, and 1 more"
    assert [_variables(each) for each in additions(found, task, 2)] == [(2,)]
    assert [_variables(each) for each in additions(found, task, 8, refused=_whole({2, 3}))] == [(0,), (1,)]
    assert [_variables(each) for each in additions(found[2:], task, 1)] == [(3, 4)]  # else there is no progress


def _whole(numbers: set[int]) -> Repair:
    return frozenset(map(Distinction, numbers))


def _variables(addition: Addition) -> tuple[int, ...]:
    return tuple(each.variable for each in addition.distinctions)
