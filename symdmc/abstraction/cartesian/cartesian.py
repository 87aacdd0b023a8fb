"""Cartesian predicate abstraction [HSRKP07, section 2]: cubes of predicates regressed from the error condition.

A cube is regressed over a transition to the conjunction of the claims that must hold before the step: those of the
cube, in terms of the state before it, and the guard. The abstraction keeps the predicates that this conjunction
entails, each judged alone. Breadth first, so that every cube gets its distance; transitions of cost 0 stay in their
layer. A cube inside another one with at most its distance is dropped: its regressions lie inside those of the other. A
transition that changes no predicate of a cube leads to a part of that cube and is left out.

We depart from the paper in that guards and error conditions with disjunctions are split into several conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.abstraction.cartesian.cubes import CartesianAbstraction, Cube, Origin
from symdmc.abstraction.cartesian.preimages import Preimages
from symdmc.abstraction.cartesian.set_trie import SetTrie
from symdmc.abstraction.entailment.entailment import Entailment
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class CartesianLimits:
    """What building a cartesian abstraction may use; beyond it the abstraction is partial."""

    cubes: int = 20_000
    """Cubes regressed."""
    calls: int = 500_000
    """Questions to entailment that its cache does not answer."""
    layers: int | None = None
    """Layers beyond that of the error states; None: to the last one."""


class _Spent(Exception):
    """A limit is reached."""


_Candidates: TypeAlias = dict[Cube, list[Origin]]
"""Cubes that may belong to a layer, each with its origins; error cubes have none."""


def cartesian_abstraction(
    task: Task,
    predicates: Sequence[Predicate],
    entailment: Entailment | None = None,
    limits: CartesianLimits = CartesianLimits(),
    costs: Sequence[int] | None = None,
) -> CartesianAbstraction:
    """The cubes from which the error is reached, layer by layer. Deterministic; costs cubes times transitions.

    Where the question is about deadlocks or faults, every state counts as an error state. Transitions cost what the
    task says or `costs`, 0 or 1.
    """
    entailment = entailment or Entailment(task)
    charged = tuple(transition.cost for transition in task.transitions) if costs is None else tuple(costs)
    return _Layers(task, tuple(predicates), entailment, limits, charged).computed()


class _Layers:
    def __init__(
        self,
        task: Task,
        predicates: tuple[Predicate, ...],
        entailment: Entailment,
        limits: CartesianLimits,
        costs: tuple[int, ...],
    ) -> None:
        self.limits, self.entailment, self.costs = limits, entailment, costs
        self.preimages = Preimages(task, predicates, entailment)
        self.predicates = predicates
        self.trie = SetTrie()
        self.expanded = 0
        self.origins: dict[Cube, tuple[Origin, ...]] = {}
        self.nearing: set[int] = set()
        self._calls_before = entailment.asked

    def computed(self) -> CartesianAbstraction:
        """All layers, or those that the limits allow."""
        layers: list[tuple[Cube, ...]] = []
        complete = False
        try:
            candidates: _Candidates = {cube: [] for cube in self.preimages.error()}
            while self.limits.layers is None or len(layers) <= self.limits.layers:
                layer, candidates = self._layer(candidates, len(layers))
                if not layer:
                    complete = True
                    break
                layers.append(tuple(sorted(layer)))
        except _Spent:
            pass
        return CartesianAbstraction(
            predicates=self.predicates,
            layers=tuple(layers),
            complete=complete,
            expanded=self.expanded,
            entailment=self.entailment.statistics(),
            origins={cube: self.origins[cube] for layer in layers for cube in layer},
            nearing=frozenset(self.nearing),
        )

    def _layer(self, candidates: _Candidates, distance: int) -> tuple[list[Cube], _Candidates]:
        """The cubes of one distance, closed under transitions of cost 0, and candidates for the next distance."""
        layer: list[Cube] = []
        further: _Candidates = {}
        while candidates:
            fresh = self._kept(candidates, distance)
            layer += fresh
            self.origins |= {cube: tuple(candidates[cube]) for cube in fresh}
            free: _Candidates = {}
            for cube in fresh:
                self._check_limits()
                self.expanded += 1
                for step, found in self.preimages.of(cube):
                    costs = self.costs[step.transition]
                    (further if costs else free).setdefault(found, []).append((step.transition, cube))
                    if costs:
                        self._near(step.transition, found, distance)
            candidates = free
        return layer, further

    def _near(self, transition: int, found: Cube, distance: int) -> None:
        """Remember a transition that may lead from a larger estimate to this distance."""
        if transition not in self.nearing and not self.trie.has_subset(found.elements(len(self.predicates)), distance):
            self.nearing.add(transition)

    def _kept(self, candidates: Iterable[Cube], distance: int) -> list[Cube]:
        """The candidates inside no other cube; the largest sets of states come first."""
        kept: list[Cube] = []
        width = len(self.predicates)
        for cube in sorted(set(candidates), key=lambda each: (each.known.bit_count(), each)):
            elements = cube.elements(width)
            if not self.trie.has_subset(elements, distance):
                self.trie.add(elements, distance)
                kept.append(cube)
        return kept

    def _check_limits(self) -> None:
        asked = self.entailment.asked - self._calls_before
        if self.expanded >= self.limits.cubes or asked >= self.limits.calls:
            raise _Spent
