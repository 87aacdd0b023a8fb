"""Whether states satisfy diagrams, for many states at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symdmc.evidence.smt.arrays import Columns, TermCompiler
from symdmc.evidence.smt.diagrams import DiagramTerms
from symdmc.evidence.visiting.state_rows import StateRows

PORTION = 1 << 15
"""This many states are handled together, so that their columns fit into the caches of a processor."""


class Membership:
    """Answers for many states at once whether they satisfy all of some diagrams."""

    def __init__(self, diagrams: Sequence[DiagramTerms], compiler: TermCompiler) -> None:
        self._diagrams = [DiagramProgram(each, compiler) for each in diagrams]

    def holds(self, rows: StateRows) -> NDArray[np.bool_]:
        """Which of the states satisfy all diagrams."""
        found = [self._portion(portion) for portion in rows.portions(PORTION)]
        return np.concatenate(found) if found else np.zeros(0, dtype=bool)

    def _portion(self, rows: StateRows) -> NDArray[np.bool_]:
        inside = np.ones(len(rows), dtype=bool)
        for diagram in self._diagrams:
            left = np.flatnonzero(inside)
            inside[left] = diagram.holds(rows.taken(left).column, len(left))
        return inside


class DiagramProgram:
    """A diagram that is followed for many states at once."""

    def __init__(self, terms: DiagramTerms, compiler: TermCompiler) -> None:
        tests = [terms.diagram.nodes[node - 2] for node in terms.used]
        atoms = {atom: number for number, atom in enumerate(sorted({atom for atom, _, _ in tests}))}
        self._program = compiler.program([terms.tests[atom] for atom in atoms])
        self._root = terms.diagram.root
        self._nodes = np.zeros((self._root + 1, 3), dtype=np.int64)
        """For each reference in use, the number of its test and its children."""
        self._nodes[terms.used] = np.array([(atoms[atom], *children) for atom, *children in tests]).reshape(-1, 3)

    def holds(self, columns: Columns, count: int) -> NDArray[np.bool_]:
        """Which of `count` states satisfy it; `columns` is called only for slots on which the diagram depends."""
        truth = [np.broadcast_to(test, count) for test in self._program.run(columns)]
        table = np.array(truth, dtype=bool).reshape(len(truth), count)
        at = np.full(count, self._root)
        walking = np.arange(count)
        while len(walking := walking[at[walking] > 1]):
            atom, low, high = self._nodes[at[walking]].T
            at[walking] = np.where(table[atom, walking], high, low)
        inside: NDArray[np.bool_] = at == 1
        return inside
