"""Compose and abstract: procedure AbstractSystem of [DFP09, section 4], and its composition strategies (section 6).

Variables of a task are components; two at a time are composed and shrunk, until two are left, whose product has the
distances. Departures: transitions have any number of participants, so a label is internal only when all of them are
inside; labels that look alike to all other components are one; components that have no part in the error, and share no
label with one that has, are left out. Of pairs with equal weights, which the paper leaves open, those with the fewest
variables are composed first. Pruned states have two codes: dead ends, and states that are never reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from symdmc.abstraction.merging.component import Component
from symdmc.abstraction.merging.component_loops import UNREACHED, explore
from symdmc.abstraction.merging.leaves import leaves
from symdmc.abstraction.merging.pool import Label
from symdmc.abstraction.merging.shrinking import LOW
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.lookup.tree import Tree, TreeLeaf, renamed
from symdmc.packed.jit import is_compilation_due
from symdmc.task.task import Task

RANKING = "ranking"
DEFINITION = "definition"
ORDERS = (RANKING, DEFINITION)
DISTANCE = "distance"
BISIMULATION = "bisimulation"
SHRINKINGS = (DISTANCE, BISIMULATION)

Choice: TypeAlias = tuple[int, int, int, int]
"""A weight, how many variables two components have, and these components: the smaller the better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOptions:
    """How components are merged."""

    bound: int
    """Most states of a component that is merged further, at least 2."""
    order: str = RANKING
    """Which two are merged next: those whose common labels lead closest to the error, or the first two."""
    buckets: str = LOW
    """Which distances are refined first."""
    shrink: str = DISTANCE
    """`bisimulation` has no bound: only states that are alike in every respect become one."""

    @property
    def most(self) -> int | None:
        """Most states of a component; None: any number."""
        return None if self.shrink == BISIMULATION else self.bound


def no_report(phase: str) -> None:
    """Say nothing."""


def abstract_system(task: Task, options: MergeOptions, report: Callable[[str], None] = no_report) -> Tree | None:
    """The map from states of the task to distances in its abstraction, DEAD_END or OUTSIDE; None: all are 0.

    Admissible and consistent. Every reachable state has a distance or is a dead end, and dead ends stay dead ends
    behind every step from a state within the analysed values. `report` is called with what is being
    done, and may raise to end it.
    """
    if task.error.deadlock or task.error.fault:
        return None  # only the steps of a state tell whether it is an error state
    merging = _Merging(task, range(len(task.variables)), options, report)
    if merging.pool.every == 0:
        number, domain = next((n, each) for n, each in enumerate(task.analysis.domains) if each.fits_array)
        return TreeLeaf(number, domain.low, np.full(domain.high - domain.low + 1, DEAD_END, dtype=np.int32))
    return merging.distances()


class _Merging:
    """The components that are left, and which two come next."""

    def __init__(
        self, task: Task, variables: Iterable[int], options: MergeOptions, report: Callable[[str], None]
    ) -> None:
        self.options, self.report = options, report
        self.pool = leaves(task, variables, lambda: report("taking transitions apart"))
        self.ranks: dict[int, tuple[Component, list[int]]] = {}
        """For each component and group of its steps how close to the error a step of it can lead."""
        self.best: dict[Label, Choice | None] = {}
        self.count = len(self.pool.components)
        if is_compilation_due(explore):
            report("compiling the loops over components, once on this machine")
        for number in sorted(self.pool.components):
            report("shrinking variables")
            self.pool.shrink(number, options.most, options.buckets)

    def distances(self) -> Tree | None:
        """Merge all that has a part in the error; the tree of what it finds, None if nothing has."""
        pool = self.pool
        while True:
            dead = self._dead()
            if dead is not None:
                return renamed(dead, np.array([DEAD_END, OUTSIDE], dtype=np.int32))
            numbers = self._relevant()
            if not numbers:
                return None
            if len(numbers) <= 2:
                return pool.distance_tree(numbers[0], numbers[1] if len(numbers) == 2 else None)
            self._join(*self._next(numbers))

    def _join(self, left: int, right: int) -> None:
        self.pool.join(left, right, self.options.most, self.options.buckets)
        self.report(f"merging {self.count} components, {len(self.pool.components)} left")

    def _dead(self) -> Tree | None:
        """The map of a component without states: all initial states are dead ends."""
        return next((each.tree for _, each in sorted(self.pool.components.items()) if each.size == 0), None)

    def _relevant(self) -> list[int]:
        """The components with a part in the error condition, and those that labels connect with them.

        Of a label that some component never permits, one such component is enough.
        """
        every, components = self.pool.every, self.pool.components
        found = {number for number, each in components.items() if not each.is_trivial(every)}
        labels = [(label.groups.keys(), self.pool.forbidding(label)) for label in self.pool.labels]
        grown = True
        while grown:
            before = len(found)
            for groups, forbidding in labels:
                if found.isdisjoint(groups):
                    continue
                if not forbidding:
                    found.update(groups)
                elif found.isdisjoint(forbidding):
                    found.add(forbidding[0])
            grown = len(found) > before
        return sorted(found)

    # ---- which two

    def _next(self, numbers: list[int]) -> tuple[int, int]:
        if self.options.order == DEFINITION:
            return numbers[0], numbers[1]
        involved = {n for n in numbers if not self.pool.components[n].is_trivial(self.pool.every)}
        # A label whose participants have not changed is still the same object.
        self.best = {
            label: self.best[label] if label in self.best else self._best(label, involved) for label in self.pool.labels
        }
        weighed = [best for best in self.best.values() if best is not None]
        if weighed:
            return min(weighed)[2:]
        first = min(involved, default=numbers[0])
        other = next(number for number in numbers if number != first)
        return min(first, other), max(first, other)

    def _best(self, label: Label, involved: set[int]) -> Choice | None:
        """The two participants of a label that it leads closest to the error, at least one with a part in the error."""
        if len(label.groups) < 2 or involved.isdisjoint(label.groups) or self.pool.forbidding(label):
            return None
        rank = {number: self._rank(number, group) for number, group in sorted(label.groups.items())}
        closest = min(involved & rank.keys(), key=lambda number: (rank[number], number))
        weight = max(rank[closest], min(rank[number] for number in rank if number != closest))
        size = {number: len(self.pool.components[number].variables) for number in rank if rank[number] <= weight}
        near = sorted(size, key=lambda number: (size[number], number))
        other = near[1] if near[0] in involved else next(number for number in near if number in involved)
        return weight, size[near[0]] + size[other], min(near[0], other), max(near[0], other)

    def _rank(self, number: int, group: int) -> int:
        """The smallest distance to the error that a component has behind a step of the group."""
        component = self.pool.components[number]
        if self.ranks.get(number, (None,))[0] is not component:
            distance, steps = self.pool.local_distances(number), component.steps
            ends = steps.starts[:, [0, -1]]
            own = [int(distance[steps.targets[begin:end]].min(initial=UNREACHED)) for begin, end in ends]
            self.ranks[number] = (component, own)
        return self.ranks[number][1][group]
