"""What a pattern database contains and says: counts of its states, estimates of states, two databases compared."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from symdmc.errors import Code, Complaint, EvidenceRefused, ModelError
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.model.simulation import Simulation
from symdmc.model.state import State
from symdmc.outcome import Layer
from symdmc.patterndb.database import PatternDatabase, estimate_of
from symdmc.spelling.speech import BUILD_DATABASE
from symdmc.task.state_names import state_named
from symdmc.task.task import Task

MOST_STEPS = 100
"""A random walk of a sample goes no further, then another one begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """How many abstract states a database has at each distance, and elsewhere; all counts are exact."""

    layers: tuple[Layer, ...]
    beyond: int | None
    """Behind the last layer of a partial database; None for a complete one."""
    dead_ends: int | None
    """None for a partial database, which knows of none."""
    outside: int
    """Outside of what the layers are restricted to: no such state can be reached."""

    @property
    def inside(self) -> int:
        """All states inside the restriction."""
        return sum(layer.states or 0 for layer in self.layers) + (self.beyond or 0) + (self.dead_ends or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a database says about a state, or about all initial states."""

    state: State | None
    """None for the initial states, of which the smallest estimate counts."""
    distance: int | None
    """None for a dead end and outside."""
    outside: bool = False

    @property
    def is_dead_end(self) -> bool:
        """Whether no error state can be reached."""
        return self.distance is None and not self.outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two databases that are compared."""

    pattern: tuple[str, ...]
    mean: float | None
    """Of the estimates of states that neither database calls a dead end; None where there are none."""
    dead_ends: int
    larger: int
    """How often its estimate is the larger one; a dead end is larger than every number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two databases on the same states."""

    states: int
    equal: int
    sides: tuple[Side, Side]


def contents_of(database: PatternDatabase) -> Contents:
    """The abstract states of a database, counted."""
    found = database.states_by_code()
    return Contents(
        layers=tuple(replace(layer, states=found.get(layer.depth, 0)) for layer in database.layers),
        beyond=None if database.complete else found.get(len(database.layers), 0),
        dead_ends=found.get(DEAD_END, 0) if database.complete else None,
        outside=found.get(OUTSIDE, 0),
    )


def estimate_of_state(task: Task, database: PatternDatabase, spelling: str | None) -> Estimate:
    """The estimate of the state that is spelled (`state_named` says how), or of the initial states."""
    if spelling is None:
        return Estimate(state=None, distance=database.h_initial)
    values = state_named(task, spelling)
    code = database.code(values)
    distance = code if code < DEAD_END else None
    return Estimate(state=task.state(values), distance=distance, outside=code == OUTSIDE)


def compare_databases(
    task: Task, first: PatternDatabase, second: PatternDatabase, *, states: int = 1000, seed: int = 0
) -> Comparison:
    """What two databases say about states met by random walks; the same seed gives the same states."""
    codes = [(first.code(state), second.code(state)) for state in sampled_states(task, states, seed)]
    pairs = [(_estimate(one, first), _estimate(other, second)) for one, other in codes]
    swapped = [(other, one) for one, other in pairs]
    return Comparison(
        states=len(pairs),
        equal=sum(one == other for one, other in pairs),
        sides=(_side(first, pairs), _side(second, swapped)),
    )


def _estimate(code: int, database: PatternDatabase) -> int | None:
    if code == OUTSIDE and database.file is not None:
        lie = "what it says is not true: a state outside of it is reached"
        raise EvidenceRefused(Complaint(Code.DATABASE_NOT_TRUE, lie, str(BUILD_DATABASE), str(database.file)))
    return estimate_of(code, database.pattern)


def _side(database: PatternDatabase, pairs: Sequence[tuple[int | None, int | None]]) -> Side:
    """One database; its estimates come first in the pairs."""
    finite = [(own, other) for own, other in pairs if own is not None and other is not None]
    return Side(
        pattern=database.pattern,
        mean=sum(own for own, _ in finite) / len(finite) if finite else None,
        dead_ends=sum(own is None for own, _ in pairs),
        larger=sum(own > other for own, other in finite)
        + sum(own is None and other is not None for own, other in pairs),
    )


def sampled_states(task: Task, number: int, seed: int) -> list[State]:
    """So many states met by random walks from the initial states, again and again those that are met again."""
    return list(islice(_met(Simulation(task.system), random.Random(seed)), number))


def _met(walk: Simulation, chance: random.Random) -> Iterator[State]:
    if not walk.starts:
        raise ModelError(
            Complaint(Code.NO_INITIAL_STATE, "the model has no initial state", "there is nothing to compare")
        )
    while True:
        walk.start(chance.choice(walk.starts))
        while walk.state is not None and len(walk.steps) <= MOST_STEPS:
            yield walk.state
            if not walk.take_any(chance):
                break
