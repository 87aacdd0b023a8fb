"""Which variables share transitions, and what an order of the variables costs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symdmc.task.interaction import footprint
from symdmc.task.task import Task
from symdmc.task.values.tabulate import Integers

UNIT = 2520
"""The weight of a transition, shared among the variables it touches, so that a broadcast does not drown the rest."""


@dataclass(frozen=True)
class Hypergraph:
    """The variables with more than one value, as declared, and which of them share transitions."""

    variables: tuple[int, ...]
    """A node of the graph is a place in this tuple."""
    edges: tuple[tuple[int, ...], ...]
    """The sets of nodes that transitions touch, each once."""
    counts: tuple[int, ...]
    """For each edge how many transitions touch exactly its nodes."""

    @staticmethod
    def of(task: Task, among: Collection[int] | None = None) -> Hypergraph:
        """The graph of the possible transitions of the task, over all its variables or some of them."""
        domains = task.analysis.domains
        several = [number for number in _declared(task) if domains[number].count > 1]
        variables = tuple(number for number in several if among is None or number in among)
        node = {number: place for place, number in enumerate(variables)}
        counts: Counter[tuple[int, ...]] = Counter()
        for number in sorted(task.analysis.possible):
            touched = footprint(task, task.transitions[number]).touched
            counts[tuple(sorted(node[one] for one in touched if one in node))] += 1
        return Hypergraph._counting(variables, counts)

    @staticmethod
    def _counting(variables: tuple[int, ...], counts: Counter[tuple[int, ...]]) -> Hypergraph:
        shared = sorted((edge, count) for edge, count in counts.items() if len(edge) > 1)
        return Hypergraph(variables, tuple(edge for edge, _ in shared), tuple(count for _, count in shared))

    def among(self, nodes: Integers, most: int) -> Hypergraph:
        """The graph of some nodes, renumbered, and of the transitions that touch at most `most` of them."""
        node = {int(old): new for new, old in enumerate(nodes)}
        counts: Counter[tuple[int, ...]] = Counter()
        for edge, count in zip(self.edges, self.counts, strict=True):
            touched = tuple(node[old] for old in edge if old in node)
            if len(touched) <= most:
                counts[touched] += count
        return Hypergraph._counting(tuple(self.variables[old] for old in node), counts)

    @property
    def declared(self) -> Integers:
        """The nodes as the variables were declared."""
        return np.arange(len(self.variables), dtype=np.int64)

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
        """The weight that each edge adds to every pair of its nodes."""
        return np.array(self.counts, dtype=np.int64) * np.maximum(UNIT // self.sizes, 1)

    def cost(self, order: Integers) -> int:
        """The weighted sum of squared distances; for one edge, it is size * (sum of squares) - (sum squared)."""
        if not self.edges:
            return 0
        at = inverse(order)[self.ends]
        sums, squares = np.add.reduceat(at, self.starts), np.add.reduceat(at * at, self.starts)
        return int(np.dot(self.weights, self.sizes * squares - sums * sums))

    def pair_weights(self) -> Integers:
        """The weight of every pair of nodes."""
        result = np.zeros((len(self.variables), len(self.variables)), dtype=np.int64)
        for edge, weight in zip(self.edges, self.weights, strict=True):
            result[np.ix_(edge, edge)] += weight
        np.fill_diagonal(result, 0)
        return result


def _declared(task: Task) -> list[int]:
    """The variables in the order of the task, but those of a process right after its location."""
    own: dict[str, list[int]] = {process: [] for process in task.layout.process}
    shared: list[int] = []
    for number, variable in enumerate(task.variables):
        (shared if variable.owner is None else own.get(variable.owner, shared)).append(number)
    return [number for numbers in (*own.values(), shared) for number in numbers]


def facing(order: Integers) -> Integers:
    """The order or its reverse, which costs the same: the one more like the declared order makes smaller diagrams."""
    places = np.arange(len(order))
    return order if np.dot(order, places) >= np.dot(order[::-1], places) else order[::-1]


def inverse(order: Integers) -> Integers:
    """The place of each node in the order."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


def shuffles(chance: random.Random, size: int, count: int) -> Iterator[Integers]:
    """Some random orders."""
    return (np.array(chance.sample(range(size), size), dtype=np.int64) for _ in range(count))
