"""The claims of variable orders, held against random systems and random weights."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.encode.order.local import Arrangement, MoveBudget
from symdmc.encode.order.orders import ORDERS, variable_order
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.task import compile_task
from symdmc.task.values.tabulate import Integers
from tests.strategies import systems

NOTHING = ErrorCondition(name="nothing")


@pytest.mark.parametrize("name", ORDERS)
@settings(max_examples=25)
@given(system=systems(), seed=st.integers(0, 3))
def test_an_order_is_a_permutation_with_single_values_last_and_always_the_same(
    name: str, system: System, seed: int
) -> None:
    task = compile_task(system, NOTHING)
    order = variable_order(task, name, seed)
    assert sorted(order.variables) == list(range(len(task.variables)))
    single = [task.analysis.domains[number].count == 1 for number in order.variables]
    assert single == sorted(single)
    assert variable_order(compile_task(system, NOTHING), name, seed) == order


@settings(max_examples=25)
@given(system=systems(), seed=st.integers(0, 3))
def test_local_search_never_costs_more_than_the_other_orders(system: System, seed: int) -> None:
    task = compile_task(system, NOTHING)
    declared, force, local = (variable_order(task, name, seed).cost for name in ("declared", "force", "local"))
    assert local <= min(declared, force)


def cost(weights: Integers, order: Integers) -> int:
    """By the definition."""
    return sum(
        int(weights[one, other]) * (place - earlier) ** 2
        for place, one in enumerate(order)
        for earlier, other in enumerate(order[:place])
    )


@st.composite
def weighted_orders(draw: st.DrawFn) -> tuple[Integers, Integers]:
    """The weights of all pairs, and an order."""
    size = draw(st.integers(2, 9))
    drawn = draw(st.lists(st.integers(0, 5), min_size=size * size, max_size=size * size))
    half = np.triu(np.array(drawn, dtype=np.int64).reshape(size, size), 1)
    return half + half.T, np.array(draw(st.permutations(range(size))), dtype=np.int64)


@settings(max_examples=60)
@given(drawn=weighted_orders())
def test_the_change_of_every_move_is_known_before_it_is_made(drawn: tuple[Integers, Integers]) -> None:
    weights, order = drawn
    size, now = len(order), cost(weights, order)
    insertions, swaps = Arrangement(weights, order).changes(np.arange(size))
    for place in range(size):
        for target in range(size):
            inserted = np.insert(np.delete(order, place), target, order[place])
            assert insertions[place, target] == cost(weights, inserted) - now
            swapped = order.copy()
            swapped[[place, target]] = swapped[[target, place]]
            assert swaps[place, target] == cost(weights, swapped) - now


@settings(max_examples=60)
@given(drawn=weighted_orders(), seed=st.integers(0, 99))
def test_an_arrangement_that_was_changed_equals_a_fresh_one(drawn: tuple[Integers, Integers], seed: int) -> None:
    weights, order = drawn
    arrangement, chance = Arrangement(weights, order), random.Random(seed)
    for _ in range(5):
        arrangement.kick(chance)
        arrangement.improve(chance.randrange(len(order)))
    fresh = Arrangement(weights, arrangement.order)
    assert arrangement.cost == cost(weights, arrangement.order)
    for name, array in vars(fresh).items():
        assert np.array_equal(array, vars(arrangement)[name]), name


@settings(max_examples=60)
@given(drawn=weighted_orders())
def test_after_a_descent_no_single_move_gains(drawn: tuple[Integers, Integers]) -> None:
    weights, order = drawn
    arrangement = Arrangement(weights, order)
    arrangement.descend(MoveBudget(10**9))
    assert arrangement.cost <= cost(weights, order)
    assert all((changes >= 0).all() for changes in arrangement.changes(np.arange(len(order))))
