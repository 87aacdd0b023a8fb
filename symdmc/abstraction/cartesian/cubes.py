"""Cubes: partial bitvectors over predicates, and the abstraction that they make up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from symdmc.abstraction.cartesian.set_trie import SetTrie
from symdmc.abstraction.entailment.entailment import EntailmentStatistics
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.model.state import State
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, order=True)
class Cube:
    """The states in which some predicates are true and some are false; bit i stands for predicate i."""

    true: int
    false: int

    @property
    def known(self) -> int:
        """The predicates that are true or false in it."""
        return self.true | self.false

    def matches(self, bits: int) -> bool:
        """Whether a state is in the cube, given by the predicates that are true in it."""
        return bits & self.true == self.true and not bits & self.false

    def elements(self, width: int) -> int:
        """The cube as a set of literals: predicate i is element i, its negation element width + i."""
        return self.true | self.false << width


Origin: TypeAlias = tuple[int, Cube]
"""The number of a transition, and the cube that its step leads to."""


@dataclass(frozen=True, kw_only=True)
class CartesianAbstraction:
    """Cubes with their distances to the error: an estimate for every state that satisfies the invariants.

    The estimate is the smallest distance of a cube that the state is in. It is admissible, and consistent: for a step
    from s to t, the regression of the nearest cube of t contains s, or the step changes nothing that the cube speaks
    of and s is in it as well. Neither depends on how much entailment leaves undecided. Complete: a state in no cube is
    a dead end. Partial: beyond the last layer the estimate is one more than that layer, never a dead end.

    Entailment may use that variables have analysed values and that invariants hold. A certificate made from the cubes
    must say so: the states in no cube that have analysed values and satisfy the invariants are closed under steps.
    """

    predicates: tuple[Predicate, ...]
    layers: tuple[tuple[Cube, ...], ...]
    """The cubes of each distance, in a fixed order: complete layers only, and no cube inside one of at most its
    distance."""
    complete: bool
    """Whether every cube was found, so that a state in none of them is a dead end."""
    expanded: int
    """How many cubes were regressed."""
    entailment: EntailmentStatistics
    origins: Mapping[Cube, tuple[Origin, ...]]
    """For each cube the transitions it was regressed over, each with the cube after the step; none for error cubes."""
    nearing: frozenset[int]
    """The transitions along which the estimate may fall; along all others it does not."""

    @property
    def cubes(self) -> int:
        """How many cubes the layers have."""
        return sum(map(len, self.layers))

    @cached_property
    def trie(self) -> SetTrie:
        """The cubes as sets of literals: the reference look-up."""
        trie = SetTrie()
        for distance, layer in enumerate(self.layers):
            for cube in layer:
                trie.add(cube.elements(len(self.predicates)), distance)
        return trie

    def estimate_of_bits(self, bits: int) -> int | None:
        """The estimate for a state, given by the predicates that are true in it; None: a dead end."""
        width = len(self.predicates)
        found = self.trie.smallest(bits | (~bits & (1 << width) - 1) << width)
        return len(self.layers) if found is None and not self.complete else found

    def estimate(self, task: Task, state: State) -> int | None:
        """The estimate for a state of the task."""
        return self.estimate_of_bits(predicate_bits(task, self.predicates, state))


def predicate_bits(task: Task, predicates: Sequence[Predicate], state: State) -> int:
    """The predicates that are true in a state, a bit for each."""
    holds = task.semantics.holds
    return sum(1 << bit for bit, each in enumerate(predicates) if holds(each.expression, state))
