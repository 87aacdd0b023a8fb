"""In which order the variables of a task lie in a diagram: as declared, by FORCE, or by local search.

Variables that share transitions belong close together. All arithmetic is on integers and all budgets count work, so
that an order is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from symdmc.encode.hypergraph import Hypergraph, Integers
from symdmc.encode.order_force import order_force
from symdmc.encode.order_local import order_local
from symdmc.task.task import Task

_ORDERS: dict[str, Callable[[Hypergraph, int], Integers]] = {
    "declared": lambda graph, seed: graph.declared,
    "force": order_force,
    "local": order_local,
}
ORDERS: tuple[str, ...] = tuple(_ORDERS)


@dataclass(frozen=True, slots=True)
class VariableOrder:
    """The variables of a task, the topmost first."""

    name: str
    variables: tuple[int, ...]
    cost: int
    """The weighted sum of squared distances between variables that share a transition; the less the better."""


def variable_order(
    task: Task, name: str = "local", seed: int = 0, among: Collection[int] | None = None
) -> VariableOrder:
    """The order of that name, one of ORDERS, of all variables or of some; the same for the same task and seed.

    Variables with one value need no bits: they come last and do not count.
    """
    graph = Hypergraph.of(task, among)
    nodes = _facing(_ORDERS[name](graph, seed))
    several = [graph.variables[node] for node in nodes]
    single = sorted(set(range(len(task.variables)) if among is None else among) - set(several))
    return VariableOrder(name, (*several, *single), graph.cost(nodes))


def _facing(order: Integers) -> Integers:
    """The order or its reverse, which costs the same: the more like the declared one, the smaller most diagrams get."""
    places = np.arange(len(order))
    return order if np.dot(order, places) >= np.dot(order[::-1], places) else order[::-1]
