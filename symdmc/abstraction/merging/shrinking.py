"""Distance-preserving abstraction of one component: procedure AbstractProcess of [DFP09, section 5].

States from which no error state can be reached are pruned as dead ends; those that cannot be reached were never met.
The rest is divided by distance to the error and then, as far as the bound on the number of classes permits, by where
steps lead. Departures: buckets are numbered from 0 throughout (Algorithm 3 forgets the one of distance 0 when it counts
classes); error states are divided from others as well, since steps may cost nothing; and where the error condition is
several products, what counts is how far a state is from all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symdmc.abstraction.merging.component_loops import UNREACHED, Buckets, Edges, distances, refine
from symdmc.packed.arrays import Int64s

LOW = "low"
HIGH = "high"
BUCKETS = (LOW, HIGH)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Graph:
    """The reachable part of a product of two components."""

    met: Int64s
    """Its states, as numbers of pairs."""
    edges: Edges
    marks: Int64s
    costs: Int64s
    """Of each group the smallest cost of its steps."""

    def distances(self) -> Int64s:
        """The cost of a cheapest path from each state to an error state; UNREACHED where there is none."""
        return distances(self.edges, self.costs, self.marks != 0)

    def remoteness(self) -> Int64s:
        """The sum of the distances of each state to each product of the error condition.

        Where the error condition is several products, most states of a component are at distance 0 from one in which
        the component has no part, so that the distance tells little. A product that cannot be reached at all counts as
        one more than where it can.
        """
        every = int(np.bitwise_or.reduce(self.marks))
        total = np.zeros(len(self.marks), dtype=np.int64)
        for bit in range(every.bit_length()):
            marked = (self.marks >> bit) & 1 != 0
            if marked.any():
                found = distances(self.edges, self.costs, marked)
                total += np.minimum(found, found[found < UNREACHED].max() + 1)
        return total

    @property
    def has_one_product(self) -> bool:
        """Whether all its error states are of one product of the error condition."""
        every = int(np.bitwise_or.reduce(self.marks))
        return every & (every - 1) == 0


def classes_of(graph: Graph, bound: int | None, buckets: str) -> tuple[Int64s, int]:
    """The class of each state, or -1 for a dead end, and the number of classes: at most `bound`.

    Without a bound, classes are divided until they are a bisimulation. All classes of a bucket, where states are
    equally far from the error, are divided together, those of low distance first or those of high distance.
    """
    distance = graph.distances()
    alive = distance < UNREACHED
    classes = np.full(len(alive), -1, dtype=np.int64)
    if not alive.any():
        return classes, 0
    most = len(alive) if bound is None else bound
    remoteness = distance if graph.has_one_product else graph.remoteness()
    _, rank = np.unique(remoteness[alive], return_inverse=True)
    bucket = np.minimum(rank, most - 1)
    count = int(bucket.max()) + 1
    classes[alive], started = _divided(bucket, graph.marks[alive], most)
    order = np.arange(count)
    divided = Buckets(
        order=order if buckets == LOW else order[::-1].copy(),
        members=np.flatnonzero(alive)[np.argsort(bucket, kind="stable")],
        ends=np.concatenate([[0], np.cumsum(np.bincount(bucket))]),
    )
    return classes, int(refine(graph.edges, graph.marks, divided, classes, started, most))


def _divided(bucket: Int64s, marks: Int64s, most: int) -> tuple[Int64s, int]:
    """The classes to begin with, and how many: states of a bucket with the same mark, if these are not too many."""
    _, mark = np.unique(marks, return_inverse=True)
    named, classes = np.unique(bucket * (int(mark.max()) + 1) + mark, return_inverse=True)
    return (classes, len(named)) if len(named) <= most else (bucket, int(bucket.max()) + 1)
