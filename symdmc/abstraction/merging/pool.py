"""Components and the labels by which they move together; joining two of them, or shrinking one.

A label is one way to move: a cost, and for each component that takes part the group of its steps. Components that take
no part stay where they are. A label whose last participants have been joined is internal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from symdmc.abstraction.merging.component import Component, steps_of
from symdmc.abstraction.merging.component_loops import UNREACHED, explore
from symdmc.abstraction.merging.shrinking import LOW, Graph, classes_of
from symdmc.lookup.tables import DEAD_END
from symdmc.lookup.tree import Tree, TreeLeaf, joined, renamed
from symdmc.packed.arrays import Int32s, Int64s

MOST_PAIRS = 1 << 22
"""States of a product, reachable or not; components of a larger one are shrunk first."""
LEAST_STATES = 2
"""Components are not shrunk to fewer states."""
MOST_EDGES = 1 << 23
"""Edges of the reachable part of a product; the same."""

Combination: TypeAlias = tuple[int, int]
"""A group of the left component and one of the right; -1 where it stays."""


@dataclass(slots=True, eq=False)
class Label:
    """One way to move."""

    cost: int
    groups: Mapping[int, int]
    """For each component that takes part the group of its steps."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the steps of a product are made of."""

    labels: list[tuple[int, tuple[tuple[int, int], ...], int]]
    """Cost, the participants outside with their groups, and the group in the product."""
    pairs: Int64s
    """Rows of left group, right group and group in the product."""
    costs: Int64s
    internal: frozenset[int]
    """The groups of labels that nobody outside takes part in."""


