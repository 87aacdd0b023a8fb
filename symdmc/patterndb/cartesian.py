"""Databases of cartesian predicate abstractions: layers of cubes as diagrams over the variables of a predicate pattern.

The estimates are those of the abstraction: a state has the smallest distance of a cube that it is in. A state in no
cube is a dead end where all cubes were found; else its estimate is one more than the last layer.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from symdmc.abstraction.cartesian.cubes import CartesianAbstraction, Cube
from symdmc.abstraction.predicates.pattern import PredicatePattern, PredicateTest, predicate_pattern
from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.lookup.tables import DEAD_END, DecisionTable
from symdmc.outcome import Layer
from symdmc.patterndb.build import BuildOptions, database_of_rings
from symdmc.patterndb.database import VALUES, PatternDatabase
from symdmc.task.task import Task

MOST_INITIAL = 10_000
"""With more initial states than this the smallest of their estimates is not computed."""


def cartesian_database(
    task: Task,
    abstraction: CartesianAbstraction,
    options: BuildOptions = BuildOptions(),
    costs: Sequence[int] | None = None,
) -> PatternDatabase:
    """The database with the estimates of an abstraction; `costs` has the costs of transitions, if not the usual."""
    began = time.monotonic()
    pattern = predicate_pattern(task, abstraction.predicates)
    encoding = options.encoding(pattern.task, frozenset(pattern.pattern))
    rings, rest = _rings(encoding, pattern, abstraction)
    nodes = encoding.diagrams.size
    database = database_of_rings(
        encoding,
        rings,
        rest,
        (_layer(depth, nodes(ring)) for depth, ring in enumerate(rings)),
        complete=abstraction.complete,
        restriction=VALUES,
        restriction_nodes=nodes(encoding.valid),
    )
    return replace(
        database,
        h_initial=_least_estimate(task, database.table),
        costs=None if costs is None else _saturated(abstraction, costs),
        seconds=round(time.monotonic() - began, 3),
    )


def _saturated(abstraction: CartesianAbstraction, costs: Iterable[int]) -> tuple[int, ...]:
    """For each transition the least cost, no more than it had, that keeps all estimates."""
    return tuple(cost if number in abstraction.nearing else 0 for number, cost in enumerate(costs))


def _layer(depth: int, nodes: int) -> Layer:
    return Layer(depth=depth, states=None, nodes=nodes, seconds=0.0, backward=True)


def _rings(encoding: Encoding, pattern: PredicatePattern, abstraction: CartesianAbstraction) -> tuple[list[Node], Node]:
    """The abstract states at each distance, and those that are in no cube."""
    d = encoding.diagrams
    literals = [_states_of(encoding, each) for each in pattern.tests]
    rest, rings = encoding.valid, list[Node]()
    for layer in abstraction.layers:
        states = d.any_of(_states(encoding, literals, cube) for cube in layer)
        rings.append(d.both(states, rest))
        rest = d.without(rest, states)
    return rings, rest


def _states_of(encoding: Encoding, test: PredicateTest) -> Node:
    """The abstract states in which a predicate is true."""
    codes = encoding.variables[test.variable].codes
    return encoding.any_code(test.variable, [codes[value] for value in test.values])


def _states(encoding: Encoding, literals: Sequence[Node], cube: Cube) -> Node:
    """The abstract states in a cube."""
    d, states = encoding.diagrams, encoding.diagrams.true
    for place, literal in enumerate(literals):
        if cube.true >> place & 1:
            states = d.both(states, literal)
        elif cube.false >> place & 1:
            states = d.without(states, literal)
    return states


def _least_estimate(task: Task, table: DecisionTable) -> int | None:
    """The smallest estimate of an initial state; 0, a lower bound, where there are too many initial states."""
    codes = [table.code_of(values) for values in islice(task.initial_values(), MOST_INITIAL + 1)]
    if len(codes) > MOST_INITIAL:
        return 0
    least = min(codes, default=DEAD_END)
    return None if least == DEAD_END else least
