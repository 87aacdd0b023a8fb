"""Packed states as levels: the same states, in the fewest nodes, whatever the order."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest

from symdmc.packed.arrays import Int64s
from symdmc.packed.packing import Packing, pack_domains
from symdmc.search.certificates import reduction
from symdmc.search.certificates.reduction import Level, reduced
from symdmc.task.values.domains import Domain

WIDE = Domain(0, 1 << 31)
DOMAINS = (Domain(0, 1), Domain(-2, 1), Domain(5, 5), WIDE, Domain(7, 11), WIDE, Domain(0, 2))
"""Two words; one variable that never changes."""


def packed(states: Sequence[Sequence[int]], packing: Packing) -> Int64s:
    return np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)


def states_of(levels: Sequence[Level]) -> Iterator[dict[int, int]]:
    """Every way down, as the value of each variable tested."""
    pending: list[tuple[int, int, dict[int, int]]] = [(len(levels) - 1, 0, {})]
    while pending:
        height, node, values = pending.pop()
        if height < 0:
            assert node == 0
            yield values
            continue
        level = levels[height]
        for entry in range(level.start[node], level.start[node + 1]):
            child = int(level.child[entry])
            pending.append((height - 1, child, {**values, level.variable: int(level.value[entry])}))


def drawn(seed: int, most: int) -> list[tuple[int, ...]]:
    """Different states; some are drawn, some differ from those in one variable, so that much is shared."""
    choose = random.Random(seed)
    values = [[domain.low, domain.high, choose.randint(domain.low, domain.high)] for domain in DOMAINS]
    found = {tuple(choose.choice(each) for each in values) for _ in range(choose.randint(1, most))}
    return sorted(found, key=lambda state: choose.random())


@pytest.mark.parametrize("seed", range(20))
def test_the_ways_down_are_the_states(seed: int) -> None:
    states, packing = drawn(seed, 200), pack_domains(DOMAINS)
    order = random.Random(seed).sample(range(len(DOMAINS)), len(DOMAINS))
    levels = reduced(packed(states, packing), packing, order)
    tested = {number for number, domain in enumerate(DOMAINS) if domain.count > 1}
    assert {level.variable for level in levels} == tested
    kept = sorted(tested)
    found = sorted(tuple(each[number] for number in kept) for each in states_of(levels))
    assert found == sorted(tuple(state[number] for number in kept) for state in states)
    assert len(levels[-1]) == 1


@pytest.mark.parametrize("seed", range(10))
def test_no_two_nodes_are_alike_and_their_values_grow(seed: int) -> None:
    states, packing = drawn(seed, 200), pack_domains(DOMAINS)
    for level in reduced(packed(states, packing), packing, range(len(DOMAINS))):
        entries = list(zip(level.value.tolist(), level.child.tolist(), strict=True))
        nodes = [tuple(entries[first:last]) for first, last in zip(level.start, level.start[1:], strict=False)]
        assert len(set(nodes)) == len(nodes) == len(level)
        assert all([value for value, _ in node] == sorted({value for value, _ in node}) for node in nodes)


def test_a_product_has_one_node_for_each_variable() -> None:
    domains = [Domain(0, 4), Domain(3, 9), Domain(-1, 1), Domain(0, 1)]
    packing = pack_domains(domains)
    states = list(product(*(range(domain.low, domain.high + 1) for domain in domains)))
    levels = reduced(packed(states, packing), packing, [2, 0, 3, 1])
    assert [(level.variable, len(level)) for level in levels] == [(1, 1), (3, 1), (0, 1), (2, 1)]


def test_a_variable_with_one_value_comes_first() -> None:
    packing = pack_domains([Domain(0, 3), Domain(0, 3)])
    levels = reduced(packed([(0, 2), (1, 2), (3, 2)], packing), packing, [0, 1])
    assert [level.variable for level in levels] == [0, 1]


def test_one_state_and_no_variable_at_all() -> None:
    packing = pack_domains([Domain(4, 4)])
    assert reduced(packed([(4,)], packing), packing, [0]) == []
    (level,) = reduced(packed([(6,)], pack_domains([Domain(4, 7)])), pack_domains([Domain(4, 7)]), [0])
    assert (level.value.tolist(), level.child.tolist(), level.start.tolist()) == ([6], [0], [0, 1])


def test_sums_that_cannot_tell_nodes_apart_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    scrambled = reduction._scrambled
    salts: list[int] = []

    def weak(numbers: Int64s, salt: int) -> Int64s:
        salts.append(salt)
        return scrambled(numbers, salt) if salt > 2 else np.zeros_like(numbers)

    monkeypatch.setattr(reduction, "_scrambled", weak)
    packing = pack_domains([Domain(0, 3)] * 4)
    states = random.Random(0).sample(list(product(range(4), repeat=4)), 100)
    levels = reduced(packed(states, packing), packing, range(4))
    assert sorted(tuple(each[number] for number in range(4)) for each in states_of(levels)) == sorted(states)
    assert max(salts) == 3


def test_the_highest_bit_of_numbers_that_round_up() -> None:
    numbers = [1, 2, 3, (1 << 53) - 1, (1 << 62) - 1, 1 << 62, (1 << 63) - 1]
    assert reduction._highest_bit(np.array(numbers)).tolist() == [number.bit_length() - 1 for number in numbers]


def test_a_checkpoint_ends_it() -> None:
    packing = pack_domains([Domain(0, 3), Domain(0, 3)])

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reduced(packed([(0, 2)], packing), packing, [0, 1], stop)
