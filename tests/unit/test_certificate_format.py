"""Certificate files: compact, read back as they were, and refused with one line when they are malformed."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.errors import EvidenceRefused, ModelError
from symdmc.evidence.certificate import (
    Certificate,
    Diagram,
    Piece,
    certificate_from_json,
    certificate_text,
    read_certificate,
    write_certificate,
)
from symdmc.evidence.certify import certify
from symdmc.model.builder import Builder
from symdmc.model.expressions import At, Binary, Cell, Literal, Ref
from symdmc.model.files.json_format import read_json_file
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State
from symdmc.model.system import Range, System
from tests.certificates import certificate

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA: dict[str, Any] = json.loads((DOCS / "schemas/certificate.schema.json").read_text(encoding="utf-8"))


def network() -> System:
    m = Builder("network")
    m.integer("x", -2, 9)
    m.integer("a", 0, 9, size=2)
    m.buffered("q", capacity=1, values=[Range(0, 9)])
    p = m.process("P", initial="s")
    p.edge("s", "t", do="x = x + 1")
    m.process("C", initial="u").edge("u", "u", sync="q?x")
    return m.build()


def proof(system: System) -> Certificate:
    atoms = (At("P", "s"), Binary("==", Ref("x"), Literal(0)), Binary(">=", Cell("a", Ref("x")), Literal(3)))
    first = Diagram(atoms=atoms, nodes=((1, 0, 1), (2, 2, 1), (0, 3, 2)), root=4)
    second = Diagram(atoms=(), nodes=(), root=1)
    states = (State(("s", "u"), ((0,), (0, 1), (0,), (0,))), State(("t", "u"), ((-2,), (9, 9), (1,), (7,))))
    error = ErrorCondition(name="far", expression=Binary("==", Ref("x"), Literal(9)), deadlock=True)
    return certificate(system, error, [Piece(diagrams=(first, second)), Piece(diagrams=())], states)


def test_a_file_is_read_back_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    system = network()
    path = tmp_path / "proof.json"
    path.write_text("old", encoding="utf-8")
    write_certificate(path, proof(system), system)
    assert read_certificate(path, system) == proof(system)
    assert os.listdir(tmp_path) == ["proof.json"]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = network()
    path = tmp_path / "proof.json"
    path.write_text("old", encoding="utf-8")

    def refuse(source: object, target: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(KeyboardInterrupt):
        write_certificate(path, proof(system), system)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["proof.json"]


def test_the_text_is_the_same_every_time_and_fits_the_schema() -> None:
    system = network()
    text = certificate_text(proof(system), system)
    assert text == certificate_text(proof(system), system)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(text))
    empty = certificate_text(certificate(system, ErrorCondition(name="none")), system)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(empty))


def test_states_are_rows_of_numbers_under_names_given_once() -> None:
    system = network()
    states = json.loads(certificate_text(proof(system), system))["states"]
    assert states == {
        "processes": {"P": ["s", "t"], "C": ["u"]},
        "variables": ["x", "a[0]", "a[1]", "q->length", "q->item[0]"],
        "rows": [[0, 0, 0, 0, 1, 0, 0], [1, 0, -2, 9, 9, 1, 7]],
    }


def test_the_certificate_in_the_document_holds_and_fits_the_schema() -> None:
    text = (DOCS / "formats" / "certificates.md").read_text(encoding="utf-8")
    shown = re.search(r"^```json-certificate once.json\n(.*?)^```", text, re.M | re.S)
    assert shown is not None
    system = read_json_file(DOCS.parent / "examples" / "turnstile.json")
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(shown[1]))
    read = certificate_from_json(json.loads(shown[1]), system)
    assert certificate_text(read, system) == shown[1]
    assert certify(system, read).transitions == 2


def test_large_certificates_are_written_and_read_in_seconds(tmp_path: Path) -> None:
    system = network()
    rows = [
        State(("s", "u"), ((i % 10,), (i // 10 % 10, i // 100 % 10), (1,), (i // 1000 % 10,))) for i in range(100_000)
    ]
    chain = tuple((k % 3, max(0, k + 1), 1) for k in range(100_000))
    large = replace(proof(system), states=tuple(rows))
    large = replace(large, pieces=(Piece(diagrams=(replace(large.pieces[0].diagrams[0], nodes=chain, root=100_001),)),))
    started = time.process_time()
    write_certificate(tmp_path / "large.json", large, system)
    assert read_certificate(tmp_path / "large.json", system) == large
    assert time.process_time() - started < 10


def _set(*path: str | int, to: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = to

    return change


DIAGRAM = ("pieces", 0, 0)


@pytest.mark.parametrize(
    ("mutate", "fault"),
    [
        (_set("schema", to="symdmc-trace/1"), "$: the key 'schema' says \"symdmc-trace/1\""),
        (_set("model", to=3), "$.model: 3 stands where a string is expected"),
        (_set("extra", to=1), "$.extra: key 'extra' is not known here"),
        (_set("error", to=None), "$.error: null stands where an object is expected"),
        (_set("error", "deadlock", to=1), "$.error.deadlock: 1 stands where true or false is expected"),
        (_set("error", "expression", to="P.y"), "$.error.expression: process 'P' has no location 'y' at column 3"),
        (_set("pieces", to={}), "$.pieces: an object stands where a list is expected"),
        (_set("pieces", 0, to=1), "$.pieces[0]: 1 stands where a list is expected"),
        (_set("pieces", 0, 0, to=[]), "$.pieces[0][0]: a list stands where an object is expected"),
        (_set(*DIAGRAM, "atoms", 0, to="P.s and"), "$.pieces[0][0].atoms[0]: the text ends too early at column 8"),
        (_set(*DIAGRAM, "atoms", 0, to=7), "$.pieces[0][0].atoms[0]: 7 stands where a string is expected"),
        (_set(*DIAGRAM, "nodes", to="x"), '$.pieces[0][0].nodes: "x" stands where a list is expected'),
        (_set(*DIAGRAM, "nodes", 1, to=[0, 1]), "$.pieces[0][0].nodes: node 1 is not a list of three integers; give"),
        (_set(*DIAGRAM, "nodes", 1, to=[0, 1, True]), "node 1 is not a list of three integers"),
        (
            _set(*DIAGRAM, "nodes", 0, to=[0, 2, 1]),
            "node 0 leads to 2 and 1, but must lead to 0, 1 or a node before it",
        ),
        (_set(*DIAGRAM, "nodes", 0, to=[0, -1, 1]), "node 0 leads to -1 and 1"),
        (_set(*DIAGRAM, "nodes", 2, to=[3, 0, 1]), "node 2 tests atom 3, but there are 3, counted from 0"),
        (_set(*DIAGRAM, "root", to=5), "$.pieces[0][0]: the root 5 is no node"),
        (_set(*DIAGRAM, "root", to="5"), '$.pieces[0][0].root: "5" stands where an integer is expected'),
        (_set("states", to=[]), "$.states: a list stands where an object is expected"),
        (_set("states", "rows", to=None), "$.states.rows: null stands where a list is expected"),
        (_set("states", "rows", 1, to=7), "$.states.rows: row 1 is not a list of integers; give"),
        (_set("states", "rows", 1, to=[0, 0]), "$.states.rows: row 1 has 2 numbers, a state has 7"),
        (_set("states", "rows", 1, 0, to=2), "row 1 has 2 for the location of P, outside 0..1"),
        (_set("states", "rows", 1, 2, to=-3), "row 1 has -3 for x, outside -2..9"),
        (_set("states", "rows", 1, 2, to=0.5), "row 1 is not a list of integers"),
        (
            _set("states", "variables", 0, to="y"),
            "$.states.variables: these are not the variables and cells of the mod",
        ),
        (_set("states", "processes", "P", to=["t", "s"]), "$.states.processes: these are not the processes of the mod"),
    ],
)
def test_a_malformed_file_gets_one_line_with_a_path(mutate: Callable[[Any], None], fault: str) -> None:
    system = network()
    document = json.loads(certificate_text(proof(system), system))
    mutate(document)
    with pytest.raises(ModelError) as caught:
        certificate_from_json(document, system, file="c.json")
    (complaint,) = caught.value.complaints
    assert str(complaint).startswith("c.json: $")
    assert fault in str(complaint)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ("{", "is not JSON"),
        ("[]", "stands where an object is expected"),
        ("\0", "is not a text file"),
    ],
)
def test_what_is_no_document_at_all_gets_one_line(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        read_certificate(path, network())
    (complaint,) = caught.value.complaints
    assert fault in str(complaint)
    with pytest.raises(ModelError, match="cannot be read"):
        read_certificate(tmp_path / "missing.json", network())


def test_a_certificate_of_another_model_is_refused() -> None:
    system = network()
    document = json.loads(certificate_text(proof(system), system)) | {"fingerprint": "0" * 32}
    with pytest.raises(
        EvidenceRefused, match=r"c.json: the certificate belongs to another model: its fingerprint is 000"
    ):
        certificate_from_json(document, system, file="c.json")
    renamed = json.loads(certificate_text(replace(proof(system), system="old name"), system))
    assert certificate_from_json(renamed, system).system == "old name"
    assert fingerprint(system) == renamed["fingerprint"]


def test_a_malformed_certificate_made_in_python_is_no_proof() -> None:
    system = network()
    good = proof(system)
    bent = replace(good.pieces[0].diagrams[0], root=9)
    with pytest.raises(ModelError, match="a diagram is malformed: the root 9 is no node"):
        certify(system, replace(good, pieces=(Piece(diagrams=(bent,)),)))
    with pytest.raises(ModelError, match="state 0 does not have the shape of a state"):
        certify(system, replace(good, states=(State(("s",), ()),)))
    with pytest.raises(ModelError, match=r"state 0 has 10 for x, outside -2..9"):
        certify(system, replace(good, states=(State(("s", "u"), ((10,), (0, 0), (0,), (0,))),)))
