"""In which order the variables of a task lie in a diagram: as declared, by FORCE, or by local search.

Variables that share transitions belong close together. `declared` trusts the author of the model; `force` moves each
variable to the mean of the centres of its transitions, again and again (Aloul, Markov and Sakallah 2003); `local`
minimises the sum of the squared distances between variables that share a transition, as the planner Gamer does (Kissmann
and Edelkamp 2011), here by descent over insertions and swaps and by kicks out of local minima. All arithmetic is on
integers and all budgets count work, so that an order is the same on every machine.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symdmc.task.interaction import footprint
from symdmc.task.task import Task

Integers: TypeAlias = NDArray[np.int64]

UNIT = 2520
"""The weight of a transition, shared among the variables it touches, so that a broadcast does not drown the rest."""
FORCE_STARTS = 12
FORCE_ITERATIONS = 400
"""For each start, at most."""
FORCE_PATIENCE = 20
"""Iterations without a smaller span before a start is given up."""
FIXED_POINT = 1 << 20
"""Centres of gravity are kept in fractions of this."""
LOCAL_WORK = 12_000_000
"""Candidate moves to evaluate in all, about; a move costs some nanoseconds."""
ROW_OVERHEAD = 1_000
"""What evaluating the moves of one variable costs beside the moves themselves, in the same unit."""
MOST_SEARCHED = 2_000
"""Local search needs the weight of every pair; with more variables than this it ends where it would start."""


@dataclass(frozen=True)
class VariableOrder:
    """All variables of a task, the topmost first."""

    name: str
    variables: tuple[int, ...]
    cost: int
    """The weighted sum of squared distances between variables that share a transition; the less the better."""


def variable_order(task: Task, name: str = "local", seed: int = 0) -> VariableOrder:
    """The order of that name, one of ORDERS; the same for the same task and seed. The seed matters to all but one."""
    weighed = _Hypergraph.of(task)
    places = _ORDERS[name](weighed, seed)
    moving = [weighed.variables[place] for place in places]
    still = sorted(set(range(len(task.variables))) - set(moving))
    return VariableOrder(name, (*moving, *still), weighed.cost(places))


@dataclass(frozen=True)
class _Hypergraph:
    """The variables with more than one value, as declared, and which of them share transitions."""

    variables: tuple[int, ...]
    """Nodes are numbers of places in here."""
    edges: tuple[tuple[int, ...], ...]
    """The nodes that a transition touches; each set once."""
    counts: tuple[int, ...]
    """For each edge how many transitions touch just these nodes."""

    @staticmethod
    def of(task: Task) -> _Hypergraph:
        """What the possible transitions of the task touch."""
        variables = tuple(number for number in _declared(task) if task.analysis.domains[number].count > 1)
        node = {number: place for place, number in enumerate(variables)}
        counts: Counter[tuple[int, ...]] = Counter()
        for number in sorted(task.analysis.possible):
            touched = footprint(task, task.transitions[number])
            counts[tuple(sorted(node[one] for one in touched.reads | touched.writes if one in node))] += 1
        shared = sorted((edge, count) for edge, count in counts.items() if len(edge) > 1)
        return _Hypergraph(variables, tuple(edge for edge, _ in shared), tuple(count for _, count in shared))

    @cached_property
    def sizes(self) -> Integers:
        """How many nodes each edge has."""
        return np.array([len(edge) for edge in self.edges], dtype=np.int64)

    @cached_property
    def ends(self) -> Integers:
        """The nodes of all edges, edge after edge."""
        return np.array([node for edge in self.edges for node in edge], dtype=np.int64)

    @cached_property
    def starts(self) -> Integers:
        """Where the nodes of each edge start among the ends."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def weights(self) -> Integers:
        """What each edge adds to the weight of a pair of its nodes."""
        return np.array(self.counts, dtype=np.int64) * np.maximum(UNIT // self.sizes, 1)

    def cost(self, order: Integers) -> int:
        """The weighted sum of squared distances; over the pairs of an edge it is size * sum of squares - sum squared."""
        if not self.edges:
            return 0
        at = _inverse(order)[self.ends]
        sums, squares = np.add.reduceat(at, self.starts), np.add.reduceat(at * at, self.starts)
        return int(np.dot(self.weights, self.sizes * squares - sums * sums))

    def pair_weights(self) -> Integers:
        """The weight of every pair of nodes."""
        result = np.zeros((len(self.variables), len(self.variables)), dtype=np.int64)
        for edge, weight in zip(self.edges, self.weights, strict=True):
            result[np.ix_(edge, edge)] += weight
        np.fill_diagonal(result, 0)
        return result


def _declared(task: Task) -> Iterator[int]:
    """As in the task, but with the variables of a process behind its location."""
    own: dict[str | None, list[int]] = {process: [] for process in task.layout.process}
    for number, variable in enumerate(task.variables):
        own.setdefault(variable.owner, []).append(number)
    return (number for numbers in own.values() for number in numbers)


def _inverse(order: Integers) -> Integers:
    """The place of each node in the order."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


def _order_declared(graph: _Hypergraph, seed: int) -> Integers:
    return np.arange(len(graph.variables), dtype=np.int64)


def _order_force(graph: _Hypergraph, seed: int) -> Integers:
    """The order of the smallest total span that iterated centres of gravity reach from any start."""
    declared = _order_declared(graph, seed)
    if not graph.edges:
        return declared
    chance = random.Random(seed)
    shuffles = (np.array(chance.sample(range(len(declared)), len(declared))) for _ in range(FORCE_STARTS - 1))
    force = _Force(graph)
    return min((force.settled(start) for start in (declared, *shuffles)), key=force.span)


class _Force:
    """The forces that the edges of a hypergraph exert on its nodes."""

    def __init__(self, graph: _Hypergraph) -> None:
        self.graph = graph
        self.counts = np.array(graph.counts, dtype=np.int64)
        by_node = np.argsort(graph.ends, kind="stable")
        self.edge_of = np.repeat(np.arange(len(graph.edges)), graph.sizes)[by_node]
        self.bound, self.first = np.unique(graph.ends[by_node], return_index=True)
        """The nodes that have edges, and where their edges start."""
        self.pull = np.add.reduceat(self.counts[self.edge_of], self.first)

    def span(self, order: Integers) -> int:
        """The distance between the outermost nodes of an edge, over all transitions."""
        at, starts = _inverse(order)[self.graph.ends], self.graph.starts
        return int(np.dot(self.counts, np.maximum.reduceat(at, starts) - np.minimum.reduceat(at, starts)))

    def settled(self, order: Integers) -> Integers:
        """The best order met before the span no longer falls."""
        best, least, idle = order, self.span(order), 0
        for _ in range(FORCE_ITERATIONS):
            order = self.moved(order)
            span = self.span(order)
            idle = 0 if span < least else idle + 1
            if span < least:
                best, least = order, span
            elif idle == FORCE_PATIENCE:
                break
        return best

    def moved(self, order: Integers) -> Integers:
        """Every node at the mean of the centres of its edges; a node without edges stays."""
        at = _inverse(order) * FIXED_POINT
        centres = np.add.reduceat(at[self.graph.ends], self.graph.starts) // self.graph.sizes
        at[self.bound] = np.add.reduceat((self.counts * centres)[self.edge_of], self.first) // self.pull
        return order[np.argsort(at[order], kind="stable")]


def _order_local(graph: _Hypergraph, seed: int) -> Integers:
    """The cheapest order that descents from the other two orders and from kicked orders reach."""
    starts = sorted((_order_declared(graph, seed), _order_force(graph, seed)), key=graph.cost)
    if not graph.edges or len(graph.variables) > MOST_SEARCHED:
        return starts[0]
    weights, chance = graph.pair_weights(), random.Random(seed)
    work = _Work(LOCAL_WORK)
    arrangements = [_Arrangement(weights, start) for start in starts]
    for arrangement in arrangements:
        arrangement.descend(work)
    best = min(arrangements, key=lambda arrangement: arrangement.cost)
    while work.left > 0:
        kicked = best.copy()
        kicked.kick(chance)
        kicked.descend(work)
        if kicked.cost <= best.cost:
            best = kicked
    return best.order


class _Work:
    """What is left of a budget."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, rows: int, nodes: int) -> None:
        """Note that the moves of some nodes were evaluated."""
        self.left -= rows * nodes + ROW_OVERHEAD


class _Arrangement:
    """An order under change, with what is needed to know at once what a move would gain."""

    def __init__(self, weights: Integers, order: Integers) -> None:
        self.order = order
        self.weights = weights[np.ix_(order, order)]
        """Of every pair of places."""
        self.before = np.cumsum(self.weights, axis=1) - self.weights
        """At (p, q): the weight that p shares with all places before q."""
        self.degree = self.weights.sum(axis=1)
        self.moment = self.weights @ np.arange(len(order))
        """The sum of weight times place, over what a place shares weight with."""

    @property
    def cost(self) -> int:
        """The weighted sum of squared distances."""
        places = np.arange(len(self.order))
        return int(np.dot(places, self.degree * places - self.moment))

    def copy(self) -> _Arrangement:
        """The same, to be changed on its own."""
        twin = copy(self)
        for name, array in vars(self).items():
            setattr(twin, name, array.copy())
        return twin

    def rearrange(self, low: int, old: Integers) -> None:
        """Put at the places from `low` on what is now at the old ones: the same places in another order."""
        high = low + len(old)
        for array in (self.order, self.degree, self.moment, self.weights, self.before):
            array[low:high] = array[old]
        self.weights[:, low:high] = self.weights[:, old]
        between = self.weights[:, low : high - 1]
        self.before[:, low + 1 : high] = self.before[:, low, None] + np.cumsum(between, axis=1)
        self.moment += self.weights[:, low:high] @ (np.arange(low, high) - old)

    def changes(self, places: Integers) -> tuple[Integers, Integers]:
        """How the cost changes when what is at these places is inserted at, or swapped with, any other place.

        An insertion is a sequence of swaps of neighbours; its change is the sum of theirs.
        """
        here, there = places[:, None], np.arange(len(self.order))
        way = there - here
        degree = self.degree[here] - self.degree
        weights = self.weights[places]
        pull = 2 * (self.moment - self.moment[here] + way * weights)
        swap = way * ((here + there) * degree + pull)
        own = np.diagonal(self.before)
        passed = self.before[places] + self.before[:, places].T + weights - own[here] - own
        step = np.sign(way) * (2 * (there * degree + passed) + pull) - degree
        total = np.cumsum(step, axis=1)
        ahead = total - np.take_along_axis(total, here, axis=1)
        return np.where(way > 0, ahead, step - ahead), swap

    def descend(self, work: _Work) -> None:
        """Take moves that gain, the variables that gain most first, until no move of any variable does."""
        size = len(self.order)
        while work.left > 0:
            work.spend(size, size)
            insertion, swap = self.changes(np.arange(size))
            change = np.minimum(insertion, swap).min(axis=1)
            hopeful = self.order[np.argsort(change, kind="stable")[: np.count_nonzero(change < 0)]]
            if not len(hopeful):
                return
            for node in hopeful:
                work.spend(1, size)
                self.improve(int(np.flatnonzero(self.order == node)[0]))

    def improve(self, place: int) -> None:
        """Take the best move of what is at this place if it gains."""
        insertion, swap = (changes[0] for changes in self.changes(np.array([place])))
        if min(insertion.min(), swap.min()) >= 0:
            return
        inserting = insertion.min() <= swap.min()
        target = int(np.argmin(insertion if inserting else swap))
        low, high = min(place, target), max(place, target)
        old = np.arange(low, high + 1)
        if inserting:
            self.rearrange(low, np.roll(old, -1 if place < target else 1))
        else:
            old[0], old[-1] = high, low
            self.rearrange(low, old)

    def kick(self, chance: random.Random) -> None:
        """Reverse a stretch of the order, or exchange two neighbouring stretches."""
        low, middle, high = sorted(chance.sample(range(len(self.order) + 1), 3))
        old = np.arange(low, high)
        self.rearrange(low, old[::-1] if chance.random() < 0.5 else np.roll(old, middle - low))


_ORDERS: dict[str, Callable[[_Hypergraph, int], Integers]] = {
    "declared": _order_declared,
    "force": _order_force,
    "local": _order_local,
}
ORDERS: tuple[str, ...] = tuple(_ORDERS)
