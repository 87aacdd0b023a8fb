"""The layer of linear arithmetic over the reals, by sympy's satisfiability with `use_lra_theory`.

sympy is asked about conjunctions of `<=` only. So the propositional part has nothing to choose, and what its theory
solver does not handle (disequalities, which it reads as free Booleans; negated equalities, which it ignores; the bounds
it does not reset between two attempts, in 1.13 and 1.14) never comes into play. Without that theory sympy would read
every inequality as a free Boolean. No solution over the reals means none over the integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from symdmc.abstraction.entailment.layers import Answer
from symdmc.abstraction.entailment.view import Bounded, ConjunctionView, bounded, strongest
from symdmc.abstraction.predicates.predicate import Predicate


def satisfiable(sums: Iterable[Bounded]) -> bool:
    """Whether real numbers satisfy all the bounds."""
    from sympy import Integer, Symbol
    from sympy.assumptions.ask import Q
    from sympy.assumptions.cnf import EncodedCNF
    from sympy.logic import inference

    symbols: dict[int, Any] = {}  # sympy has no types
    encoding: dict[Any, int] = {}
    for terms, bound in _upper(sums):
        total = Integer(0)
        for number, factor in terms:
            # The solver orders variables by their text here, by appearance there: names in order of appearance agree.
            symbol = symbols.setdefault(number, Symbol(f"A{len(symbols):04}", real=True))
            total += Integer(factor) * symbol
        encoding.setdefault(Q.le(total, Integer(bound)), len(encoding) + 1)
    # A clause for each inequality, encoded here: sympy would number them in an order that differs from run to run.
    clauses = [{number} for number in encoding.values()]
    return inference.satisfiable(EncodedCNF(clauses, encoding), use_lra_theory=True) is not False


def _upper(sums: Iterable[Bounded]) -> Iterator[tuple[tuple[tuple[int, int], ...], int]]:
    """All bounds, as upper bounds."""
    for each in sums:
        if each.high is not None:
            yield each.terms, each.high
        if each.low is not None:
            yield tuple((number, -factor) for number, factor in each.terms), -each.low


class TheoryLayer:
    """Linear arithmetic over the reals by sympy, with limits on the number and the size of its problems."""

    def __init__(self, calls: int, size: int) -> None:
        self.limit, self.size = calls, size
        self.calls = 0
        """Problems handed to sympy so far."""
        self._before = 0
        """Their number when the limit was last renewed."""

    @property
    def is_spent(self) -> bool:
        """Whether no more problems may be handed to sympy."""
        return self.calls - self._before >= self.limit

    def renew(self) -> None:
        """Allow as many problems again."""
        self._before = self.calls

    def decide(self, view: ConjunctionView, predicate: Predicate) -> Answer:
        """By asking whether the conjunction is possible with the opposite, and then with the predicate itself."""
        linear = predicate.linear
        if linear is None or not view.sums:
            return Answer.UNDECIDED
        terms, bound = linear.terms, linear.bound
        opposite = bounded(linear, holds=False)
        sides = [opposite] if opposite else [Bounded(terms, None, bound - 1), Bounded(terms, bound + 1, None)]
        without = self._any_possible(view, sides)
        if without is False:
            return Answer.ENTAILED
        itself = bounded(linear, holds=True)
        assert itself is not None
        beside = self._possible(view, itself)
        if beside is False:
            return Answer.REFUTED
        return Answer.UNDECIDED if without is None or beside is None else Answer.OPEN

    def refute(self, view: ConjunctionView) -> Answer:
        """By asking whether the conjunction is possible."""
        if not view.sums:
            return Answer.UNDECIDED
        possible = self._possible(view, None)
        return Answer.UNDECIDED if possible is None else Answer.OPEN if possible else Answer.ENTAILED

    def _any_possible(self, view: ConjunctionView, sides: Sequence[Bounded]) -> bool | None:
        answers: list[bool | None] = []
        for side in sides:
            answers.append(self._possible(view, side))
            if answers[-1]:
                return True
        return None if None in answers else False

    def _possible(self, view: ConjunctionView, beside: Bounded | None) -> bool | None:
        """Whether the sums of the conjunction, and one more, have a solution; None: too large, or no calls left."""
        if any(beside is None or beside.holds_at(point) for point in view.points):
            return True
        sums = view.sums if beside is None else [*view.sums, beside]
        numbers = sorted({number for each in sums for number, _ in each.terms})
        known = strongest([*sums, *(Bounded(((number, 1),), *view.bounds(number)) for number in numbers)])
        if self.is_spent or len(known) > self.size:
            return None
        self.calls += 1
        return satisfiable(known)
