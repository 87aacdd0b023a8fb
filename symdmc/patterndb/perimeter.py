"""Perimeter databases: exact distances close to the error states, abstract distances to the perimeter beyond.

The perimeter has the concrete layers 0 to p, found backward inside the states that values and pairs of values allow,
which are closed under steps. The abstract layers begin with the projection of layer p instead of the error states.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.relation.relation import Relation
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.tables.derived_tests import probed
from symdmc.encode.tables.export import decision_table
from symdmc.encode.tables.table_import import state_sets
from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.model.state import State
from symdmc.patterndb.build import (
    MERGE_LIMIT,
    BuildOptions,
    BuildReport,
    BuiltLayers,
    build_database,
    database_of,
    grow,
    no_report,
    within_pairs,
)
from symdmc.patterndb.database import PatternDatabase
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerimeterDatabase:
    """Exact distances inside the perimeter, and lower bounds beyond it. Admissible and consistent.

    Consistent, because costs are 0 or 1: a step into the perimeter from beyond costs 1 and ends in its last layer, with
    which the abstract layers begin.
    """

    perimeter: PatternDatabase
    """The database of all variables. If it is complete, every state beyond it is a dead end."""
    beyond: PatternDatabase | None
    """Abstract distances to the last layer of the perimeter; None if that is complete."""

    @property
    def radius(self) -> int:
        """The largest exact distance; -1 where there is no error state."""
        return len(self.perimeter.layers) - 1

    def distance(self, state: State | Sequence[int]) -> int | None:
        """The estimate of a state of the model, or of one given by its values; None for a dead end.

        Raises ModelError for a state that cannot be reached because it lies outside of either database.
        """
        near = self.perimeter.distance(state)
        if self.beyond is None or near is None or near <= self.radius:
            return near
        far = self.beyond.distance(state)
        return None if far is None else self.estimate_beyond(far)

    def estimate_beyond(self, far: int) -> int:
        """The estimate of a state beyond the perimeter with this abstract distance: at least one more than the radius.

        The abstraction may merge the state with one in the last layer, but the state is farther away.
        """
        return self.radius + max(far, 1)


def build_perimeter(
    task: Task,
    pattern: Sequence[int],
    radius: int,
    options: BuildOptions = BuildOptions(),
    report: BuildReport = no_report,
) -> PerimeterDatabase:
    """The perimeter with this radius, or a smaller one if there are no more layers or no more fit; beyond, the pattern.

    Raises DiagramLimit when memory is too small.
    """
    began = time.monotonic()
    built = _concrete_layers(task, radius, options, report)
    perimeter = database_of(built)
    start = None if built.complete else _projected(built.encoding, built.rings[-1], pattern)
    perimeter = replace(perimeter, seconds=round(time.monotonic() - began, 3))
    del built  # its diagrams need not stay while those of the abstraction grow
    beyond = None if start is None else build_database(task, pattern, options, report, start=start)
    return PerimeterDatabase(perimeter=perimeter, beyond=beyond)


def requested_database(
    task: Task,
    pattern: Sequence[int],
    options: BuildOptions = BuildOptions(),
    report: BuildReport = no_report,
) -> PatternDatabase:
    """The database that the options ask for, with a perimeter or without. Raises DiagramLimit."""
    if options.perimeter is None:
        return build_database(task, pattern, options, report)
    database = build_perimeter(task, pattern, options.perimeter, options, report)
    report("writing the look-up table", None)
    return joined_database(task, database, options)


def _concrete_layers(task: Task, radius: int, options: BuildOptions, report: BuildReport) -> BuiltLayers:
    report("perimeter", None)
    built = within_pairs(Relation(options.encoding(task), merge_limit=MERGE_LIMIT, frames=True))
    errors = ErrorStates(built.relation).within(built.restriction)
    grow(built, errors, replace(options, complete=True, most_layers=radius), report)
    return built


def _projected(encoding: Encoding, states: Node, pattern: Sequence[int]) -> DecisionTable:
    """A table that gives the projection of some states the code 0."""
    dropped = tuple(number for number in encoding.order if number not in frozenset(pattern))
    kept = encoding.diagrams.exists(states, encoding.bits_of(dropped).current)
    return decision_table(encoding, [(0, kept)], OUTSIDE)


def joined_database(task: Task, database: PerimeterDatabase, options: BuildOptions = BuildOptions()) -> PatternDatabase:
    """The same estimates as one pattern database; its table may be much larger than the two."""
    beyond = database.beyond
    if beyond is None:
        return database.perimeter
    encoding = options.encoding(task)
    estimates = [database.distance(values) for values in task.initial_values()]
    near, far = database.perimeter, (replace(layer, depth=database.radius + layer.depth) for layer in beyond.layers[1:])
    return replace(
        near,
        pattern=beyond.pattern,
        table=probed(task, decision_table(encoding, _joined(encoding, database, beyond.table), OUTSIDE)),
        complete=beyond.complete,
        layers=(*near.layers, *far),
        h_initial=min((each for each in estimates if each is not None), default=None),
        seconds=round(near.seconds + beyond.seconds, 3),
        peak_nodes=max(near.peak_nodes, beyond.peak_nodes),
    )


def _joined(encoding: Encoding, database: PerimeterDatabase, beyond: DecisionTable) -> Iterable[tuple[int, Node]]:
    """For each code the states with it; those that are outside of either table are left out.

    What lies inside of both is closed under steps, as each of the two is.
    """
    d = encoding.diagrams
    near, far = state_sets(encoding, database.perimeter.table), state_sets(encoding, beyond)
    near.pop(OUTSIDE, None)
    outside = far.pop(OUTSIDE, d.false)
    sets = {code: d.without(states, outside) for code, states in near.items()}
    rest = sets.pop(database.radius + 1, d.false)
    for code, states in far.items():
        estimate = DEAD_END if code == DEAD_END else database.estimate_beyond(code)
        sets[estimate] = d.either(sets.get(estimate, d.false), d.both(rest, states))
    return sets.items()
