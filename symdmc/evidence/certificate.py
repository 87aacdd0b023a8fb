"""Certificates of safety: an inductive set of states without error states, and its file format.

docs/formats/certificates.md describes the format.

The set is the union of two parts: pieces, each a conjunction of decision diagrams whose nodes test Boolean expressions
of the model language, and a list of states. Only `evidence.certify` shows that it is inductive.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from symdmc.errors import Code, Complaint
from symdmc.model.expressions import FALSE, Expr
from symdmc.model.files.condition_format import condition_from_json, condition_to_json
from symdmc.model.files.json_reading import JsonFields, JsonNode, load_json
from symdmc.model.files.text_file import write_text_file
from symdmc.model.fingerprint import evidence_fields
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.model.state import State
from symdmc.model.steps import cell_names
from symdmc.model.system import System

SCHEMA = "symdmc-certificate/1"

_CERTIFICATE = ("schema", "model", "fingerprint", "property", "error", "pieces", "states")
_DIAGRAM = ("atoms", "nodes", "root")
_STATES = ("processes", "variables", "rows")

TestNode: TypeAlias = tuple[int, int, int]
"""The number of an atom, the reference where it is false, and the reference where it is true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """A decision diagram over atoms; an atom that faults in a state is false there.

    A reference to a node is 0 for false, 1 for true, and k + 2 for `nodes[k]`. Children stand before their parents.
    """

    atoms: tuple[Expr, ...]
    nodes: tuple[TestNode, ...]
    root: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The states that satisfy all of the diagrams."""

    diagrams: tuple[Diagram, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate:
    """The union of the pieces and the states, said to hold every reachable state and no error state."""

    fingerprint: str
    """The fingerprint of the system that the certificate belongs to."""
    system: str
    """The name of that system."""
    property: str
    """The question that the certificate answers."""
    error: ErrorCondition
    pieces: tuple[Piece, ...] = ()
    states: tuple[State, ...] = ()

    def __repr__(self) -> str:
        return f"Certificate({self.property[:60]!r}, pieces={len(self.pieces)}, states={len(self.states)})"


def diagram_fault(diagram: Diagram) -> str | None:
    """What is wrong with the shape of a diagram; None if nothing is."""
    atoms = len(diagram.atoms)
    for number, (atom, low, high) in enumerate(diagram.nodes):
        if not 0 <= atom < atoms:
            return f"node {number} tests atom {atom}, but there are {atoms}, counted from 0"
        if not (0 <= low < number + 2 and 0 <= high < number + 2):
            return f"node {number} leads to {low} and {high}, but must lead to 0, 1 or a node before it"
    if not 0 <= diagram.root < len(diagram.nodes) + 2:
        return f"the root {diagram.root} is no node"
    return None


def certificate_text(certificate: Certificate, system: System) -> str:
    """The certificate as the text of a JSON file, one diagram or state a line."""
    head = {
        "schema": SCHEMA,
        "model": certificate.system,
        "fingerprint": certificate.fingerprint,
        "property": certificate.property,
        "error": condition_to_json(certificate.error),
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    pieces = ",\n".join(f"    [\n{_piece_text(piece)}\n    ]" for piece in certificate.pieces)
    lines.append(f'  "pieces": [\n{pieces}\n  ],' if pieces else '  "pieces": [],')
    lines.append(f'  "states": {_states_text(certificate.states, system)}')
    return "{\n" + "\n".join(lines) + "\n}\n"


def _piece_text(piece: Piece) -> str:
    return ",\n".join(f"      {_compact(_diagram_to_json(diagram))}" for diagram in piece.diagrams)


def _diagram_to_json(diagram: Diagram) -> dict[str, object]:
    return {"atoms": [str(atom) for atom in diagram.atoms], "nodes": diagram.nodes, "root": diagram.root}


def _states_text(states: Sequence[State], system: System) -> str:
    places = [{place: i for i, place in enumerate(names)} for names in _locations(system).values()]
    rows = ",\n".join(f"      {_compact(numbers_of(state, places))}" for state in states)
    lines = [
        f'    "processes": {_compact(_locations(system))},',
        f'    "variables": {_compact(_cells(system))},',
        f'    "rows": [\n{rows}\n    ]' if rows else '    "rows": []',
    ]
    return "{\n" + "\n".join(lines) + "\n  }"


def numbers_of(state: State, places: Sequence[Mapping[str, int]]) -> list[int]:
    """A state as numbers: the places of its locations among those of each process, then the values of all cells."""
    at = [known[place] for known, place in zip(places, state.locations, strict=True)]
    return [*at, *(value for cells in state.values for value in cells)]


def _locations(system: System) -> dict[str, list[str]]:
    return {process.name: [place.name for place in process.locations] for process in system.processes}


def _cells(system: System) -> list[str]:
    return [name for variable in system.storage for name in cell_names(variable)]


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def write_certificate(path: str | Path, certificate: Certificate, system: System) -> None:
    """Write the certificate to a file, whole or not at all."""
    write_text_file(Path(path), certificate_text(certificate, system))


def read_certificate(path: str | Path, system: System) -> Certificate:
    """The certificate in a file; ModelError in one line for a bad file, EvidenceRefused for another system's."""
    return certificate_from_json(load_json(Path(path)), system, file=str(path))


def certificate_from_json(data: object, system: System, file: str = "<json>") -> Certificate:
    """The certificate that `certificate_text` wrote; it is well formed, but only `certify` shows that it holds."""
    fields = evidence_fields(data, system, _CERTIFICATE, file=file, schema=SCHEMA, kind="certificate")
    certificate = _CertificateReader(system).certificate(fields)
    fields.node.document.check()
    return certificate


