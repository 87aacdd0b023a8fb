"""Values are divided by the cells they choose, and the division changes no step."""

from __future__ import annotations

from itertools import islice, product
from math import prod

import pytest
from hypothesis import event, given, settings

from symdmc.checking.checks import task_for
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.relation import chosen_cells
from symdmc.encode.relation.chosen_cells import CodeBox, boxes
from symdmc.encode.relation.relation import Relation
from symdmc.lookup.tables import DecisionTable
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.task import compile_task
from symdmc.task.variable_names import pattern_numbers
from tests.strategies import systems

NOTHING = ErrorCondition(name="nothing")


def _system(*steps: str, guard: str = "1") -> System:
    """Counters, arrays, and a process that does each of the given things."""
    m = Builder("indices")
    m.byte("x")
    m.integer("y", 0, 4)
    m.integer("i", 0, 2)
    m.integer("a", 0, 1, size=3)
    m.integer("b", 0, 3, size=3, initial=[2, 0, 1])
    p = m.process("P", initial="s")
    for step in steps:
        p.edge("s", "s", guard=guard, do=step)
    q = m.process("Q", initial="s")
    q.edge("s", "s", do="x = x + 1")
    q.edge("s", "s", guard="y < 4", do="y = y + 1")
    q.edge("s", "s", do="i = (i + 1) % 3")
    q.edge("s", "s", do="b[0] = y % 4, b[1] = (y + 1) % 4, b[2] = (y + 2) % 4")
    return m.build()


def _encoding(system: System) -> Encoding:
    task = compile_task(system, NOTHING)
    return Encoding(task, variable_order(task, "local").variables)


def _boxes(encoding: Encoding, transition: int) -> list[CodeBox]:
    return boxes(
        encoding, encoding.task.transitions[transition], lambda number: range(len(encoding.variables[number].values))
    )


@pytest.mark.parametrize(
    ("step", "count"),
    [
        ("y = a[1]", 1),
        ("a[x % 3] = 1", 3),
        ("a[x] = 1", 4),  # every x from 3 on names no cell
        ("a[x + y] = 1", 10),  # 4 where y is 0, 3 where it is 1, 2 where it is 2, 1 beyond
        ("a[b[i]] = 1", 12),  # b[0] when i is 0; the other cells of b do not matter then
        ("x = x + 1, a[x % 3] = 1", 3),
        ("y = 2, a[y] = 1", 1),
        ("y = a[x % 3] + a[(x + 1) % 3]", 3),
        ("a[x / (y - 1)] = 1", 15),  # 2 where y is 0, 1 where it is 1, then 4 each
    ],
)
def test_values_that_choose_the_same_cells_share_a_box(step: str, count: int) -> None:
    assert len(_boxes(_encoding(_system(step)), 0)) == count


def test_an_index_that_makes_too_many_boxes_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = _encoding(_system("a[x % 3] = b[i]"))
    assert len(_boxes(encoding, 0)) == 9
    monkeypatch.setattr(chosen_cells, "MOST_BOXES", 8)
    assert len(_boxes(encoding, 0)) == 3
    monkeypatch.setattr(chosen_cells, "MOST_ROWS", 2)
    assert _boxes(encoding, 0) == [{}]


@settings(max_examples=25)
@given(system=systems())
def test_boxes_have_every_combination_of_values_once(system: System) -> None:
    encoding = _encoding(system)
    for number in range(len(encoding.task.transitions)):
        found = _boxes(encoding, number)
        variables = sorted({variable for box in found for variable in box})
        ranges = {variable: range(len(encoding.variables[variable].values)) for variable in variables}
        event(f"boxes: {min(len(found), 10)}")
        sizes = [prod(len(box.get(variable, ranges[variable])) for variable in variables) for box in found]
        if sum(sizes) > 5_000:
            continue
        listed = [
            codes
            for box in found
            for codes in product(*(box.get(variable, ranges[variable]) for variable in variables))
        ]
        assert sorted(listed) == list(product(*ranges.values()))


COMPUTED = (
    "a[x % 3] = 1 - a[(x + 1) % 3]",
    "a[b[i]] = 1",
    "a[x + y] = a[y]",
    "x = x + 2, a[x % 3] = y % 2, x = x - 1",
    "b[a[i]] = i, a[b[i]] = 0",
    "y = a[x / 2]",
)


ALL = _system(*COMPUTED, guard="a[(x + y) % 3] == 0 or x < 5")


@pytest.mark.parametrize("most", [1, 4, 300])
@pytest.mark.parametrize("learns", [False, True])
def test_steps_with_computed_indices_are_those_of_the_reference_semantics(
    most: int, learns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chosen_cells, "MOST_BOXES", most)
    encoding = _encoding(ALL)
    relation = Relation(encoding, learns=learns, merge_limit=1_000)
    d, values, semantics = encoding.diagrams, encoding.task.values, encoding.task.semantics
    met = dict.fromkeys(semantics.initial_states())
    for _ in range(5):
        for state in met:
            here = encoding.state(values(state))
            if learns:
                relation.learn(here)
            after = d.any_of(relation.image(here, part) for part in relation.parts)
            assert after == d.any_of(encoding.state(values(step.successor)) for step in semantics.steps(state))
        met = dict.fromkeys(step.successor for state in met for step in semantics.steps(state))
        met = dict(islice(met.items(), 40))


def _contents(table: DecisionTable) -> list[list[int]]:
    classes = [entry.tolist() for _, entry in sorted(table.classes.items())]
    return [[table.root], table.variable.tolist(), table.start.tolist(), table.children.tolist(), *classes]


@pytest.mark.parametrize("pattern", ["a", "a,b", "P,b,i,y"])
def test_a_database_is_the_same_however_values_are_divided(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = []
    for most in (1, 12, 300):
        monkeypatch.setattr(chosen_cells, "MOST_BOXES", most)
        task = task_for(ALL, error="a[0] == 1 and a[1] == 1 and a[2] == 1 and b[1] == b[2]")
        database = build_database(task, pattern_numbers(task, pattern), BuildOptions(complete=True))
        tables.append((database.h_initial, len(database.layers), _contents(database.table)))
    assert tables[0] == tables[1] == tables[2]
