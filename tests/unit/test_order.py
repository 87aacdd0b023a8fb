"""The variable orders of known systems."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from itertools import combinations, pairwise

import pytest

from symdmc.checking.checks import bare_task_of
from symdmc.encode.order.orders import ORDERS, variable_order
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.task import Task, compile_task
from symdmc.task.interaction import footprint

NOTHING = ErrorCondition(name="nothing")


def names(task: Task, variables: tuple[int, ...]) -> list[str]:
    return [task.variables[number].name for number in variables]


def chain(length: int, seed: int, *, ghost: bool = False) -> tuple[Task, list[str]]:
    """Variables that only pass values to the next one, declared in any order, and their names along the chain.

    A ghost is a transition that links the ends and never runs.
    """
    along = [f"x{number}" for number in range(length)]
    m = Builder("chain")
    for name in random.Random(seed).sample(along, length):
        m.integer(name, 0, 1, initial=(0, 1))
    p = m.process("P", initial="s")
    for one, other in pairwise(along):
        p.edge("s", "s", do=f"{other} = {one}")
    if ghost:
        p.edge("never", "s", do=f"{along[0]} = {along[-1]}")
    return compile_task(m.build(), NOTHING), along


def network(size: int, transitions: int) -> Task:
    """Many variables, each transition over a few that are near each other, declared in any order."""
    chance = random.Random(1)
    along = chance.sample([f"x{number}" for number in range(size)], size)
    m = Builder("network")
    for number in range(size):
        m.integer(f"x{number}", 0, 1, initial=(0, 1))
    p = m.process("P", initial="s")
    for _ in range(transitions):
        middle, count = chance.randrange(size), chance.randrange(2, 7)
        near = [along[min(size - 1, max(0, middle + chance.randrange(-12, 13)))] for _ in range(count)]
        p.edge("s", "s", guard=" and ".join(f"{name} == 0" for name in near[1:]), do=f"{near[0]} = 1")
    return compile_task(m.build(), NOTHING)


def test_declared_puts_what_a_process_owns_behind_its_location_and_single_values_last() -> None:
    m = Builder("owned")
    m.integer("shared", 0, 3)
    m.integer("board", 0, 3, size=2)
    m.integer("constant", 0, 3)
    for process in ("P", "Q"):
        p = m.process(process, initial="s")
        p.integer("mine", 0, 3)
        p.edge("s", "t", do=f"{process}->mine = 1, shared = 1, board[0] = 1, board[1] = 2")
    task = compile_task(m.build(), NOTHING)
    assert names(task, variable_order(task, "declared").variables) == [
        *("P", "P->mine", "Q", "Q->mine", "shared", "board[0]", "board[1]", "constant")
    ]


@pytest.mark.parametrize("name", ["force", "local"])
@pytest.mark.parametrize(("length", "seed"), [(2, 0), (3, 0), (8, 1), (20, 2), (45, 3)])
def test_a_chain_is_found_whatever_the_declaration(name: str, length: int, seed: int) -> None:
    task, along = chain(length, seed)
    *found, process = names(task, variable_order(task, name).variables)
    assert process == "P"
    assert found in (along, along[::-1])


@pytest.mark.parametrize("count", [2, 5, 24])
def test_what_most_transitions_touch_comes_first_and_clocks_stay_with_their_processes(count: int) -> None:
    task = bare_task_of(f"fischer:n={count}")
    *found, time_process = names(task, variable_order(task, "hubs").variables)
    assert (found[0], time_process) == ("id", "Time")
    pairs = [set(found[place : place + 2]) for place in range(1, 2 * count, 2)]
    assert sorted(pairs, key=sorted) == sorted(({f"P{i}", f"P{i}->x"} for i in range(1, count + 1)), key=sorted)


def test_the_cost_is_the_sum_over_pairs_of_weight_times_squared_distance() -> None:
    task = bare_task_of("arbiter_tree:height=2")
    for name in ORDERS:
        order = variable_order(task, name)
        place = {variable: position for position, variable in enumerate(order.variables)}
        cost = 0
        for number in task.analysis.possible:
            touched = footprint(task, task.transitions[number])
            both = touched.reads | touched.writes
            cost += sum(2520 // len(both) * (place[one] - place[other]) ** 2 for one, other in combinations(both, 2))
        assert order.cost == cost


@pytest.mark.parametrize("name", ORDERS)
def test_transitions_that_never_run_do_not_count(name: str) -> None:
    task, _ = chain(6, seed=4)
    haunted, _ = chain(6, seed=4, ghost=True)
    assert len(haunted.transitions) == len(task.transitions) + 1
    assert variable_order(haunted, name) == variable_order(task, name)


def test_local_search_orders_the_arbiter_tree_much_better_than_its_declaration() -> None:
    task = bare_task_of("arbiter_tree:height=3")
    assert variable_order(task, "declared").cost > 4 * variable_order(task, "local").cost
    assert variable_order(task, "force").cost < 2 * variable_order(task, "local").cost


def test_a_task_without_shared_transitions_keeps_its_declared_order_at_no_cost() -> None:
    m = Builder("apart")
    for process in ("P", "Q"):
        m.process(process, initial="s").edge("s", "t")
    task = compile_task(m.build(), NOTHING)
    for name in ORDERS:
        order = variable_order(task, name)
        assert (order.variables, order.cost) == ((0, 1), 0)


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_does_not_depend_on_the_hash_seed(name: str) -> None:
    program = (
        "from symdmc.encode.order.orders import variable_order; from symdmc.checking.checks import bare_task_of;"
        f"print(variable_order(bare_task_of('arbiter_tree:height=3'), {name!r}, seed=5))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert outputs == {f"{variable_order(bare_task_of('arbiter_tree:height=3'), name, seed=5)}\n"}


def test_a_large_task_is_ordered_well_and_soon() -> None:
    task = network(size=300, transitions=800)
    assert len(task.analysis.possible) == 800
    started = time.monotonic()
    local = variable_order(task)
    assert time.monotonic() - started < 10
    assert local.cost <= variable_order(task, "force").cost < variable_order(task, "declared").cost / 50
