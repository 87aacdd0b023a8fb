"""Estimates for whole state sets: which states of a set have which estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.tables.table_import import state_sets
from symdmc.errors import StateOutside
from symdmc.lookup.tables import DEAD_END, OUTSIDE
from symdmc.patterndb.database import PatternDatabase


class EstimateSets:
    """The largest estimate of several pattern databases, a dead end if one says so; 0 without any database.

    Admissible and consistent, as the databases are. The sets of the databases are never intersected with each other,
    only with the states that are asked for.
    """

    def __init__(self, encoding: Encoding, databases: Sequence[PatternDatabase]) -> None:
        self.diagrams = d = encoding.diagrams
        self.dead_end_tables = tuple(each.table for each in databases if DEAD_END in each.table.all_codes())
        """Those of the databases that know of dead ends."""
        self.dead: Node = d.false
        self._ladders: list[list[Node]] = []
        self._outside: list[tuple[tuple[str, ...], Node]] = []
        for database in databases:
            sets = state_sets(encoding, database.table)
            self.dead = d.either(self.dead, sets.pop(DEAD_END, d.false))
            self._outside.append((database.pattern, sets.pop(OUTSIDE, d.false)))
            self._ladders.append(self._ladder(sets))

    def _ladder(self, sets: dict[int, Node]) -> list[Node]:
        """For each estimate the states that have no larger one."""
        d, found = self.diagrams, [self.diagrams.false]
        for estimate in range(max(sets, default=0) + 1):
            found.append(d.either(found[-1], sets.get(estimate, d.false)))
        return found[1:]

    def living(self, states: Node) -> Node:
        """Those of the states, which were reached, that are no dead ends."""
        d = self.diagrams
        for pattern, outside in self._outside:
            if d.both(states, outside) != d.false:
                names = ", ".join(pattern)
                raise StateOutside(f"a reachable state lies outside of the pattern database of {names}")
        return d.without(states, self.dead)

    def divided(self, states: Node, least: int = 0) -> Iterator[tuple[int, Node]]:
        """The states that are no dead ends by their estimates, of which none is smaller than `least`."""
        d, rest, estimate = self.diagrams, self.living(states), least
        while rest != d.false:
            near = rest
            for ladder in self._ladders:
                near = d.both(near, ladder[min(estimate, len(ladder) - 1)])
            if near != d.false:
                yield estimate, near
                rest = d.without(rest, near)
            estimate += 1
