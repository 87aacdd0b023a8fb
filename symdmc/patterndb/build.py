"""Building a pattern database: forward in the abstraction, then backward in layers inside what was reached.

The layers of all distances go into one look-up table. Everything is deterministic: budgets count nodes and layers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
"""Most nodes that the rounds of the forward pass may add up to; a pass that needs more is thrown away."""
MERGE_LIMIT = 100_000
"""Most nodes of a merged part of the abstract relation."""
CARE_NODES = 20_000
"""Most nodes of what restricts the layers where the forward pass was given up."""

WRITING = 10
"""A node of a layer takes so much work again when it is written into the look-up table."""

PROJECTIONS: Mapping[str, type[ProjectedRelation]] = {"exact": ProjectedRelation, "syntactic": SyntacticRelation}
"""The steps that an abstraction has, by the name of how it drops variables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How a pattern database is built."""

    complete: bool = False
    """Go on to the last layer; else only until every initial state is in a layer."""
    most_layers: int | None = None
    """Stop after the layer with this distance, with a partial database."""
    layer_work: int | None = None
    """Behind the initial states, stop when the layers add up to more nodes than this, with a partial database."""
    node_limit: int | None = None
    """Most nodes in use while the layers are found; the last complete layer is then the last."""
    forward_work: int = FORWARD_WORK
    work: WorkLeft | None = None
    """What may be spent on this database, and on all others built with the same options; None: any work.

    When it ends, the last complete layer is the last; where it ends before there are layers, there is no database.
    """
    required: bool = True
    """Whether it is a failure if the look-up table would be too large; else there is no database."""
    projection: str = "exact"
    """How dropped variables are dropped: a key of PROJECTIONS."""
    perimeter: int | None = None
    """Distances up to this one are exact, found without dropping anything; None: all are abstract."""
    order: str = "local"
    seed: int = 0
    backend: str = "cudd"
    memory_bytes: int | None = None


@dataclass(slots=True)
class BuiltLayers:
    """The diagrams of a database while its manager lives: the reference for look-up tables."""

    encoding: Encoding
    relation: Relation
    restriction: Node
    restricted_by: str
    rings: list[Node] = field(default_factory=list)
    """The abstract states at distance 0, 1, 2, ..."""
    complete: bool = False

    def distance(self, values: Sequence[int]) -> int | None:
        """The estimate of a state by membership in the layers; None for a dead end. The slow way."""
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
    report: Callable[[str, Layer | None], None] = no_report,
) -> PatternDatabase:
    """The database of the task projected to some of its variables.

    Raises DiagramLimit when memory is too small, or when the allowed work has ended before the layers began.
    """
    began = time.monotonic()
    built, layers = build_layers(task, pattern, options, report)
    report("writing the look-up table", None)
    return replace(database_of(task, built, layers), seconds=round(time.monotonic() - began, 3))


def build_layers(
    task: Task,
    pattern: Sequence[int],
    options: BuildOptions = BuildOptions(),
    report: Callable[[str, Layer | None], None] = no_report,
    costs: tuple[int, ...] | None = None,
    *,
    start: DecisionTable | None = None,
) -> tuple[BuiltLayers, list[Layer]]:
    """The layers as diagrams, and what there is to tell of each; transitions cost what the task says or `costs`.

    Layer 0 has the error states, or where `start` is given the states with the code 0 in it.
    """
    kept = frozenset(pattern)
    order = variable_order(task, options.order, options.seed, kept)
    encoding = Encoding(task, order.variables, backend=options.backend, memory_bytes=options.memory_bytes)
    encoding.diagrams.work = options.work
    built = _restricted(encoding, options, report, costs)
    layers = grown(built, _first(built, start), options, report)
    encoding.diagrams.work = None  # what was found may be written down
    return built, layers


def _first(built: BuiltLayers, start: DecisionTable | None) -> Node:
    """The states of layer 0, before steps of cost 0 are taken back from them."""
    if start is None:
        return ErrorStates(built.relation).within(built.restriction)
    d = built.encoding.diagrams
    return d.both(state_sets(built.encoding, start).get(0, d.false), built.restriction)


def grown(
    built: BuiltLayers, start: Node, options: BuildOptions, report: Callable[[str, Layer | None], None] = no_report
) -> list[Layer]:
    """Add layers, backward from some states, until they suffice or no more fit; what there is to tell of each."""
    side = LayeredSearch(Images(built.relation, options.node_limit), start, backward=True, care=built.restriction)
    layers: list[Layer] = []
    try:
        _grow(side, built, layers, options, report)
    except DiagramLimit:
        built.complete = False  # the layers found before stay
    return layers


def _grow(
    side: LayeredSearch,
    built: BuiltLayers,
    layers: list[Layer],
    options: BuildOptions,
    report: Callable[[str, Layer | None], None],
) -> None:
    """Add layers until they suffice."""
    d, waiting = built.encoding.diagrams, built.relation.initial()
    work = 0
    while True:
        if side.exhausted:
            built.complete = True
            return
        built.rings.append(side.layer)
        layers.append(side.last(count=False))
        work += layers[-1].nodes
        if options.work is not None:
            options.work.spend(WRITING * layers[-1].nodes)
        report("layer", layers[-1])
        waiting = d.without(waiting, side.layer)
        if waiting == d.false and not options.complete:
            return
        if options.most_layers is not None and side.distance >= options.most_layers:
            return
        if waiting == d.false and options.layer_work is not None and work > options.layer_work:
            return
        side.advance()


def _restricted(
    encoding: Encoding,
    options: BuildOptions,
    report: Callable[[str, Layer | None], None],
    costs: tuple[int, ...] | None,
) -> BuiltLayers:
    """The relation of the abstraction, and what its layers may be restricted to: the forward reachable states.

    A forward pass that was cut off proves nothing: then what is known of values and pairs of values restricts, if all
    of it fits, so that it is closed under steps.
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
    """No layers as yet, restricted by what is known of values and pairs of values; closed under steps."""
    encoding = relation.encoding
    small = [part for parts in relation.of_transitions().values() for part in parts]
    pairs = reachable_pairs(encoding, small, relation.initial(), invariant=relation.invariant)
    return BuiltLayers(encoding, relation, pairs.care(encoding.diagrams, CARE_NODES, whole=True), PAIRS)


