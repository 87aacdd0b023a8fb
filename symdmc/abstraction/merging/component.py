"""A component: a small labelled graph that stands for some variables of a task, and the map to its states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdmc.abstraction.merging.component_loops import Steps
from symdmc.lookup.tree import Tree
from symdmc.packed.arrays import Int64s

Truths = NDArray[np.bool_]


def steps_of(size: int, groups: Sequence[Int64s]) -> Steps:
    """Groups of steps given as sorted numbers: source times size plus target."""
    starts = np.zeros((len(groups), size + 1), dtype=np.int32)
    place = 0
    for number, pairs in enumerate(groups):
        starts[number] = place + np.searchsorted(pairs, np.arange(size + 1) * size)
        place += len(pairs)
    targets = np.concatenate([np.empty(0, dtype=np.int64), *groups]) % max(1, size)
    return Steps(starts, targets.astype(np.int32))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Component:
    """What some variables of a task can do together, or something coarser.

    Every step of the task is a step of one of the groups or changes nothing here. `marks` has a bit for each product of
    the error condition: whether an error state may be here. Every reachable state of the task is mapped to a state of
    the component or to a dead end.
    """

    variables: frozenset[int]
    tree: Tree
    """The map: classes below `size` are states, `size` stands for dead ends and `size + 1` for what is outside."""
    size: int
    initial: Truths
    marks: Int64s
    steps: Steps
    has_dead_ends: bool = False
    """Whether some state of the task is mapped to a dead end."""

    def is_trivial(self, every: int) -> bool:
        """Whether it has no part in the error condition and no dead ends; `every` is the mark with all bits."""
        return not self.has_dead_ends and bool((self.marks == every).all())
