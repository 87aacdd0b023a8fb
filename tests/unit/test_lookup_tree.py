"""Trees of tables: compiled look-ups and unfolded diagrams say what the tree says."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from symdmc.lookup import tree_unfolding as lookup_tree_unfolding
from symdmc.lookup.tables import DEAD_END, OUTSIDE, TableGroup, codes_of, table_image
from symdmc.lookup.tree import Tree, TreeLeaf, TreeTable, joined, leaves_first, renamed
from symdmc.lookup.tree_unfolding import unfolded
from symdmc.packed.packing import pack_domains
from symdmc.task.values.domains import Domain

DOMAINS = (Domain(0, 3), Domain(-2, 1), Domain(0, 1 << 40), Domain(-3, 0), Domain(7, 9), Domain(0, 1 << 40))
VARIABLES = (4, 0, 3, 1)
CLASSES = 4


def _random_tree(seed: int) -> Tree:
    choose = random.Random(seed)
    numbers = np.random.default_rng(seed)
    parts: list[Tree] = []
    for variable in VARIABLES:
        domain = DOMAINS[variable]
        parts.append(TreeLeaf(variable, domain.low, numbers.integers(0, CLASSES, domain.count, dtype=np.int32)))
    while len(parts) > 1:
        left, right = (parts.pop(choose.randrange(len(parts))) for _ in range(2))
        parts.append(joined(left, right, numbers.integers(0, CLASSES, (CLASSES, CLASSES), dtype=np.int32)))
    return renamed(parts[0], np.array([0, 5, DEAD_END, OUTSIDE], dtype=np.int32))


def _states() -> list[tuple[int, ...]]:
    few = [range(domain.low, min(domain.high, domain.low + 9) + 1) for domain in DOMAINS]
    few[2] = few[5] = range(1)
    return list(product(*few))


@pytest.mark.parametrize("seed", range(6))
def test_compiled_look_ups_give_the_codes_of_the_reference(seed: int) -> None:
    packing, table, states = pack_domains(DOMAINS), TreeTable(_random_tree(seed)), _states()
    packed = np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)
    codes = codes_of((TableGroup((table,)),), packed, packing).tolist()
    assert codes == [table.code_of(values) for values in states]
    assert len(set(codes)) > 1


@pytest.mark.parametrize("seed", range(6))
def test_the_unfolded_diagram_has_a_code_where_the_tree_has_it(seed: int) -> None:
    table = TreeTable(_random_tree(seed))
    diagram = unfolded(table, DEAD_END)
    assert diagram is not None
    for values in _states():
        assert diagram.code_of(values) == (DEAD_END if table.code_of(values) == DEAD_END else 0)


def test_a_tree_may_be_one_leaf() -> None:
    table = TreeTable(TreeLeaf(0, 0, np.array([3, DEAD_END, OUTSIDE, 3], dtype=np.int32)))
    diagram = unfolded(table, DEAD_END)
    assert diagram is not None
    assert [diagram.code_of((value,)) for value in range(4)] == [0, DEAD_END, 0, 0]


def _long_tree(length: int, *, right: bool) -> Tree:
    """The classes of many variables of two values joined one after the other: whether their sum is odd."""
    odd = np.array([[0, 1], [1, 0]], dtype=np.int32)
    tree: Tree = TreeLeaf(0, 0, np.array([0, 1], dtype=np.int32))
    for variable in range(1, length):
        leaf = TreeLeaf(variable, 0, np.array([0, 1], dtype=np.int32))
        tree = joined(leaf, tree, odd) if right else joined(tree, leaf, odd)
    return tree


@pytest.mark.parametrize("right", [False, True])
def test_trees_may_be_deeper_than_the_interpreter_recurses(right: bool) -> None:
    length = 2000
    tree = renamed(_long_tree(length, right=right), np.array([0, DEAD_END], dtype=np.int32))
    assert len(list(leaves_first(tree))) == 2 * length - 1
    table, diagram = TreeTable(tree), unfolded(TreeTable(tree), DEAD_END)
    assert diagram is not None
    assert len(diagram) == 2 * length - 1
    for values in ((0,) * length, (*(0,) * (length - 1), 1), (1,) * length):
        code = DEAD_END if sum(values) % 2 else 0
        assert (table.code_of(values), diagram.code_of(values)) == (code, code)


@pytest.mark.parametrize("budget", ["MOST_NODES", "MOST_WORK"])
def test_a_diagram_that_is_too_large_is_none(budget: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup_tree_unfolding, budget, 1)
    assert unfolded(TreeTable(_random_tree(0)), DEAD_END) is None


def test_a_variable_whose_values_lie_too_far_apart_is_refused() -> None:
    table = TreeTable(TreeLeaf(2, 0, np.zeros(1, dtype=np.int32)))
    with pytest.raises(ValueError, match="lie too far apart"):
        table_image([TableGroup((table,))], pack_domains(DOMAINS))


@pytest.mark.parametrize("right", [False, True])
def test_a_part_may_have_one_class_only(right: bool) -> None:
    domains = (Domain(0, 3), Domain(0, 2))
    many = TreeLeaf(0, 0, np.array([0, 1, 2, 1], dtype=np.int32))
    one = TreeLeaf(1, 0, np.zeros(3, dtype=np.int32))
    codes = np.array([[7], [0], [DEAD_END]], dtype=np.int32)
    table = TreeTable(joined(many, one, codes) if right else joined(one, many, codes.reshape(1, 3)))
    states: list[tuple[int, ...]] = list(product(range(4), range(3)))
    packing = pack_domains(domains)
    packed = np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)
    expected = [(7, 0, DEAD_END, 0)[x] for x, _ in states]
    assert [table.code_of(values) for values in states] == expected
    assert codes_of((TableGroup((table,)),), packed, packing).tolist() == expected
