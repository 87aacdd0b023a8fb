"""Bit-state hashing: a state met is remembered by two bits of a table only, so two states may be taken for one.

Whatever is found is real, since the path itself is kept; but states may be missed, so nothing found proves nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, ClassVar

from symdmc.search.directed.options import DirectedSearch
from symdmc.search.directed.space import Explorer
from symdmc.search.walk import Place
from symdmc.spelling.parameters import Between


@dataclass(frozen=True, slots=True, kw_only=True)
class BitState(DirectedSearch):
    """Bit-state hashing: gives any trace, and proves nothing, since it may miss states.

    bits: the table has two to the power of this number of bits
    """

    NAME: ClassVar[str] = "bitstate"
    ARGUMENT: ClassVar[str | None] = "bits"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("bitstate:16",)
    PROVES: ClassVar[bool] = False

    bits: Annotated[int, Between(3, 40)] = 28

    @property
    def spelling(self) -> str:
        """With the size of the table, unless it is the usual one."""
        return self.NAME if self.bits == BitState().bits else f"{self.NAME}:{self.bits}"

    def walk(self, explorer: Explorer[Place]) -> None:
        """Search depth first."""
        bit_state(explorer, self.bits)


class BitTable:
    """Two bits for each state met, in a table of two to the power of `bits` bits."""

    def __init__(self, bits: int) -> None:
        self.mask = (1 << bits) - 1
        self.table = bytearray(max(1, 1 << bits >> 3))

    def add(self, place: Hashable) -> bool:
        """Remember a state; False if it was met before, or looks as if it was. The same on every run."""
        digest = blake2b(repr(place).encode(), digest_size=16).digest()
        fresh = False
        for half in (digest[:8], digest[8:]):
            position = int.from_bytes(half, "little") & self.mask
            bit = 1 << (position & 7)
            fresh = fresh or not self.table[position >> 3] & bit
            self.table[position >> 3] |= bit
        return fresh


def bit_state(explorer: Explorer[Place], bits: int) -> None:
    """Search depth first, the successor with the smallest estimate first; what is found is in the explorer's walk."""
    walk = explorer.walk
    met = BitTable(bits)
    path: list[Place] = []
    waiting = [iter([place for place, _ in sorted(explorer.initial(), key=lambda entry: entry[1])])]
    while waiting:
        place = next(waiting[-1], None)
        if place is None:
            waiting.pop()
            if path:
                path.pop()
            continue
        if not met.add(place):
            continue
        path.append(place)
        walk.stored, walk.depth = walk.stored + 1, len(path) - 1
        if explorer.pauses() or explorer.finds_error(place, lambda: path):
            return
        steps = explorer.expand(place, lambda: path)
        if steps is None:
            return
        waiting.append(_best_first(explorer, [successor for _, successor in steps]))
    walk.finished = not explorer.cut_off


def _best_first(explorer: Explorer[Place], places: list[Place]) -> Iterator[Place]:
    """The states that are no dead ends, the smallest estimate first."""
    estimated = [(explorer.estimate(place), place) for place in places]
    return iter([place for _, place in sorted(((h, p) for h, p in estimated if h is not None), key=lambda e: e[0])])
