"""Which values of variables an abstraction has to tell apart from others to see what is so in a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np

from symdmc.model.state import State
from symdmc.selection.refinement.precision import Distinction, Precision, Way, distinction_of

Stays: TypeAlias = Callable[[State], bool]
"""Whether a state is in some respect as another one is."""

MOST_STATES = 4_096
"""Where the class of a value would take more states to look at, the value is told apart from all others."""


def narrowed(precision: Precision, numbers: Iterable[int], values: Sequence[int], stays: Stays | None) -> Way:
    """Distinctions that set apart values of some variables, such that all states with these stay as one state is.

    Variable by variable, as much of its class as possible stays together with its value: `x >= 5` which is false sets
    apart all values below 5. Without `stays` every value is set apart by itself.
    """
    box = {number: [values[number]] for number in sorted(numbers)}
    found: list[Distinction] = []
    for number in box:
        if not precision.can_be_split(number):
            found.append(Distinction(number))
            continue
        own = precision.class_of(number, values[number])
        if stays is not None and len(own) * prod(map(len, box.values())) <= MOST_STATES:
            box[number] = [
                value for value in own.tolist() if _all_stay(precision, {**box, number: [value]}, values, stays)
            ]
        if len(box[number]) < len(own):
            found.append(distinction_of(precision.plain, number, np.array(box[number])))
    return frozenset(found)


def _all_stay(precision: Precision, box: dict[int, list[int]], values: Sequence[int], stays: Stays) -> bool:
    """Whether all states stay that have values of the box, and else those of the state."""
    for chosen in product(*box.values()):
        changed = list(values)
        for number, value in zip(box, chosen, strict=True):
            changed[number] = value
        if not stays(precision.plain.state(changed)):
            return False
    return True
