"""Every directed search, plain and compiled, agrees with the oracle; estimates come from tables made by brute force."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_for
from symdmc.errors import InternalError
from symdmc.evidence.replay import replay
from symdmc.heuristics.blind import Blind
from symdmc.heuristics.estimates.local_distances import fsm_heuristic
from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.kernel.loops.store import StateStore
from symdmc.kernel.machine.compiler import compile_program
from symdmc.lookup.tables import DEAD_END, MAX, SUM, codes_of
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Step
from symdmc.model.system import System
from symdmc.outcome import SearchResult, Verdict
from symdmc.reader.load import load
from symdmc.running.run import Run
from symdmc.search.directed import best_first_compiled as compiled_best_first
from symdmc.search.directed import directed as hybrid
from symdmc.search.directed.best_first_compiled import BestFirstWalk
from symdmc.search.directed.best_first_reference import best_first
from symdmc.search.directed.rules import ASTAR, GREEDY, Rule, weighted
from symdmc.search.directed.space import Explorer, ReferenceSpace
from symdmc.search.explicit import compiled as compiled_search
from symdmc.task import Task, compile_task
from tests import oracle
from tests.components import STRATEGIES, strategy_named
from tests.look_up_tables import Pattern, abstract_codes, table_of
from tests.strategies import random_system, systems_with_error

ENGINES = ("reference", "one by one", "in batches")
OPTIMAL = tuple(text for text in STRATEGIES if strategy_named(text).IS_OPTIMAL)
COMPLETE = tuple(text for text in STRATEGIES if strategy_named(text).PROVES)


@dataclass(frozen=True)
class Question:
    """A task with everything that is true about it."""

    task: Task
    space: oracle.StateSpace

    @property
    def expected(self) -> int | None:
        return self.space.shortest(self.task.error)

    def pattern(self, choose: random.Random) -> Pattern:
        variables = range(len(self.task.variables))
        return tuple(choose.sample(variables, choose.randint(1, min(4, len(variables)))))


def _question(system: System, error: ErrorCondition) -> Question:
    return Question(compile_task(system, error), oracle.explore(system))


@st.composite
def questions(draw: st.DrawFn) -> Question:
    return _question(*draw(systems_with_error(costs=True)))


seeds = partial(st.integers, 0, 99)


def _heuristic(question: Question, seed: int, *, tables: int = 1, combination: str = MAX) -> TableHeuristic:
    """Admissible and consistent: distances in projections; a sum shares the costs out to the tables by process."""
    choose = random.Random(seed)
    task, space = question.task, question.space

    def share(part: int, step: Step) -> int:
        return step.cost if step.edges[0][0] % tables == part or combination == MAX else 0

    patterns = [question.pattern(choose) for _ in range(tables)]
    codes = [abstract_codes(task, space, pattern, partial(share, part)) for part, pattern in enumerate(patterns)]
    made = [table_of(row, pattern, task.analysis.domains) for row, pattern in zip(codes, patterns, strict=True)]
    return TableHeuristic(
        name="brute force", tables=tuple(made), combination=combination, admissible=True, consistent=True
    )


def _inconsistent(question: Question, seed: int) -> TableHeuristic:
    """Admissible only: the exact distances, here and there lowered to 0."""
    choose = random.Random(seed)
    pattern = tuple(range(len(question.task.variables)))
    codes = abstract_codes(question.task, question.space, pattern)
    lowered = {row: 0 if choose.random() < 0.4 else code for row, code in sorted(codes.items())}
    table = table_of(lowered, pattern, question.task.analysis.domains)
    return TableHeuristic(name="lowered", tables=(table,), admissible=True, consistent=False)


def _search(question: Question, heuristic: TaskHeuristic, strategy: str, engine: str) -> SearchResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_search, "NATIVE_FROM", 0 if engine == "in batches" else 1 << 62)
        patch.setattr(compiled_search, "FIRST_SLICE", 7 if engine == "in batches" else 1 << 12)
        patch.setattr(compiled_best_first, "GATHER", 0 if engine == "in batches" else 62)
        result = hybrid.search(
            question.task, heuristic, strategy=strategy_named(strategy), compiled=engine != "reference"
        )
    if result.trace is not None:
        replay(question.task.system, result.trace, question.task.error)
    return result


def _check_verdict(question: Question, result: SearchResult) -> None:
    expected = question.expected
    assert result.verdict is (Verdict.SAFE if expected is None else Verdict.ERROR)
    assert (result.lower_bound is None) == (expected is None)
    assert (result.lower_bound or 0) <= (expected or 0)
    assert not result.shortest or result.length == expected


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=15)
@given(question=questions(), seed=seeds())
def test_every_search_gives_the_verdict_of_the_oracle(
    engine: str, strategy: str, question: Question, seed: int
) -> None:
    result = _search(question, _heuristic(question, seed), strategy, engine)
    if strategy in COMPLETE:
        _check_verdict(question, result)
    elif question.expected is None:
        assert result.verdict is Verdict.UNKNOWN
        assert "missed" in result.reason
    assert result.shortest == (strategy in OPTIMAL and question.expected is not None)


@pytest.mark.parametrize("strategy", OPTIMAL)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=15)
@given(question=questions(), seed=seeds())
def test_with_a_consistent_table_traces_are_shortest_and_nothing_is_reopened(
    engine: str, strategy: str, question: Question, seed: int
) -> None:
    result = _search(question, _heuristic(question, seed), strategy, engine)
    assert result.length == result.lower_bound == question.expected
    assert result.reopened == 0


@pytest.mark.parametrize("combination", [MAX, SUM])
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=15)
@given(question=questions(), seed=seeds())
def test_several_tables_together_stay_admissible_and_consistent(
    engine: str, combination: str, question: Question, seed: int
) -> None:
    heuristic = _heuristic(question, seed, tables=3, combination=combination)
    distance = question.space.distances(question.task.error)
    for state in question.space.steps:
        h = heuristic.estimate(question.task.values(state))
        assert state not in distance if h is None else h <= distance.get(state, h)
    result = _search(question, heuristic, "astar", engine)
    assert result.length == result.lower_bound == question.expected
    assert result.reopened == 0


@pytest.mark.parametrize("strategy", OPTIMAL)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=15)
@given(question=questions(), seed=seeds())
def test_with_an_inconsistent_table_traces_are_shortest_all_the_same(
    engine: str, strategy: str, question: Question, seed: int
) -> None:
    result = _search(question, _inconsistent(question, seed), strategy, engine)
    assert result.length == result.lower_bound == question.expected


@pytest.mark.parametrize("engine", ENGINES)
def test_an_inconsistent_table_makes_a_star_reopen_states(engine: str) -> None:
    """Two ways lead to 4; the estimate of 1 is exact and the others are 0, so that the longer way is taken first."""
    m = Builder("two ways")
    m.integer("x", 0, 9)
    p = m.process("P", initial="a")
    for before, after in ((0, 1), (1, 4), (0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9)):
        p.edge("a", "a", guard=f"x == {before}", do=f"x = {after}")
    task = task_for(m.build(), error="x == 9")
    question = Question(task, oracle.explore(task.system))
    table = table_of({(x,): 6 if x == 1 else 0 for x in range(10)}, (task.layout.first["x"],), task.analysis.domains)
    heuristic = TableHeuristic(name="partly exact", tables=(table,), admissible=True, consistent=False)
    result = _search(question, heuristic, "astar", engine)
    assert (result.length, question.expected) == (7, 7)
    assert result.reopened == 5  # 4 to 8


@pytest.mark.parametrize("strategy", OPTIMAL)
@pytest.mark.parametrize("engine", ENGINES)
def test_of_several_initial_states_the_nearest_counts(engine: str, strategy: str) -> None:
    m = Builder("several")
    m.integer("x", 0, 9, initial=[(0, 8, 3)])
    m.process("P", initial="a").edge("a", "a", guard="x < 9", do="x = x + 1")
    task = task_for(m.build(), error="x == 9")
    table = table_of({(x,): 9 - x for x in range(10)}, (task.layout.first["x"],), task.analysis.domains)
    heuristic = TableHeuristic(name="exact", tables=(table,), admissible=True, consistent=True)
    result = _search(Question(task, oracle.explore(task.system)), heuristic, strategy, engine)
    assert (result.h_initial, result.length, result.lower_bound) == (1, 1, 1)


@pytest.mark.parametrize("strategy", OPTIMAL)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_way_that_looks_short_is_not_followed_beyond_the_shortest(engine: str, strategy: str) -> None:
    """By 1 to 5 it looks shorter than by 10 and 11; 15 is farther than both: a bound that large is too large."""
    m = Builder("three ways")
    m.integer("x", 0, 20)
    p = m.process("P", initial="a")
    for before, after in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 20), (0, 10), (10, 11), (11, 20), (0, 15)):
        p.edge("a", "a", guard=f"x == {before}", do=f"x = {after}")
    task = task_for(m.build(), error="x == 20")
    codes = {x: {0: 0, 10: 2, 15: 9, 20: 0}.get(x, 1) for x in range(21)}
    table = table_of({(x,): h for x, h in codes.items()}, (task.layout.first["x"],), task.analysis.domains)
    heuristic = TableHeuristic(name="misleading", tables=(table,), admissible=True, consistent=False)
    result = _search(Question(task, oracle.explore(task.system)), heuristic, strategy, engine)
    assert (result.length, result.lower_bound, result.shortest) == (3, 3, True)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=15)
@given(question=questions(), seed=seeds(), weight=st.sampled_from(["1", "1.25", "2", "7/2", "1000"]))
def test_a_weight_bounds_how_much_longer_the_trace_is(engine: str, question: Question, seed: int, weight: str) -> None:
    result = _search(question, _heuristic(question, seed), f"wastar:{weight}", engine)
    _check_verdict(question, result)
    rule = weighted(weight)
    assert (result.length or 0) * rule.denominator <= (question.expected or 0) * rule.numerator


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=10)
@given(question=questions())
def test_blind_searches_are_right_too(engine: str, strategy: str, question: Question) -> None:
    blind = Blind(question.task)
    distance = question.space.distances(question.task.error)
    assert all((blind.estimate(question.task.values(state)) or 0) <= cost for state, cost in distance.items())
    result = _search(question, blind, strategy, engine)
    if strategy in COMPLETE:
        _check_verdict(question, result)
    if strategy in OPTIMAL:
        assert (result.length, result.reopened) == (question.expected, 0)


@settings(max_examples=15)
@given(question=questions(), seed=seeds())
def test_what_is_pruned_as_a_dead_end_cannot_reach_an_error_state(question: Question, seed: int) -> None:
    heuristic = _heuristic(question, seed)
    packing = compile_program(question.task).packing
    states = list(question.space.steps)
    rows = np.array([packing.pack(question.task.values(state)) for state in states], dtype=np.int64)
    codes = codes_of(heuristic.groups, rows, packing)
    distance = question.space.distances(question.task.error)
    assert not any(state in distance for state, code in zip(states, codes, strict=True) if code == DEAD_END)
    assert [None if code == DEAD_END else code for code in codes] == [
        heuristic.estimate(question.task.values(state)) for state in states
    ]


@pytest.mark.parametrize("rule", [ASTAR, GREEDY, weighted("1.5")])
@settings(max_examples=15)
@given(question=questions(), seed=seeds(), inconsistent=st.booleans())
def test_whenever_it_is_stopped_a_search_knows_a_true_lower_bound(
    rule: Rule, question: Question, seed: int, inconsistent: bool
) -> None:
    heuristic = _inconsistent(question, seed) if inconsistent else _heuristic(question, seed)
    expected = question.expected if question.expected is not None else 1 << 62
    for budget in (1, 3, 10, 30, 100):
        explorer = Explorer(ReferenceSpace(question.task, heuristic), question.task.error, Run(), budget)
        best_first(explorer, rule)
        assert (explorer.walk.open_bound or 0) <= expected
    program = compile_program(question.task)
    store = StateStore.reserve(program.packing.words, 1 << 20, 10_000)
    walk = BestFirstWalk(question.task, program, store, heuristic, rule)
    walk._gather = 0
    walk.start(Run())
    for expansions in range(3, 18, 3):
        walk.go(Run(), expansions)
        assert (walk.least_open() or 0) <= expected


@pytest.mark.parametrize("compiled", [False, True])
def test_greedy_search_goes_deep_among_equals_and_knows_no_bound_but_the_first_estimate(compiled: bool) -> None:
    task = task_for(load("arbiter_tree", height=2, variant="seed"))
    result = hybrid.search(task, fsm_heuristic(task, "sum"), strategy=strategy_named("greedy"), compiled=compiled)
    assert result.verdict is Verdict.ERROR
    assert result.explored < 100
    assert result.length is not None
    assert result.length > 25
    assert result.lower_bound == result.h_initial


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=5)
@given(question=questions(), seed=seeds())
def test_the_same_search_twice_does_the_same(engine: str, strategy: str, question: Question, seed: int) -> None:
    heuristic = _heuristic(question, seed)
    one, other = (_search(question, heuristic, strategy, engine) for _ in range(2))
    assert (one.trace, one.explored, one.generated) == (other.trace, other.explored, other.generated)
    assert (one.stored, one.dead_ends, one.h_initial) == (other.stored, other.dead_ends, other.h_initial)


@pytest.mark.parametrize("strategy", ["astar", "idastar", "bitstate:16"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_outside_of_a_table_ends_the_run_as_a_bug(engine: str, strategy: str) -> None:
    drawn = (_question(random_system(seed), ErrorCondition(name="nothing")) for seed in count())
    question = next(question for question in drawn if len(question.space.steps) > 10)
    pattern = tuple(range(len(question.task.variables)))
    codes = dict.fromkeys(abstract_codes(question.task, question.space, pattern), 0)
    codes.pop(question.task.values(list(question.space.steps)[-1]))
    table = table_of(codes, pattern, question.task.analysis.domains)
    heuristic = TableHeuristic(name="hole", tables=(table,), admissible=True, consistent=True)
    with pytest.raises(InternalError, match="lies outside of what hole knows"):
        _search(question, heuristic, strategy, engine)


def _exact(first: tuple[int, ...], less: int = 0) -> tuple[Question, TableHeuristic]:
    """One variable has to count to 9, another one counts idly; the estimates are the distances, or somewhat less."""
    m = Builder("counting")
    m.integer("x", 0, 9, initial=[first])
    m.integer("idle", 0, 9)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="idle < 9", do="idle = idle + 1")
    p.edge("a", "a", guard="x < 9", do="x = x + 1")
    task = task_for(m.build(), error="x == 9")
    table = table_of({(x,): max(0, 9 - x - less) for x in range(10)}, (task.layout.first["x"],), task.analysis.domains)
    heuristic = TableHeuristic(name="exact", tables=(table,), admissible=True, consistent=True)
    return Question(task, oracle.explore(task.system)), heuristic


@pytest.mark.parametrize("strategy", ["astar", "idastar"])
def test_with_exact_estimates_only_states_on_shortest_traces_are_expanded(strategy: str) -> None:
    result = _search(*_exact((0,)), strategy, "reference")
    assert (result.length, result.explored) == (9, 9)


def test_an_iteration_expands_no_state_whose_sum_exceeds_its_bound() -> None:
    """With the bound 8 those that never counted idly, with the bound 9 these again and one other."""
    result = _search(*_exact((0,), less=1), "idastar", "reference")
    assert (result.length, result.h_initial) == (9, 8)
    assert result.explored <= 20


@pytest.mark.parametrize(
    ("rule", "first", "budget", "expanded", "bound"),
    [
        (ASTAR, (0,), 1, 0, 0),
        (ASTAR, (0,), 2, 1, 9),
        (ASTAR, (0,), 12, 4, 9),
        (GREEDY, (0,), 12, 4, 0),
        (weighted("2"), (0,), 12, 4, 9),
        (ASTAR, (0, 8), 2, 0, 0),
    ],
)
def test_a_budget_ends_the_search_and_leaves_the_smallest_sum_of_an_open_state_as_bound(
    rule: Rule, first: tuple[int, ...], budget: int, expanded: int, bound: int
) -> None:
    """A state and its two steps count three, an initial state one; with initial states not looked at, none is known."""
    question, heuristic = _exact(first)
    explorer = Explorer(ReferenceSpace(question.task, heuristic), question.task.error, Run(), budget)
    best_first(explorer, rule)
    walk = explorer.walk
    assert (walk.finished, walk.error, walk.expanded, walk.open_bound) == (False, None, expanded, bound)
