"""Building a pattern database: forward in the abstraction, then backward in layers inside the reached states.

The layers of all distances go into one look-up table. Everything is deterministic: budgets count nodes and layers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.abstraction.projection.syntactic import SyntacticRelation
from symdmc.encode.diagrams import DiagramLimit, Node, WorkLeft
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.relation.relation import Relation
from symdmc.encode.sets.chaining import reachable_by_chaining
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.encode.sets.layers import LayeredSearch
from symdmc.encode.tables.derived_tests import probed
from symdmc.encode.tables.export import decision_table
from symdmc.encode.tables.table_import import state_sets
from symdmc.encode.value_pairs.pairs import reachable_pairs
from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.outcome import Layer
from symdmc.patterndb.database import FORWARD, PAIRS, PatternDatabase, locations_of, names_of
from symdmc.task.derived import completed
from symdmc.task.fingerprint import task_fingerprint
from symdmc.task.task import Task

FORWARD_WORK = 20_000_000
"""The most nodes that the rounds of the forward pass may add up to; a pass that needs more is thrown away."""
MERGE_LIMIT = 100_000
"""The most nodes of a merged part of the abstract relation."""
CARE_NODES = 20_000
"""The most nodes of the restriction of the layers where the forward pass was given up."""
WRITING_WORK = 10
"""Work for each node of a layer when it is written into the look-up table."""

PROJECTIONS: Mapping[str, type[ProjectedRelation]] = {"exact": ProjectedRelation, "syntactic": SyntacticRelation}
"""The relations of abstractions, by the name of how they drop variables."""

BuildReport: TypeAlias = Callable[[str, Layer | None], None]
"""Called with what a build does now, and with each layer that it has found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How a pattern database is built."""

    complete: bool = False
    """Continue to the last layer; else only until every initial state is in a layer."""
    most_layers: int | None = None
    """Stop after the layer with this distance, with a partial database."""
    layer_work: int | None = None
    """Beyond the initial states, stop when the layers add up to more nodes than this, with a partial database."""
    node_limit: int | None = None
    """The most nodes in use while the layers are found; beyond it the last complete layer is the last."""
    forward_work: int = FORWARD_WORK
    work: WorkLeft | None = None
    """The work left for this database and all others built with the same options; None: any work.

    When it is spent, the last complete layer is the last; when it is spent before any layer, there is no database.
    """
    required: bool = True
    """Whether a look-up table that would be too large is a failure; else there is no database."""
    projection: str = "exact"
    """How variables are dropped: a key of PROJECTIONS."""
    perimeter: int | None = None
    """Distances up to this one are exact, found without dropping anything; None: all are abstract."""
    order: str = "local"
    seed: int = 0
    backend: str = "cudd"
    memory_bytes: int | None = None

    def encoding(self, task: Task, among: Collection[int] | None = None) -> Encoding:
        """New diagrams of the variables of a task, or of some of them, in the order asked for."""
        order = variable_order(task, self.order, self.seed, among)
        return Encoding(task, order.variables, backend=self.backend, memory_bytes=self.memory_bytes)


@dataclass(slots=True)
class BuiltLayers:
    """The diagrams of a database while its manager lives: the reference for look-up tables."""

    encoding: Encoding
    relation: Relation
    restriction: Node
    """The abstract states that the layers lie in."""
    restricted_by: str
    """FORWARD or PAIRS."""
    rings: list[Node] = field(default_factory=list)
    """The abstract states at distance 0, 1, 2, ..."""
    layers: list[Layer] = field(default_factory=list)
    """What to report of each ring."""
    complete: bool = False

    def distance(self, values: Sequence[int]) -> int | None:
        """The estimate of a state by membership in the layers; None for a dead end. Slow."""
        d, task = self.encoding.diagrams, self.encoding.task
        state = self.encoding.state(completed(task, values) if task.definitions else values)
        for distance, layer in enumerate(self.rings):
            if d.both(state, layer) != d.false:
                return distance
        return None if self.complete else len(self.rings)


def no_report(phase: str, layer: Layer | None) -> None:
    """Say nothing."""


def build_database(
    task: Task,
    pattern: Sequence[int],
    options: BuildOptions = BuildOptions(),
    report: BuildReport = no_report,
    *,
    start: DecisionTable | None = None,
) -> PatternDatabase:
    """The database of the task projected to some of its variables, with distances to `start` as in `build_layers`.

    Raises DiagramLimit when memory is too small, or when the allowed work is spent before the first layer.
    """
    began = time.monotonic()
    built = build_layers(task, pattern, options, report, start=start)
    report("writing the look-up table", None)
    return replace(database_of(built), seconds=round(time.monotonic() - began, 3))


def build_layers(
    task: Task,
    pattern: Sequence[int],
    options: BuildOptions = BuildOptions(),
    report: BuildReport = no_report,
    costs: tuple[int, ...] | None = None,
    *,
    start: DecisionTable | None = None,
) -> BuiltLayers:
    """The layers as diagrams; transitions cost what the task says or `costs`.

    Layer 0 has the error states, or, where `start` is given, the states that have the code 0 in it.
    """
    encoding = options.encoding(task, frozenset(pattern))
    encoding.diagrams.work = options.work
    built = _restricted(encoding, options, report, costs)
    grow(built, _start(built, start), options, report)
    encoding.diagrams.work = None  # writing down what was found is not limited
    return built


def _start(built: BuiltLayers, start: DecisionTable | None) -> Node:
    """The states of layer 0, without those that steps of cost 0 lead to it from."""
    if start is None:
        return ErrorStates(built.relation).within(built.restriction)
    d = built.encoding.diagrams
    return d.both(state_sets(built.encoding, start).get(0, d.false), built.restriction)


def grow(built: BuiltLayers, start: Node, options: BuildOptions, report: BuildReport = no_report) -> None:
    """Add layers, backward from some states, until they suffice or no more fit."""
    search = LayeredSearch(Images(built.relation, options.node_limit), start, backward=True, care=built.restriction)
    try:
        _grow(search, built, options, report)
    except DiagramLimit:
        built.complete = False  # the layers found before stay


def _grow(search: LayeredSearch, built: BuiltLayers, options: BuildOptions, report: BuildReport) -> None:
    d, waiting = built.encoding.diagrams, built.relation.initial()
    nodes = 0
    while True:
        if search.exhausted:
            built.complete = True
            return
        built.rings.append(search.layer)
        layer = search.last(count=False)
        built.layers.append(layer)
        nodes += layer.nodes
        if options.work is not None:
            options.work.spend(WRITING_WORK * layer.nodes)
        report("layer", layer)
        waiting = d.without(waiting, search.layer)
        if waiting == d.false and not options.complete:
            return
        if options.most_layers is not None and search.distance >= options.most_layers:
            return
        if waiting == d.false and options.layer_work is not None and nodes > options.layer_work:
            return
        search.advance()


def _restricted(
    encoding: Encoding,
    options: BuildOptions,
    report: BuildReport,
    costs: tuple[int, ...] | None,
) -> BuiltLayers:
    """No layers as yet, restricted to the forward reachable abstract states.

    A forward pass that was cut off proves nothing. Then the layers are restricted by the known values and pairs of
    values, if all of them fit, so that the restriction is closed under steps.
    """
    report("forward", None)
    projection = PROJECTIONS[options.projection]
    try:
        relation = projection(encoding, learns=True, merge_limit=MERGE_LIMIT, costs=costs)
        reached = _forward(relation, options.forward_work, report)
        relation.merge(MERGE_LIMIT, frames=True)
        return BuiltLayers(encoding, relation, reached, FORWARD)
    except (DiagramLimit, _WorkSpent):
        if options.work is not None:
            options.work.require()
        report("value pairs", None)
        relation = projection(encoding, merge_limit=MERGE_LIMIT, frames=True, costs=costs)
        return within_pairs(relation)


def within_pairs(relation: Relation) -> BuiltLayers:
    """No layers as yet, restricted by the known values and pairs of values; closed under steps."""
    encoding = relation.encoding
    small = [part for parts in relation.of_transitions().values() for part in parts]
    pairs = reachable_pairs(encoding, small, relation.initial(), invariant=relation.invariant)
    return BuiltLayers(encoding, relation, pairs.care(encoding.diagrams, CARE_NODES, whole=True), PAIRS)


class _WorkSpent(Exception):
    """The forward pass exceeds its budget."""


def _forward(relation: ProjectedRelation, most_work: int, report: BuildReport) -> Node:
    """All forward reachable abstract states."""
    spent = 0

    def tell(layer: Layer) -> None:
        nonlocal spent
        spent += layer.nodes
        report("forward", layer)
        if spent > most_work:
            raise _WorkSpent

    return reachable_by_chaining(Images(relation), tell, count=False)


def database_of(built: BuiltLayers) -> PatternDatabase:
    """The database with these layers."""
    d = built.encoding.diagrams
    rest = built.restriction
    for layer in built.rings:
        rest = d.without(rest, layer)
    database = database_of_rings(
        built.encoding,
        built.rings,
        rest,
        built.layers,
        complete=built.complete,
        restriction=built.restricted_by,
        restriction_nodes=d.size(built.restriction),
    )
    initial = built.relation.initial()
    nearest = next((k for k, layer in enumerate(built.rings) if d.both(initial, layer) != d.false), None)
    return replace(
        database,
        h_initial=nearest if nearest is not None or built.complete else len(built.rings),
        seconds=round(sum(layer.seconds for layer in built.layers), 3),
        peak_nodes=d.peak_nodes(),
    )


def database_of_rings(
    encoding: Encoding,
    rings: Sequence[Node],
    rest: Node,
    layers: Iterable[Layer],
    *,
    complete: bool,
    restriction: str,
    restriction_nodes: int,
) -> PatternDatabase:
    """The database of the states at each distance, and of the rest; its time and h_initial are still to be said."""
    d, task, kept = encoding.diagrams, encoding.task, sorted(encoding.kept)
    beyond = DEAD_END if complete else len(rings)
    return PatternDatabase(
        fingerprint=task_fingerprint(task),
        pattern=names_of(task, encoding.order),
        values={number: np.array(encoding.variables[number].values) for number in kept},
        table=probed(task, decision_table(encoding, [*enumerate(rings), (beyond, rest)], OUTSIDE)),
        complete=complete,
        restriction=restriction,
        restriction_nodes=restriction_nodes,
        layers=tuple(layers),
        h_initial=0,
        seconds=0.0,
        peak_nodes=d.peak_nodes(),
        value_names=locations_of(task),
        definitions={number: task.definitions[number] for number in kept if number in task.definitions},
    )
