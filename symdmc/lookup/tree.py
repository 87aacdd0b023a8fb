"""Trees of tables: a state is looked up from the values of single variables upwards, two classes making one.

A leaf gives each value of a variable a class; an inner node has a table with one row for each class of its left part
and one column for each class of its right part. What the root gives is the code of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from symdmc.lookup.tables import TREE, classes_in
from symdmc.packed.arrays import Int32s
from symdmc.packed.packing import Packing

# How a tree lies in the image of the tables: how many nodes there are, how many classes wait at the most, then for each
# node, parts before wholes, two integers: where it lies, and the width of its table, or LEAF.
TREE_NODES = 0
TREE_DEPTH = 1
TREE_PROGRAM = 2
NODE_PLACE = 0
NODE_WIDTH = 1
NODE = 2
LEAF = 0
# A leaf is a field of the packed state, as in a decision diagram, and then the class of each content of the field.

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class TreeLeaf:
    """The classes of the values of one variable, from `low` on."""

    variable: int
    low: int
    classes: Int32s

    @property
    def depth(self) -> int:
        """How many classes wait at the most while this one is looked up."""
        return 1


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """One class for each class of the left part (the row) and each of the right part (the column)."""

    left: Tree
    right: Tree
    table: Int32s
    depth: int
    """How many classes wait at the most while this one is looked up."""


Tree: TypeAlias = TreeLeaf | TreeNode


def joined(left: Tree, right: Tree, table: Int32s) -> TreeNode:
    """The tree of two parts."""
    return TreeNode(left, right, np.ascontiguousarray(table, dtype=np.int32), max(left.depth, right.depth + 1))


def renamed(tree: Tree, names: Int32s) -> Tree:
    """The tree with other classes: those that `names` has for its own."""
    if isinstance(tree, TreeLeaf):
        return TreeLeaf(tree.variable, tree.low, names[tree.classes])
    return joined(tree.left, tree.right, names[tree.table])


def leaves_first(tree: Tree) -> Iterator[Tree]:
    """All nodes, each behind its left and then its right part; trees may be too deep for recursion."""
    pending = [(tree, False)]
    while pending:
        node, is_ready = pending.pop()
        if is_ready or isinstance(node, TreeLeaf):
            yield node
        else:
            pending += [(node, True), (node.right, False), (node.left, False)]


def folded(
    tree: Tree, leaf: Callable[[TreeLeaf], Result], whole: Callable[[TreeNode, Result, Result], Result]
) -> Result:
    """What is made of the leaves, and of each node and what was made of its parts."""
    made: list[Result] = []
    for node in leaves_first(tree):
        if isinstance(node, TreeLeaf):
            made.append(leaf(node))
        else:
            right = made.pop()
            made.append(whole(node, made.pop(), right))
    return made.pop()


@dataclass(frozen=True, eq=False)
class TreeTable:
    """Maps a state to a code by a tree; a `LookupTable`."""

    tree: Tree

    @property
    def kind(self) -> int:
        """How the kernels find the code."""
        return TREE

    @cached_property
    def entries(self) -> int:
        """How many classes all its tables have in all."""
        return sum(
            len(node.classes) if isinstance(node, TreeLeaf) else node.table.size for node in leaves_first(self.tree)
        )

    def code_of(self, values: Sequence[int]) -> int:
        """The code of a state given by its values: the reference for what is compiled."""
        return folded(
            self.tree,
            lambda leaf: int(leaf.classes[values[leaf.variable] - leaf.low]),
            lambda node, left, right: int(node.table[left, right]),
        )

    def laid_out(self, packing: Packing, place: int) -> tuple[Int32s, int]:
        """The program, then the fields and tables that it uses."""
        nodes = list(leaves_first(self.tree))
        program = [len(nodes), self.tree.depth]
        parts: list[Int32s] = []
        root, place = place, place + TREE_PROGRAM + NODE * len(nodes)
        for node in nodes:
            if isinstance(node, TreeLeaf):
                field, first = packing.fields[node.variable], int(node.classes[0])  # for contents that cannot occur
                part, width = classes_in(field, node.variable, node.low, node.classes, first), LEAF
            else:
                part, width = node.table.reshape(-1), node.table.shape[1]
            program += [place, width]
            parts.append(part)
            place += len(part)
        return np.concatenate([np.array(program, dtype=np.int32), *parts]), root