@dataclass(slots=True)
class Pool:
    """Components, each under the number of its first variable, and all labels."""

    every: int
    """The mark with a bit for each product of the error condition; 0 if no state is an error state."""
    components: dict[int, Component] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)

    def forbidding(self, label: Label) -> list[int]:
        """The participants that never have a step of it."""
        return [n for n, group in sorted(label.groups.items()) if not self.components[n].steps.is_possible(group)]

    # ---- joining and shrinking

    def join(self, left: int, right: int, bound: int | None, buckets: str = LOW) -> None:
        """Put the abstraction of the product of two components in the place of the first; the second is gone."""
        one, other = self._oriented(left, right)
        graph, plan = self._product(one, other)
        classes, size = classes_of(graph, bound, buckets)
        a, b = self.components[one], self.components[other]
        table = _table(a.size, b.size, graph.met, classes, size)
        tree = joined(a.tree, b.tree, table)
        self._replace(left, (one, other), tree, graph, plan, classes, size)

    def shrink(self, number: int, bound: int | None, buckets: str = LOW) -> None:
        """Put the abstraction of a component in its place; labels that look alike from outside become one."""
        plan = self._plan(number, None)
        graph = self._explored(number, None, plan)
        assert graph is not None
        classes, size = classes_of(graph, bound, buckets)
        own = self.components[number]
        tree = renamed(own.tree, _names(own.size, graph.met, classes, size))
        self._replace(number, (number,), tree, graph, plan, classes, size)

    def distance_tree(self, left: int, right: int | None) -> Tree:
        """The tree whose classes are the codes of the distances in the product of two components, or in one."""
        if right is None:
            plan = self._plan(left, None)
            graph = self._explored(left, None, plan)
            assert graph is not None
            own = self.components[left]
            return renamed(own.tree, _names(own.size, graph.met, _codes(graph), DEAD_END))
        one, other = self._oriented(left, right)
        graph, _ = self._product(one, other)
        a, b = self.components[one], self.components[other]
        return joined(a.tree, b.tree, _table(a.size, b.size, graph.met, _codes(graph), DEAD_END))

    def local_distances(self, number: int) -> Int64s:
        """The distance of each state of a component to the error, if the others always took part."""
        graph = self._explored(number, None, self._plan(number, None))
        assert graph is not None
        found = np.full(self.components[number].size, UNREACHED, dtype=np.int64)
        found[graph.met] = graph.distances()
        return found

    def _oriented(self, left: int, right: int) -> tuple[int, int]:
        """The deeper tree first: a look-up then has fewer classes waiting."""
        deeper = self.components[right].tree.depth > self.components[left].tree.depth
        return (right, left) if deeper else (left, right)

    def _product(self, left: int, right: int) -> tuple[Graph, _Plan]:
        """The product of two components, which are shrunk as long as it is too large."""
        while True:
            sizes = self.components[left].size, self.components[right].size
            if sizes[0] * sizes[1] <= MOST_PAIRS or max(sizes) <= LEAST_STATES:
                plan = self._plan(left, right)
                graph = self._explored(left, right, plan)
                if graph is not None:
                    return graph, plan
            self.shrink(left if sizes[0] >= sizes[1] else right, max(LEAST_STATES, max(sizes) // 2))

    def _plan(self, left: int, right: int | None) -> _Plan:
        """Labels with the same cost and the same groups outside become one, with the steps of all of them."""
        alike: dict[tuple[int, tuple[tuple[int, int], ...]], set[Combination]] = {}
        for label in self.labels:
            one = label.groups.get(left, -1)
            other = -1 if right is None else label.groups.get(right, -1)
            if one >= 0 or other >= 0:
                outside = tuple(sorted((c, g) for c, g in label.groups.items() if c not in (left, right)))
                alike.setdefault((label.cost, outside), set()).add((one, other))
        numbers: dict[tuple[int | None, tuple[Combination, ...]], int] = {}
        labels = []
        costs: dict[int, int] = {}
        for (cost, outside), combinations in alike.items():
            key = (None if outside else cost, tuple(sorted(combinations)))
            group = numbers.setdefault(key, len(numbers))
            labels.append((cost, outside, group))
            costs[group] = min(costs.get(group, cost), cost)
        rows = [(one, other, group) for (_, ways), group in numbers.items() for one, other in ways]
        return _Plan(
            labels=labels,
            pairs=np.array(rows, dtype=np.int64).reshape(len(rows), 3),
            costs=np.array(list(costs.values()), dtype=np.int64),
            internal=frozenset(group for _, outside, group in labels if not outside),
        )

    def _explored(self, left: int, right: int | None, plan: _Plan) -> Graph | None:
        """The reachable part of a product; None where it has too many edges.

        One component alone never has, and neither have two that cannot be shrunk any more.
        """
        a, b = self.components[left], _UNIT if right is None else self.components[right]
        initial = np.flatnonzero(a.initial)[:, None] * b.size + np.flatnonzero(b.initial)[None, :]
        most = MOST_EDGES if right is not None and max(a.size, b.size) > LEAST_STATES else 1 << 40
        met, edges = explore(a.steps, b.steps, plan.pairs, initial.reshape(-1), most)
        if not len(met) and initial.size:
            return None
        marks = a.marks[met // b.size] & b.marks[met % b.size]
        return Graph(met=met, edges=edges, marks=marks, costs=plan.costs)

    def _replace(
        self, number: int, parts: Sequence[int], tree: Tree, graph: Graph, plan: _Plan, classes: Int64s, size: int
    ) -> None:
        """Put the quotient of a graph in the place of the components it was made of."""
        groups = _quotient(graph, plan, classes, size)
        marks = np.zeros(size, dtype=np.int64)
        alive = classes >= 0
        np.bitwise_or.at(marks, classes[alive], graph.marks[alive])
        first = self.components[parts[0]].initial[graph.met] if len(parts) == 1 else None
        initial = np.zeros(size, dtype=np.bool_)
        if first is None:
            a, b = (self.components[part] for part in parts)
            first = a.initial[graph.met // b.size] & b.initial[graph.met % b.size]
        initial[classes[alive & first]] = True
        variables = frozenset().union(*(self.components[part].variables for part in parts))
        has_dead_ends = not alive.all() or any(self.components[part].has_dead_ends for part in parts)
        for part in parts:
            del self.components[part]
        distinct: dict[bytes, int] = {}
        names = [distinct.setdefault(pairs.tobytes(), len(distinct)) for pairs in groups]
        self.components[number] = Component(
            variables=variables,
            tree=tree,
            size=size,
            initial=initial,
            marks=marks,
            steps=steps_of(size, [np.frombuffer(text, dtype=np.int64) for text in distinct]),
            has_dead_ends=has_dead_ends,
        )
        self._relabel(number, parts, plan, groups, names, size)

    def _relabel(
        self, number: int, parts: Sequence[int], plan: _Plan, groups: Sequence[Int64s], names: Sequence[int], size: int
    ) -> None:
        """Labels of the new component; one that changes nothing is not here.

        A label that is impossible here stays possible for others: what is dead or outside must not depend on what other
        components have pruned, else a state that is dead in one may be outside in the next.
        """
        kept = [label for label in self.labels if not any(part in label.groups for part in parts)]
        identity = np.arange(size) * (size + 1)
        for cost, outside, group in plan.labels:
            here = {} if np.array_equal(groups[group], identity) else {number: names[group]}
            if outside or (here and len(groups[group])):
                kept.append(Label(cost, {**dict(outside), **here}))
        self.labels = kept


_UNIT = Component(
    variables=frozenset(),
    tree=TreeLeaf(0, 0, np.zeros(1, dtype=np.int32)),
    size=1,
    initial=np.ones(1, dtype=np.bool_),
    marks=np.full(1, -1, dtype=np.int64),
    steps=steps_of(1, []),
)


def _table(rows: int, columns: int, met: Int64s, classes: Int64s, dead: int) -> Int32s:
    """The class of each pair of classes: `dead` for dead ends, as those of either part are, and `dead + 1` outside."""
    table = np.full((rows + 2, columns + 2), dead + 1, dtype=np.int32)
    table[rows, : columns + 1] = dead
    table[: rows + 1, columns] = dead
    table[met // max(1, columns), met % max(1, columns)] = np.where(classes >= 0, classes, dead)
    return table


def _names(size: int, met: Int64s, classes: Int64s, dead: int) -> Int32s:
    """The new class of each class of one component."""
    names = np.full(size + 2, dead + 1, dtype=np.int32)
    names[size] = dead
    names[met] = np.where(classes >= 0, classes, dead)
    return names


def _codes(graph: Graph) -> Int64s:
    distance = graph.distances()
    return np.where(distance < UNREACHED, distance, -1)


def _quotient(graph: Graph, plan: _Plan, classes: Int64s, size: int) -> list[Int64s]:
    """The steps of each group between classes; internal ones without those that change nothing."""
    sources = classes[np.repeat(np.arange(len(classes)), np.diff(graph.edges.begins))]
    targets = classes[graph.edges.targets]
    groups, internal = graph.edges.groups, np.zeros(len(plan.costs), dtype=np.bool_)
    internal[sorted(plan.internal)] = True
    counts = (sources >= 0) & (targets >= 0) & ~(internal[groups] & (sources == targets))
    pairs = np.unique((groups[counts].astype(np.int64) * size + sources[counts]) * size + targets[counts])
    square = max(1, size * size)
    ends = np.searchsorted(pairs, np.arange(len(plan.costs) + 1) * square)
    return [pairs[ends[k] : ends[k + 1]] - k * square for k in range(len(plan.costs))]
