"""FORCE: each variable moves to the mean of the centres of its transitions, again and again.

The method of [AMS03], from several starts.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from symdmc.encode.order.hypergraph import Hypergraph, inverse, shuffles
from symdmc.task.values.tabulate import Integers

SHUFFLES = 8
"""Random starts besides the declared order and a breadth-first one."""
ITERATIONS = 400
"""The most iterations from each start."""
PATIENCE = 20
"""Iterations without a smaller span before a start is given up."""
FIXED_POINT = 1 << 20
"""Centres of gravity are kept in fractions of this."""


def order_force(graph: Hypergraph, seed: int) -> Integers:
    """The order of the smallest total span that iterated centres of gravity reach from any start."""
    if not graph.edges:
        return graph.declared
    chance, force = random.Random(seed), _Force(graph)
    starts = [graph.declared, _breadth_first(graph), *shuffles(chance, len(graph.variables), SHUFFLES)]
    return min((force.settled(start) for start in starts), key=force.span)


def _breadth_first(graph: Hypergraph) -> Integers:
    """A breadth-first order from one end of the graph to the other, so that a long thin graph is not folded."""
    order = _visited(graph, range(len(graph.variables)))
    for _ in range(2):  # nodes visited last are far out
        order = _visited(graph, order[::-1])
    return np.array(order, dtype=np.int64)


def _visited(graph: Hypergraph, roots: Sequence[int]) -> list[int]:
    """All nodes, breadth first from each root that is not visited yet."""
    edges_of: list[list[int]] = [[] for _ in roots]
    for number, edge in enumerate(graph.edges):
        for node in edge:
            edges_of[node].append(number)
    order: list[int] = []
    seen: set[int] = set()
    for root in roots:
        pending = [] if root in seen else [root]
        seen.add(root)
        for node in pending:  # grows while it is walked
            near = (other for number in edges_of[node] for other in graph.edges[number])
            fresh = [other for other in dict.fromkeys(near) if other not in seen]
            seen.update(fresh)
            pending += fresh
        order += pending
    return order


class _Force:
    """The pull of the edges of a hypergraph on its nodes."""

    def __init__(self, graph: Hypergraph) -> None:
        self.graph = graph
        self.counts = np.array(graph.counts, dtype=np.int64)
        by_node = np.argsort(graph.ends, kind="stable")
        self.edge_of = np.repeat(np.arange(len(graph.edges)), graph.sizes)[by_node]
        self.bound, self.first = np.unique(graph.ends[by_node], return_index=True)
        """The nodes that have edges, and where their edges start."""
        self.pull = np.add.reduceat(self.counts[self.edge_of], self.first)

    def span(self, order: Integers) -> int:
        """The distance between the outermost nodes of an edge, summed over all transitions."""
        at, starts = inverse(order)[self.graph.ends], self.graph.starts
        return int(np.dot(self.counts, np.maximum.reduceat(at, starts) - np.minimum.reduceat(at, starts)))

    def settled(self, order: Integers) -> Integers:
        """The best order met before the span no longer falls."""
        best, least, idle = order, self.span(order), 0
        for _ in range(ITERATIONS):
            order = self.moved(order)
            span = self.span(order)
            idle = 0 if span < least else idle + 1
            if span < least:
                best, least = order, span
            elif idle == PATIENCE:
                break
        return best

    def moved(self, order: Integers) -> Integers:
        """The order with every node at the mean of the centres of its edges; a node without edges stays."""
        at = inverse(order) * FIXED_POINT
        centres = np.add.reduceat(at[self.graph.ends], self.graph.starts) // self.graph.sizes
        at[self.bound] = np.add.reduceat((self.counts * centres)[self.edge_of], self.first) // self.pull
        return order[np.argsort(at[order], kind="stable")]
