"""Abstractions within budgets of work: beyond its budget, each raises DiagramLimit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.encode.diagrams import DiagramLimit, WorkLeft
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.sets.chaining import reachable_by_chaining
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.errors import UnsupportedFeature
from symdmc.patterndb.build import MERGE_LIMIT, BuildOptions, BuiltLayers, database_of, grow
from symdmc.patterndb.database import FORWARD, PatternDatabase
from symdmc.task.task import Task

ANY_WORK = 1 << 62
SHARES = 4
"""One abstraction may use the work that is left, divided by this."""


@dataclass(slots=True, kw_only=True)
class WorkBudget:
    """The work left for all abstractions together; each may use a share of it."""

    nodes: int
    """Nodes of the state sets before and after images."""
    effort: int
    """Work of all operations on diagrams, as `WorkLeft` counts it: wide transitions cost much before any image."""
    memory_bytes: int | None = None
    most_nodes: int | None = None
    """Nodes in use while the images of one abstraction are computed; None: any number."""

    @contextmanager
    def encoding(self, task: Task, pattern: Sequence[int]) -> Iterator[Encoding]:
        """The diagrams of an abstraction, limited inside the context to a share of the effort."""
        order = variable_order(task, among=frozenset(pattern))
        with _what_diagrams_can_hold():
            encoding = Encoding(task, order.variables, memory_bytes=self.memory_bytes)
            with self.counting(encoding, self.effort // SHARES):
                yield encoding

    @contextmanager
    def counting(self, encoding: Encoding, effort: int = ANY_WORK) -> Iterator[None]:
        """Inside, operations may use this much effort; what they use is taken from that of the next abstractions."""
        work = encoding.diagrams.work = WorkLeft(effort)
        try:
            yield
        finally:
            self.effort -= effort - work.nodes
            encoding.diagrams.work = None

    @contextmanager
    def images(self, relation: ProjectedRelation, most: int | None = None) -> Iterator[Images]:
        """Images that may use at most this many of the nodes that are left, or a share of them."""
        limit = self.nodes // SHARES if most is None else min(most, max(0, self.nodes))
        images = Images(relation, self.most_nodes, limit)
        try:
            yield images
        finally:
            self.nodes -= images.nodes


@contextmanager
def _what_diagrams_can_hold() -> Iterator[None]:
    """What no diagrams can hold, such as a variable with very many values that a step reads, is beyond every budget."""
    try:
        yield
    except UnsupportedFeature as refusal:
        raise DiagramLimit(refusal.complaints[0].what) from None


def forward_layers(
    task: Task, pattern: Sequence[int], budget: WorkBudget, costs: Sequence[int] | None = None
) -> BuiltLayers:
    """No layers as yet, restricted to the forward reachable abstract states; raises DiagramLimit beyond the budget."""
    with budget.encoding(task, pattern) as encoding:
        relation = ProjectedRelation(encoding, learns=True, merge_limit=MERGE_LIMIT, costs=costs)
        with budget.images(relation) as images:
            reached = reachable_by_chaining(images, lambda layer: None, count=False)
    return BuiltLayers(encoding, relation, reached, FORWARD)


def layers_within(
    task: Task,
    pattern: Sequence[int],
    budget: WorkBudget,
    options: BuildOptions,
    costs: Sequence[int] | None = None,
) -> BuiltLayers:
    """The layers of a pattern; raises DiagramLimit if its forward pass exceeds the budget."""
    built = forward_layers(task, pattern, budget, costs)
    with _what_diagrams_can_hold(), budget.counting(built.encoding):
        built.relation.merge(MERGE_LIMIT, frames=True)
        grow(built, ErrorStates(built.relation).within(built.restriction), options)
    return built


def database_within(task: Task, pattern: Sequence[int], budget: WorkBudget, options: BuildOptions) -> PatternDatabase:
    """The database of a pattern; raises DiagramLimit if its forward pass exceeds the budget."""
    built = layers_within(task, pattern, budget, options)
    with budget.counting(built.encoding):
        return database_of(built)
