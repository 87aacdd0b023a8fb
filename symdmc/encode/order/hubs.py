"""Variables that most transitions touch on top, the others below in the order that local search finds.

The sum of squared distances puts a variable that all processes read and write into the middle. The nodes above it must
then remember, for each of its values, whether it can still have that value: for the shared variable of Fischer's
protocol that is a set of processes. On top, the variable splits the diagram into as many parts as it has values.

A transition that touches most variables, such as the tick of many clocks, does the same harm: it draws all of them to
the middle, away from the processes they belong to. It does not say which variables belong together, so it is ignored.
"""

from __future__ import annotations

import numpy as np

from symdmc.encode.order.hypergraph import Hypergraph, facing
from symdmc.encode.order.local import order_local
from symdmc.task.values.tabulate import Integers


def order_hubs(graph: Hypergraph, seed: int) -> Integers:
    """The variables that at least half of the transitions touch, the most used first, then the others."""
    counts = np.array(graph.counts, dtype=np.int64)
    uses = np.zeros(len(graph.variables), dtype=np.int64)
    np.add.at(uses, graph.ends, np.repeat(counts, graph.sizes))
    is_hub = 2 * uses >= max(counts.sum(), 1)
    hubs, others = np.flatnonzero(is_hub), np.flatnonzero(~is_hub)
    below = order_local(graph.among(others, most=max(2, (len(others) - 1) // 2)), seed)
    return np.concatenate([hubs[np.argsort(-uses[hubs], kind="stable")], others[facing(below)]])
