"""The open list of the compiled best-first search against lists of Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_for
from symdmc.heuristics.blind import Blind
from symdmc.kernel.loops import open_list
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.search.directed import best_first_compiled as compiled_best_first
from symdmc.search.directed.directed import search
from symdmc.search.directed.rules import ASTAR, GREEDY, Rule, weighted
from symdmc.search.explicit import compiled

ROOM = 256


def _counters(count: int, values: int) -> System:
    """`values` to the power of `count` states."""
    m = Builder("counters")
    for i in range(count):
        m.integer(f"x{i}", 0, values - 1)
        m.process(f"P{i}", initial="a").edge("a", "a", do=f"x{i} = (x{i} + 1) % {values}")
    return m.build()


class _OpenList:
    """The arrays, and beside them what should be in them: a list of states for each g and h."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.opened = open_list.OpenList.reserve(ROOM, ROOM, (rule.greedy, rule.numerator, rule.denominator))
        self.expected: dict[tuple[int, int], list[int]] = {}

    def put(self, g: int, h: int, number: int) -> None:
        open_list.put(self.opened, open_list.bucket_of(self.opened, g, h), number)
        self.expected.setdefault((g, h), []).append(number)

    def take(self) -> None:
        """Take the best state out, and hold it to what should have been the best."""
        best = open_list.best_bucket(self.opened)
        filled = [key for key, numbers in self.expected.items() if numbers]
        if not filled:
            assert best == open_list.NONE
            return
        g, h = min(filled, key=lambda key: self.rule.key(*key))
        assert self.opened.buckets[best * open_list.BUCKET + open_list.COST] == g
        assert open_list.take(self.opened, best) == self.expected[g, h].pop()


moves = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 40), st.integers(0, 40)), max_size=20)


@pytest.mark.parametrize("rule", [ASTAR, GREEDY, weighted("1.5")])
@settings(max_examples=40)
@given(moves=moves)
def test_the_best_state_comes_out_and_of_equals_the_last_one_in(
    rule: Rule, moves: list[tuple[int, int, int, int]]
) -> None:
    opened = _OpenList(rule)
    number = 0
    for g, h, puts, takes in moves:
        for _ in range(puts):
            number += 1
            opened.put(g, h, number)
        for _ in range(takes):
            opened.take()
    for _ in range(number + 1):
        opened.take()


def test_chunks_are_used_again() -> None:
    opened = _OpenList(ASTAR)
    for start in range(50):
        for number in range(100):
            opened.put(start % 7, number % 3, number)
        for _ in range(100):
            opened.take()
    usable = open_list.CHUNK - 1
    assert opened.opened.counters[open_list.CHUNKS] <= 1 + 3 * -(-34 // usable)


def test_the_pool_grows_with_the_open_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_best_first, "FIRST_CHUNKS", 1)
    task = task_for(_counters(5, 12), error="x0 + x1 > 99")
    result = search(task, Blind(task), compiled=True)
    assert (result.verdict, result.stored, result.reopened) == (Verdict.SAFE, 12**5, 0)


def test_how_long_the_loop_works_at_a_stretch_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_best_first, "GATHER", 0)
    monkeypatch.setattr(compiled, "SLICE_SECONDS", 0.0)  # a stretch never becomes longer
    task = task_for(_counters(4, 8), error="x0 + x1 + x2 + x3 > 17")
    results = []
    for expansions in (1, 1 << 30):
        monkeypatch.setattr(compiled, "FIRST_SLICE", expansions)
        results.append(search(task, Blind(task), compiled=True))
    one, other = results
    assert (one.trace, one.explored, one.generated) == (other.trace, other.explored, other.generated)
    assert one.explored > 1_000
