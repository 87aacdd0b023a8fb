"""Where time passes at no cost: every search, engine, direction and database gives the oracle's verdict and length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import check_task
from symdmc.checking.request import check_request
from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.sets.images import Images
from symdmc.evidence.certify import certify
from symdmc.evidence.replay import replay
from symdmc.heuristics.blind import Blind
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.outcome import SearchResult, Verdict
from symdmc.patterndb.build import BuildOptions, build_database, build_layers
from symdmc.patterndb.partition import partitioned_databases
from symdmc.patterndb.perimeter import build_perimeter
from symdmc.search.directed import directed as hybrid
from symdmc.search.explicit import compiled as compiled_search
from symdmc.search.explicit import explicit
from symdmc.search.symbolic.options import DIRECTIONS, SymbolicOptions
from symdmc.search.symbolic.symbolic import search as symbolic_search
from symdmc.task import Task, compile_task
from tests import oracle
from tests.components import SPELLINGS, options_for, strategy_named
from tests.differential.test_proofs import ANY_LENGTH, ENGINES
from tests.timed_strategies import timed_systems

PLAIN = ("reference", "interpreter", "machine code")


@dataclass(frozen=True)
class Asked:
    """A system in which time passes, a question about it, and the truth."""

    system: System
    error: ErrorCondition

    @cached_property
    def task(self) -> Task:
        return compile_task(self.system, self.error)

    @cached_property
    def space(self) -> oracle.StateSpace:
        return oracle.explore(self.system)

    @cached_property
    def length(self) -> int | None:
        return self.space.shortest(self.error)

    def require(self, result: SearchResult, *, any_length: bool = False) -> None:
        """The verdict is right, a trace replays, a shortest one has the right length, and a certificate holds."""
        assert result.verdict is (Verdict.SAFE if self.length is None else Verdict.ERROR)
        assert result.shortest or self.length is None or any_length
        assert result.length == self.length or not result.shortest
        assert (result.lower_bound or 0) <= (self.length or 0)
        if result.trace is not None:
            replay(self.system, result.trace, self.error)
        if result.certificate is not None:
            assert certify(self.system, result.certificate, error=self.error)


asked = timed_systems().map(lambda drawn: Asked(*drawn))


def _pattern(data: st.DataObject, task: Task) -> list[int]:
    return sorted(data.draw(st.sets(st.integers(0, len(task.variables) - 1), min_size=1)))


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=5)
@given(data=st.data(), asked=asked)
def test_every_way_to_check_is_right_and_certificates_hold(engine: str, data: st.DataObject, asked: Asked) -> None:
    kept = [asked.task.variables[number].name for number in _pattern(data, asked.task)]
    result = ENGINES[engine](asked.task, ",".join(kept))
    event(f"length: {asked.length}")
    asked.require(result, any_length=engine in ANY_LENGTH)
    assert (result.certificate is not None) == (asked.length is None)


@pytest.mark.parametrize("engine", PLAIN)
@settings(max_examples=15)
@given(asked=asked, slack=st.integers(-1, 1))
def test_explicit_engines_agree_on_states_lengths_and_bounds(engine: str, asked: Asked, slack: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_search, "NATIVE_FROM", 0 if engine == "machine code" else 1 << 62)
        patch.setattr(compiled_search, "FIRST_SLICE", 3 if engine == "machine code" else 1 << 12)
        compiled = engine != "reference"
        found = explicit.explore(asked.task, compiled=compiled)
        asked.require(explicit.search(asked.task, compiled=compiled))
        asked.require(explicit.search(asked.task, order="dfs", compiled=compiled), any_length=True)
        bound = max(0, (asked.length or 1) + slack)
        bounded = explicit.search(asked.task, bound=bound, compiled=compiled)
    assert (found.states, found.transitions) == (len(asked.space.steps), asked.space.transitions)
    assert (found.depth, found.deadlocks) == (asked.space.depth, len(asked.space.deadlocks))
    if asked.length is not None and asked.length <= bound:
        assert (bounded.verdict, bounded.length) == (Verdict.ERROR, asked.length)
    else:
        assert (bounded.verdict, bounded.lower_bound) == (Verdict.UNKNOWN, bound + 1)


@pytest.mark.parametrize("strategy", ["astar", "idastar", "wastar:1.5", "greedy", "ehc"])
@settings(max_examples=15)
@given(data=st.data(), asked=asked)
def test_directed_searches_are_right_with_a_database_and_blind(
    strategy: str, data: st.DataObject, asked: Asked
) -> None:
    database = build_database(asked.task, _pattern(data, asked.task), BuildOptions(complete=data.draw(st.booleans())))
    for heuristic in (Blind(asked.task), database_heuristic(asked.task, [database])):
        for compiled in (False, True):
            result = hybrid.search(asked.task, heuristic, strategy=strategy_named(strategy), compiled=compiled)
            asked.require(result, any_length=strategy not in ("astar", "idastar"))
            assert result.reopened == 0 or strategy not in ("astar", "idastar")


@pytest.mark.parametrize("text", SPELLINGS)
@settings(max_examples=5)
@given(asked=asked, compiled=st.booleans())
def test_every_heuristic_of_the_registry_is_right(text: str, asked: Asked, compiled: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0 if compiled else 3_000)
        result = check_task(asked.task, check_request(**(options_for(asked.task, text) | {"certify": True})))
    asked.require(result, any_length=not result.shortest)


def _require_consistent(asked: Asked, estimate: Callable[[State], int | None]) -> None:
    """No estimate is larger than the distance, none falls by more than a step costs, and a dead end is one."""
    distance = asked.space.distances(asked.error)
    for state, steps in asked.space.steps.items():
        here = estimate(state)
        assert state not in distance if here is None else here <= distance.get(state, here)
        for step in steps:
            after = estimate(step.successor)
            assert after is None or (here is not None and here <= step.cost + after)


@settings(max_examples=15)
@given(data=st.data(), asked=asked, complete=st.booleans())
def test_databases_and_perimeters_are_admissible_and_consistent(
    data: st.DataObject, asked: Asked, complete: bool
) -> None:
    options = BuildOptions(complete=complete, projection=data.draw(st.sampled_from(["exact", "syntactic"])))
    pattern = _pattern(data, asked.task)
    _require_consistent(asked, build_database(asked.task, pattern, options).distance)
    perimeter = build_perimeter(asked.task, pattern, data.draw(st.integers(0, 2)), options)
    _require_consistent(asked, perimeter.distance)


@settings(max_examples=15)
@given(data=st.data(), asked=asked, complete=st.booleans())
def test_sums_over_partitioned_costs_are_admissible_and_consistent(
    data: st.DataObject, asked: Asked, complete: bool
) -> None:
    patterns = [_pattern(data, asked.task) for _ in range(3)]
    databases = partitioned_databases(asked.task, patterns, BuildOptions(complete=complete))
    for transition, *costs in zip(asked.task.transitions, *(each.costs or () for each in databases), strict=True):
        assert sum(costs) <= transition.cost

    def added(state: State) -> int | None:
        estimates = [database.distance(state) for database in databases]
        return None if None in estimates else sum(each for each in estimates if each is not None)

    _require_consistent(asked, added)


@settings(max_examples=20)
@given(data=st.data(), asked=asked, cut=st.integers(0, 12))
def test_a_layer_whose_closure_was_cut_off_does_not_count(data: st.DataObject, asked: Asked, cut: int) -> None:
    options = BuildOptions(complete=True)
    pattern = _pattern(data, asked.task)
    whole = build_layers(asked.task, pattern, options)
    taken = 0
    plain = Images.before

    def scarce(images: Images, states: Node, cost: int | None = None) -> Node:
        nonlocal taken
        taken += 1
        if taken > cut:
            raise DiagramLimit
        return plain(images, states, cost)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Images, "before", scarce)
        try:
            built = build_layers(asked.task, pattern, options)
        except DiagramLimit:
            return  # not even the error states were closed
    assert built.complete == (taken <= cut)
    for state in asked.space.steps:
        values = asked.task.values(state)
        exact, told = whole.distance(values), built.distance(values)
        assert told == (len(built.rings) if exact is None or exact >= len(built.rings) else exact) or built.complete


@pytest.mark.parametrize("direction", DIRECTIONS)
@settings(max_examples=10)
@given(asked=asked, images=st.integers(0, 10))
def test_a_symbolic_search_that_is_stopped_knows_a_true_lower_bound(direction: str, asked: Asked, images: int) -> None:
    taken = 0
    plain = Images._union

    def scarce(self: Images, *arguments: Any) -> Node:
        nonlocal taken
        taken += 1
        if taken > images:
            raise DiagramLimit
        return plain(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Images, "_union", scarce)  # the child that works is a copy of this process
        result = symbolic_search(asked.task, SymbolicOptions(direction=direction))
    if result.verdict is Verdict.UNKNOWN:
        assert asked.length is None or (result.lower_bound or 0) <= asked.length
    else:
        asked.require(result)


@settings(max_examples=15)
@given(asked=asked)
def test_iterative_deepening_searches_no_state_twice_in_an_iteration(asked: Asked) -> None:
    result = hybrid.search(asked.task, Blind(asked.task), strategy=strategy_named("idastar"), compiled=False)
    asked.require(result)
    iterations = asked.space.depth + 2  # at most: the bound grows by the cost of a step; the last one meets nothing new
    assert result.explored <= iterations * len(asked.space.steps)
