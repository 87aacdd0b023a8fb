"""The open list of the compiled search against a sorted list: every state comes out once, the best bucket first."""

from __future__ import annotations

import random

import pytest

from symdmc.kernel.loops import open_list as opened
from symdmc.kernel.loops.open_list import OpenList

RULES = [(False, 1, 1), (False, 3, 2), (True, 1, 1)]


def _key(rule: tuple[bool, int, int], g: int, h: int) -> tuple[int, int]:
    greedy, numerator, denominator = rule
    return (h, -g) if greedy else (denominator * g + numerator * h, h)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_bucket_is_found_again_however_many_there_are(rule: tuple[bool, int, int]) -> None:
    open_list = OpenList.reserve(2, 4, rule)
    numbers: dict[tuple[int, int], int] = {}
    pairs = [(g, h) for g in range(25) for h in range(9)]
    random.Random(1).shuffle(pairs)
    for g, h in pairs:
        while opened.lacks_buckets(open_list, 1):
            open_list = open_list.with_more_buckets()
        number = opened.bucket_of(open_list, g, h)
        key = _key(rule, g, h)
        assert numbers.setdefault(key, number) == number
        assert open_list.buckets[number * opened.BUCKET + opened.COST] == g
    assert sorted(numbers.values()) == list(range(len(numbers)))
    assert all(opened.bucket_of(open_list, g, h) == numbers[_key(rule, g, h)] for g, h in pairs)
    assert len(open_list.heap) < 4 * len(numbers)


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_states_come_out_of_the_best_bucket_the_last_one_first(rule: tuple[bool, int, int], seed: int) -> None:
    choose = random.Random(seed)
    open_list = OpenList.reserve(4, 4, rule)
    inside: dict[tuple[int, int], list[int]] = {}
    for number in range(1500):
        if choose.random() < 0.7:
            g, h = choose.randint(0, 6), choose.randint(0, 4)
            while opened.lacks_buckets(open_list, 1):
                open_list = open_list.with_more_buckets()
            while opened.lacks_chunks(open_list, 1):
                open_list = open_list.with_more_chunks()
            opened.put(open_list, opened.bucket_of(open_list, g, h), number)
            inside.setdefault(_key(rule, g, h), []).append(number)
        best = opened.best_bucket(open_list)
        if not inside:
            assert best == opened.NONE
        elif choose.random() < 0.6:
            place = best * opened.BUCKET
            key = tuple(open_list.buckets[place + opened.FIRST_KEY : place + opened.SECOND_KEY + 1].tolist())
            assert key == min(inside)
            assert opened.take(open_list, best) == inside[min(inside)].pop()
            if not inside[key]:
                del inside[key]
    rest = sum(map(len, inside.values()))
    for _ in range(rest):
        best = opened.best_bucket(open_list)
        assert opened.take(open_list, best) == inside[min(inside)].pop()
        if not inside[min(inside)]:
            del inside[min(inside)]
    assert opened.best_bucket(open_list) == opened.NONE
    assert opened.lacks_chunks(open_list, len(open_list.pool) // opened.CHUNK)
