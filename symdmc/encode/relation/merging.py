"""Parts of a relation joined into fewer, larger ones: one traversal of a state set instead of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.relation.part import ConjunctivePart, Part

Item = TypeVar("Item")


def joined_in_pairs(items: Iterable[Item], join: Callable[[Item, Item], Item | None]) -> list[Item]:
    """Neighbours joined in pairs, then pairs of pairs, and so on; two stay separate where `join` gives None."""
    found, before = list(items), 0
    while len(found) != before:
        before, waiting = len(found), found
        found = []
        for first, second in zip_longest(waiting[::2], waiting[1::2]):
            both = None if second is None else join(first, second)
            found += [both] if both is not None else [first] if second is None else [first, second]
    return found


class Merger:
    """Joins parts of the same cost as long as the result has no more nodes than the limit.

    Parts that write the same variables are joined first. With frames, parts that write different variables are joined
    too: each gets the identity for the variables that only the other writes.
    """

    def __init__(self, encoding: Encoding, limit: int) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        self.limit = limit
        self._known: dict[tuple[Part, ...], list[Part]] = {}
        self._place = {number: place for place, number in enumerate(encoding.order)}

    def merged(self, parts: Iterable[Part], *, frames: bool) -> tuple[Part, ...]:
        """The same steps in as few parts as the limit allows, those that write further up first."""
        groups: dict[tuple[int, tuple[int, ...]], list[Part]] = {}
        for part in parts:
            groups.setdefault((part.cost, part.writes), []).append(part)
        ordered = sorted(groups, key=lambda key: (min(map(self._place.__getitem__, key[1]), default=0), key))
        before, self._known = self._known, {}
        joined = [part for key in ordered for part in self._once(groups[key], before)]
        if frames and self.limit:
            costs = sorted({part.cost for part in joined})
            joined = [
                part for cost in costs for part in joined_in_pairs([p for p in joined if p.cost == cost], self._both)
            ]
        return tuple(joined)

    def _once(self, parts: Sequence[Part], before: Mapping[tuple[Part, ...], list[Part]]) -> list[Part]:
        """Parts that write the same variables, joined; cached, because most groups outlive a change of the relation."""
        key = tuple(parts)
        self._known[key] = (
            before[key] if key in before else joined_in_pairs(parts, self._both) if self.limit else list(parts)
        )
        return self._known[key]

    def _both(self, left: Part, right: Part) -> Part | None:
        """Two parts as one; None where that is too large."""
        if isinstance(left, ConjunctivePart) or isinstance(right, ConjunctivePart):
            return None
        d = self.diagrams
        writes = tuple(sorted({*left.writes, *right.writes}))
        relation = d.either(self.relation(left, writes), self.relation(right, writes))
        if d.size(relation) > self.limit:
            return None
        return Part(guard=None, writes=writes, cost=left.cost, relation=relation)

    def relation(self, part: Part, writes: Sequence[int]) -> Node:
        """The part as a relation over the variables it writes and further ones, which it leaves unchanged."""
        d, encoding = self.diagrams, self.encoding
        relation = part.relation
        if isinstance(part, ConjunctivePart):
            relation = d.true
            for factor in part.factors:
                relation = d.both(relation, factor.relation)
        if part.stored is not None:
            own = [encoding.variables[number] for number in part.writes]
            pairs = {now: after for v in own for now, after in zip(v.current, v.next, strict=True)}
            relation = d.both(part.guard, d.rename(part.stored, pairs) if pairs else part.stored)
        for number in writes:
            if number not in part.writes:
                relation = d.both(relation, encoding.unchanged((number,)))
        return relation
