"""The compiled walks through look-up tables.

A walk waits for memory at every node. Where several states are to be looked up, four walks go side by side, so that
one works while the others wait; that is three times as fast.
"""

from __future__ import annotations

import numpy as np

from symdmc.kernel import lookup as table
from symdmc.kernel.compiler import Int64s
from symdmc.kernel.jit import compiled
from symdmc.kernel.lookup import Int32s


@compiled
def _next(image: Int32s, entry: int, states: Int64s, base: int) -> int:
    """The entry behind a node for the state at `base`."""
    block = image[entry]
    word = states[base + image[block + table.FIELD_WORD]]
    content = (word >> image[block + table.FIELD_SHIFT]) & image[block + table.FIELD_MASK]
    return int(image[entry + table.CHILDREN + image[block + table.CLASSES + content]])


@compiled
def _walk(image: Int32s, entry: int, states: Int64s, base: int) -> int:
    """The code that one table, entered at its root, has for the state at `base`."""
    while entry >= 0:
        entry = _next(image, entry, states, base)
    return -1 - entry


@compiled
def _combined(image: Int32s, one: int, other: int) -> int:
    """Two codes as one; of special codes OUTSIDE counts most, as it shows a bug."""
    largest = max(one, other)
    return one + other if image[table.SUMS] != 0 and largest < table.DEAD_END else largest


@compiled
def look_up(image: Int32s, states: Int64s, base: int) -> int:
    """The combined code of the state at `base`; 0 where there is no table."""
    code = 0
    for k in range(image[table.COUNT]):
        code = _combined(image, code, _walk(image, int(image[table.ROOTS + k]), states, base))
    return code


@compiled
def look_up_some(image: Int32s, states: Int64s, words: int, chosen: Int64s, count: int, codes: Int64s) -> None:
    """Write the combined codes of the states with the first `count` numbers in `chosen`."""
    codes[:count] = 0
    for k in range(image[table.COUNT]):
        root = int(image[table.ROOTS + k])
        done = 0
        while done + 4 <= count:
            base0, base1 = chosen[done] * words, chosen[done + 1] * words
            base2, base3 = chosen[done + 2] * words, chosen[done + 3] * words
            entry0, entry1, entry2, entry3 = root, root, root, root
            while entry0 >= 0 or entry1 >= 0 or entry2 >= 0 or entry3 >= 0:
                if entry0 >= 0:
                    entry0 = _next(image, entry0, states, base0)
                if entry1 >= 0:
                    entry1 = _next(image, entry1, states, base1)
                if entry2 >= 0:
                    entry2 = _next(image, entry2, states, base2)
                if entry3 >= 0:
                    entry3 = _next(image, entry3, states, base3)
            codes[done] = _combined(image, codes[done], -1 - entry0)
            codes[done + 1] = _combined(image, codes[done + 1], -1 - entry1)
            codes[done + 2] = _combined(image, codes[done + 2], -1 - entry2)
            codes[done + 3] = _combined(image, codes[done + 3], -1 - entry3)
            done += 4
        while done < count:
            codes[done] = _combined(image, codes[done], _walk(image, root, states, chosen[done] * words))
            done += 1


@compiled
def look_up_all(image: Int32s, states: Int64s, codes: Int64s) -> None:
    """Write the combined codes of states that lie one behind the other."""
    count = codes.shape[0]
    words = states.shape[0] // max(1, count)
    look_up_some(image, states, words, np.arange(count), count, codes)
