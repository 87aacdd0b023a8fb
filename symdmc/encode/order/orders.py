"""In which order the variables of a task lie in a diagram: as declared, by FORCE, by local search, or hubs first.

Variables that share transitions belong close together. All arithmetic is on integers and all budgets count work, so
that an order is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from symdmc.encode.order.force import order_force
from symdmc.encode.order.hubs import order_hubs
from symdmc.encode.order.hypergraph import Hypergraph, facing
from symdmc.encode.order.local import order_local
from symdmc.task.task import Task
from symdmc.task.values.tabulate import Integers

_ORDERS: dict[str, Callable[[Hypergraph, int], Integers]] = {
    "declared": lambda graph, seed: graph.declared,
    "force": lambda graph, seed: facing(order_force(graph, seed)),
    "local": lambda graph, seed: facing(order_local(graph, seed)),
    "hubs": order_hubs,
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
    """The order with a name, one of ORDERS, of all variables or of some; the same for the same task and seed.

    Variables with one value need no bits: they come last and do not count.
    """
    graph = Hypergraph.of(task, among)
    nodes = _ORDERS[name](graph, seed)
    several = [graph.variables[node] for node in nodes]
    single = sorted(set(range(len(task.variables)) if among is None else among) - set(several))
    return VariableOrder(name, (*several, *single), graph.cost(nodes))
