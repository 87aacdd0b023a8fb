"""Look-up tables that test derived variables: the compiled walk is the reference walk, and both do what is defined."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from symdmc.checking.checks import task_for
from symdmc.encode.tables.derived_tests import probed
from symdmc.errors import UnsupportedFeature
from symdmc.lookup.definitions import probe_of
from symdmc.lookup.sums import BoundedSum
from symdmc.lookup.tables import DEAD_END, DERIVED, DIAGRAM, DecisionTable, TableGroup, codes_of, table_image
from symdmc.model.builder import Builder
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.packed.packing import Packing, pack_domains
from symdmc.task import Task, compile_task
from symdmc.task.definitions import Definition, Holds
from symdmc.task.merged_values import merged_values


def _task(high: int = 4095) -> Task:
    """Two integers that can have any value from 0 on, a small one below 0, an array, and a location."""
    m = Builder("wide")
    for name in ("x", "y"):
        m.integer(name, 0, high, initial=[[*range(high + 1)]])
    m.integer("z", -3, 4, initial=[[*range(-3, 5)]])
    m.integer("a", 0, 2, size=2, initial=[[0, 1, 2], [0, 1, 2]])
    p = m.process("P", initial=["s", "t", "u"])
    p.edge("s", "t")
    p.edge("t", "u")
    return compile_task(m.build(), ErrorCondition(name="nothing"))


@pytest.fixture(scope="module")
def task() -> Task:
    return _task()


def _holds(task: Task, text: str) -> Holds:
    return Holds(parse_expression(text, Scope.of(task.system)))


def _table(task: Task, *definitions: Definition) -> DecisionTable:
    """A table that has a code of its own for all values of the derived variables together."""
    plain = len(task.variables)
    variable: list[int] = []
    children: list[list[int]] = []
    entries = [-1]
    for level in reversed(range(len(definitions))):
        count = definitions[level].count
        above = 1
        for each in definitions[:level]:
            above *= each.count
        if level == len(definitions) - 1:
            groups = [[-1 - (place * count + value) for value in range(count)] for place in range(above)]
        else:
            groups = [entries[place * count : place * count + count] for place in range(above)]
        entries = list(range(len(variable), len(variable) + above))
        variable += [plain + level] * above
        children += groups
    numbers = {plain + place: each for place, each in enumerate(definitions)}
    lengths = [len(each) for each in children]
    table = DecisionTable(
        root=entries[0],
        variable=np.array(variable, dtype=np.int32),
        start=(np.cumsum(lengths) - lengths).astype(np.int64),
        children=np.array([child for each in children for child in each], dtype=np.int32),
        classes={number: np.arange(each.count) for number, each in numbers.items()},
        low=dict.fromkeys(numbers, 0),
        definitions=numbers,
    )
    return probed(task, table)


def _states(task: Task, count: int = 400) -> list[tuple[int, ...]]:
    choose = random.Random(1)
    domains = task.analysis.domains
    close = [(domain.low, min(domain.high, domain.low + 6)) for domain in domains]
    near = [tuple(choose.randint(*bounds) for bounds in close) for _ in range(count)]
    far = [tuple(choose.randint(domain.low, domain.high) for domain in domains) for _ in range(count)]
    return near + far


def _packed(packing: Packing, states: list[tuple[int, ...]]) -> NDArray[np.int64]:
    return np.array([packing.pack(values) for values in states], dtype=np.int64).reshape(len(states), packing.words)


TEXTS = (
    "x >= 3",
    "P.t",
    "x + y >= 3",
    "2 * x - 3 * y + z < 4",
    "x == y",
    "x != y + z",
    "x - y <= a[0] * 2 - a[1]",
    "x < y and (P.s or not z > 0)",
    "P.s imply x <= y",
    "x > 2 and y > 2 or z == x - y",
    "(z > 0 ? x : y) >= 3",
    "z * a[1] >= 2",
    "a[z] == 1",
    "4 / z == a[0]",
    "x % 3 == 1",
    "x ^ 1 < 4",
    "1 < 2 and x > y",
    "z > 0 ? x > y : P.u",
)


@pytest.mark.parametrize("text", TEXTS)
def test_probes_find_what_the_definition_says(text: str) -> None:
    task = _task(15)
    definition = _holds(task, text)
    assert isinstance(definition, Holds)
    table = _table(task, definition)
    packing, states = pack_domains(task.analysis.domains), _states(task)
    expected = [int(task.semantics.holds(definition.condition, task.state(values))) for values in states]
    assert [table.code_of(values) for values in states] == expected
    assert table.codes(_packed(packing, states), packing).tolist() == expected
    assert len(set(expected)) == 2


@pytest.mark.parametrize(("text", "always"), [("P.s imply (1 ? 1 : x)", 1), ("1 ? 0 : x > y", 0), ("0 ? x > y : 1", 1)])
def test_a_condition_with_parts_that_never_matter_is_constant(task: Task, text: str, always: int) -> None:
    table = _table(task, _holds(task, text))
    packing, states = pack_domains(task.analysis.domains), _states(task)
    assert {table.code_of(values) for values in states} == {always}
    assert set(table.codes(_packed(packing, states), packing).tolist()) == {always}


def test_several_derived_variables_are_told_apart(task: Task) -> None:
    merged = merged_values(task, "x=0/1..9/10..")
    table = _table(task, _holds(task, "x + y >= 9"), merged, _holds(task, "x < y and z < 0"), _holds(task, "P.s"))
    packing, states = pack_domains(task.analysis.domains), _states(task)
    expected = [table.code_of(values) for values in states]
    groups = (TableGroup((table, _table(task, merged))), TableGroup((_table(task, _holds(task, "y == x")),)))
    assert table.codes(_packed(packing, states), packing).tolist() == expected
    assert len(set(expected)) > 12
    together = [max(group.code_of(values) for group in groups) for values in states]
    assert codes_of(groups, _packed(packing, states), packing).tolist() == together


def test_a_sum_of_wide_variables_takes_a_few_words(task: Task) -> None:
    assert isinstance(probe_of(task, _holds(task, "x + y >= 3")), BoundedSum)
    packing = pack_domains(task.analysis.domains)
    for text in ("x + y >= 3", "x == y", "x < y and y < x + 100"):
        assert len(table_image([TableGroup((_table(task, _holds(task, text)),))], packing)) < 60


def test_a_condition_on_one_variable_is_as_quick_as_the_variable(task: Task) -> None:
    assert _table(task, _holds(task, "x % 7 == 3"), merged_values(task, "y=0/1..")).kind == DIAGRAM
    assert _table(task, _holds(task, "x + y >= 3")).kind == DERIVED


def test_a_sum_that_may_wrap_is_no_sum() -> None:
    task = _task(40)
    text = "x * 100000000 + y >= 3"  # 40 * 100000000 is more than 32 bits hold
    assert probe_of(task, _holds(task, text)) is None
    table = _table(task, _holds(task, text))
    states = [(0, 21, 0, 0, 0, 0), (0, 22, 0, 0, 0, 0), (0, 40, 0, 0, 0, 0)]
    assert [table.code_of(values) for values in states] == [1, 0, 0]


@pytest.mark.parametrize("text", ["x * 2000000 + y * 2000000 > 0", "0 - x * 2000000 - y * 2000000 < 0"])
def test_a_sum_of_parts_that_fit_may_wrap_at_either_end(text: str) -> None:
    m = Builder("far")
    for name in ("x", "y"):
        m.integer(name, 1000, 1002, initial=range(1000, 1003))
    m.process("P", initial="a").edge("a", "a")
    task = task_for(m.build(), error="P.a")
    assert probe_of(task, _holds(task, text)) is None
    condition = parse_expression(text, Scope.of(task.system))
    assert not task.semantics.holds(condition, next(task.semantics.initial_states()))


def test_a_definition_that_is_too_large_is_refused_in_one_line(task: Task) -> None:
    with pytest.raises(UnsupportedFeature) as caught:
        _table(task, _holds(task, "x * y % 4093 >= 17"))
    assert len(str(caught.value).splitlines()) == 1


def test_special_codes_come_through(task: Task) -> None:
    table = _table(task, _holds(task, "x < y"))
    table.children[:] = [-1 - DEAD_END, -1 - 7]
    states: list[tuple[int, ...]] = [(0, 1, 2, 0, 0, 0), (0, 2, 1, 0, 0, 0)]
    packing = pack_domains(task.analysis.domains)
    assert table.codes(_packed(packing, states), packing).tolist() == [7, DEAD_END]


@pytest.mark.parametrize(
    "text",
    [
        "x + 2147483640 <= y",
        "x + 2147483640 >= y + 2147483640",
        "x - 2147483640 - 40 >= y - 2147483640 - 40",
    ],
)
def test_one_side_that_may_wrap_makes_a_comparison_none_of_sums(text: str) -> None:
    task = _task(40)
    definition = _holds(task, text)
    assert probe_of(task, definition) is None
    table = _table(task, definition)
    for x, y in ((0, 0), (7, 0), (8, 0), (0, 8), (39, 0), (40, 0), (40, 40)):
        values = (0, x, y, 0, 0, 0)
        assert table.code_of(values) == task.semantics.holds(definition.condition, task.state(values))
