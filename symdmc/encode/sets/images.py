"""Images of state sets under many parts, within a budget of nodes.

A call into the diagrams cannot be interrupted, so the budget is checked between parts. Where the image of a part
outgrows the memory of the diagrams, the part is split into those it was merged from, then the state set into halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.relation.part import Part
from symdmc.encode.relation.relation import Relation

MOST_HALVINGS = 6
"""A state set is split into at most two to the power of this many pieces before an image is given up."""


class Images:
    """Images and preimages of state sets; raises DiagramLimit when they outgrow the budget."""

    def __init__(self, relation: Relation, node_limit: int | None = None, work_limit: int | None = None) -> None:
        """`node_limit` is for the nodes in use, `work_limit` for those of all state sets before and after images."""
        self.relation = relation
        self.diagrams = relation.diagrams
        self.node_limit = node_limit
        self.work_limit = work_limit
        self.splits = 0
        """How often the image of a part was too large to be made at once."""
        self.nodes = 0
        """Of all state sets before and after images; counted only where they are limited."""

    def after(self, states: Node, cost: int | None = None) -> Node:
        """The states one step of this cost after some states; of any cost if none is given."""
        return self._union(states, cost, self.relation.image)

    def before(self, states: Node, cost: int | None = None) -> Node:
        """The states one step of this cost before some states; of any cost if none is given."""
        return self._union(states, cost, self.relation.preimage)

    def after_part(self, states: Node, part: Part) -> Node:
        """The states one step of the part after some states."""
        return self._one(states, part, self.relation.image)

    def _union(self, states: Node, cost: int | None, operation: Callable[[Node, Part], Node]) -> Node:
        parts = (part for part in self.relation.parts if cost is None or part.cost == cost)
        found = self.diagrams.any_of([self._one(states, part, operation) for part in parts])
        self.diagrams.check(self.node_limit, now=True)
        return found

    def _one(self, states: Node, part: Part, operation: Callable[[Node, Part], Node]) -> Node:
        self._count(states)
        with self.diagrams.uncounted() if self.work_limit is not None else nullcontext():
            try:
                found = operation(states, part)
            except DiagramLimit:
                found = self._by_parts(states, part, operation)
        self._count(found)
        self.diagrams.check(self.node_limit)
        return found

    def _count(self, states: Node) -> None:
        if self.work_limit is not None:
            self.nodes += self.diagrams.size(states)
            if self.nodes > self.work_limit:
                raise DiagramLimit(f"images with more than {self.work_limit:,} nodes")

    def _by_parts(self, states: Node, part: Part, operation: Callable[[Node, Part], Node]) -> Node:
        """The image under each of the small parts that the part consists of."""
        self.splits += 1
        found = self.diagrams.false
        for small in self.relation.within(part):
            try:
                piece = operation(states, small)
            except DiagramLimit:
                bits = self.diagrams.topmost(states, MOST_HALVINGS)
                piece = self._by_states(states, small, operation, bits)
            found = self.diagrams.either(found, piece)
        return found

    def _by_states(
        self, states: Node, part: Part, operation: Callable[[Node, Part], Node], bits: Sequence[str]
    ) -> Node:
        """The image of the state set in pieces: by the value of the first bit, then of the next, and so on."""
        if not bits:
            raise DiagramLimit("the decision diagrams have outgrown their memory")
        self.splits += 1
        bit = self.diagrams.bdd.var(bits[0])
        found = self.diagrams.false
        for half in (self.diagrams.both(states, bit), self.diagrams.without(states, bit)):
            try:
                piece = operation(half, part)
            except DiagramLimit:
                piece = self._by_states(half, part, operation, bits[1:])
            found = self.diagrams.either(found, piece)
        return found
