"""Shortest abstract error traces of an abstraction by predicates, as sequences of transitions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from symdmc.abstraction.cartesian.cubes import CartesianAbstraction, Cube, predicate_bits
from symdmc.abstraction.predicates.pattern import PredicateTest
from symdmc.abstraction.predicates.predicate import Claim, Predicate
from symdmc.encode.diagrams import Node
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.patterndb.build import BuiltLayers
from symdmc.patterndb.predicates import PredicateAbstraction
from symdmc.task.task import Task, Values

TraceSteps: TypeAlias = tuple[int, ...]
"""The numbers of the transitions taken, without those of steps that change nothing in the abstraction."""
Place = TypeVar("Place", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Approach:
    """The beginning of a trace, up to the first abstract state inside a perimeter around the error."""

    steps: TraceSteps
    arrival: tuple[Claim, ...]
    """The claims known to hold in that state."""


@dataclass(frozen=True, slots=True)
class AbstractTrace:
    """An error trace of an abstraction."""

    steps: TraceSteps
    approach: Approach | None = None
    """None without a perimeter, or if the trace begins inside it."""


class TraceGraph(Protocol[Place]):
    """The places that shortest abstract error traces pass, and the steps between them."""

    def starts(self) -> list[Place]:
        """The places where traces begin; none if no error can be reached."""

    def onward(self, place: Place) -> Iterator[tuple[int, Place]]:
        """The transitions that continue them, and where these lead; none at the end."""

    def distance(self, place: Place) -> int:
        """The distance of a place to the error."""

    def claims(self, place: Place) -> Iterator[Claim]:
        """The claims known to hold in a place."""


def shortest_abstract_traces(
    task: Task, abstraction: PredicateAbstraction, most: int, perimeter: int = 0
) -> list[AbstractTrace]:
    """Some shortest error traces of the abstraction, all different; none where it has no error trace.

    The first trace always takes the first transition that continues; each other one leaves it at one place, early
    places first. With a perimeter around the error, all of them differ outside of it.
    """
    if abstraction.cubes is not None:
        return _Traces(_Cubes(task, abstraction.cubes), perimeter).found(most)
    assert abstraction.built is not None
    rings = _Rings(abstraction.built, abstraction.predicates, abstraction.tests)
    return _Traces(rings, perimeter).found(most)


class _Traces(Generic[Place]):
    def __init__(self, graph: TraceGraph[Place], perimeter: int) -> None:
        self.graph, self.perimeter = graph, perimeter

    def found(self, most: int) -> list[AbstractTrace]:
        """At most this many traces."""
        traces: dict[TraceSteps | Approach, AbstractTrace] = {}
        for start, path in self._candidates():
            trace = AbstractTrace(tuple(number for number, _ in path), self._approach(start, path))
            traces.setdefault(trace.approach or trace.steps, trace)
            if len(traces) >= most:
                break
        return list(traces.values())

    def _approach(self, start: Place, path: Sequence[tuple[int, Place]]) -> Approach | None:
        """The steps outside of the perimeter."""
        if self.perimeter == 0:
            return None
        places = [start, *(place for _, place in path)]
        taken = next(taken for taken, place in enumerate(places) if self.graph.distance(place) <= self.perimeter)
        steps = tuple(number for number, _ in path[:taken])
        return Approach(steps, tuple(self.graph.claims(places[taken]))) if steps else None

    def _candidates(self) -> Iterator[tuple[Place, list[tuple[int, Place]]]]:
        """The starts of traces, each with the steps and where they lead."""
        for start in self.graph.starts():
            path = list(self._first(start))
            yield start, path
            place = start
            for taken, (number, following) in enumerate(path):
                for other, elsewhere in self.graph.onward(place):
                    if other != number:
                        yield start, [*path[:taken], (other, elsewhere), *self._first(elsewhere)]
                place = following

    def _first(self, place: Place) -> Iterator[tuple[int, Place]]:
        """The first path from a place to the end."""
        while (step := next(self.graph.onward(place), None)) is not None:
            yield step
            place = step[1]


class _Cubes:
    """Traces from cube to cube."""

    def __init__(self, task: Task, abstraction: CartesianAbstraction) -> None:
        self.task, self.abstraction = task, abstraction
        self._distances = {cube: distance for distance, layer in enumerate(abstraction.layers) for cube in layer}

    def starts(self) -> list[Cube]:
        """The cubes of the nearest initial states."""
        semantics, predicates = self.task.semantics, self.abstraction.predicates
        initial = {predicate_bits(self.task, predicates, state) for state in semantics.initial_states()}
        for layer in self.abstraction.layers:
            found = [cube for cube in layer if any(map(cube.matches, initial))]
            if found:
                return found
        return []

    def onward(self, place: Cube) -> Iterator[tuple[int, Cube]]:
        """The origins of the cube."""
        return iter(self.abstraction.origins[place])

    def distance(self, place: Cube) -> int:
        """The layer of the cube."""
        return self._distances[place]

    def claims(self, place: Cube) -> Iterator[Claim]:
        """The claims of the cube."""
        for bit, predicate in enumerate(self.abstraction.predicates):
            if place.known >> bit & 1:
                yield Claim(predicate, bool(place.true >> bit & 1))


_Spot: TypeAlias = tuple[int, int, Values]
"""The distance of an abstract state, the number of free steps before one that costs, and the state."""


class _Rings:
    """Traces from abstract state to abstract state, nearer by each step of cost 1, or by each free one in a ring."""

    def __init__(self, built: BuiltLayers, predicates: Sequence[Predicate], tests: Sequence[PredicateTest]) -> None:
        self.built, self.relation = built, built.relation
        self.predicates, self.tests = predicates, tests
        self.encoding, self.diagrams = built.encoding, built.encoding.diagrams
        self.images = Images(built.relation)
        self._waves: dict[int, list[Node]] = {}
        self._parts = {number: parts for number, parts in built.relation.of_transitions().items() if parts}

    def starts(self) -> list[_Spot]:
        """One abstract initial state of those that are nearest."""
        d, initial = self.diagrams, self.relation.initial()
        for distance, ring in enumerate(self.built.rings):
            states = d.both(initial, ring)
            if states != d.false:
                return [self._spot(distance, states)]
        return []

    def onward(self, place: _Spot) -> Iterator[tuple[int, _Spot]]:
        """For each transition that continues, one abstract state after it."""
        distance, wave, values = place
        if distance == wave == 0:
            return
        d, here = self.diagrams, self.encoding.state(values)
        cost = 0 if wave else 1
        target = self._wave(distance)[wave - 1] if wave else self.built.rings[distance - 1]
        for number, parts in self._parts.items():
            for part in parts:
                if part.cost == cost and d.both(here, part.guard) != d.false:
                    met = d.both(self.relation.image(here, part), target)
                    if met != d.false:
                        yield number, self._spot(distance - cost, met)
                        break

    def distance(self, place: _Spot) -> int:
        """The ring of the abstract state."""
        return place[0]

    def claims(self, place: _Spot) -> Iterator[Claim]:
        """Which predicates are true in the abstract state, and which are false."""
        values = place[2]
        for predicate, test in zip(self.predicates, self.tests, strict=True):
            yield Claim(predicate, values[test.variable] in test.values)

    def _spot(self, distance: int, states: Node) -> _Spot:
        """One of some states at a distance, with the fewest free steps before it."""
        d = self.diagrams
        for wave, ring in enumerate(self._wave(distance)):
            here = d.both(states, ring)
            if here != d.false:
                return distance, wave, self.encoding.pick(here)
        raise AssertionError("every state of a ring is in one of its waves")

    def _wave(self, distance: int) -> list[Node]:
        """The states at a distance, by the number of free steps before one that costs, or before the error."""
        if distance not in self._waves:
            d, ring = self.diagrams, self.built.rings[distance]
            begun = (
                ErrorStates(self.relation).within(ring)
                if distance == 0
                else d.both(ring, self.images.before(self.built.rings[distance - 1], 1))
            )
            waves, rest = [begun], d.without(ring, begun)
            while rest != d.false:
                waves.append(d.both(rest, self.images.before(waves[-1], 0)))
                rest = d.without(rest, waves[-1])
                assert waves[-1] != d.false
            self._waves[distance] = waves
        return self._waves[distance]
