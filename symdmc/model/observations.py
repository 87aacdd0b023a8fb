"""Paths that fit what is known of their states: the steps between states that somebody else has written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from symdmc.errors import Code, Complaint, EvidenceRefused, ModelError
from symdmc.model.semantics import Semantics, Team
from symdmc.model.state import State, Step
from symdmc.model.steps import cell_names, passed_values, step_label
from symdmc.model.system import System

MOST_CANDIDATES = 100_000
"""The most states, beyond one for each observation, that are considered for a path."""
MOST_TRIED = 1_000
"""The most steps that are looked at to find the nearest one, for a complaint."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known of a state: locations by the number of the process, values by variable and position in it."""

    where: str
    """The place for messages."""
    locations: Mapping[int, str]
    values: Mapping[tuple[int, int], int]

    def fits(self, state: State) -> bool:
        """Whether the state may be the one that was observed."""
        return next(self.differences(state), None) is None

    def differences(self, state: State) -> Iterator[tuple[int | tuple[int, int], int | str, int | str]]:
        """Where the state differs from what was observed, with what it has and what was observed."""
        for number, location in self.locations.items():
            if state.locations[number] != location:
                yield number, state.locations[number], location
        for cell, value in self.values.items():
            if state.values[cell[0]][cell[1]] != value:
                yield cell, state.values[cell[0]][cell[1]], value


@dataclass(frozen=True, slots=True)
class _Arrival:
    """How a state is reached: the cost so far, the state before and the step from it; None for a first state."""

    cost: int
    before: State | None = None
    step: Step | None = None


def path_through(
    system: System, observations: Sequence[Observation], is_wanted: Callable[[Semantics, State], bool]
) -> tuple[State, tuple[Step, ...]]:
    """A path from an initial state with one state for each observation: the first state and the steps.

    Of several paths it is a cheapest one that ends in a wanted state, if any does. Raises EvidenceRefused saying which
    observation no path fits, ModelError where too many states would have to be considered.
    """
    finder = _Finder(system, observations)
    layers = [finder.first_layer()]
    for number in range(1, len(observations)):
        layers.append(finder.layer_after(layers[-1], number))
    last = min(layers[-1], key=lambda state: (not is_wanted(finder.semantics, state), layers[-1][state].cost))
    steps: list[Step] = []
    for layer in reversed(layers):
        arrival = layer[last]
        if arrival.before is not None and arrival.step is not None:
            last = arrival.before
            steps.append(arrival.step)
    return last, tuple(reversed(steps))


class _Finder:
    """Finds for each observation all states that fit it and the observations before it."""

    def __init__(self, system: System, observations: Sequence[Observation]) -> None:
        self.system, self.observations = system, observations
        self.semantics = Semantics(system)
        self.surplus = 0

    def first_layer(self) -> dict[State, _Arrival]:
        """The initial states that fit."""
        observed = self.observations[0]
        starts = list(islice(self._starts(observed), MOST_CANDIDATES + 2))
        self._note(starts, observed)
        layer = {state: _Arrival(0) for state in starts if self.semantics.is_initial(state)}
        if not layer:
            raise EvidenceRefused(
                Complaint(
                    Code.TRACE_STARTS_ELSEWHERE,
                    f"no initial state is like this{self._why_no_start(observed)}",
                    where=observed.where,
                )
            )
        return layer

    def _starts(self, observed: Observation) -> Iterator[State]:
        """Every combination of initial locations and values that fits, whatever the invariants say."""
        places = [
            [name for name in process.initial if observed.locations.get(number, name) == name]
            for number, process in enumerate(self.system.processes)
        ]
        cells = [
            [value for value in choices if observed.values.get((number, position), value) == value]
            for number, variable in enumerate(self.system.storage)
            for position, choices in enumerate(variable.initial)
        ]
        for locations in product(*places):
            for flat in product(*cells):
                rest = iter(flat)
                values = tuple(tuple(next(rest) for _ in range(each.cells)) for each in self.system.storage)
                yield State(locations, values)

    def _why_no_start(self, observed: Observation) -> str:
        """What of the observation no initial state has."""
        for number, location in observed.locations.items():
            process = self.system.processes[number]
            if location not in process.initial:
                return f": {process.name} does not start at {location}"
        for (number, position), value in observed.values.items():
            if value not in self.system.storage[number].initial[position]:
                return f": {self._name((number, position))} does not start with {value}"
        return ": the invariants exclude it"

    def layer_after(self, before: Mapping[State, _Arrival], number: int) -> dict[State, _Arrival]:
        """The states that fit an observation, each with the cheapest way to it, the first of equal ones."""
        observed, layer = self.observations[number], dict[State, _Arrival]()
        for state, arrival in before.items():
            for move in self.semantics.moves(state, self._leading_to(observed, state)):
                if isinstance(move, Step) and observed.fits(move.successor):
                    known = layer.get(move.successor)
                    if known is None or arrival.cost + move.cost < known.cost:
                        layer[move.successor] = _Arrival(arrival.cost + move.cost, state, move)
                        self._note(layer, observed)
        if not layer:
            what = f"no step leads here from the state before{self._nearest(before, observed)}"
            raise EvidenceRefused(Complaint(Code.TRACE_DOES_NOT_REPLAY, what, where=observed.where))
        self.surplus += len(layer) - 1
        return layer

    def _leading_to(self, observed: Observation, state: State) -> Callable[[Team], bool]:
        """Whether a team moves all who have moved, to where they were observed."""
        places = observed.locations
        moved = {number for number, location in places.items() if location != state.locations[number]}

        def leads_there(team: Team) -> bool:
            targets = ((number, self.semantics.edge((number, edge)).target) for number, edge in team)
            return moved <= {number for number, _ in team} and all(
                places.get(number, target) == target for number, target in targets
            )

        return leads_there

    def _note(self, candidates: Sequence[State] | Mapping[State, _Arrival], observed: Observation) -> None:
        """Refuse more candidates than there may be."""
        if self.surplus + len(candidates) > MOST_CANDIDATES + 1:
            what = f"more than {MOST_CANDIDATES:,} states fit the values that are given"
            raise ModelError(Complaint(Code.TRACE_TOO_VAGUE, what, "give the values of more variables", observed.where))

    def _nearest(self, before: Mapping[State, _Arrival], observed: Observation) -> str:
        """The step that comes nearest to an observation, and what is different after it."""
        tried = islice(((state, step) for state in before for step in self.semantics.steps(state)), MOST_TRIED)
        found = min(tried, key=lambda pair: sum(1 for _ in observed.differences(pair[1].successor)), default=None)
        if found is None:
            return ": no step exists there"
        state, step = found
        place, has, expected = next(observed.differences(step.successor))
        label = step_label(step, self.system, passed_values(step, self.semantics, state))
        return f"; {label!r} comes nearest, but {self._name(place)} is {has} after it, not {expected}"

    def _name(self, place: int | tuple[int, int]) -> str:
        """A process, or a cell."""
        if isinstance(place, int):
            return self.system.processes[place].name
        return next(islice(cell_names(self.system.storage[place[0]]), place[1], None))
