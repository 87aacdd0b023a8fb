"""Look-up tables: the compiled walk, alone and of several tables, is the reference walk."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from symdmc.lookup.tables import (
    DEAD_END,
    MAX,
    OUTSIDE,
    SUM,
    DecisionTable,
    TableGroup,
    code_of,
    codes_of,
    combined,
    table_image,
    value_table,
)
from symdmc.packed.packing import Packing, pack_domains
from symdmc.task.values.domains import Domain
from tests.look_up_tables import table_of

DOMAINS = (
    Domain(0, 3),
    Domain(-2, 1),
    Domain(5, 5),
    Domain(0, 1 << 40),  # fills most of a word, so that the others lie in two words
    Domain(-3, 4),
    Domain(0, 1),
    Domain(0, 1 << 40),
    Domain(7, 11),
)
PATTERN = (0, 1, 2, 4, 5, 7)
SPECIAL = (DEAD_END, OUTSIDE)


def _random_table(seed: int, pattern: tuple[int, ...] = PATTERN) -> DecisionTable:
    """Codes for most of the values of the pattern; few different ones, so that nodes are shared and skipped."""
    choose = random.Random(seed)
    rows = product(*(range(DOMAINS[variable].low, DOMAINS[variable].high + 1) for variable in pattern))
    codes = (0, 1, 2, 7, DEAD_END)
    return table_of({row: choose.choice(codes) for row in rows if choose.random() < 0.9}, pattern, DOMAINS)


def _random_states(seed: int, count: int) -> list[tuple[int, ...]]:
    choose = random.Random(seed)
    return [tuple(choose.randint(domain.low, domain.high) for domain in DOMAINS) for _ in range(count)]


def _packed(packing: Packing, states: list[tuple[int, ...]]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)


@pytest.mark.parametrize("seed", range(5))
def test_a_table_has_the_codes_it_was_made_of(seed: int) -> None:
    choose = random.Random(seed)
    rows: list[tuple[int, ...]] = list(product(range(-2, 2), range(2)))
    codes = {row: choose.choice((0, 3, DEAD_END)) for row in rows if choose.random() < 0.8}
    table = table_of(codes, (1, 5), DOMAINS)
    for row in rows:
        values = (0, row[0], 5, 0, 0, row[1], 0, 7)
        assert table.code_of(values) == codes.get(row, OUTSIDE)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_walks_give_the_codes_of_the_reference_walk(seed: int, count: int) -> None:
    packing = pack_domains(DOMAINS)
    assert packing.words == 2
    table, states = _random_table(seed), _random_states(seed, count)
    assert table.codes(_packed(packing, states), packing).tolist() == [table.code_of(values) for values in states]


@pytest.mark.parametrize("combination", [MAX, SUM])
def test_several_tables_are_combined_as_in_the_reference(combination: str) -> None:
    packing, states = pack_domains(DOMAINS), _random_states(9, 999)
    tables = [_random_table(1), _random_table(2, (0, 4)), _random_table(3, (7, 1, 5))]
    expected = [combined([table.code_of(values) for table in tables], combination) for values in states]
    assert codes_of((TableGroup(tuple(tables), combination),), _packed(packing, states), packing).tolist() == expected
    assert {code for code in expected if code >= DEAD_END} == set(SPECIAL)
    assert any(0 < code < DEAD_END for code in expected)


def test_the_largest_group_counts() -> None:
    packing, states = pack_domains(DOMAINS), _random_states(4, 500)
    groups = (
        TableGroup((_random_table(1), _random_table(2, (0, 4))), SUM),
        TableGroup((_random_table(3, (7, 1, 5)),)),
        TableGroup(()),
    )
    expected = [max(group.code_of(values) for group in groups) for values in states]
    assert [code_of(groups, values) for values in states] == expected
    assert codes_of(groups, _packed(packing, states), packing).tolist() == expected


def test_special_codes_are_never_added_to_and_outside_comes_first() -> None:
    assert combined([3, DEAD_END, 4], SUM) == DEAD_END
    assert combined([3, DEAD_END, OUTSIDE, DEAD_END], SUM) == OUTSIDE
    assert combined([DEAD_END, OUTSIDE], MAX) == OUTSIDE
    assert (combined([3, 4], SUM), combined([3, 4], MAX), combined([], MAX)) == (7, 4, 0)


@pytest.mark.parametrize("code", [0, 5, *SPECIAL])
def test_a_table_may_be_one_code(code: int) -> None:
    table = table_of({(0,): code, (1,): code}, (5,), DOMAINS)
    assert len(table) == 0
    packing, states = pack_domains(DOMAINS), _random_states(0, 6)
    assert table.codes(_packed(packing, states), packing).tolist() == [code] * 6


def test_values_share_a_class_and_keep_their_place_when_packed_from_another_low() -> None:
    table = DecisionTable(
        root=0,
        variable=np.array([0], dtype=np.int32),
        start=np.array([1], dtype=np.int64),
        children=np.array([-1, -1 - 4, -1 - DEAD_END], dtype=np.int32),
        classes={0: np.array([0, 1, 1, 0], dtype=np.uint16)},
        low={0: 2},
    )
    packing = pack_domains([Domain(1, 4)])
    values: list[tuple[int, ...]] = [(2,), (3,), (4,)]
    assert [table.code_of(each) for each in values] == [4, DEAD_END, DEAD_END]
    assert table.codes(_packed(packing, values), packing).tolist() == [4, DEAD_END, DEAD_END]


def test_a_variable_whose_values_lie_too_far_apart_is_refused() -> None:
    with pytest.raises(ValueError, match="lie too far apart"):
        table_image([TableGroup((_wide_table(),))], pack_domains(DOMAINS))


def _wide_table() -> DecisionTable:
    return DecisionTable(
        root=0,
        variable=np.array([3], dtype=np.int32),
        start=np.array([0], dtype=np.int64),
        children=np.array([-1, -2], dtype=np.int32),
        classes={3: np.array([0, 1])},
        low={3: 0},
    )


def test_an_unknown_combination_is_refused() -> None:
    with pytest.raises(ValueError, match="choose from max, sum"):
        TableGroup((), "product")


def test_a_value_without_a_class_counts_as_one_of_the_first_class() -> None:
    table = value_table(0, 2, [4, 9, 9])
    packing = pack_domains([Domain(0, 6)])
    states: list[tuple[int, ...]] = [(value,) for value in range(7)]
    expected = [4, 4, 4, 9, 9, 4, 4]
    assert [table.code_of(values) for values in states] == expected
    assert table.codes(_packed(packing, states), packing).tolist() == expected


@pytest.mark.parametrize("constant", [0, 1])
def test_a_diagram_that_finds_a_value_may_have_a_node_that_it_never_meets(constant: int) -> None:
    probe = replace(value_table(0, 0, [1, 0, 1]), root=-1 - constant)
    table = replace(value_table(9, 0, [3, DEAD_END]), probes={9: probe})
    packing = pack_domains([Domain(0, 2)])
    states: list[tuple[int, ...]] = [(value,) for value in range(3)]
    expected = [(3, DEAD_END)[constant]] * 3
    assert [table.code_of(values) for values in states] == expected
    assert table.codes(_packed(packing, states), packing).tolist() == expected
