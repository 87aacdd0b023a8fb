"""What a search has proved, as a certificate: an inductive set of states without error states."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from symdmc.encode.order.orders import variable_order
from symdmc.evidence.certificate import Certificate, Diagram, Piece
from symdmc.lookup.tables import DEAD_END, DecisionTable
from symdmc.model.expressions import Expr, conjuncts
from symdmc.model.fingerprint import fingerprint
from symdmc.model.state import State
from symdmc.running.run import LimitReached, Run, resident_bytes
from symdmc.search.certificates.atoms import VariableTerms
from symdmc.search.certificates.boxes import Box, box_diagrams
from symdmc.search.certificates.reduction import reduced
from symdmc.search.certificates.states import states_diagram
from symdmc.search.walk import ListingWalk
from symdmc.task.definitions import Holds
from symdmc.task.merged_values import class_numbers
from symdmc.task.task import Task, VariableKind
from symdmc.task.values.domains import Domain, runs

LISTED = 1_000
"""At most this many states are written one by one; more of them take less room and time as a diagram."""
ORDER = "local"
"""How the variables are ordered in that diagram."""
WORK_WORDS = 8
"""For each state, the words that making the diagram takes besides two copies of the state."""


def certificate_of(
    task: Task,
    *,
    dead_ends: Iterable[DecisionTable] = (),
    boxes: Iterable[Box] = (),
    states: Iterable[State] = (),
) -> Certificate:
    """The certificate whose set has the dead ends of tables and boxes, within the analysed values, and some states.

    The dead ends of a table are closed under steps, because those of its abstraction are.
    """
    return _certificate(task, [_dead_ends(task, table) for table in dead_ends], boxes, states)


def within_limits(make: Callable[[], Certificate | None]) -> Certificate | None:
    """The certificate that is made; None where a limit is reached on the way."""
    try:
        return make()
    except LimitReached:
        return None


def certificate_of_walk(
    task: Task,
    walk: ListingWalk,
    run: Run,
    *,
    dead_ends: Iterable[DecisionTable] = (),
    boxes: Iterable[Box] = (),
) -> Certificate | None:
    """The certificate whose set also has the states that a walk has met; None where a limit is reached."""
    packed = walk.packed()
    if packed is None or len(packed.words) <= LISTED:
        return certificate_of(task, dead_ends=dead_ends, boxes=boxes, states=walk.states())
    needed = 2 * packed.words.nbytes + 8 * WORK_WORDS * len(packed.words)
    if resident_bytes() + needed > run.memory_bytes:
        return None
    order = variable_order(task, ORDER).variables
    try:
        levels = reduced(packed.words, packed.packing, order, run.checkpoint)
    except LimitReached:
        return None
    tables = [_dead_ends(task, table) for table in dead_ends]
    return _certificate(task, [*tables, (states_diagram(task, levels),)], boxes)


def _dead_ends(task: Task, table: DecisionTable) -> tuple[Diagram, ...]:
    """The dead ends of a table that satisfy the invariants: an abstraction may use that these hold."""
    held = (Diagram(atoms=(part,), nodes=((0, 0, 1),), root=2) for part in conjuncts(task.invariant))
    return (table_diagram(task, table, DEAD_END), *held)


def _certificate(
    task: Task, diagrams: Iterable[tuple[Diagram, ...]], boxes: Iterable[Box], states: Iterable[State] = ()
) -> Certificate:
    """The certificate of the states of the diagrams and boxes, within the analysed values, and of some others."""
    box = tuple(_box(task))
    pieces = [*diagrams, *(tuple(box_diagrams(task, each)) for each in boxes)]
    return Certificate(
        fingerprint=fingerprint(task.system),
        system=task.system.name,
        property=task.error.name,
        error=task.error,
        pieces=tuple(Piece(diagrams=(*box, *own)) for own in pieces),
        states=tuple(states),
    )


def _box(task: Task) -> Iterable[Diagram]:
    """For each variable with fewer values than its type has: that it has one of them."""
    names = VariableTerms(task)
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


def table_diagram(task: Task, table: DecisionTable, code: int) -> Diagram:
    """The states to which the table gives a code. Its nodes test in the order of the table's variables."""
    return _Unfolding(task, table, code).diagram()


class _Unfolding:
    """A table as a diagram: a node with several children becomes a chain of tests."""

    def __init__(self, task: Task, table: DecisionTable, code: int) -> None:
        self.task, self.table, self.code = task, table, code
        self.names = VariableTerms(task)
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
        number, start = int(self.table.variable[node]), int(self.table.start[node])
        definition, classes = self.table.definitions.get(number), self.table.classes[number]
        leads = [self._reference(int(self.table.children[start + k])) for k in range(int(classes.max()) + 1)]
        if isinstance(definition, Holds):
            no, yes = (leads[int(each)] for each in classes)
            return no if no == yes else self._tested(definition.condition, no, yes)
        variable = number if definition is None else definition.variable
        values = self.task.analysis.domains[variable].array
        own = values - self.table.low[number] if definition is None else class_numbers(definition, values)
        to = np.array(leads)[np.asarray(classes)[own]]
        targets = sorted(set(to.tolist()), key=lambda target: (int((to == target).sum()), target))
        reference = int(targets[-1])
        for target in targets[:-1]:
            reference = self._tested(self.names.within(variable, runs(values[to == target])), reference, target)
        return reference

    def _tested(self, atom: Expr, low: int, high: int) -> int:
        return self._node(self.atoms.setdefault(atom, len(self.atoms)), low, high)

    def _node(self, atom: int, low: int, high: int) -> int:
        key = (atom, low, high)
        if key not in self._unique:
            self.nodes.append(key)
            self._unique[key] = len(self.nodes) + 1
        return self._unique[key]
