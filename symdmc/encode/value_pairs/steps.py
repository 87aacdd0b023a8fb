"""Steps between facts: the parts of a relation and the invariant, in terms of single values.

A *fact* is that a variable has a value. Facts have consecutive numbers, so that a set of them is an integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.relation.part import ConjunctivePart, Part
from symdmc.encode.value_pairs.products import CodeProduct, Splitter

MOST_NODES = 20_000
"""A part with a larger relation is approximated by its guard, if known: it may store anything."""
ANYTHING = CodeProduct({}, {})


class PairFacts:
    """The values of the variables that take part in pairs, as bits of one long word."""

    def __init__(self, encoding: Encoding, most_values: int) -> None:
        sizes = {number: len(encoding.variables[number].values) for number in sorted(encoding.kept)}
        self.narrow = [number for number, size in sizes.items() if 1 < size <= most_values]
        self.first: dict[int, int] = {}
        self.owner: list[int] = []
        for number in self.narrow:
            self.first[number] = len(self.owner)
            self.owner += [number] * sizes[number]
        self.block = {number: ((1 << sizes[number]) - 1) << first for number, first in self.first.items()}
        self.all = (1 << len(self.owner)) - 1

    def owners(self, mask: int) -> list[int]:
        """The variables of some facts."""
        return [number for number, block in self.block.items() if block & mask]

    def joined(self, numbers: Iterable[int]) -> int:
        """All facts of some variables."""
        return sum(self.block[number] for number in set(numbers) if number in self.block)


@dataclass(frozen=True, slots=True, eq=False)
class FactStep:
    """Steps that start from a product of values and store a product of values."""

    start: int
    """The facts that may hold before; all those of variables that are not read."""
    reads: tuple[int, ...]
    """The blocks of the variables read."""
    read: int
    """The union of these blocks."""
    written: int
    """The union of the blocks of the variables written."""
    stores: int
    """The facts that may hold afterwards."""
    wide_reads: tuple[tuple[int, int], ...] = ()
    """Variables with too many values for pairs, and masks of their codes."""
    wide_stores: tuple[tuple[int, int], ...] = ()


def steps_of(part: Part, facts: PairFacts, splitter: Splitter) -> Iterator[FactStep]:
    """The steps of a part, one for each product of it."""
    for each in _pieces(part, splitter):
        restricted = {number: mask for number, mask in each.before.items() if mask != splitter.every[number]}
        stores = {number: each.after.get(number, splitter.every[number]) for number in part.writes}
        splitter.work.spend(8)
        yield _step(restricted, stores, facts)


def _pieces(part: Part, splitter: Splitter) -> list[CodeProduct]:
    """Products that hold all steps of a part."""
    if isinstance(part, ConjunctivePart):
        return _all_of([_related(factor.relation, None, splitter) for factor in part.factors], splitter)
    if part.stored is None:
        return _related(part.relation, part.guard, splitter)
    outcomes = splitter.products(part.stored)  # on current bits, though it holds after the step
    return [CodeProduct(each.before, then.before) for each in splitter.products(part.guard) for then in outcomes]


def _related(relation: Node, guard: Node | None, splitter: Splitter) -> list[CodeProduct]:
    """The products of a relation; for a large one those of its guard, if it has one."""
    if splitter.diagrams.size(relation) <= MOST_NODES:
        return splitter.products(relation)
    return [ANYTHING] if guard is None else [CodeProduct(each.before, {}) for each in splitter.products(guard)]


def _all_of(factors: Iterable[list[CodeProduct]], splitter: Splitter) -> list[CodeProduct]:
    """The products of a conjunction; a factor that would make too many of them counts as the box around it."""
    found = [ANYTHING]
    for factor in factors:
        fits = len(found) * len(factor) <= splitter.precision.most_products
        chosen = factor if fits else [_box(factor)]
        splitter.work.spend(2 * len(found) * len(chosen))
        both = [
            CodeProduct(_met(one.before, other.before), _met(one.after, other.after))
            for one in found
            for other in chosen
        ]
        found = [each for each in both if all(each.before.values()) and all(each.after.values())]
    return found


def _met(one: Mapping[int, int], other: Mapping[int, int]) -> dict[int, int]:
    return {**one, **{number: one.get(number, mask) & mask for number, mask in other.items()}}


def _box(products: Sequence[CodeProduct]) -> CodeProduct:
    """The smallest product that holds some products, of which there is at least one."""
    return CodeProduct(_hull([each.before for each in products]), _hull([each.after for each in products]))


def _hull(masks: Sequence[Mapping[int, int]]) -> dict[int, int]:
    result = dict(masks[0])
    for each in masks[1:]:
        result = {number: mask | each[number] for number, mask in result.items() if number in each}
    return result


def _step(before: Mapping[int, int], stores: Mapping[int, int], facts: PairFacts) -> FactStep:
    reads = [number for number in sorted(before) if number in facts.block]
    start = facts.all & ~facts.joined(reads)
    for number in reads:
        start |= before[number] << facts.first[number]
    return FactStep(
        start,
        tuple(facts.block[number] for number in reads),
        facts.joined(reads),
        facts.joined(stores),
        placed(stores, facts),
        tuple((number, before[number]) for number in sorted(before) if number not in facts.block),
        tuple((number, stores[number]) for number in sorted(stores) if number not in facts.block),
    )


def placed(codes: Mapping[int, int], facts: PairFacts) -> int:
    """The facts that variables have one of these codes; variables that take part in no pairs have none."""
    return sum(mask << facts.first[number] for number, mask in codes.items() if number in facts.block)


def ones(mask: int) -> Iterator[int]:
    """The places of the bits that are set, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class PermittedFacts:
    """The facts that the invariant permits, and for each the others it permits with it, as far as pairs can show."""

    def __init__(self, node: Node, facts: PairFacts, splitter: Splitter) -> None:
        self.facts = facts
        self.single = facts.all
        self.rows = [facts.all & ~facts.block[number] for number in facts.owner]
        numbers = [number for number in splitter.support(node) if number in facts.block]
        for number in numbers:
            held = 0
            for each in splitter.onto(node, (number,)):
                held |= each.before.get(number, splitter.every[number]) << facts.first[number]
            self.single &= held | ~facts.block[number]
        for pair in combinations(numbers, 2):
            self._link(splitter.onto(node, pair), pair, splitter)

    def _link(self, products: Iterable[CodeProduct], pair: tuple[int, int], splitter: Splitter) -> None:
        one, other = pair
        beside: dict[int, int] = {}
        for each in products:
            left = each.before.get(one, splitter.every[one]) << self.facts.first[one]
            right = each.before.get(other, splitter.every[other]) << self.facts.first[other]
            for here, there in ((left, right), (right, left)):
                for fact in ones(here):
                    beside[fact] = beside.get(fact, 0) | there
        for number, partner in ((one, other), (other, one)):
            for fact in ones(self.facts.block[number]):
                self.rows[fact] &= ~self.facts.block[partner] | beside.get(fact, 0)
