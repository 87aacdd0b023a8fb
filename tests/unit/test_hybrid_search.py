"""Limits, reasons, spellings and fall-backs of directed search."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symdmc.checking.checks import check_task, task_for
from symdmc.checking.directed import _accumulated
from symdmc.checking.request import CheckOptions, QuestionOptions, check_request
from symdmc.errors import ModelError
from symdmc.heuristics.blind import Blind
from symdmc.heuristics.estimates.function import FunctionHeuristic
from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.lookup.tables import DEAD_END, DecisionTable
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.outcome import Progress, SearchResult, Stop, Verdict
from symdmc.running.run import Limits, Run, resident_bytes
from symdmc.search.directed import best_first_compiled as compiled_best_first
from symdmc.search.directed.directed import search
from symdmc.search.directed.rules import weighted
from symdmc.search.directed.space import Explorer, ReferenceSpace
from symdmc.task import Task
from symdmc.task.task import Values
from tests.components import STRATEGIES, strategy_named
from tests.look_up_tables import table_of

CHECKOUT = Path(__file__).parents[2]


def _counters(count: int, values: int) -> System:
    """`values` to the power of `count` states."""
    m = Builder("counters")
    for i in range(count):
        m.integer(f"x{i}", 0, values - 1)
        m.process(f"P{i}", initial="a").edge("a", "a", do=f"x{i} = (x{i} + 1) % {values}")
    return m.build()


HUGE = task_for(_counters(9, 16), error="x0 + x1 > 99")
LINE = task_for(_counters(1, 40), error="x0 == 39")


def _table(task: Task, codes: dict[int, int], name: str = "x0") -> DecisionTable:
    """A table over one variable."""
    variable = task.layout.first[name]
    return table_of({(value,): code for value, code in codes.items()}, (variable,), task.analysis.domains)


def _heuristic(task: Task, codes: dict[int, int], *, admissible: bool = True) -> TableHeuristic:
    table = _table(task, codes)
    return TableHeuristic(name="given", tables=(table,), admissible=admissible, consistent=admissible)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_time_at_all_is_an_outcome(strategy: str, compiled: bool) -> None:
    result = search(
        HUGE, Blind(HUGE), strategy=strategy_named(strategy), run=Run(Limits(seconds=0.0)), compiled=compiled
    )
    assert (result.verdict, result.stop, result.exit_code) == (Verdict.UNKNOWN, Stop.TIME, 21)
    assert "time limit reached" in result.reason


def test_a_time_limit_leaves_a_lower_bound_that_grows_with_the_search() -> None:
    search(LINE, Blind(LINE), compiled=True)  # nothing is left to be compiled
    result = search(HUGE, Blind(HUGE), run=Run(Limits(seconds=1.5)))
    assert (result.verdict, result.stop) == (Verdict.UNKNOWN, Stop.TIME)
    assert result.lower_bound is not None
    assert result.lower_bound > 3
    assert result.explored > 1_000
    assert result.seconds < 15


@pytest.mark.parametrize("strategy", ["astar", "greedy"])
def test_a_memory_limit_is_an_outcome(strategy: str) -> None:
    search(LINE, Blind(LINE), compiled=True)  # nothing is left to be compiled
    limits = Limits(memory_mb=(resident_bytes() >> 20) + 60, seconds=90)
    result = search(HUGE, Blind(HUGE), strategy=strategy_named(strategy), run=Run(limits))
    assert (result.stop, result.exit_code) == (Stop.MEMORY, 22)
    assert result.stored > 10_000


@pytest.mark.parametrize("budget", [1, 3, 9, 10])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("code", [DEAD_END, 7])
def test_a_search_that_has_not_looked_at_all_initial_states_proves_nothing(
    code: int, strategy: str, budget: int
) -> None:
    """The last of ten initial states is an error state; none can be reached from the others."""
    m = Builder("many")
    m.integer("x0", 0, 9, initial=range(10))
    m.process("P", initial="a").edge("a", "a", guard="false")
    task = task_for(m.build(), error="x0 == 9")
    heuristic = _heuristic(task, {x: 0 if x == 9 else code for x in range(10)})
    explorer = Explorer(ReferenceSpace(task, heuristic), task.error, Run(), budget)
    strategy_named(strategy).walk(explorer)
    walk = explorer.walk
    assert explorer.cut_off
    assert (walk.finished, walk.error) == (False, None)
    assert (walk.h_initial, walk.open_bound) == (None, 0)


def test_of_initial_states_that_were_not_all_looked_at_nothing_is_said() -> None:
    m = Builder("many")
    m.integer("x0", 0, 1999, initial=range(2000))
    m.process("P", initial="a").edge("a", "a", guard="false")
    task = task_for(m.build(), error="x0 == 2000 + x0")
    dead = _heuristic(task, dict.fromkeys(range(2000), DEAD_END))
    result = search(task, dead, run=Run(Limits(seconds=0.0)), compiled=False)
    assert result.dead_ends
    assert (result.verdict, result.h_initial, result.lower_bound) == (Verdict.UNKNOWN, None, 0)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("question", [{"deadlock": True}, {"fault": True}], ids=str)
def test_blind_knows_nothing_where_only_the_steps_of_a_state_tell_an_error(
    question: QuestionOptions, compiled: bool
) -> None:
    m = Builder("end")
    m.integer("x", 0, 2)
    process = m.process("P", initial="a")
    process.edge("a", "a", guard="x < 2", do="x = x + 1")
    process.edge("a", "b", guard="x == 2")
    process.edge("a", "a", guard="x == 2", do="x = x + 1")
    task = task_for(m.build(), **question)
    blind = Blind(task)
    assert blind.floor == 0
    result = search(task, blind, compiled=compiled)
    assert result.length == result.lower_bound == (3 if "deadlock" in question else 2)


def test_hill_climbing_does_not_run_in_circles_among_equals() -> None:
    m = Builder("plateau")
    process = m.process("P", initial="a")
    for before, after in (("a", "b"), ("b", "a"), ("b", "c"), ("c", "goal")):
        process.edge(before, after)
    task = task_for(m.build(), error="P.goal")
    explorer = Explorer(ReferenceSpace(task, FunctionHeuristic("flat", lambda _: 1)), task.error, Run(), 1_000)
    strategy_named("ehc").walk(explorer)
    assert explorer.walk.error is not None


def test_progress_is_reported() -> None:
    seen: list[Progress] = []
    search(HUGE, Blind(HUGE), run=Run(Limits(seconds=1.5), seen.append))
    explored = [progress.explored for progress in seen if not progress.phase]
    assert explored == sorted(explored)
    assert explored[-1] > 0


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("strategy", ["astar", "greedy", "idastar", "ehc"])
def test_an_initial_dead_end_is_a_proof_without_a_single_expansion(strategy: str, compiled: bool) -> None:
    heuristic = _heuristic(HUGE, dict.fromkeys(range(16), DEAD_END))
    result = search(HUGE, heuristic, strategy=strategy_named(strategy), compiled=compiled)
    assert (result.verdict, result.explored, result.h_initial) == (Verdict.SAFE, 0, "dead end")
    assert result.reason == "the initial state is a dead end"
    assert (result.lower_bound, result.dead_ends) == (None, 1)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("divisor", "faults"), [("2", 0), ("x0", None)])
def test_faults_behind_dead_ends_are_unknown_unless_there_can_be_none(
    divisor: str, faults: int | None, compiled: bool
) -> None:
    m = Builder("dividing")
    m.integer("x0", 0, 3)
    m.process("P", initial="a").edge("a", "a", guard="x0 < 3", do=f"x0 = 3 / {divisor}")
    task = task_for(m.build(), error="x0 == 2")
    values = task.analysis.domains[task.layout.first["x0"]].array.tolist()
    result = search(task, _heuristic(task, dict.fromkeys(values, DEAD_END)), compiled=compiled)
    assert result.verdict is Verdict.SAFE
    assert (None if result.faults is None else result.faults.states) == faults


@pytest.mark.parametrize("compiled", [False, True])
def test_dead_ends_are_counted_and_not_entered(compiled: bool) -> None:
    task = task_for(_counters(2, 10), error="x0 == 3 and x1 == 9")
    heuristic = _heuristic(task, {value: 3 - value if value <= 3 else DEAD_END for value in range(10)})
    result = search(task, heuristic, compiled=compiled)
    assert (result.length, result.shortest, result.h_initial) == (12, True, 3)
    assert result.dead_ends
    assert result.stored <= 40
    safe = search(task_for(_counters(2, 10), error="x0 == 3 and x1 == 99"), heuristic, compiled=compiled)
    assert (safe.verdict, safe.stored) == (Verdict.SAFE, 40)
    assert safe.reason == "all 40 states visited that are no dead ends, none is an error state"


def test_a_good_table_leads_straight_to_the_error() -> None:
    task = task_for(_counters(4, 16), error="x0 == 15 and x1 == 15")
    tables = tuple(_table(task, {value: 15 - value for value in range(16)}, name) for name in ("x0", "x1"))
    exact = TableHeuristic(name="exact", tables=tables, combination="sum", admissible=True, consistent=True)
    for strategy in ("astar", "greedy", "wastar:3", "idastar", "ehc"):
        result = search(task, exact, strategy=strategy_named(strategy), compiled=True)
        assert (result.length, result.h_initial, result.explored) == (30, 30, 30), strategy


@pytest.mark.parametrize("compiled", [False, True])
def test_hill_climbing_that_is_stuck_goes_on_greedily_and_says_so(compiled: bool) -> None:
    m = Builder("trap")
    m.integer("x", 0, 9)
    p = m.process("P", initial="a")
    p.edge("a", "trap", do="x = 1")
    p.edge("a", "b")
    p.edge("b", "goal")
    task = task_for(m.build(), error="P.goal")
    table = table_of({(0,): 5, (1,): 1}, (task.layout.first["x"],), task.analysis.domains)
    misleading = TableHeuristic(name="misleading", tables=(table,), admissible=False, consistent=False)
    result = search(task, misleading, strategy=strategy_named("ehc"), compiled=compiled)
    assert (result.verdict, result.length, result.shortest) == (Verdict.ERROR, 2, False)
    assert "enforced hill-climbing was stuck" in result.reason
    assert result.lower_bound == 0


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("bits", [3, 8, 20])
def test_bit_state_hashing_never_says_safe_and_what_it_finds_is_real(bits: int, compiled: bool) -> None:
    task = task_for(_counters(2, 8), error="x0 + x1 == 99")
    result = search(task, Blind(task), strategy=strategy_named(f"bitstate:{bits}"), compiled=compiled)
    assert (result.verdict, result.exit_code, result.stop) == (Verdict.UNKNOWN, 20, None)
    assert "bit-state hashing may have missed some" in result.reason
    assert result.stored <= 64
    found = search(LINE, Blind(LINE), strategy=strategy_named("bitstate"), compiled=compiled)
    assert (found.length, found.shortest) == (39, False)


def test_what_is_not_admissible_is_never_called_shortest() -> None:
    result = search(LINE, _heuristic(LINE, dict.fromkeys(range(40), 0), admissible=False))
    assert (result.length, result.shortest, result.lower_bound) == (39, False, 0)


class _Counted:
    """A heuristic without tables."""

    name = "counted"
    admissible = consistent = True
    groups = None
    floor = 0

    def __init__(self, task: Task) -> None:
        self.variable = task.layout.first["x0"]

    def estimate(self, values: Values) -> int | None:
        return 39 - values[self.variable]


@pytest.mark.parametrize("compiled", [None, False, True])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_heuristic_without_tables_guides_every_search(strategy: str, compiled: bool | None) -> None:
    heuristic: TaskHeuristic = _Counted(LINE)
    result = search(LINE, heuristic, strategy=strategy_named(strategy), compiled=compiled)
    assert (result.length, result.explored, result.h_initial) == (39, 39, 39)


def test_buckets_grow_when_costs_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_best_first, "FIRST_BUCKETS", 1)
    m = Builder("line")
    m.integer("x", 0, 9_000)
    m.process("P", initial="a").edge("a", "a", do="x = x + 1", guard="x < 9000")
    task = task_for(m.build(), error="x == 9000")
    for strategy in ("astar", "greedy", "wastar:1.001"):
        result = search(task, Blind(task), strategy=strategy_named(strategy), compiled=True)
        assert (result.length, result.explored) == (9000, 9000)


def test_tiny_directed_searches_never_wait_for_compiled_code() -> None:
    code = (
        "import sys, symdmc\n"
        "from symdmc.heuristics.blind import Blind\n"
        "from symdmc.search.directed.directed import search\n"
        "m = symdmc.Builder('t'); m.process('P', initial='a').edge('a', 'b')\n"
        "task = symdmc.task_for(m.build(), error='P.b')\n"
        "assert search(task, Blind(task)).length == 1\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=CHECKOUT)


@pytest.mark.parametrize("spelling", ["best", "astar:2", "wastar", "bitstate:2", "bitstate:x", "idastar:"])
def test_an_unknown_search_is_refused(spelling: str) -> None:
    with pytest.raises(ModelError):
        strategy_named(spelling)


@pytest.mark.parametrize("weight", ["0.5", "x", "1/0", "1.0000001", "-2", ""])
def test_a_weight_must_be_a_number_from_1_with_few_digits(weight: str) -> None:
    with pytest.raises(ModelError, match="the weight"):
        weighted(weight)


def test_a_weight_is_an_exact_fraction() -> None:
    assert (weighted("1.5").numerator, weighted("1.5").denominator) == (3, 2)
    assert (weighted("2").numerator, weighted("2").denominator) == (2, 1)


def _corridors() -> System:
    """Six counters that run, and one bit that is set when the first of them is at 2."""
    m = Builder("corridors")
    m.integer("y", 0, 1)
    m.process("Y", initial="a").edge("a", "b", guard="x0 == 2", do="y = 1")
    for i in range(6):
        m.integer(f"x{i}", 0, 5)
        m.process(f"P{i}", initial="a").edge("a", "a", guard=f"x{i} < 5", do=f"x{i} = x{i} + 1")
    return m.build()


@pytest.mark.parametrize("search_name", ["astar", "greedy"])
@pytest.mark.parametrize(("error", "verdict"), [("x0 == 1 and y == 1", "safe"), ("x0 == 4 and x1 == 3", "error")])
def test_a_long_search_begins_anew_with_complete_databases(
    monkeypatch: pytest.MonkeyPatch, search_name: str, error: str, verdict: str
) -> None:
    task = task_for(_corridors(), error=error)
    guidance = CheckOptions(heuristic="pdb", pattern="x0", search=search_name)
    monkeypatch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
    alone = check_task(task, check_request(**guidance))
    monkeypatch.setattr("symdmc.checking.directed.PATIENCE", 3)
    grown = check_task(task, check_request(**guidance))
    complete = check_task(task, check_request(**(guidance | {"complete": True})))
    assert alone.verdict.value == grown.verdict.value == verdict
    assert grown.length == complete.length
    assert grown.explored == complete.explored + 3
    assert grown.explored < alone.explored or verdict == "error"
    assert grown.preprocessing_seconds <= grown.seconds


@pytest.mark.parametrize(("first", "then", "both"), [(3, 5, 5), (5, 3, 5), (None, 3, 3), (3, None, None)])
def test_of_two_searches_the_larger_bound_holds(first: int | None, then: int | None, both: int | None) -> None:
    """Where the second one proves that there is no trace, no bound is left."""
    one, other = (
        SearchResult(verdict=Verdict.UNKNOWN, reason="", property="", lower_bound=bound, explored=10)
        for bound in (first, then)
    )
    together = _accumulated(one, other)
    assert (together.lower_bound, together.explored) == (both, 20)


def test_databases_grow_only_as_far_as_the_nodes_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_for(_corridors(), error="x0 == 1 and y == 1")
    monkeypatch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
    monkeypatch.setattr("symdmc.checking.directed.PATIENCE", 3)
    monkeypatch.setattr("symdmc.checking.directed.GROWTH", 0)
    grown = check_task(task, check_request(heuristic="pdb", pattern="x0"))
    assert (grown.verdict, grown.dead_ends) == (Verdict.SAFE, 0)
