"""Diagrams as unions of products: for each variable the codes it may have, before a step and after it.

A diagram with too many products is weakened, variable by variable: its union grows, and never loses anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from symdmc.encode.diagrams import Node, children
from symdmc.encode.encoding import Encoding

MOST_PATHS = 512
"""A variable with more paths than this through its bits is weakened."""


@dataclass(frozen=True, slots=True)
class PairPrecision:
    """How precise pairs are."""

    most_values: int
    """Variables with more values than this are in no pairs: only their single values are known."""
    most_products: int
    """A diagram that is the union of more products than this is weakened until it is not."""
    close: bool = False
    """Only variables of one process, or that share a step in which one is written, are paired."""


class Exhausted(Exception):
    """The budget is spent."""


class PairWork:
    """Counts work up to a budget."""

    def __init__(self, budget: int) -> None:
        self.budget = self.limit = budget
        self.done = 0

    def share(self, parts: int) -> None:
        """From now on, at most one of this many equal parts of what is left may be used."""
        self.limit = self.done + max(0, self.budget - self.done) // parts

    def spend(self, amount: int = 1) -> None:
        """Count some work."""
        self.done += amount
        if self.done > self.limit:
            raise Exhausted


@dataclass(frozen=True, slots=True)
class CodeProduct:
    """Masks of codes by variable: before the step if the variable is restricted, after it if it is written."""

    before: Mapping[int, int]
    after: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Branch:
    """A path from a node through all bits of one variable to a node below."""

    variable: int
    before: int
    after: int
    child: Node


class _TooMany(Exception):
    """A diagram has too many products."""


class Splitter:
    """Diagrams over current and next bits as unions of products, weakened where there would be too many."""

    def __init__(self, encoding: Encoding, work: PairWork, precision: PairPrecision) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        self.work = work
        kept = {number: encoding.variables[number] for number in sorted(encoding.kept)}
        self.every = {number: (1 << len(variable.values)) - 1 for number, variable in kept.items()}
        self._bits: dict[str, tuple[int, bool, int]] = {}
        for number, variable in kept.items():
            for bits, after in ((variable.current, False), (variable.next, True)):
                for place, bit in enumerate(reversed(bits)):
                    self._bits[bit] = number, after, _codes_with(place, len(bits)) & self.every[number]
        self.precision = precision
        self._branches: dict[int, tuple[Node, list[_Branch]]] = {}

    def support(self, node: Node) -> list[int]:
        """The variables whose current or next bits matter."""
        return sorted({self._bits[bit][0] for bit in self.diagrams.bdd.support(node)})

    def products(self, node: Node) -> list[CodeProduct]:
        """Products whose union holds the function, and is the function itself unless there would be too many."""
        known: list[_Branch] = []
        while True:
            self.work.spend(self.diagrams.size(node) // 8)
            widest = max(self.support(node), key=self.every.__getitem__, default=None)
            if widest is None or self.every[widest].bit_length() <= self.precision.most_values:
                try:
                    return [_narrowed(each, known) for each in self._products(node)]
                except _TooMany:
                    pass
            assert widest is not None  # a constant has no more than one product
            known.append(self._alone(node, widest))
            node = self.diagrams.exists(node, self._bits_of(widest))

    def _bits_of(self, number: int) -> tuple[str, ...]:
        variable = self.encoding.variables[number]
        return (*variable.current, *variable.next)

    def onto(self, node: Node, numbers: Iterable[int]) -> list[CodeProduct]:
        """The function with all but some variables quantified away, as products."""
        others = sorted(set(self.support(node)).difference(numbers))
        self.work.spend(1 + len(others) + self.diagrams.size(node) // 8)
        return self.products(self.diagrams.exists(node, [bit for other in others for bit in self._bits_of(other)]))

    def _alone(self, node: Node, number: int) -> _Branch:
        """All codes of one variable that occur in the function, before the step and after it."""
        variable = self.encoding.variables[number]
        bits = self.diagrams.bdd.support(node)
        before = self.diagrams.exists(node, sorted(bits.difference(variable.current)))
        after = self.diagrams.exists(node, sorted(bits.difference(variable.next)))
        return _Branch(number, self._codes(before, number, {}), self._codes(after, number, {}), self.diagrams.true)

    def _codes(self, node: Node, number: int, known: dict[int, int]) -> int:
        """The codes in a set over the current bits, or over the next bits, of one variable."""
        every = self.every[number]
        if node.var is None:
            return every if node == self.diagrams.true else 0
        key = int(node)
        if key not in known:
            self.work.spend()
            ones = self._bits[node.var][2]
            low, high = children(node)
            below = self._codes(low, number, known) & ~ones, self._codes(high, number, known) & ones
            known[key] = below[0] | below[1]
        return known[key]

    def _products(self, node: Node) -> list[CodeProduct]:
        d = self.diagrams
        found: list[CodeProduct] = []
        pending = [(node, CodeProduct({}, {}))] if node != d.false else []
        while pending:
            top, chosen = pending.pop()
            if top == d.true:
                found.append(chosen)
            else:
                pending += ((branch.child, _narrowed(chosen, [branch])) for branch in self._below(top))
            self.work.spend(2)
            if len(found) + len(pending) > self.precision.most_products:
                raise _TooMany
        return [each for each in found if all(each.before.values()) and all(each.after.values())]

    def _below(self, node: Node) -> list[_Branch]:
        """The paths through the topmost variable, those to the same node below joined."""
        key = int(node)
        if key not in self._branches:
            variable = self._bits[node.var][0]
            leaves: dict[int, tuple[Node, list[tuple[int, int]]]] = {}
            for child, before, after in self._through(node, variable):
                leaves.setdefault(int(child), (child, []))[1].append((before, after))
            branches = [
                _Branch(variable, before, after, child)
                for child, pairs in leaves.values()
                for before, after in _joined(pairs)
            ]
            self._branches[key] = node, branches  # the node is kept so that no other gets its number
        return self._branches[key][1]

    def _through(self, node: Node, variable: int) -> Iterator[tuple[Node, int, int]]:
        every, d = self.every[variable], self.diagrams
        pending = [(node, every, every)]
        count = 0
        while pending:
            top, before, after = pending.pop()
            if top == d.false or not before or not after:
                continue
            if top.var is None or self._bits[top.var][0] != variable:
                count += 1
                if count > MOST_PATHS:
                    raise _TooMany
                yield top, before, after
                continue
            self.work.spend()
            _, is_next, ones = self._bits[top.var]
            low, high = children(top)
            for below, codes in ((high, ones), (low, every & ~ones)):
                pending.append((below, before, after & codes) if is_next else (below, before & codes, after))


def _codes_with(place: int, width: int) -> int:
    """A mask of the codes of `width` bits in which the bit at this place, counted from the lowest, is set."""
    half = 1 << place
    one = ((1 << half) - 1) << half
    return one * (((1 << (1 << width)) - 1) // ((1 << 2 * half) - 1))


def _joined(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same union, of fewer rectangles."""
    by_after: dict[int, int] = {}
    for before, after in pairs:
        by_after[after] = by_after.get(after, 0) | before
    by_before: dict[int, int] = {}
    for after, before in by_after.items():
        by_before[before] = by_before.get(before, 0) | after
    return list(by_before.items())


def _narrowed(each: CodeProduct, branches: Iterable[_Branch]) -> CodeProduct:
    before, after = dict(each.before), dict(each.after)
    for branch in branches:
        before[branch.variable] = before.get(branch.variable, branch.before) & branch.before
        after[branch.variable] = after.get(branch.variable, branch.after) & branch.after
    return CodeProduct(before, after)
