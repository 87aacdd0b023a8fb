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
from symdmc.encode.order.hypergraph import Hypergraph, shuffles
from symdmc.task.values.tabulate import Integers

SHUFFLES = 6
"""Random starts besides the declared order and that of FORCE, if there is work left for them."""
KICKED_LENGTH = 50
"""The longest stretch of an order that a kick rearranges."""
WORK, WORK_PER_NODE = 400_000, 10_000
"""About how many moves are evaluated in all."""
WORK_PER_CALL = 1_000
"""The fixed cost, in moves, of evaluating any number of moves at once."""
MOST_SEARCHED = 1_000
"""With more variables than this there is no search: it keeps the weight of every pair."""


def order_local(graph: Hypergraph, seed: int) -> Integers:
    """The cheapest order that local search reaches from the declared order, that of FORCE, and shuffles."""
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
    """The best order that descent reaches, again after each kick, until many kicks in a row gain nothing."""
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
    """The moves that may still be evaluated."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, moves: int) -> None:
        """Count an evaluation of this many moves at once."""
        self.left -= moves + WORK_PER_CALL


class Arrangement:
    """An order under change, with tables from which the gain of any move follows at once."""

    def __init__(self, weights: Integers, order: Integers) -> None:
        self.order = order.copy()
        self.weights = weights[np.ix_(order, order)]
        """The weight of every pair of places."""
        self.before = np.cumsum(self.weights, axis=1) - self.weights
        """At (p, q): the weight that p shares with all places before q."""
        self.degree = self.weights.sum(axis=1)
        self.moment = self.weights @ np.arange(len(order))
        """For each place the sum of weight times place over all others."""

    @property
    def cost(self) -> int:
        """The weighted sum of squared distances."""
        places = np.arange(len(self.order))
        return int(np.dot(places, self.degree * places - self.moment))

    def copy(self) -> Arrangement:
        """A copy to be changed by itself."""
        twin = copy(self)
        for name, array in vars(self).items():
            setattr(twin, name, array.copy())
        return twin

    def rearrange(self, low: int, old: Integers) -> None:
        """Permute a stretch: the places from `low` on get the variables at the `old` places, which are the same."""
        high = low + len(old)
        for array in (self.order, self.degree, self.moment, self.weights, self.before):
            array[low:high] = array[old]
        self.weights[:, low:high] = self.weights[:, old]
        between = self.weights[:, low : high - 1]
        self.before[:, low + 1 : high] = self.before[:, low, None] + np.cumsum(between, axis=1)
        self.moment += self.weights[:, low:high] @ (np.arange(low, high) - old)

    def changes(self, places: Integers) -> tuple[Integers, Integers]:
        """How the cost changes when the variables at these places are inserted at, or swapped with, any other place.

        An insertion is a sequence of swaps of neighbours; its change is the sum of theirs.
        """
        here, there = places[:, None], np.arange(len(self.order))
        offset = there - here
        degree = self.degree[here] - self.degree
        weights = self.weights[places]
        pull = 2 * (self.moment - self.moment[here] + offset * weights)
        swap = offset * ((here + there) * degree + pull)
        own = np.diagonal(self.before)
        passed = self.before[places] + self.before[:, places].T + weights - own[here] - own
        step = np.sign(offset) * (2 * (there * degree + passed) + pull) - degree
        total = np.cumsum(step, axis=1)
        ahead = total - np.take_along_axis(total, here, axis=1)
        return np.where(offset > 0, ahead, step - ahead), swap

    def descend(self, work: MoveBudget) -> None:
        """Take moves that gain, the variables that gain most first, until no move of any variable gains."""
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
        """Take the best move of the variable at this place if it gains."""
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
