"""Saturated cost partitioning: each database in turn takes of every transition only the cost that its distances need.

What a database needs of a transition is the largest drop of its estimates along any step of it. The next databases get
what is left, so that their sum is admissible and consistent. Costs stay 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from symdmc.encode.diagrams import Node
from symdmc.encode.relation.part import Part
from symdmc.patterndb.build import BuildOptions, BuildReport, BuiltLayers, build_layers, database_of, no_report
from symdmc.patterndb.database import PatternDatabase
from symdmc.task.task import Task

Source = TypeVar("Source")


def partitioned_databases(
    task: Task,
    patterns: Sequence[Sequence[int]],
    options: BuildOptions = BuildOptions(),
    report: BuildReport = no_report,
) -> list[PatternDatabase]:
    """Databases of the patterns, in this order, whose sum is admissible; a later one may find nothing left."""

    def build(pattern: Sequence[int], costs: tuple[int, ...]) -> PatternDatabase:
        built = build_layers(task, pattern, options, report, costs)
        costs = saturated_costs(built)  # before the table, whose diagrams use the same manager
        return replace(database_of(built), costs=costs)

    return sharing_costs(task, patterns, build)


def sharing_costs(
    task: Task, sources: Iterable[Source], build: Callable[[Source, tuple[int, ...]], PatternDatabase]
) -> list[PatternDatabase]:
    """A database of each source: in turn, each takes the costs that its estimates need, the next ones get the rest."""
    left = tuple(transition.cost for transition in task.transitions)
    found: list[PatternDatabase] = []
    for source in sources:
        found.append(build(source, left))
        left = tuple(cost - used for cost, used in zip(left, found[-1].costs or (), strict=True))
    return found


def saturated_costs(built: BuiltLayers) -> tuple[int, ...]:
    """For each transition the least cost, 0 or 1, that keeps all distances: 1 if a step of it leads one layer down."""
    d = built.encoding.diagrams
    ladder = list(built.rings)
    if not built.complete:  # a partial database answers the same for all states beyond its layers
        rest = built.restriction
        for layer in built.rings:
            rest = d.without(rest, layer)
        ladder.append(rest)
    parts = built.relation.of_transitions()
    return tuple(
        int(any(_leads_down(built, ladder, part) for part in parts.get(number, ())))
        for number in range(len(built.encoding.task.transitions))
    )


def _leads_down(built: BuiltLayers, ladder: Sequence[Node], part: Part) -> bool:
    d, relation = built.encoding.diagrams, built.relation
    return any(d.both(relation.image(upper, part), lower) != d.false for lower, upper in pairwise(ladder))
