"""Trees of tables as decision diagrams over the same variables."""

from __future__ import annotations

import numpy as np

from symdmc.lookup.tables import DecisionTable
from symdmc.lookup.tree import Tree, TreeLeaf, TreeTable, leaves_first
from symdmc.packed.arrays import Int32s

MOST_NODES = 100_000
MOST_WORK = 20_000_000
"""Entries of tables read."""


def unfolded(table: TreeTable, code: int) -> DecisionTable | None:
    """The diagram that has a code where the tree has it, and 0 elsewhere; None where it would be too large.

    The variables are tested in the order of the leaves, where of two parts the larger comes first.
    """
    try:
        return _Unfolding(table.tree).diagram(code)
    except _TooLarge:
        return None


class _TooLarge(Exception):
    """More nodes or more work than permitted."""


class _Unfolding:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.leaves = [node for node in leaves_first(tree) if isinstance(node, TreeLeaf)]
        self.sizes: dict[int, int] = {}
        for node in leaves_first(tree):
            parts = () if isinstance(node, TreeLeaf) else (node.left, node.right)
            self.sizes[id(node)] = sum(self.sizes[id(part)] for part in parts) if parts else 1
        self.nodes: dict[tuple[int, bytes], int] = {}
        self.children: list[Int32s] = []
        self.work = 0
        self._known: dict[tuple[int, bytes], int] = {}

    def diagram(self, code: int) -> DecisionTable:
        """All of it."""
        root = self._entry(self.tree, None, code)
        sizes = [len(children) for children in self.children]
        return DecisionTable(
            root=root,
            variable=np.array([variable for variable, _ in self.nodes], dtype=np.int32),
            start=(np.cumsum([0, *sizes])[:-1]).astype(np.int64),
            children=np.concatenate([np.empty(0, dtype=np.int32), *self.children]),
            classes={leaf.variable: self._classes(leaf) for leaf in self.leaves},
            low={leaf.variable: leaf.low for leaf in self.leaves},
        )

    def _classes(self, leaf: TreeLeaf) -> Int32s:
        """The classes of a leaf numbered from 0; a leaf that is the whole tree has codes instead."""
        numbers: Int32s = np.unique(leaf.classes, return_inverse=True)[1].astype(np.int32)
        return numbers

    def _entry(self, tree: Tree, behind: Int32s | None, code: int) -> int:
        """The entry of the diagram that tests the variables of a tree and then goes where `behind` says for its class.

        At the root there is nothing behind: the class is a code.
        """
        while not isinstance(tree, TreeLeaf):
            table = tree.table
            first, second = tree.left, tree.right
            if self.sizes[id(second)] > self.sizes[id(first)]:
                first, second, table = second, first, table.T
            self._spend(table.size)
            entries = np.where(table == code, -1 - code, -1) if behind is None else behind[table]
            behind = np.array([self._shared(second, row, code) for row in entries], dtype=np.int32)
            tree = first
        self._spend(len(tree.classes))
        present = np.unique(tree.classes)
        return self._node(
            tree.variable, np.where(present == code, -1 - code, -1) if behind is None else behind[present]
        )

    def _shared(self, tree: Tree, behind: Int32s, code: int) -> int:
        behind = behind.astype(np.int32)
        if (behind == behind[0]).all():
            return int(behind[0])
        key = (id(tree), behind.tobytes())
        if key not in self._known:
            self._known[key] = self._entry(tree, behind, code)
        return self._known[key]

    def _node(self, variable: int, children: Int32s) -> int:
        children = children.astype(np.int32)
        if (children == children[0]).all():
            return int(children[0])
        key = (variable, children.tobytes())
        if key not in self.nodes:
            if len(self.nodes) >= MOST_NODES:
                raise _TooLarge
            self.nodes[key] = len(self.nodes)
            self.children.append(children)
        return self.nodes[key]

    def _spend(self, amount: int) -> None:
        self.work += amount
        if self.work > MOST_WORK:
            raise _TooLarge
