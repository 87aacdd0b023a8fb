"""All shortest abstract error traces of a pattern at once, as state sets, and what they say about concrete states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.sets.chaining import reachable_by_chaining
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.encode.sets.layers import LayeredSearch
from symdmc.model.state import EdgeRef
from symdmc.patterndb.build import MERGE_LIMIT
from symdmc.patterndb.work import WorkBudget
from symdmc.spelling.plurals import counted
from symdmc.task.definitions import Merged
from symdmc.task.derived import completed
from symdmc.task.task import Task

FREE_NODES = 250_000
"""Below this many nodes of the state sets before and after images it does not pay to try the other direction."""
RETRY_FACTOR = 4
"""A direction may take this many times the nodes of the last success before the other one is tried."""
FORWARD_NODE_COST = 4
"""Forward search takes about this many times as long per node as backward search."""


class ShortestTraces:
    """The abstract states on shortest abstract error traces. Concrete states are given by their values."""

    def __init__(self, task: Task, relation: ProjectedRelation, layers: Sequence[Node]) -> None:
        self.task = task
        self.relation = relation
        self.layers = tuple(layers)
        """The abstract states by their distance to the end of the traces."""
        self.kept = relation.kept
        self._numbers = sorted(self.kept)
        self._parts = {number: parts for number, parts in relation.of_transitions().items() if parts}
        self._nearer: dict[tuple[int, int], Node] = {}

    @property
    def length(self) -> int:
        """The length of the traces."""
        return len(self.layers) - 1

    @cached_property
    def edges(self) -> frozenset[EdgeRef]:
        """The edges of all transitions that may change a kept variable."""
        transitions = (self.task.transitions[number] for number in self._parts)
        return frozenset(branch.edge for transition in transitions for branch in transition.branches)

    def abstract(self, values: Sequence[int]) -> dict[int, int]:
        """The abstract state of a concrete one: the values of the kept variables, derived ones included."""
        full = completed(self.task, values) if self.task.definitions else values
        return {number: full[number] for number in self._numbers}

    def contain(self, values: Sequence[int], distance: int) -> bool:
        """Whether a shortest trace has the abstract state of a concrete one at this distance to its end."""
        return self._meet(self.abstract(values), distance)

    def _meet(self, values: Mapping[int, int], distance: int) -> bool:
        """Whether a shortest trace has an abstract state with these values at this distance."""
        d = self.relation.diagrams
        return bool(d.both(self.relation.encoding.partial_state(values), self.layers[distance]) != d.false)

    def separating(self, values: Sequence[int], distance: int, among: AbstractSet[int]) -> list[int]:
        """Few of some kept variables whose values, with all others, no shortest trace has at this distance."""
        here = self.abstract(values)
        found = []
        for number in sorted(among & self.kept):
            value = here.pop(number)
            if self._meet(here, distance):
                here[number] = value
                found.append(number)
        return found

    def continuations(self, values: Sequence[int], distance: int) -> list[int]:
        """The transitions with which shortest traces continue from the abstract state at this distance."""
        abstract = self.abstract(values)
        d, here = self.relation.diagrams, self.relation.encoding.partial_state(abstract)
        return [
            number
            for number in self._parts
            if self._fits(number, abstract) and d.both(here, self._before(number, distance)) != d.false
        ]

    def continue_elsewhere(
        self, values: Sequence[int], distance: int, number: int, ends: Iterable[Sequence[int]]
    ) -> bool:
        """Whether a transition continues shortest traces to an abstract state besides those of the concrete `ends`."""
        relation, d = self.relation, self.relation.diagrams
        further = distance - self.task.transitions[number].cost
        here = relation.encoding.partial_state(self.abstract(values))
        reached = d.any_of(relation.image(here, part) for part in self._parts[number])
        left = d.both(reached, self.layers[further]) if further >= 0 else d.false
        for end in ends:
            left = d.without(left, relation.encoding.partial_state(self.abstract(end)))
        return bool(left != d.false)

    def _fits(self, number: int, abstract: Mapping[int, int]) -> bool:
        """Whether the kept processes are where the transition needs them: a test that needs no diagrams."""
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
        """For each variable with merged values the derived variable that has the class of its value."""
        own = ((number, self.task.definitions.get(number)) for number in self._numbers)
        return {each.variable: (number, each) for number, each in own if isinstance(each, Merged)}

    def _before(self, number: int, distance: int) -> Node:
        """The abstract states from which a transition leads to the traces, as much nearer to their end as it costs."""
        cost = self.task.transitions[number].cost
        if distance < cost:
            return self.relation.diagrams.false
        if (number, distance) not in self._nearer:
            target = self.layers[distance - cost]
            before = [self.relation.preimage(target, part) for part in self._parts[number]]
            self._nearer[number, distance] = self.relation.diagrams.any_of(before)
        return self._nearer[number, distance]


@dataclass(slots=True)
class DirectionMemory:
    """How shortest traces were found last: the direction that is tried first the next time, and what it took."""

    backward: bool = False
    nodes: int = FREE_NODES
    """What that search took, in nodes of backward search."""

    def attempts(self, most: int) -> Iterator[tuple[bool, int]]:
        """Whether to search backward, and within how many nodes: both directions in turn, each time with more nodes."""
        limit = min(RETRY_FACTOR * max(self.nodes, FREE_NODES), most)
        while True:
            for backward in (self.backward, not self.backward):
                yield backward, limit if backward else limit // FORWARD_NODE_COST
            if limit == most:
                return
            limit = min(RETRY_FACTOR * limit, most)


def shortest_traces(
    task: Task,
    pattern: Sequence[int],
    budget: WorkBudget,
    report: Callable[[str], None],
    directions: DirectionMemory,
    most: int,
) -> ShortestTraces | None:
    """The shortest error traces of the task projected to a pattern; None where the projection has no error trace.

    Coarse patterns favour layers forward to the first error: a small part of all reachable abstract states. For finer
    ones it often takes less to find all reachable states by chaining, and then layers backward inside them. Concrete
    states that are followed get the same distances in both directions. Raises DiagramLimit beyond the budget, and where
    each direction takes more than `most` nodes.
    """
    spent = ""
    with budget.encoding(task, pattern) as encoding:
        relation = ProjectedRelation(encoding, learns=True, merge_limit=MERGE_LIMIT, frames=True)
        for backward, nodes in directions.attempts(most):
            search = _backward if backward else _forward
            try:
                with budget.images(relation, nodes) as images:
                    layers = search(images, lambda words: report(f"{counted(len(pattern), 'variable')}, {words}"))
            except DiagramLimit as limit:
                spent = str(limit)  # the exception itself would keep diagrams alive
                continue
            directions.backward, directions.nodes = backward, images.nodes * (1 if backward else FORWARD_NODE_COST)
            return ShortestTraces(task, relation, layers) if layers else None
    raise DiagramLimit(spent)


def _forward(images: Images, report: Callable[[str], None]) -> list[Node]:
    """The states on shortest error traces by distance to the end, from layers forward; none if there is no trace."""
    relation = images.relation
    errors = ErrorStates(relation)
    search = LayeredSearch(images, relation.initial(), prepare=relation.learn)
    while (met := errors.within(search.layer)) == images.diagrams.false:
        if search.exhausted:
            return []
        search.advance()
        report(f"layer {search.distance}")
    return _leading_to(met, search)


def _backward(images: Images, report: Callable[[str], None]) -> list[Node]:
    """The reachable states as near to an error as an initial one, by distance; none if no initial state reaches one."""
    relation, d = images.relation, images.diagrams
    relation.merge(MERGE_LIMIT, frames=False)
    report("all reachable states")
    try:
        reached = reachable_by_chaining(images, lambda layer: None, count=False)
    finally:
        relation.merge(MERGE_LIMIT, frames=True)
    search = LayeredSearch(images, ErrorStates(relation).within(reached), backward=True, care=reached)
    layers: list[Node] = []
    while not search.exhausted:
        layers.append(search.layer)
        if d.both(relation.initial(), search.layer) != d.false:
            return layers
        search.advance()
        report(f"layer {search.distance} backward")
    return []


def _leading_to(met: Node, search: LayeredSearch) -> list[Node]:
    """The states of each layer, the last one first, on shortest paths to some states of the last one."""
    d, images = search.images.diagrams, search.images
    found: list[Node] = []
    here = met
    for rings in reversed(search.rings):
        layer = d.any_of(rings)
        here = new = d.both(here, layer)
        while new != d.false and images.relation.has_free_steps:
            new = d.without(d.both(images.before(new, 0), layer), here)
            here = d.either(here, new)
        found.append(here)
        here = images.before(here, 1)
    return found
