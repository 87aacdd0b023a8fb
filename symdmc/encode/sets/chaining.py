"""Reachable states by chaining: each part of the relation steps from all states that the parts before it have found.

States are found in rounds rather than at distances, in far fewer images than layer by layer.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from symdmc.encode.diagrams import Node
from symdmc.encode.relation.part import Part
from symdmc.encode.sets.images import Images
from symdmc.outcome import Layer

MOST_REPEATS = 50
"""A part steps at most this often in a row from the states it has just found."""


def reachable_by_chaining(images: Images, tell: Callable[[Layer], None], *, count: bool) -> Node:
    """All reachable states; `tell` is called with the states that each round has added.

    A round steps from the states that the last one has found, or from all states if their diagram is at most twice as
    large: they change less from round to round, so more of CUDD's cache is of use. Every part steps from every state in
    the round after it was found. A part is repeated while it finds states, because the steps of one part are often many
    steps of one process.
    """
    relation, d = images.relation, images.diagrams
    states = new = relation.initial()
    rounds = 0
    while new != d.false:
        began = time.monotonic()
        relation.learn(new)
        found = new if 2 * d.size(new) < d.size(states) else states
        for part in reversed(relation.parts):  # those that write further down first
            found = _repeated(images, found, part)
        new, states = d.without(found, states), d.either(states, found)
        rounds += 1
        counted = relation.encoding.count(new) if count else None
        seconds = round(time.monotonic() - began, 3)
        tell(Layer(depth=rounds, states=counted, nodes=d.size(new), seconds=seconds))
    return states


def _repeated(images: Images, states: Node, part: Part) -> Node:
    """The states, and those that repeated steps of the part lead to."""
    d, latest = images.diagrams, states
    for _ in range(MOST_REPEATS):
        latest = d.without(images.after_part(latest, part), states)
        if latest == d.false:
            break
        states = d.either(states, latest)
    return states
