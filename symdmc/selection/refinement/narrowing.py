"""Which classes of values an abstraction must distinguish so that a flaw in one state is removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np

from symdmc.model.state import State
from symdmc.selection.refinement.precision import Distinction, Precision, Repair, distinction_of

Alike: TypeAlias = Callable[[State], bool]
"""Whether a state behaves, in the respect that matters, like the one in which a flaw was found."""

MOST_STATES = 4_096
"""A class whose values would take more states to compare is given up: its value is distinguished from all others."""


def narrowed(precision: Precision, numbers: Iterable[int], values: Sequence[int], is_alike: Alike | None) -> Repair:
    """Distinctions for a box of values around a state, such that all states of the box are alike.

    Variable by variable, as much of a class as possible stays together with the value: a false `x >= 5` separates all
    values below 5 from the others. Without `is_alike` every value is distinguished from all others.
    """
    box = {number: [values[number]] for number in sorted(numbers)}
    found: list[Distinction] = []
    for number in box:
        if not precision.can_be_split(number):
            found.append(Distinction(number))
            continue
        own = precision.class_of(number, values[number])
        if is_alike is not None and len(own) * prod(map(len, box.values())) <= MOST_STATES:
            box[number] = [
                value for value in own.tolist() if _all_alike(precision, {**box, number: [value]}, values, is_alike)
            ]
        if len(box[number]) < len(own):
            found.append(distinction_of(precision.plain, number, np.array(box[number])))
    return frozenset(found)


def _all_alike(precision: Precision, box: dict[int, list[int]], values: Sequence[int], is_alike: Alike) -> bool:
    """Whether all states are alike that have values of the box, and the given values elsewhere."""
    for chosen in product(*box.values()):
        changed = list(values)
        for number, value in zip(box, chosen, strict=True):
            changed[number] = value
        if not is_alike(precision.plain.state(changed)):
            return False
    return True