class _CertificateReader:
    """Builds the parts of a certificate of one system; of several faults of one kind, the first is noted."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.scope = Scope.of(system)
        self.known: dict[str, Expr] = {}
        """Atoms read before; diagrams of one certificate share most of them."""

    def certificate(self, fields: JsonFields) -> Certificate:
        name = fields.text("property")
        return Certificate(
            fingerprint=fields.text("fingerprint"),
            system=fields.text("model"),
            property=name,
            error=condition_from_json(fields.members["error"], name, self.scope),
            pieces=tuple(self.piece(node) for node in fields.items("pieces")),
            states=self.states(fields.members["states"]),
        )

    def expression(self, node: JsonNode) -> Expr:
        text = node.value
        if isinstance(text, str) and text in self.known:
            return self.known[text]
        expression = node.parsed(parse_expression, self.scope, FALSE)
        if isinstance(text, str):
            self.known[text] = expression
        return expression

    def piece(self, node: JsonNode) -> Piece:
        return Piece(diagrams=tuple(self.diagram(item) for item in node.items()))

    def diagram(self, node: JsonNode) -> Diagram:
        fields = node.fields(_DIAGRAM)
        nodes = fields.get("nodes")
        diagram = Diagram(
            atoms=tuple(self.expression(item) for item in fields.items("atoms")),
            nodes=() if nodes is None else self.nodes(nodes),
            root=fields.integer("root"),
        )
        fault = diagram_fault(diagram) if node.document.complaints == [] else None
        if fault is not None:
            node.complain(Code.CERTIFICATE_DAMAGED, fault, "write the diagram again")
        return diagram

    def nodes(self, node: JsonNode) -> tuple[TestNode, ...]:
        nodes: list[TestNode] = []
        for number, item in enumerate(node.elements()):
            if not (isinstance(item, list) and len(item) == 3 and _are_integers(item)):
                what = f"node {number} is not a list of three integers"
                node.complain(
                    Code.CERTIFICATE_DAMAGED,
                    what,
                    "give an atom, the node where it is false and the node where it is true",
                )
                break
            atom, low, high = item
            nodes.append((atom, low, high))
        return tuple(nodes)

    def states(self, node: JsonNode) -> tuple[State, ...]:
        fields = node.fields(_STATES)
        self.agree(fields.get("processes"), _locations(self.system), "the processes of the model with their locations")
        self.agree(fields.get("variables"), _cells(self.system), "the variables and cells of the model")
        rows = fields.get("rows")
        return () if rows is None else self.rows(rows)

    def agree(self, node: JsonNode | None, own: object, words: str) -> None:
        ordered = list(own.items()) if isinstance(own, dict) else own
        given = None if node is None else list(node.value.items()) if isinstance(node.value, dict) else node.value
        if node is not None and given != ordered:
            node.complain(Code.CERTIFICATE_DAMAGED, f"these are not {words}", "list them in the order of the model")

    def rows(self, node: JsonNode) -> tuple[State, ...]:
        states: list[State] = []
        bounds = tuple(_bounds(self.system))
        for number, row in enumerate(node.elements()):
            fault = _row_fault(row, bounds)
            if fault is not None:
                node.complain(
                    Code.CERTIFICATE_DAMAGED,
                    f"row {number} {fault}",
                    "give a location or value for every process, variable and cell",
                )
                break
            assert isinstance(row, list)
            states.append(self.state(row))
        return tuple(states)

    def state(self, row: list[int]) -> State:
        rest = iter(row)
        locations = tuple(process.locations[next(rest)].name for process in self.system.processes)
        values = (tuple(next(rest) for _ in range(variable.cells)) for variable in self.system.storage)
        return State(locations, tuple(values))


def _bounds(system: System) -> Iterator[tuple[str, int, int]]:
    """For each number in a row its name, and the smallest and largest it can be."""
    for process in system.processes:
        yield f"the location of {process.name}", 0, len(process.locations) - 1
    for variable in system.storage:
        yield from ((name, variable.type.low, variable.type.high) for name in cell_names(variable))


def _row_fault(row: object, bounds: Sequence[tuple[str, int, int]]) -> str | None:
    if not isinstance(row, list) or not _are_integers(row):
        return "is not a list of integers"
    if len(row) != len(bounds):
        return f"has {len(row)} numbers, a state has {len(bounds)}"
    for value, (name, low, high) in zip(row, bounds, strict=True):
        if not low <= value <= high:
            return f"has {value} for {name}, outside {low}..{high}"
    return None


def _are_integers(items: Sequence[object]) -> bool:
    return all(type(item) is int for item in items)


def certificate_fault(certificate: Certificate, system: System) -> Complaint | None:
    """What is wrong with the shape of a certificate made in Python; None for every one that was read from a file."""
    for piece in certificate.pieces:
        for diagram in piece.diagrams:
            fault = diagram_fault(diagram)
            if fault is not None:
                return Complaint(Code.CERTIFICATE_DAMAGED, f"a diagram is malformed: {fault}", where="certificate")
    places = [{place: i for i, place in enumerate(names)} for names in _locations(system).values()]
    bounds = tuple(_bounds(system))
    for number, state in enumerate(certificate.states):
        try:
            fault = _row_fault(numbers_of(state, places), bounds)
        except (KeyError, ValueError):
            fault = "does not have the shape of a state"
        if fault is not None:
            return Complaint(Code.CERTIFICATE_DAMAGED, f"state {number} {fault}", where="certificate")
    return None
