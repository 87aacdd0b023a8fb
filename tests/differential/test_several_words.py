"""States of several words: small systems spread over many, since systems that need them would be too large."""

from __future__ import annotations

from collections import Counter

import pytest

from symdmc.evidence.replay import replay
from symdmc.kernel.machine.compiler import compile_program
from symdmc.model.question import ErrorCondition
from symdmc.outcome import Verdict
from symdmc.packed import packing
from symdmc.search.explicit import compiled as compiled_search
from symdmc.search.explicit.explicit import explore, search
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import random_system

SYSTEMS = [random_system(seed, costs=seed % 2 == 0) for seed in range(5000, 5030)]
NOTHING = ErrorCondition(name="nothing")


@pytest.fixture(params=[0, 1 << 62], ids=["machine code", "interpreter"], autouse=True)
def _small_words(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words with room for two bits, or for one variable that needs more."""
    monkeypatch.setattr(packing, "WORD_BITS", 2)
    monkeypatch.setattr(compiled_search, "NATIVE_FROM", request.param)
    monkeypatch.setattr(compiled_search, "FIRST_SLICE", 1)


def test_most_states_have_several_words() -> None:
    words = Counter(compile_program(compile_task(system, NOTHING)).packing.words for system in SYSTEMS)
    assert sum(count for number, count in words.items() if number >= 3) > len(SYSTEMS) // 2


def test_the_reachable_states_are_found_all_the_same() -> None:
    for system in SYSTEMS:
        truth = oracle.explore(system)
        found = explore(compile_task(system, NOTHING), compiled=True)
        assert (found.states, found.transitions, found.depth) == (len(truth.steps), truth.transitions, truth.depth)
        assert found.deadlocks == len(truth.deadlocks)


def test_depth_first_in_any_order_all_reachable_states_are_visited() -> None:
    for number, system in enumerate(SYSTEMS):
        states = len(oracle.explore(system).steps)
        for order in ("dfs", "rdfs"):
            found = search(compile_task(system, NOTHING), order=order, seed=number, compiled=True)
            assert (found.verdict, found.stored) == (Verdict.SAFE, states)


def test_the_verdict_and_the_length_are_the_same() -> None:
    asked = [(system, each.error) for system in SYSTEMS for each in system.properties]
    for system, expression in asked:
        error = ErrorCondition(name="asked", expression=expression)
        expected = oracle.explore(system).shortest(error)
        result = search(compile_task(system, error), compiled=True)
        assert result.verdict is (Verdict.SAFE if expected is None else Verdict.ERROR)
        assert result.length == expected
        if result.trace is not None:
            replay(system, result.trace, error)
