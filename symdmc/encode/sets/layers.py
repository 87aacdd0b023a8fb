"""Breadth-first search over state sets in one direction, and shortest paths through its layers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from symdmc.encode.diagrams import Node
from symdmc.encode.sets.images import Images
from symdmc.outcome import Layer
from symdmc.task.task import Values


@dataclass(slots=True)
class LayeredSearch:
    """The states at distance 0, 1, 2, ... from some states, forward or backward.

    The states at one distance are kept in rings: the first ring is a step of cost 1 away from the layer before, each
    further one is a step of cost 0 away from the ring before it.
    """

    images: Images
    start: Node
    backward: bool = False
    care: Node | None = None
    """Backward only: a superset of the reachable states; all others are ignored."""
    unit_costs: bool = False
    """Whether every step counts as one, whatever it costs."""
    prepare: Callable[[Node], None] = lambda states: None
    """Called with each set of new states before steps are taken from them."""
    rings: list[list[Node]] = field(default_factory=list)
    reached: Node = None
    seconds: float = 0.0
    effort: int = 0
    """The nodes of the state sets before and after the last step: unlike its time, the same in every run."""

    def __post_init__(self) -> None:
        self.reached = self.images.diagrams.false
        self._add(self.start)

    @property
    def distance(self) -> int:
        """The distance of the last layer."""
        return len(self.rings) - 1

    @property
    def layer(self) -> Node:
        """The states of the last layer."""
        return self.images.diagrams.any_of(self.rings[-1])

    @property
    def exhausted(self) -> bool:
        """Whether the last layer is empty."""
        return bool(self.layer == self.images.diagrams.false)

    def advance(self) -> None:
        """Find the next layer."""
        began, d = time.monotonic(), self.images.diagrams
        stepped = self._stepped(self.layer, None if self.unit_costs else 1)
        self.effort = d.size(stepped) + d.size(self.layer)
        self._add(stepped)
        self.seconds = time.monotonic() - began

    def _stepped(self, states: Node, cost: int | None) -> Node:
        return self.images.before(states, cost) if self.backward else self.images.after(states, cost)

    def _add(self, states: Node) -> None:
        d = self.images.diagrams
        rings: list[Node] = []
        while True:
            new = d.without(states if self.care is None else d.both(states, self.care), self.reached)
            if new == d.false and rings:
                break
            rings.append(new)
            self.reached = d.either(self.reached, new)
            self.prepare(new)
            if new == d.false or self.unit_costs or not self.images.relation.has_free_steps:
                break
            states = self._stepped(new, 0)
        self.rings.append(rings)

    def last(self, *, count: bool) -> Layer:
        """The report of the last layer."""
        encoding, layer = self.images.relation.encoding, self.layer
        return Layer(
            depth=self.distance,
            states=encoding.count(layer) if count else None,
            nodes=self.images.diagrams.size(layer),
            seconds=round(self.seconds, 3),
            backward=self.backward,
        )

    def path(self, states: Node) -> list[Values]:
        """The states on a shortest path between the start and one of these states, which must have been reached.

        In the direction of steps: a path of a forward search begins in the start, one of a backward search ends in it.
        """
        found = list(self._back_from(states))
        return found if self.backward else found[::-1]

    def _back_from(self, states: Node) -> Iterator[Values]:
        d, encoding = self.images.diagrams, self.images.relation.encoding
        distance, ring = self._first(states)
        here = d.both(states, self.rings[distance][ring])
        while True:
            state = encoding.pick(here)
            yield state
            if distance == ring == 0:
                return
            single, cost = encoding.state(state), 0 if ring else 1
            stepped = self.images.after(single, cost) if self.backward else self.images.before(single, cost)
            if ring:
                ring -= 1
            else:
                distance -= 1
                ring = self._ring(stepped, distance)
            here = d.both(stepped, self.rings[distance][ring])

    def _first(self, states: Node) -> tuple[int, int]:
        """The first distance and ring that has some of the states."""
        d = self.images.diagrams
        distance = next(k for k, rings in enumerate(self.rings) if d.both(states, d.any_of(rings)) != d.false)
        return distance, self._ring(states, distance)

    def _ring(self, states: Node, distance: int) -> int:
        d = self.images.diagrams
        return next(k for k, ring in enumerate(self.rings[distance]) if d.both(states, ring) != d.false)
