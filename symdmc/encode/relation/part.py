"""A part of a relation: some steps that change the same variables, and the images of state sets under them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some steps: from the states of `guard`, changing only the variables in `writes`.

    Either every step stores the same values, then `stored` has them, or `relation` links current and next bits.
    """

    guard: Node | None
    """None for a part that was merged from others: it could be far larger than the relation."""
    writes: tuple[int, ...]
    cost: int
    stored: Node | None = None
    relation: Node | None = None

    def image(self, encoding: Encoding, states: Node) -> Node:
        """The states one step after some states, the invariants left aside."""
        d, bits = encoding.diagrams, encoding.bits_of(self.writes)
        if self.stored is not None:
            return d.both(d.both_exists(states, self.guard, bits.current), self.stored)
        # the renaming is a product with an identity, because CUDD remembers products between calls
        stepped = d.both_exists(states, self.relation, bits.current)
        return d.both_exists(stepped, encoding.unchanged(self.writes), bits.next)

    def preimage(self, encoding: Encoding, states: Node) -> Node:
        """The states one step before some states, the invariants left aside."""
        d, bits = encoding.diagrams, encoding.bits_of(self.writes)
        if self.stored is not None:
            return d.both(d.both_exists(states, self.stored, bits.current), self.guard)
        renamed = d.both_exists(states, encoding.unchanged(self.writes), bits.current)
        return d.both_exists(renamed, self.relation, bits.next)

    def within(self, encoding: Encoding, states: Node) -> Part:
        """The steps of a part that is not merged that start in some states."""
        d = encoding.diagrams
        relation = None if self.relation is None else d.both(self.relation, states)
        return replace(self, guard=d.both(self.guard, states), relation=relation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A condition on the state before a step, or a link to the next bits of variables that no other factor writes."""

    relation: Node
    writes: tuple[int, ...]
    spent: frozenset[str] = frozenset()
    """The current bits of written variables that no later factor has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConjunctivePart(Part):
    """The steps that satisfy every factor, where one relation would be too large a diagram.

    An image conjoins the factors one by one and quantifies each bit as soon as no later factor has it. For example, a
    shift of many cells would need a diagram that remembers all of them; each factor remembers one.
    """

    factors: tuple[Factor, ...]

    def image(self, encoding: Encoding, states: Node) -> Node:
        """The states one step after some states, the invariants left aside."""
        d = encoding.diagrams
        for factor in self.factors:
            states = d.both_exists(states, factor.relation, factor.spent)
        return d.both_exists(states, encoding.unchanged(self.writes), encoding.bits_of(self.writes).next)

    def preimage(self, encoding: Encoding, states: Node) -> Node:
        """The states one step before some states, the invariants left aside; no two factors share a next bit."""
        d = encoding.diagrams
        states = d.both_exists(states, encoding.unchanged(self.writes), encoding.bits_of(self.writes).current)
        for factor in self.factors:
            states = d.both_exists(states, factor.relation, encoding.bits_of(factor.writes).next)
        return states

    def within(self, encoding: Encoding, states: Node) -> Part:
        """The steps that start in some states."""
        guard = encoding.diagrams.both(self.guard, states)
        return conjunctive_part(encoding, guard, self.cost, [*self.factors, Factor(relation=states, writes=())])


def conjunctive_part(encoding: Encoding, guard: Node | None, cost: int, factors: Sequence[Factor]) -> ConjunctivePart:
    """The part with these factors, in a good order."""
    writes = tuple(sorted(number for factor in factors for number in factor.writes))
    return ConjunctivePart(guard=guard, writes=writes, cost=cost, factors=ordered_factors(encoding, factors))


def ordered_factors(encoding: Encoding, factors: Sequence[Factor]) -> tuple[Factor, ...]:
    """The factors in a good order for images, each with the bits that are quantified after it."""
    written = encoding.bits_of(tuple(sorted(number for factor in factors for number in factor.writes))).current
    return tuple(_ordered(encoding, factors, written))


def _ordered(encoding: Encoding, factors: Sequence[Factor], written: frozenset[str]) -> Iterator[Factor]:
    """The factors, at each place the one after which the most bits can be quantified for those that it adds."""
    support = [written & frozenset(encoding.diagrams.bdd.support(factor.relation)) for factor in factors]
    open_bits, waiting = written, list(range(len(factors)))

    def spent(chosen: int) -> frozenset[str]:
        return open_bits.difference(*(support[other] for other in waiting if other != chosen))

    while waiting:
        chosen = max(waiting, key=lambda k: (len(spent(k)) - len(encoding.bits_of(factors[k].writes).next), -k))
        bits = spent(chosen)
        open_bits -= bits
        waiting.remove(chosen)
        yield Factor(relation=factors[chosen].relation, writes=factors[chosen].writes, spent=bits)
