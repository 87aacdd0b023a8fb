"""The states that a search has met, as one diagram of a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from symdmc.evidence.certificate import Diagram, TestNode
from symdmc.model.expressions import Expr
from symdmc.packed.arrays import Int64s
from symdmc.search.certificates.atoms import VariableTerms
from symdmc.search.certificates.reduction import Level
from symdmc.task.task import Task
from symdmc.task.values.domains import runs

FALSE, TRUE = 0, 1


def states_diagram(task: Task, levels: Iterable[Level]) -> Diagram:
    """The diagram that has, of all states within the analysed values, those of the levels; the lowest comes first."""
    atoms: dict[Expr, int] = {}
    nodes: list[TestNode] = []
    below = np.array([TRUE])
    for level in levels:
        drawing = _LevelDrawing(task, level.variable, atoms, nodes)
        below = drawing.references(level, below[level.child])
    return Diagram(atoms=tuple(atoms), nodes=tuple(nodes), root=int(below[0]))


class _LevelDrawing:
    """Draws the nodes of one variable: one with several children becomes a chain of tests."""

    def __init__(self, task: Task, variable: int, atoms: dict[Expr, int], nodes: list[TestNode]) -> None:
        self._variable = variable
        self._domain = task.analysis.domains[variable]
        self._names = VariableTerms(task)
        self._atoms, self._nodes = atoms, nodes
        self._known_atoms: dict[tuple[int, ...], int] = {}
        self._known_nodes: dict[TestNode, int] = {}

    def references(self, level: Level, targets: Int64s) -> Int64s:
        """For each node of the level where it is drawn; its entries lead to the targets."""
        found = np.empty(len(level), dtype=np.int64)
        is_alone = np.diff(level.start) == 1
        entries = level.start[:-1][is_alone]
        found[is_alone] = self._single_tests(level.value[entries], targets[entries])
        start, values, leads = level.start.tolist(), level.value.tolist(), targets.tolist()
        for node in np.flatnonzero(~is_alone).tolist():
            first, last = start[node], start[node + 1]
            found[node] = self._chain(values[first:last], leads[first:last])
        return found

    def _single_tests(self, values: Int64s, targets: Int64s) -> list[int]:
        """Nodes that lead to a target at one value, and to false at all others."""
        different, like = np.unique(values, return_inverse=True)
        atoms = np.array([self._atom([value]) for value in different.tolist()], dtype=np.int64)
        tests = zip(atoms[like].tolist(), targets.tolist(), strict=True)
        return [self._node(atom, FALSE, target) for atom, target in tests]

    def _chain(self, values: Sequence[int], targets: Sequence[int]) -> int:
        """Tests for all but the commonest target, one after the other; values that are not there lead to false."""
        by_target: dict[int, list[int]] = {}
        for value, target in zip(values, targets, strict=True):
            by_target.setdefault(target, []).append(value)
        missing = self._domain.count - len(values)
        ordered = sorted(by_target, key=lambda target: (len(by_target[target]), target))
        reference = FALSE
        if missing < len(by_target[ordered[-1]]):
            reference = ordered.pop()
            if missing:
                by_target[FALSE] = np.setdiff1d(self._domain.array, values).tolist()
                ordered.insert(0, FALSE)
        for target in ordered:
            reference = self._node(self._atom(by_target[target]), reference, target)
        return reference

    def _atom(self, values: Sequence[int]) -> int:
        key = tuple(values)
        if key not in self._known_atoms:
            atom = self._names.within(self._variable, runs(np.array(values)))
            self._known_atoms[key] = self._atoms.setdefault(atom, len(self._atoms))
        return self._known_atoms[key]

    def _node(self, atom: int, low: int, high: int) -> int:
        test = atom, low, high
        if test not in self._known_nodes:
            self._nodes.append(test)
            self._known_nodes[test] = len(self._nodes) + 1
        return self._known_nodes[test]
