"""Whether states satisfy diagrams, asked of many states at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symdmc.evidence.smt.arrays import Columns, Terms
from symdmc.evidence.smt.diagrams import Drawn
from symdmc.evidence.visiting.state_rows import Rows

PORTION = 1 << 15
"""So many states are looked at together: their columns fit into the caches of a processor."""


class Membership:
    """Tells of many states at once whether they satisfy all of some diagrams."""

    def __init__(self, drawn: Sequence[Drawn], terms: Terms) -> None:
        self._diagrams = [Followed(each, terms) for each in drawn]

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        """Which of the states do."""
        found = [self._portion(portion) for portion in rows.portions(PORTION)]
        return np.concatenate(found) if found else np.zeros(0, dtype=bool)

    def _portion(self, rows: Rows) -> NDArray[np.bool_]:
        inside = np.ones(len(rows), dtype=bool)
        for diagram in self._diagrams:
            left = np.flatnonzero(inside)
            inside[left] = diagram.holds(rows.taken(left).column, len(left))
        return inside


class Followed:
    """A diagram that many states walk down together."""

    def __init__(self, drawn: Drawn, terms: Terms) -> None:
        tests = [drawn.diagram.nodes[node - 2] for node in drawn.used]
        atoms = {atom: number for number, atom in enumerate(sorted({atom for atom, _, _ in tests}))}
        self._program = terms.program([drawn.tests[atom] for atom in atoms])
        self._root = drawn.diagram.root
        self._nodes = np.zeros((self._root + 1, 3), dtype=np.int64)
        """For each reference that is used the number of a test and the children."""
        self._nodes[drawn.used] = np.array([(atoms[atom], *children) for atom, *children in tests]).reshape(-1, 3)

    def holds(self, columns: Columns, count: int) -> NDArray[np.bool_]:
        """Which of so many states satisfy it; the columns are asked for slots that the diagram depends on only."""
        truth = [np.broadcast_to(test, count) for test in self._program.run(columns)]
        table = np.array(truth, dtype=bool).reshape(len(truth), count)
        at = np.full(count, self._root)
        walking = np.arange(count)
        while len(walking := walking[at[walking] > 1]):
            atom, low, high = self._nodes[at[walking]].T
            at[walking] = np.where(table[atom, walking], high, low)
        inside: NDArray[np.bool_] = at == 1
        return inside
