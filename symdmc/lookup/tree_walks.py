"""Trees of tables, compiled."""

from __future__ import annotations

import numpy as np

from symdmc.lookup import tables as table
from symdmc.lookup import tree
from symdmc.packed.arrays import Int32s, Int64s
from symdmc.packed.jit import making_arrays


@making_arrays
def climb(image: Int32s, root: int, states: Int64s, base: int) -> int:
    """The code that a tree has for the state at `base`."""
    waiting = np.empty(image[root + tree.TREE_DEPTH], np.int64)
    count = 0
    step = root + tree.TREE_PROGRAM
    for _ in range(image[root + tree.TREE_NODES]):
        place, width = image[step + tree.NODE_PLACE], image[step + tree.NODE_WIDTH]
        step += tree.NODE
        if width == tree.LEAF:
            word = states[base + image[place + table.FIELD_WORD]]
            content = (word >> image[place + table.FIELD_SHIFT]) & image[place + table.FIELD_MASK]
            waiting[count] = image[place + table.CLASSES + content]
            count += 1
        else:
            count -= 1
            waiting[count - 1] = image[place + waiting[count - 1] * width + waiting[count]]
    return int(waiting[0])
