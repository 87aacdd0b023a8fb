"""What a search has proved, as a certificate: an inductive set of states without error states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from symdmc.evidence.certificate import Certificate, Diagram, Piece
from symdmc.kernel.lookup import DEAD_END, DecisionTable
from symdmc.model.expressions import At, Binary, Cell, Expr, Literal, Ref, conjunction, disjunction
from symdmc.model.fingerprint import fingerprint
from symdmc.model.state import State
from symdmc.task.domains import Domain
from symdmc.task.task import Task, VariableKind


def certificate_of(task: Task, *, dead_ends: Iterable[DecisionTable] = (), states: Iterable[State] = ()) -> Certificate:
    """The certificate whose set has the dead ends of some tables, within the analysed values, and some states.

    The dead ends of a table are closed under steps, because those of its abstraction are.
    """
    box = tuple(_box(task))
    return Certificate(
        fingerprint=fingerprint(task.system),
        system=task.system.name,
        property=task.error.name,
        error=task.error,
        pieces=tuple(Piece(diagrams=(*box, table_diagram(task, table, DEAD_END))) for table in dead_ends),
        states=tuple(states),
    )


def _box(task: Task) -> Iterable[Diagram]:
    """For each variable with fewer values than its type has: that it has one of them."""
    names = Names(task)
    for number, (variable, domain) in enumerate(zip(task.variables, task.analysis.domains, strict=True)):
        size = (
            len(variable.value_names)
            if variable.kind is VariableKind.LOCATION
            else variable.type.high - variable.type.low + 1
        )
        if domain.count < size:
            yield Diagram(atoms=(names.within(number, _runs(domain)),), nodes=((0, 0, 1),), root=2)


def _runs(domain: Domain) -> list[tuple[int, int]]:
    return [(domain.low, domain.high)] if domain.listed is None else runs(domain.array)


def runs(values: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Sorted values as intervals."""
    if len(values) == 0:
        return []
    breaks = np.flatnonzero(np.diff(values) > 1)
    starts, ends = values[np.r_[0, breaks + 1]], values[np.r_[breaks, len(values) - 1]]
    return [(int(low), int(high)) for low, high in zip(starts, ends, strict=True)]


class Names:
    """The variables of a task as expressions of the model language."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._terms: dict[int, Expr] = {}
        for name, first in task.layout.first.items():
            cells = task.layout.cells[name]
            if task.variables[first].name == name:
                self._terms[first] = Ref(name)
            else:
                self._terms |= {first + k: Cell(name, Literal(k)) for k in range(cells)}

    def within(self, number: int, intervals: Sequence[tuple[int, int]]) -> Expr:
        """The variable has a value in one of the intervals."""
        variable = self.task.variables[number]
        if variable.kind is VariableKind.LOCATION:
            places = [place for low, high in intervals for place in range(low, high + 1)]
            return disjunction(*(At(variable.name, variable.value_names[place]) for place in places))
        term = self._terms[number]
        return disjunction(*(_between(term, low, high) for low, high in intervals))


def _between(term: Expr, low: int, high: int) -> Expr:
    if low == high:
        return Binary("==", term, Literal(low))
    return conjunction(Binary(">=", term, Literal(low)), Binary("<=", term, Literal(high)))


def table_diagram(task: Task, table: DecisionTable, code: int) -> Diagram:
    """The states to which the table gives a code. Its nodes test in the order of the table's variables."""
    return _Unfolding(task, table, code).diagram()


class _Unfolding:
    """A table as a diagram: a node with several children becomes a chain of tests."""

    def __init__(self, task: Task, table: DecisionTable, code: int) -> None:
        self.task, self.table, self.code = task, table, code
        self.names = Names(task)
        self.atoms: dict[Expr, int] = {}
        self.nodes: list[tuple[int, int, int]] = []
        self._unique: dict[tuple[int, int, int], int] = {}
        self._references: list[int] = []

    def diagram(self) -> Diagram:
        """All of it."""
        for node in range(len(self.table)):  # children come before their parents
            self._references.append(self._chain(node))
        return Diagram(atoms=tuple(self.atoms), nodes=tuple(self.nodes), root=self._reference(self.table.root))

    def _reference(self, entry: int) -> int:
        return self._references[entry] if entry >= 0 else int(-1 - entry == self.code)

    def _chain(self, node: int) -> int:
        """Tests for all but the commonest child, one after the other."""
        table, number = self.table, int(self.table.variable[node])
        classes, low = table.classes[number], table.low[number]
        values = self.task.analysis.domains[number].array
        own = np.asarray(classes)[values - low]
        start = int(table.start[node])
        leads = np.array([self._reference(int(table.children[start + k])) for k in range(int(own.max()) + 1)])
        to = leads[own]
        targets = sorted(set(to.tolist()), key=lambda target: (int((to == target).sum()), target))
        reference = int(targets[-1])
        for target in targets[:-1]:
            atom = self.names.within(number, runs(values[to == target]))
            reference = self._node(self.atoms.setdefault(atom, len(self.atoms)), reference, target)
        return reference

    def _node(self, atom: int, low: int, high: int) -> int:
        key = (atom, low, high)
        if key not in self._unique:
            self.nodes.append(key)
            self._unique[key] = len(self.nodes) + 1
        return self._unique[key]
