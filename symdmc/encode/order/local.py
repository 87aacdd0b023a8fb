"""Local search for the order with the least sum of squared distances between variables that share a transition.

The planner Gamer [KE11] minimises the same sum by random swaps. Here a descent takes the best of
all insertions and swaps, and kicks lead out of local minima.
"""

from __future__ import annotations

import random
from copy import copy
from itertools import chain

import numpy as np

from symdmc.encode.order.force import order_force
from symdmc.encode.order.hypergraph import Hypergraph, Integers, shuffles

SHUFFLES = 6
"""Starts beside the two other orders, if there is work left for them."""
KICKED_LENGTH = 50
"""The longest stretch of an order that a kick stirs."""
WORK, WORK_PER_NODE = 400_000, 10_000
"""Moves that are evaluated in all, about."""
WORK_PER_CALL = 1_000
"""What evaluating any number of moves at once costs beside the moves, in the same unit."""
MOST_SEARCHED = 1_000
"""The weight of every pair is kept; with more variables than this the search ends where it would start."""


def order_local(graph: Hypergraph, seed: int) -> Integers:
    """The cheapest order that local search reaches from the other two and from shuffles."""
    first = sorted((graph.declared, order_force(graph, seed)), key=graph.cost)
    size = len(graph.variables)
    if not graph.edges or size > MOST_SEARCHED:
        return first[0]
    weights, chance = graph.pair_weights(), random.Random(seed)
    work = MoveBudget(WORK + WORK_PER_NODE * size)
    starts = chain(first, shuffles(chance, size, SHUFFLES))
    found = (_searched(Arrangement(weights, start), chance, work) for start in starts if work.left > 0)
    return min(found, key=lambda arrangement: arrangement.cost).order


def _searched(best: Arrangement, chance: random.Random, work: MoveBudget) -> Arrangement:
    """The best that descent reaches from here, and from there after kicks, until many kicks in a row gain nothing."""
    best.descend(work)
    idle = 0
    while idle <= len(best.order) // 2 and work.left > 0:
        kicked = best.copy()
        kicked.kick(chance)
        kicked.descend(work)
        idle = 0 if kicked.cost < best.cost else idle + 1
        if kicked.cost <= best.cost:
            best = kicked
    return best


class MoveBudget:
    """What is left of a budget."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, moves: int) -> None:
        """Note that this many moves are evaluated at once."""
        self.left -= moves + WORK_PER_CALL


class Arrangement:
    """An order under change, with what is needed to know at once what a move would gain."""

    def __init__(self, weights: Integers, order: Integers) -> None:
        self.order = order.copy()
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

    def copy(self) -> Arrangement:
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

    def descend(self, work: MoveBudget) -> None:
        """Take moves that gain, the variables that gain most first, until no move of any variable does."""
        size = len(self.order)
        while work.left > 0:
            work.spend(size * size)
            insertion, swap = self.changes(np.arange(size))
            change = np.minimum(insertion, swap).min(axis=1)
            hopeful = self.order[np.argsort(change, kind="stable")[: np.count_nonzero(change < 0)]]
            if not len(hopeful):
                return
            for node in hopeful:
                work.spend(size)
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
        length = min(len(self.order), KICKED_LENGTH)
        start = chance.randrange(len(self.order) - length + 1)
        low, middle, high = (start + cut for cut in sorted(chance.sample(range(length + 1), 3)))
        old = np.arange(low, high)
        self.rearrange(low, old[::-1] if chance.random() < 0.5 else np.roll(old, low - middle))
