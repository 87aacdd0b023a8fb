"""Look-up tables, compiled.

A walk through a decision diagram waits for memory at every node. Where several states are to be looked up, four walks
go side by side, so that one works while the others wait; that is three times as fast.
"""

from __future__ import annotations

import numpy as np

from symdmc.lookup import sums as sums_at
from symdmc.lookup import tables as table
from symdmc.lookup.relaxation_chaining import relaxation_code
from symdmc.lookup.tree_walks import climb
from symdmc.packed.arrays import Int32s, Int64s
from symdmc.packed.jit import compiled, making_arrays


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
def _sum_holds(image: Int32s, block: int, states: Int64s, base: int) -> int:
    """1 where the sum of a block is at most its bound, else 0."""
    total = 0
    term = block + sums_at.SUM_HEAD
    for _ in range(image[block + sums_at.SUM_TERMS]):
        word = states[base + image[term + sums_at.TERM_WORD]]
        content = (word >> image[term + sums_at.TERM_SHIFT]) & image[term + sums_at.TERM_MASK]
        total += content * image[term + sums_at.TERM_FACTOR]
        term += sums_at.TERM
    return 1 if total <= image[block + sums_at.SUM_BOUND] else 0


@compiled
def _next_of_sums(image: Int32s, entry: int, states: Int64s, base: int) -> int:
    """The entry behind a node that may test a sum."""
    block = image[entry]
    if image[block + table.FIELD_WORD] >= 0:
        return _next(image, entry, states, base)
    chosen = image[block + sums_at.SUM_CLASSES + _sum_holds(image, block, states, base)]
    return int(image[entry + table.CHILDREN + chosen])


@compiled
def _walk_derived(image: Int32s, entry: int, states: Int64s, base: int) -> int:
    """The code of a table some of whose nodes test sums or ask nested diagrams."""
    while entry >= 0:
        block = image[entry]
        if image[block + table.FIELD_WORD] == sums_at.NESTED:
            inner = image[block + sums_at.NESTED_ROOT]
            while inner >= 0:
                inner = _next_of_sums(image, inner, states, base)
            chosen = image[block + sums_at.NESTED_CLASSES - 1 - inner]
            entry = int(image[entry + table.CHILDREN + chosen])
        else:
            entry = _next_of_sums(image, entry, states, base)
    return -1 - entry


@compiled
def _code(image: Int32s, kind: int, root: int, states: Int64s, base: int) -> int:
    """The code that one table has for the state at `base`."""
    if kind == table.RELAXATION:
        return relaxation_code(image, root, states, base)
    if kind == table.TREE:
        return climb(image, root, states, base)
    if kind == table.DERIVED:
        return _walk_derived(image, root, states, base)
    return _walk(image, root, states, base)


@compiled
def _combined(sums: int, one: int, other: int) -> int:
    """Two codes as one; of special codes OUTSIDE counts most, as it shows a bug."""
    largest = max(one, other)
    return one + other if sums != 0 and largest < table.DEAD_END else largest


@compiled
def look_up(image: Int32s, states: Int64s, base: int) -> int:
    """The combined code of the state at `base`; 0 where there is no table."""
    code = 0
    head = table.HEADS
    for _ in range(image[table.GROUPS]):
        count, sums = image[head + table.GROUP_COUNT], int(image[head + table.GROUP_SUMS])
        head += table.GROUP_TABLES
        own = 0
        for _ in range(count):
            kind, root = int(image[head + table.TABLE_KIND]), int(image[head + table.TABLE_ROOT])
            head += table.TABLE
            own = _combined(sums, own, _code(image, kind, root, states, base))
        code = _combined(0, code, own)
    return code


@compiled
def _walk_some(
    image: Int32s, root: int, states: Int64s, words: int, chosen: Int64s, count: int, sums: int, codes: Int64s
) -> None:
    """Combine the codes that a decision diagram has for some states with what is there."""
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
        codes[done] = _combined(sums, codes[done], -1 - entry0)
        codes[done + 1] = _combined(sums, codes[done + 1], -1 - entry1)
        codes[done + 2] = _combined(sums, codes[done + 2], -1 - entry2)
        codes[done + 3] = _combined(sums, codes[done + 3], -1 - entry3)
        done += 4
    while done < count:
        codes[done] = _combined(sums, codes[done], _walk(image, root, states, chosen[done] * words))
        done += 1


@making_arrays
def look_up_some(image: Int32s, states: Int64s, words: int, chosen: Int64s, count: int, codes: Int64s) -> None:
    """Write the combined codes of the states with the first `count` numbers in `chosen`."""
    codes[:count] = 0
    groups = image[table.GROUPS]
    own = codes if groups == 1 else np.empty(count, np.int64)
    head = table.HEADS
    for _ in range(groups):
        if groups > 1:
            own[:count] = 0
        tables, sums = image[head + table.GROUP_COUNT], int(image[head + table.GROUP_SUMS])
        head += table.GROUP_TABLES
        for _ in range(tables):
            kind, root = int(image[head + table.TABLE_KIND]), int(image[head + table.TABLE_ROOT])
            head += table.TABLE
            if kind == table.DIAGRAM:
                _walk_some(image, root, states, words, chosen, count, sums, own)
            else:
                for k in range(count):
                    own[k] = _combined(sums, own[k], _code(image, kind, root, states, chosen[k] * words))
        if groups > 1:
            for k in range(count):
                codes[k] = _combined(0, codes[k], own[k])


@making_arrays
def look_up_all(image: Int32s, states: Int64s, codes: Int64s) -> None:
    """Write the combined codes of states that lie one behind the other."""
    count = codes.shape[0]
    words = states.shape[0] // max(1, count)
    look_up_some(image, states, words, np.arange(count), count, codes)
