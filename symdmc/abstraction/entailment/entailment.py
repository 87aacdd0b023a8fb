"""Entailment: does a conjunction of claims entail a predicate, its negation, or neither?

Layers answer, the cheap and exact ones first: a cache, the claims themselves, the values left to each variable, all
combinations of values where they are few, bounds of differences, witnesses that neither is entailed, and at last linear
arithmetic over the reals by sympy, which is left with little but proofs. All limits count rows, values and calls.
Undecided means not entailed: that is sound wherever fewer entailed predicates mean a coarser abstraction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from symdmc.abstraction.entailment.claims import ClaimTable, Knowledge
from symdmc.abstraction.entailment.differences import DifferencesLayer
from symdmc.abstraction.entailment.layers import Answer, EntailmentLayer, RowsLayer, SyntaxLayer, ValuesLayer
from symdmc.abstraction.entailment.theory import TheoryLayer
from symdmc.abstraction.entailment.view import ConjunctionView
from symdmc.abstraction.entailment.witnesses import WitnessesLayer
from symdmc.abstraction.predicates.predicate import Claim, Predicate
from symdmc.task.task import Task


class LayerName(Enum):
    """The layers, in the order in which they are asked."""

    CACHE = "cache"
    SYNTAX = "syntax"
    VALUES = "values"
    ROWS = "rows"
    DIFFERENCES = "differences"
    WITNESSES = "witnesses"
    THEORY = "theory"


ALL_LAYERS = frozenset(LayerName)
MOST_VIEWS = 4096
"""Views of conjunctions kept in the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentLimits:
    """What entailment may use."""

    rows: int = 1 << 14
    """Combinations of values listed for one question."""
    witness_tries: int = 60
    """Values tried for one witness."""
    theory_calls: int = 2000
    """Problems handed to sympy for one abstraction; `Entailment.renew` allows as many again."""
    theory_size: int = 60
    """Bounds in one such problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentStatistics:
    """How often each layer answered, and how often none did."""

    answered: tuple[tuple[LayerName, int], ...]
    undecided: int
    theory_calls: int

    @property
    def queries(self) -> int:
        """How many questions were asked."""
        return self.undecided + sum(count for _, count in self.answered)


class Entailment:
    """Answers questions about conjunctions of claims on the states of one task. Deterministic."""

    def __init__(
        self,
        task: Task,
        *,
        limits: EntailmentLimits = EntailmentLimits(),
        layers: frozenset[LayerName] = ALL_LAYERS,
    ) -> None:
        self.table = ClaimTable(task)
        self.canonical = self.table.canonical
        self.limits = limits
        self.asked = 0
        """Questions that were not answered from the cache."""
        self._theory = TheoryLayer(limits.theory_calls, limits.theory_size)
        every: dict[LayerName, EntailmentLayer] = {
            LayerName.SYNTAX: SyntaxLayer(),
            LayerName.VALUES: ValuesLayer(),
            LayerName.ROWS: RowsLayer(limits.rows),
            LayerName.DIFFERENCES: DifferencesLayer(),
            LayerName.WITNESSES: WitnessesLayer(limits.witness_tries),
            LayerName.THEORY: self._theory,
        }
        self._layers = {name: layer for name, layer in every.items() if name in layers}
        self._caches = LayerName.CACHE in layers
        self._known: dict[tuple[Knowledge, int], Answer] = {}
        self._given_up: list[tuple[Knowledge, int]] = []
        """Questions left undecided when no more problems could be handed to sympy."""
        self._views: dict[Knowledge, ConjunctionView] = {}
        self._answered: Counter[LayerName] = Counter()
        self._undecided = 0

    # ---- questions about claims

    def decide(self, claims: Iterable[Claim], predicate: Predicate) -> bool | None:
        """True: the conjunction entails the predicate; False: its negation; None: neither, or undecided."""
        conjunction = self.table.conjunction(map(self.table.claim, claims))
        if conjunction is None:
            return True
        about = self.table.about(conjunction, predicate.support)
        return self.decide_known(about, self.table.predicate(predicate))

    def is_impossible(self, claims: Iterable[Claim]) -> bool:
        """Whether surely no state satisfies the conjunction."""
        knowledge = self.table.knowledge(claims)
        return knowledge is None or self.is_known_impossible(knowledge)

    # ---- questions about prepared conjunctions

    def decide_known(self, knowledge: Knowledge, number: int) -> bool | None:
        """As `decide`, for a predicate by number; `knowledge` must be the part of the conjunction about its support."""
        answer = self._answer(knowledge, number)
        return True if answer is Answer.ENTAILED else False if answer is Answer.REFUTED else None

    def decide_values(self, number: int, left: int) -> bool | None:
        """As `decide`, for a predicate on one variable of which only the values left to it are known."""
        self._answered[LayerName.VALUES] += 1
        self.asked += 1
        true = self.table.masks[2 * number]
        return True if not left & ~true else None if left & true else False

    def is_known_impossible(self, knowledge: Knowledge) -> bool:
        """As `is_impossible`, for a prepared conjunction."""
        return self._answer(knowledge, -1) is Answer.ENTAILED

    def from_cache(self, count: int) -> None:
        """Count questions that the asker answered from a cache of its own."""
        self._answered[LayerName.CACHE] += count

    def renew(self) -> None:
        """Allow sympy as many problems again, also for the questions it had to leave undecided."""
        self._theory.renew()
        for key in self._given_up:
            self._known.pop(key, None)
        self._given_up.clear()

    def statistics(self) -> EntailmentStatistics:
        """How often each layer has answered so far."""
        return EntailmentStatistics(
            answered=tuple((name, self._answered[name]) for name in LayerName),
            undecided=self._undecided,
            theory_calls=self._theory.calls,
        )

    def _answer(self, knowledge: Knowledge, number: int) -> Answer:
        """What a conjunction says about a predicate; with the number -1: ENTAILED if the conjunction is impossible."""
        key = knowledge, number
        if self._caches and key in self._known:
            self._answered[LayerName.CACHE] += 1
            return self._known[key]
        self.asked += 1
        answer = self._computed(self._view(knowledge), number)
        self._known[key] = answer
        if answer is Answer.UNDECIDED and self._theory.is_spent:
            self._given_up.append(key)
        return answer

    def _computed(self, view: ConjunctionView, number: int) -> Answer:
        for name, layer in self._layers.items():
            answer = layer.refute(view) if number < 0 else layer.decide(view, self.table.predicates[number])
            if answer is not Answer.UNDECIDED:
                self._answered[name] += 1
                return answer
        self._undecided += 1
        return Answer.UNDECIDED

    def _view(self, knowledge: Knowledge) -> ConjunctionView:
        if knowledge not in self._views:
            if len(self._views) >= MOST_VIEWS:
                self._views.clear()
            self._views[knowledge] = ConjunctionView(self.table, knowledge)
        return self._views[knowledge]
