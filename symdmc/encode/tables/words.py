"""Integers as diagrams, bit by bit: arithmetic on values that are too many to be listed.

A word has the bits of a signed integer, the least significant first; the last one is the sign and stands for all
higher bits. Every operator agrees with `model.arithmetic`: intermediate results are as long as they need to be, and are
cut to 32 bits at the end. A diagram that outgrows MOST_NODES is refused, never approximated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.encode.diagrams import NO_DIAGRAMS, Diagrams, Node
from symdmc.errors import Code, Complaint, UnsupportedFeature
from symdmc.model.system import Range

WIDTH = 32
"""The bits of a value."""
MOST_NODES = 1 << 16
"""A bit whose diagram has more nodes than this is refused."""

ValueMap: TypeAlias = dict[int, Node]
"""Disjoint state sets by value."""


@dataclass(frozen=True, slots=True)
class Word:
    """The bits of a signed integer, the least significant first, the sign last; at least one."""

    bits: tuple[Node, ...]

    def __getitem__(self, place: int) -> Node:
        """The bit at any place: beyond the last one, the sign."""
        return self.bits[min(place, len(self.bits) - 1)]

    @property
    def sign(self) -> Node:
        """Where the integer is negative."""
        return self.bits[-1]


class Words:
    """Operations on the words of one manager."""

    def __init__(self, diagrams: Diagrams) -> None:
        self.diagrams = diagrams

    # ---- to and from values

    def constant(self, value: int) -> Word:
        """The same integer everywhere."""
        d = self.diagrams
        return self._short([d.true if value >> k & 1 else d.false for k in range(value.bit_length() + 1)])

    def unsigned(self, bits: Sequence[Node]) -> Word:
        """The integer with these bits, never negative."""
        return self._short((*bits, self.diagrams.false))

    def of_map(self, values: Mapping[int, Node]) -> Word:
        """The integer that has each value in its states; 0 in states without a value."""
        d = self.diagrams
        width = max((value.bit_length() + 1 for value in values), default=1)
        bits = (d.any_of(node for value, node in values.items() if value >> k & 1) for k in range(width))
        return self._short([self._within_budget(bit) for bit in bits])

    def where(self, word: Word, value: int) -> Node:
        """The states in which the word is this integer."""
        return self.equal(word, self.constant(value))

    def values(self, word: Word, states: Node, most: int) -> ValueMap | None:
        """The values that the word has in some states, ascending, with those states; None when they are too many."""
        d = self.diagrams
        found: list[tuple[int, Node]] = [(0, states)] if states != d.false else []
        for k in reversed(range(len(word.bits))):
            weight = -1 << k if k == len(word.bits) - 1 else 1 << k
            split = [
                (value + gain, part)
                for value, node in found
                for gain, part in ((0, d.without(node, word.bits[k])), (weight, d.both(node, word.bits[k])))
                if part != d.false
            ]
            if len(split) > most:
                return None
            found = split
        return dict(sorted(found, key=lambda pair: pair[0]))

    # ---- conditions

    def truth(self, word: Word) -> Node:
        """Where the word is not 0."""
        return self._within_budget(self.diagrams.any_of(word.bits))

    def equal(self, left: Word, right: Word) -> Node:
        """Where two words are the same integer."""
        d = self.diagrams
        result = d.true
        for k in reversed(range(max(len(left.bits), len(right.bits)))):
            result = self._within_budget(d.without(result, d.differ(left[k], right[k])))
        return result

    def less(self, left: Word, right: Word) -> Node:
        """Where the first word is the smaller integer."""
        d = self.diagrams
        top = max(len(left.bits), len(right.bits)) - 1
        result = d.false
        for k in range(top):
            result = self._within_budget(d.choose(d.differ(left[k], right[k]), right[k], result))
        return self._within_budget(d.choose(d.differ(left[top], right[top]), left[top], result))

    def compare(self, operator: str, left: Word, right: Word) -> Node:
        """Where a comparison of the language holds."""
        match operator:
            case "==":
                return self.equal(left, right)
            case "!=":
                return ~self.equal(left, right)
            case "<":
                return self.less(left, right)
            case ">":
                return self.less(right, left)
            case "<=":
                return ~self.less(right, left)
            case ">=":
                return ~self.less(left, right)
        raise ValueError(operator)

    # ---- values

    def choose(self, where: Node, then: Word, otherwise: Word) -> Word:
        """The first word inside some states, the second outside."""
        d = self.diagrams
        width = max(len(then.bits), len(otherwise.bits))
        return self._short([self._within_budget(d.choose(where, then[k], otherwise[k])) for k in range(width)])

    def unary(self, operator: str, word: Word) -> Word:
        """`-` or `~` of a word."""
        if operator == "~":
            return Word(tuple(~bit for bit in word.bits))
        if operator == "-":
            return self._cut32(self._difference(self.constant(0), word))
        raise ValueError(operator)

    def binary(self, operator: str, left: Word, right: Word) -> tuple[Word, Node]:
        """The result of an arithmetic operator, and where it faults (what the result is there means nothing)."""
        d = self.diagrams
        match operator:
            case "+":
                return self._cut32(self._sum(left, right)), d.false
            case "-":
                return self._cut32(self._difference(left, right)), d.false
            case "*":
                return self._cut32(self._product(left, right)), d.false
            case "/":
                return self._cut32(self._quotient(left, right)), self.where(right, 0)
            case "%":
                return self._cut32(self._remainder(left, right)), self.where(right, 0)
            case "<<":
                return self._shifted_left(left, right), d.false
            case ">>":
                return self._shifted_right(left, right), d.false
        return self._bitwise(operator, left, right), d.false

    def stored(self, word: Word, kind: Range) -> tuple[Word, Node]:
        """The word as a variable of the type stores it, and where it leaves the range, which is a fault."""
        d = self.diagrams
        low, high = self.constant(kind.low), self.constant(kind.high)
        if not kind.wraps:
            return word, d.either(self.less(word, low), self.less(high, word))
        span = kind.high - kind.low + 1
        offset = self._difference(word, low)
        if span & (span - 1) == 0:
            kept = self.unsigned([offset[k] for k in range(span.bit_length() - 1)])
        else:
            rest = self._remainder(offset, self.constant(span))
            kept = self.choose(rest.sign, self._sum(rest, self.constant(span)), rest)
        return self._short(self._sum(kept, low).bits), d.false

    # ---- arithmetic of any length

    def _bitwise(self, operator: str, left: Word, right: Word) -> Word:
        d = self.diagrams
        functions = {"&": d.both, "|": d.either, "^": d.differ}
        width = max(len(left.bits), len(right.bits))
        return self._short([self._within_budget(functions[operator](left[k], right[k])) for k in range(width)])

    def _sum(self, left: Word, right: Word) -> Word:
        width = max(len(left.bits), len(right.bits)) + 1
        return Word(self._added(left, right, self.diagrams.false, width))

    def _difference(self, left: Word, right: Word) -> Word:
        width = max(len(left.bits), len(right.bits)) + 1
        return Word(self._added(left, self.unary("~", right), self.diagrams.true, width))

    def _added(self, left: Word, right: Word, carry: Node, width: int) -> tuple[Node, ...]:
        """The low bits of left + right + carry."""
        d = self.diagrams
        found = []
        for k in range(width):
            odd = d.differ(left[k], right[k])
            found.append(self._within_budget(d.differ(odd, carry)))
            carry = self._within_budget(d.choose(odd, carry, left[k]))
        return tuple(found)

    def _product(self, left: Word, right: Word) -> Word:
        """The sum of shifted copies of one factor, one for each bit of the other; that of the sign is subtracted."""
        d = self.diagrams
        if self._open_bits(left) < self._open_bits(right):
            left, right = right, left
        width = min(len(left.bits) + len(right.bits), WIDTH)
        total = self.constant(0)
        for k, bit in enumerate(right.bits[:width]):
            if bit == d.false:
                continue
            row = Word((*[d.false] * k, *(self._within_budget(d.both(bit, left[j])) for j in range(width - k))))
            if k == len(right.bits) - 1:
                total = Word(self._added(total, self.unary("~", row), d.true, width))
            else:
                total = Word(self._added(total, row, d.false, width))
        return total

    def _open_bits(self, word: Word) -> int:
        """How many bits are not constant."""
        return sum(bit not in (self.diagrams.true, self.diagrams.false) for bit in word.bits)

    def _quotient(self, left: Word, right: Word) -> Word:
        quotient, _ = self._divided(left, right)
        return self._signed(quotient, self.diagrams.differ(left.sign, right.sign))

    def _remainder(self, left: Word, right: Word) -> Word:
        _, rest = self._divided(left, right)
        return self._signed(rest, left.sign)

    def _signed(self, magnitude: Sequence[Node], negative: Node) -> Word:
        """An integer without sign, or its opposite."""
        word = Word((*magnitude, self.diagrams.false))
        flipped = Word(tuple(self.diagrams.differ(bit, negative) for bit in word.bits))
        return Word(self._added(flipped, self.constant(0), negative, len(word.bits)))

    def _magnitude(self, word: Word) -> list[Node]:
        """The bits of the absolute value, without a sign."""
        flipped = Word(tuple(self.diagrams.differ(bit, word.sign) for bit in word.bits))
        return list(self._added(flipped, self.constant(0), word.sign, len(word.bits)))

    def _divided(self, left: Word, right: Word) -> tuple[list[Node], list[Node]]:
        """Quotient and rest of the absolute values, by long division; where the divisor is 0, as if it were 1."""
        d = self.diagrams
        dividend, divisor = self._magnitude(left), self._magnitude(right)
        divisor[0] = d.either(divisor[0], ~d.any_of(divisor))
        quotient: list[Node] = []
        rest: list[Node] = []
        for bit in reversed(dividend):
            rest = [bit, *rest]
            less, smaller = self._taken_off(rest, divisor)
            quotient.insert(0, ~less)
            kept = [self._within_budget(d.choose(less, old, new)) for old, new in zip(rest, smaller, strict=True)]
            rest = kept[: len(divisor)]  # the rest is smaller than the divisor
        return quotient, rest

    def _taken_off(self, rest: Sequence[Node], divisor: Sequence[Node]) -> tuple[Node, list[Node]]:
        """Where the divisor is larger than the rest, and the difference, in as many bits as the rest."""
        d = self.diagrams
        borrow = d.false
        found = []
        for k in range(max(len(rest), len(divisor))):
            minuend = rest[k] if k < len(rest) else d.false
            subtrahend = divisor[k] if k < len(divisor) else d.false
            odd = d.differ(minuend, subtrahend)
            found.append(self._within_budget(d.differ(odd, borrow)))
            borrow = self._within_budget(d.choose(odd, subtrahend, borrow))
        return borrow, found[: len(rest)]

    def _shifted_left(self, word: Word, count: Word) -> Word:
        d = self.diagrams
        for k in range(5):
            if count[k] != d.false:
                width = min(len(word.bits) + (1 << k), WIDTH)
                moved = Word((*[d.false] * (1 << k), *word.bits)[:width])
                word = self.choose(count[k], moved, word)
        return word

    def _shifted_right(self, word: Word, count: Word) -> Word:
        for k in range(5):
            if count[k] != self.diagrams.false:
                moved = Word(tuple(word[j + (1 << k)] for j in range(len(word.bits))))
                word = self.choose(count[k], moved, word)
        return word

    # ---- form and size

    def _cut32(self, word: Word) -> Word:
        return self._short(word.bits[:WIDTH])

    def _short(self, bits: Sequence[Node]) -> Word:
        """The word without bits that repeat the sign."""
        width = len(bits)
        while width > 1 and bits[width - 1] == bits[width - 2]:
            width -= 1
        return Word(tuple(bits[:width]))

    def _within_budget(self, node: Node) -> Node:
        if self.diagrams.size(node) > MOST_NODES:
            what = f"an operation on wide values needs a decision diagram of more than {MOST_NODES:,} nodes"
            raise UnsupportedFeature(Complaint(Code.TOO_LARGE_FOR_DIAGRAMS, what, NO_DIAGRAMS))
        return node
