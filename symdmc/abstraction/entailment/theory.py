"""Linear arithmetic over the reals by sympy's satisfiability with `use_lra_theory`.

sympy is asked about conjunctions of `<=` only. So the propositional part has nothing to choose, and what its theory
solver does not handle (disequalities, which it reads as free Booleans; negated equalities, which it ignores; the bounds
it does not reset between two attempts, in 1.13 and 1.14) never comes into play. Without that theory sympy would read
every inequality as a free Boolean. No solution over the reals means none over the integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from symdmc.abstraction.entailment.view import Bounded


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
    """The bounds, all as upper bounds."""
    for each in sums:
        if each.high is not None:
            yield each.terms, each.high
        if each.low is not None:
            yield tuple((number, -factor) for number, factor in each.terms), -each.low
