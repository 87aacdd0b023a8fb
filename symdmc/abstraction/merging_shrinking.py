"""Distance-preserving abstraction of one component: procedure AbstractProcess of [DFP09, section 5].

States from which no error state can be reached are pruned as dead ends; those that cannot be reached were never met.
The rest is divided by distance to the error and then, as far as the bound on the number of classes permits, by where
steps lead. Departures: buckets are numbered from 0 throughout (Algorithm 3 forgets the one of distance 0 when it counts
classes), and states that differ in being error states are divided as well, since steps may cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symdmc.kernel.compiler import Int64s
from symdmc.kernel.component_loops import UNREACHED, distances, refine
from symdmc.kernel.lookup import Int32s

LOW = "low"
HIGH = "high"
BUCKETS = (LOW, HIGH)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Graph:
    """The reachable part of a product of two components."""

    met: Int64s
    """Its states, as numbers of pairs."""
    begins: Int64s
    groups: Int32s
    targets: Int32s
    marks: Int64s
    costs: Int64s
    """Of each group the smallest cost of its steps."""

    def distances(self) -> Int64s:
        """The cost of a cheapest path from each state to an error state; UNREACHED where there is none."""
        return distances(self.begins, self.groups, self.targets, self.costs, self.marks != 0)


def classes_of(graph: Graph, bound: int | None, buckets: str) -> tuple[Int64s, int]:
    """The class of each state, or -1 for a dead end, and the number of classes: at most `bound`.

    Without a bound, classes are divided until they are a bisimulation. Of the equal distances of a bucket all classes
    are divided together, those of low distance first or those of high distance.
    """
    distance = graph.distances()
    alive = distance < UNREACHED
    if not alive.any():
        return np.full(len(distance), -1, dtype=np.int64), 0
    most = len(distance) if bound is None else bound
    capped = np.minimum(distance[alive], most - 1)
    levels, own = np.unique(capped, return_inverse=True)
    classes = np.full(len(distance), -1, dtype=np.int64)
    classes[alive] = own
    members = np.flatnonzero(alive)[np.argsort(own, kind="stable")]
    ends = np.concatenate([[0], np.cumsum(np.bincount(own))])
    order = np.arange(len(levels))
    count = refine(
        graph.begins,
        graph.groups,
        graph.targets,
        graph.marks,
        order if buckets == LOW else order[::-1].copy(),
        members,
        ends,
        classes,
        len(levels),
        most,
    )
    return classes, int(count)
