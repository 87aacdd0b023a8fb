"""A set-trie: sets of small numbers, each with a distance, kept so that subsets of a set are found fast.

Sets are bit masks. A path from the root lists the elements of a set in order; every node knows the smallest distance
below it, so that a search for a smaller one skips whole branches. After the unlimited branching trees of [HK99].
"""

from __future__ import annotations

from symdmc.encode.value_pairs.steps import ones


class _Node:
    __slots__ = ("children", "nearest", "own")

    def __init__(self, nearest: int) -> None:
        self.children: dict[int, _Node] = {}
        self.nearest = nearest
        self.own: int | None = None


class SetTrie:
    """Sets with distances."""

    def __init__(self) -> None:
        self._root = _Node(0)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, elements: int, distance: int) -> None:
        """Add a set; a set that is there already keeps the smaller distance."""
        node = self._root
        node.nearest = distance if not self._count else min(node.nearest, distance)
        for element in ones(elements):
            child = node.children.get(element)
            if child is None:
                child = node.children[element] = _Node(distance)
            child.nearest = min(child.nearest, distance)
            node = child
        if node.own is None:
            self._count += 1
        node.own = distance if node.own is None else min(node.own, distance)

    def smallest(self, elements: int) -> int | None:
        """The smallest distance of a subset of the elements; None if there is no subset."""
        best: int | None = None
        pending = [self._root] if self._count else []
        while pending:
            node = pending.pop()
            if best is not None and node.nearest >= best:
                continue
            if node.own is not None and (best is None or node.own < best):
                best = node.own
            pending.extend(child for element, child in node.children.items() if elements >> element & 1)
        return best

    def has_subset(self, elements: int, distance: int) -> bool:
        """Whether there is a subset of the elements with at most this distance."""
        pending = [self._root] if self._count else []
        while pending:
            node = pending.pop()
            if node.nearest > distance:
                continue
            if node.own is not None and node.own <= distance:
                return True
            pending.extend(child for element, child in node.children.items() if elements >> element & 1)
        return False
