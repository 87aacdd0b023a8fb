"""All shortest abstract error traces of a pattern at once, as state sets, and what they say about concrete states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from symdmc.abstraction.projection import ProjectedRelation
from symdmc.encode.diagrams import Node
from symdmc.encode.error_states import ErrorStates
from symdmc.encode.layers import Side
from symdmc.model.state import EdgeRef
from symdmc.patterndb.build import MERGE_LIMIT
from symdmc.patterndb.work import WorkBudget
from symdmc.task.task import Task


class ShortestTraces:
    """The abstract states on shortest abstract error traces, asked about concrete states given by their values."""

    def __init__(self, task: Task, relation: ProjectedRelation, layers: Sequence[Node]) -> None:
        self.task = task
        self.relation = relation
        self.layers = tuple(layers)
        """By the distance to the end of the traces."""
        self.kept = relation.kept
        self._parts = {number: parts for number, parts in relation.of_transitions().items() if parts}
        self._nearer: dict[tuple[int, int], Node] = {}

    @property
    def length(self) -> int:
        """Of the traces."""
        return len(self.layers) - 1

    @cached_property
    def edges(self) -> frozenset[EdgeRef]:
        """The edges of all transitions that may change a kept variable."""
        transitions = (self.task.transitions[number] for number in self._parts)
        return frozenset(branch.edge for transition in transitions for branch in transition.branches)

    def pass_by(self, values: Sequence[int], distance: int) -> bool:
        """Whether a shortest trace has the abstract state of a concrete one at this distance to its end."""
        d = self.relation.diagrams
        return bool(d.both(self.relation.encoding.state(values), self.layers[distance]) != d.false)

    def leading_on(self, values: Sequence[int], distance: int) -> list[int]:
        """The transitions by which shortest traces go on from the abstract state at this distance to their end."""
        d, here = self.relation.diagrams, self.relation.encoding.state(values)
        return [
            number
            for number in self._parts
            if self._fits(number, values) and d.both(here, self._before(number, distance)) != d.false
        ]

    def _fits(self, number: int, values: Sequence[int]) -> bool:
        """Whether the kept processes are where the transition needs them: a test that spares a look at diagrams."""
        layout = self.task.layout
        for branch in self.task.transitions[number].fixed:
            process = layout.process[branch.process]
            if process in self.kept and values[process] != layout.location[branch.process, branch.source]:
                return False
        return True

    def _before(self, number: int, distance: int) -> Node:
        """The abstract states from which a transition leads to the part of the traces that its cost makes the next."""
        cost = self.task.transitions[number].cost
        if distance < cost:
            return self.relation.diagrams.false
        if (number, distance) not in self._nearer:
            target = self.layers[distance - cost]
            before = [self.relation.preimage(target, part) for part in self._parts[number]]
            self._nearer[number, distance] = self.relation.diagrams.any_of(before)
        return self._nearer[number, distance]


def shortest_traces(
    task: Task, pattern: Sequence[int], budget: WorkBudget, report: Callable[[str], None]
) -> ShortestTraces | None:
    """The shortest error traces of the task projected to a pattern; None where the projection has no error trace.

    Layers are found forward, only as far as the first error, then cut to what leads there: where the pattern lacks
    much, that takes a small part of what all reachable abstract states take. Raises DiagramLimit beyond the budget.
    """
    with budget.encoding(task, pattern) as encoding:
        relation = ProjectedRelation(encoding, learns=True, merge_limit=MERGE_LIMIT, frames=True)
        errors, d = ErrorStates(relation), encoding.diagrams
        with budget.images(relation) as images:
            side = Side(images, relation.initial(), prepare=relation.learn)
            while (met := errors.within(side.layer)) == d.false:
                if side.exhausted:
                    return None
                side.advance()
                report(f"{len(pattern)} variables, layer {side.distance}")
            return ShortestTraces(task, relation, _leading_to(met, side))


def _leading_to(met: Node, side: Side) -> list[Node]:
    """What of each layer, the last one first, lies on a shortest way to some states of the last one."""
    d, images = side.images.diagrams, side.images
    found: list[Node] = []
    here = met
    for rings in reversed(side.rings):
        layer = d.any_of(rings)
        here = new = d.both(here, layer)
        while new != d.false and images.relation.has_free_steps:
            new = d.without(d.both(images.before(new, 0), layer), here)
            here = d.either(here, new)
        found.append(here)
        here = images.before(here, 1)
    return found
