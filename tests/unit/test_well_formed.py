"""A database whose parts do not fit together is refused, whatever its file says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symdmc.checking.checks import task_for
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.model.builder import Builder
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.well_formed import initial_states_agree, is_well_formed
from symdmc.task import Task


def counter() -> Task:
    m = Builder("counter")
    m.integer("x", 0, 9, initial=2)
    m.integer("y", 0, 1)
    process = m.process("P", initial="a")
    process.edge("a", "a", guard="x < 5", do="x = x + 1")
    process.edge("a", "a", guard="x > 6", do="y = 1")
    return task_for(m.build(), error="x == 5 and y == 0")


TASK = counter()
X = TASK.layout.first["x"]


def made(**options: Any) -> PatternDatabase:
    return build_database(TASK, [X], BuildOptions(**options))


def with_entry(database: PatternDatabase, place: int, entry: int) -> PatternDatabase:
    children = database.table.children.copy()
    children[place] = entry
    return replace(database, table=replace(database.table, children=children))


def with_classes(database: PatternDatabase, number: int) -> PatternDatabase:
    classes = {X: np.full_like(database.table.classes[X], number)}
    return replace(database, table=replace(database.table, classes=classes))


def test_what_was_built_is_well_formed() -> None:
    for database in (made(), made(complete=True), made(most_layers=1), made(perimeter=2)):
        assert is_well_formed(database, TASK)
        assert initial_states_agree(database, TASK)


def test_a_code_is_a_distance_that_has_a_layer_or_says_that_there_is_none() -> None:
    complete, partial = made(complete=True), made(most_layers=1)
    last = len(complete.layers) - 1
    assert is_well_formed(with_entry(complete, 0, -1 - last), TASK)
    assert is_well_formed(with_entry(complete, 0, -1 - DEAD_END), TASK)
    assert is_well_formed(with_entry(partial, 0, -1 - OUTSIDE), TASK)
    assert is_well_formed(with_entry(partial, 0, -1 - len(partial.layers)), TASK)
    assert not is_well_formed(with_entry(complete, 0, -1 - (last + 1)), TASK)
    assert not is_well_formed(with_entry(partial, 0, -1 - (len(partial.layers) + 1)), TASK)
    assert not is_well_formed(with_entry(partial, 0, -1 - DEAD_END), TASK)
    assert not is_well_formed(replace(partial, h_initial=None), TASK)


def test_no_look_up_leaves_the_arrays_or_never_ends() -> None:
    database = made(complete=True)
    nodes = len(database.table)
    assert not is_well_formed(with_entry(database, 0, 0), TASK)
    assert not is_well_formed(replace(database, table=replace(database.table, root=nodes)), TASK)
    assert not is_well_formed(
        replace(database, table=replace(database.table, children=database.table.children[1:])), TASK
    )


def test_every_value_has_a_class_that_there_can_be() -> None:
    database, count = made(complete=True), TASK.analysis.domains[X].count
    for number in (-1, count):
        assert not is_well_formed(with_classes(database, number), TASK)
    lacking = replace(database.table, classes={X: database.table.classes[X][:-1]})
    assert not is_well_formed(replace(database, table=lacking), TASK)
    shifted = replace(database.table, low={X: database.table.low[X] - 1})
    assert not is_well_formed(replace(database, table=shifted), TASK)


def test_no_transition_costs_more_than_in_the_model() -> None:
    database, costs = made(), tuple(each.cost for each in TASK.transitions)
    assert is_well_formed(replace(database, costs=costs), TASK)
    assert is_well_formed(replace(database, costs=(0,) * len(costs)), TASK)
    for wrong in ((costs[0] + 1, *costs[1:]), (-1, *costs[1:]), costs[1:]):
        assert not is_well_formed(replace(database, costs=wrong), TASK)


def test_what_is_said_of_all_initial_states_is_at_most_what_is_said_of_each() -> None:
    database = made(complete=True)
    assert database.h_initial == 3
    for told, agrees in ((0, True), (3, True), (4, False), (None, False)):
        assert initial_states_agree(replace(database, h_initial=told), TASK) is agrees
