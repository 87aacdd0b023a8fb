"""All shortest abstract error traces of a pattern at once, as state sets, and what they say about concrete states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.sets.chaining import reach
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.encode.sets.layers import Side
from symdmc.model.state import EdgeRef
from symdmc.patterndb.build import MERGE_LIMIT
from symdmc.patterndb.work import WorkBudget
from symdmc.task.definitions import Merged
from symdmc.task.derived import completed
from symdmc.task.task import Task

LITTLE = 250_000
"""Nodes of the state sets before and after images that are not worth a look at another way."""
LEEWAY = 4
"""So many times more than last time a way may take before the other one is tried."""
DEARER = 4
"""A node forward counts as so many backward."""


class ShortestTraces:
    """The abstract states on shortest abstract error traces, asked about concrete states given by their values."""

    def __init__(self, task: Task, relation: ProjectedRelation, layers: Sequence[Node]) -> None:
        self.task = task
        self.relation = relation
        self.layers = tuple(layers)
        """By the distance to the end of the traces."""
        self.kept = relation.kept
        self._numbers = sorted(self.kept)
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

    def abstract(self, values: Sequence[int]) -> dict[int, int]:
        """The values of the kept variables in a state, derived ones included."""
        full = completed(self.task, values) if self.task.definitions else values
        return {number: full[number] for number in self._numbers}

    def pass_by(self, values: Sequence[int], distance: int) -> bool:
        """Whether a shortest trace has the abstract state of a concrete one at this distance to its end."""
        return self._meet(self.abstract(values), distance)

    def _meet(self, values: Mapping[int, int], distance: int) -> bool:
        """Whether a shortest trace has an abstract state with these values of variables."""
        d = self.relation.diagrams
        return bool(d.both(self.relation.encoding.partial_state(values), self.layers[distance]) != d.false)

    def keeping_away(self, values: Sequence[int], distance: int, among: AbstractSet[int]) -> list[int]:
        """Few of some kept variables whose values, with those of all others, no shortest trace has at this distance."""
        here = self.abstract(values)
        found = []
        for number in sorted(among & self.kept):
            value = here.pop(number)
            if self._meet(here, distance):
                here[number] = value
                found.append(number)
        return found

    def leading_on(self, values: Sequence[int], distance: int) -> list[int]:
        """The transitions by which shortest traces go on from the abstract state at this distance to their end."""
        abstract = self.abstract(values)
        d, here = self.relation.diagrams, self.relation.encoding.partial_state(abstract)
        return [
            number
            for number in self._parts
            if self._fits(number, abstract) and d.both(here, self._before(number, distance)) != d.false
        ]

    def lead_elsewhere(self, values: Sequence[int], distance: int, number: int, ends: Iterable[Sequence[int]]) -> bool:
        """Whether shortest traces go on by a transition to abstract states other than those of some concrete ones."""
        relation, d = self.relation, self.relation.diagrams
        further = distance - self.task.transitions[number].cost
        here = relation.encoding.partial_state(self.abstract(values))
        reached = d.any_of(relation.image(here, part) for part in self._parts[number])
        left = d.both(reached, self.layers[further]) if further >= 0 else d.false
        for end in ends:
            left = d.without(left, relation.encoding.partial_state(self.abstract(end)))
        return bool(left != d.false)

    def _fits(self, number: int, abstract: Mapping[int, int]) -> bool:
        """Whether the kept processes are where the transition needs them: a test that spares a look at diagrams."""
        layout = self.task.layout
        for branch in self.task.transitions[number].fixed:
            process = layout.process[branch.process]
            needed = layout.location[branch.process, branch.source]
            if process in self.kept and abstract[process] != needed:
                return False
            merged = self._merged.get(process)
            if merged is not None and abstract[merged[0]] != merged[1].class_of(needed):
                return False
        return True

    @cached_property
    def _merged(self) -> dict[int, tuple[int, Merged]]:
        """For each variable with merged values the derived variable that says in which class the value is."""
        own = ((number, self.task.definitions.get(number)) for number in self._numbers)
        return {each.variable: (number, each) for number, each in own if isinstance(each, Merged)}

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


@dataclass(slots=True)
class Habit:
    """How shortest traces were found last: it is how they are looked for next."""

    backward: bool = False
    nodes: int = LITTLE
    """What that took."""

    def attempts(self, most: int) -> Iterator[tuple[bool, int]]:
        """Whether to go backward, and within how many nodes: both ways in turn, each time with more.

        Forward a quarter of them is allowed, because there they take the more time.
        """
        limit = min(LEEWAY * max(self.nodes, LITTLE), most)
        while True:
            for backward in (self.backward, not self.backward):
                yield backward, limit if backward else limit // DEARER
            if limit == most:
                return
            limit = min(LEEWAY * limit, most)


def shortest_traces(
    task: Task, pattern: Sequence[int], budget: WorkBudget, report: Callable[[str], None], habit: Habit, most: int
) -> ShortestTraces | None:
    """The shortest error traces of the task projected to a pattern; None where the projection has no error trace.

    Where the pattern lacks much, layers found forward as far as the first error take a small part of what all reachable
    abstract states take. Later, all reachable ones by chaining, and then layers backward inside them, often take less.
    Either way the abstract states of concrete ones that are followed have the same distances. Raises DiagramLimit
    beyond the budget, and where both ways take more than the `most` nodes that one may take.
    """
    spent = ""
    with budget.encoding(task, pattern) as encoding:
        relation = ProjectedRelation(encoding, learns=True, merge_limit=MERGE_LIMIT, frames=True)
        for backward, nodes in habit.attempts(most):
            way = _backward if backward else _forward
            try:
                with budget.images(relation, nodes) as images:
                    layers = way(images, lambda words: report(f"{len(pattern)} variables, {words}"))
            except DiagramLimit as limit:
                spent = str(limit)  # the exception itself would keep diagrams alive
                continue
            habit.backward, habit.nodes = backward, images.work.nodes * (1 if backward else DEARER)
            return ShortestTraces(task, relation, layers) if layers else None
    raise DiagramLimit(spent)


def _forward(images: Images, report: Callable[[str], None]) -> list[Node]:
    """By distance the states on shortest ways to an error, from layers that go forward; none if there is no way."""
    relation = images.relation
    errors = ErrorStates(relation)
    side = Side(images, relation.initial(), prepare=relation.learn)
    while (met := errors.within(side.layer)) == images.diagrams.false:
        if side.exhausted:
            return []
        side.advance()
        report(f"layer {side.distance}")
    return _leading_to(met, side)


def _backward(images: Images, report: Callable[[str], None]) -> list[Node]:
    """By distance the reachable states no farther from an error than the initial ones; none if these are farther."""
    relation, d = images.relation, images.diagrams
    relation.merge(MERGE_LIMIT, frames=False)
    report("all reachable states")
    try:
        reached = reach(images, lambda layer: None, count=False)
    finally:
        relation.merge(MERGE_LIMIT, frames=True)
    side = Side(images, ErrorStates(relation).within(reached), backward=True, care=reached)
    layers: list[Node] = []
    while not side.exhausted:
        layers.append(side.layer)
        if d.both(relation.initial(), side.layer) != d.false:
            return layers
        side.advance()
        report(f"layer {side.distance} backward")
    return []


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
