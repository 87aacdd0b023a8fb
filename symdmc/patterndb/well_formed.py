"""Whether a pattern database that was read from a file can be used: no look-up may leave its arrays or never end."""

from __future__ import annotations

from itertools import islice

import numpy as np

from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.patterndb.database import PatternDatabase
from symdmc.task.task import Task

MOST_DERIVED = 1 << 16
"""A derived variable has a number less than this many beyond those of the task."""
MOST_INITIAL = 10_000
"""The estimates of at most this many initial states are compared with what a file says of all of them."""


def is_well_formed(database: PatternDatabase, task: Task) -> bool:
    """Whether all parts fit together and fit the task; that what they say is true is another question."""
    return (
        _fits(database, task)
        and _values_are_known(database, task)
        and _all_classified(database)
        and _walks_end(database.table)
        and _codes_mean_something(database)
    )


def initial_states_agree(database: PatternDatabase, task: Task) -> bool:
    """Whether what the database says of all initial states is what its table says of each."""
    if database.h_initial is None:
        return all(database.code(values) == DEAD_END for values in task.initial_values())
    codes = [database.code(values) for values in islice(task.initial_values(), MOST_INITIAL)]
    return all(database.h_initial <= code != OUTSIDE for code in codes)


def _fits(database: PatternDatabase, task: Task) -> bool:
    """Whether the parts are about the same variables, all of the task, and costs are those of its transitions."""
    table = database.table
    plain, derived = len(task.variables), database.definitions
    names = {variable.name: number for number, variable in enumerate(task.variables)}
    names |= {each.text: number for number, each in derived.items()}
    pattern = {names[name] for name in database.pattern if name in names}
    return (
        len(pattern) == len(database.pattern)
        and len(set(derived.values())) == len(derived)
        and pattern <= set(database.values) <= set(names.values())
        and set(table.classes) == set(table.low)
        and set(np.unique(table.variable).tolist()) <= set(table.classes) <= set(database.values)
        and all(plain <= number < plain + MOST_DERIVED and number in database.values for number in derived)
        and _costs_fit(database, task)
    )


def _costs_fit(database: PatternDatabase, task: Task) -> bool:
    """Whether no transition costs more than in the task."""
    return database.costs is None or (
        len(database.costs) == len(task.transitions)
        and all(0 <= cost <= each.cost for cost, each in zip(database.costs, task.transitions, strict=True))
    )


def _values_are_known(database: PatternDatabase, task: Task) -> bool:
    """Whether each variable has the values of the value analysis, and a derived one all that its definition gives."""
    derived, domains = database.definitions, task.analysis.domains
    return all(
        np.array_equal(values, np.arange(derived[number].count) if number in derived else domains[number].array)
        for number, values in database.values.items()
    )


def _all_classified(database: PatternDatabase) -> bool:
    """Whether the values of each variable that is tested have a class, and derived ones are looked up from 0 on."""
    table = database.table
    if any(table.low[number] != 0 for number in table.definitions):
        return False
    for number, classes in table.classes.items():
        values = database.values[number]
        first, last = (int(values[end]) - table.low[number] for end in (0, -1))
        if first != 0 or last != len(classes) - 1 or bool((classes < 0).any() or (classes >= len(values)).any()):
            return False
    return True


def _walks_end(table: DecisionTable) -> bool:
    """Whether the nodes lie one behind the other, each with a child for each class: a code or an earlier node."""
    nodes, entries = len(table.variable), len(table.children)
    if len(table.start) != nodes or table.root >= nodes:
        return False
    sizes = np.zeros(nodes, dtype=np.int64)
    for number, classes in table.classes.items():
        sizes[table.variable == number] = int(classes.max()) + 1
    ends = np.cumsum(sizes)
    if not np.array_equal(table.start, ends - sizes) or entries != (int(ends[-1]) if nodes else 0):
        return False
    return bool((table.children < np.repeat(np.arange(nodes), sizes)).all())


def _codes_mean_something(database: PatternDatabase) -> bool:
    """Whether each code is a distance that has a layer, a dead end of a complete database, or outside."""
    if [layer.depth for layer in database.layers] != list(range(len(database.layers))):
        return False
    most = len(database.layers) - database.complete
    special = {DEAD_END, OUTSIDE} if database.complete else {OUTSIDE}
    h_initial = database.h_initial
    if h_initial is None:
        return database.complete and _are_codes(database.table, most, special)
    return h_initial <= max(most, 0) and _are_codes(database.table, most, special)


def _are_codes(table: DecisionTable, most: int, special: set[int]) -> bool:
    return all(code <= most or code in special for code in table.all_codes())