class _WorkSpent(Exception):
    """The forward pass takes too much."""


def _forward(relation: ProjectedRelation, most_work: int, report: Callable[[str, Layer | None], None]) -> Node:
    """All forward reachable abstract states."""
    spent = 0

    def tell(layer: Layer) -> None:
        nonlocal spent
        spent += layer.nodes
        report("forward", layer)
        if spent > most_work:
            raise _WorkSpent

    return reachable_by_chaining(Images(relation), tell, count=False)


def database_of(task: Task, built: BuiltLayers, layers: Sequence[Layer]) -> PatternDatabase:
    """The database with these layers."""
    d, encoding = built.encoding.diagrams, built.encoding
    rest = built.restriction
    for layer in built.rings:
        rest = d.without(rest, layer)
    beyond = DEAD_END if built.complete else len(built.rings)
    table = probed(task, decision_table(encoding, [*enumerate(built.rings), (beyond, rest)], OUTSIDE))
    initial = built.relation.initial()
    nearest = next((k for k, layer in enumerate(built.rings) if d.both(initial, layer) != d.false), None)
    return PatternDatabase(
        fingerprint=task_fingerprint(task),
        pattern=names_of(task, encoding.order),
        values={number: np.array(encoding.variables[number].values) for number in sorted(encoding.kept)},
        table=table,
        complete=built.complete,
        restriction=built.restricted_by,
        restriction_nodes=d.size(built.restriction),
        layers=tuple(layers),
        h_initial=nearest if nearest is not None or built.complete else len(built.rings),
        seconds=round(sum(layer.seconds for layer in layers), 3),
        peak_nodes=d.peak_nodes(),
        value_names=locations_of(task),
        definitions={number: task.definitions[number] for number in sorted(encoding.kept & task.definitions.keys())},
    )
