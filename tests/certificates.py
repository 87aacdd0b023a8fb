"""Certificates of sets of states, and what they are worth by brute force."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import TypeAlias

import pytest

from symdmc.evidence.certificate import Certificate, Diagram, Piece, TestNode
from symdmc.model.error_states import is_error_state
from symdmc.model.expressions import At, Binary, Cell, Expr, Literal, Ref
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.steps import Value
from symdmc.model.system import System

Row: TypeAlias = tuple[Value, ...]


def certificate(
    system: System, error: ErrorCondition, pieces: Sequence[Piece] = (), states: Sequence[State] = ()
) -> Certificate:
    return Certificate(
        fingerprint=fingerprint(system),
        system=system.name,
        property=error.name,
        error=error,
        pieces=tuple(pieces),
        states=tuple(states),
    )


def is_proof(system: System, error: ErrorCondition, states: Collection[State]) -> bool:
    """Whether the set is inductive and free of error states, from the definitions."""
    semantics = Semantics(system)
    return all(state in states for state in semantics.initial_states()) and all(
        not is_error_state(semantics, state, error) and all(step.successor in states for step in semantics.steps(state))
        for state in states
    )


def all_states(system: System) -> list[State]:
    """Every state within the declared ranges; constants hold their values."""
    cells = [
        [tuple(each[0] for each in variable.initial)]
        if variable.constant
        else list(product(range(variable.type.low, variable.type.high + 1), repeat=variable.cells))
        for variable in system.storage
    ]
    places = [[place.name for place in process.locations] for process in system.processes]
    return [State(at, values) for at in product(*places) for values in product(*cells)]


def satisfies(semantics: Semantics, diagram: Diagram, state: State) -> bool:
    node = diagram.root
    while node > 1:
        atom, low, high = diagram.nodes[node - 2]
        node = high if semantics.holds(diagram.atoms[atom], state) else low
    return node == 1


@contextmanager
def judged_by(way: str) -> Iterator[None]:
    """While this is open, pieces are judged by z3 only, or all states by visits, a few at a time."""
    changes = {
        "z3": {"visiting.visiting.STATES_PER_NODE": -1},
        "visits": {
            "visiting.visiting.STATES_PER_NODE": 10**6,
            "certify.MOST_EXPLICIT_BY_REFEREE": -1,
            "visiting.visiting.PORTION": 7,
            "visiting.membership.PORTION": 5,
        },
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in changes[way].items():
            patch.setattr(f"symdmc.evidence.{name}", value)
        yield


def diagram_of(states: Collection[State], system: System) -> Diagram:
    """The diagram of exactly these states: it tests one location or cell after the other, value by value."""
    drawing = _Drawing(system)
    rows = sorted({row_of(state) for state in states}, key=repr)
    root = drawing.draw(rows, 0)
    return Diagram(atoms=tuple(drawing.atoms), nodes=tuple(drawing.nodes), root=root)


def boxes_of(states: Collection[State], system: System) -> list[Diagram]:
    """For each location and cell the diagram of the values it has in the states."""
    boxes = []
    for column in range(len(row_of(next(iter(states))))):
        drawing = _Drawing(system)
        values = sorted({row_of(state)[column] for state in states}, key=repr)
        root = drawing.tests(column, [(value, 1) for value in values], 0)
        boxes.append(Diagram(atoms=tuple(drawing.atoms), nodes=tuple(drawing.nodes), root=root))
    return boxes


def row_of(state: State) -> Row:
    return (*state.locations, *(value for cells in state.values for value in cells))


class _Drawing:
    """A diagram in the making."""

    def __init__(self, system: System) -> None:
        self.places = [process.name for process in system.processes]
        self.cells: list[tuple[str, int | None]] = []
        for variable in system.storage:
            positions = [None] if variable.size is None else list(range(variable.size))
            self.cells += [(variable.name, position) for position in positions]
        self.atoms: list[Expr] = []
        self.nodes: list[TestNode] = []

    def draw(self, rows: Sequence[Row], column: int) -> int:
        if not rows:
            return 0
        if column == len(rows[0]):
            return 1
        values = dict.fromkeys(row[column] for row in rows)
        children = [(value, self.draw([row for row in rows if row[column] == value], column + 1)) for value in values]
        return self.tests(column, children, 0)

    def tests(self, column: int, children: Sequence[tuple[Value, int]], otherwise: int) -> int:
        for value, child in reversed(children):
            if child != otherwise:
                self.nodes.append((self.number(self.atom(column, value)), otherwise, child))
                otherwise = len(self.nodes) + 1
        return otherwise

    def number(self, atom: Expr) -> int:
        if atom not in self.atoms:
            self.atoms.append(atom)
        return self.atoms.index(atom)

    def atom(self, column: int, value: Value) -> Expr:
        if isinstance(value, str):
            return At(self.places[column], value)
        name, position = self.cells[column - len(self.places)]
        place = Ref(name) if position is None else Cell(name, Literal(position))
        return Binary("==", place, Literal(value))
