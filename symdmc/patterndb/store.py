"""Pattern databases in files: versioned JSON with a digest and the task's fingerprint; arrays in base64.

The digest finds what a file has suffered by accident. Whoever changes a file on purpose can change its digest too, so
what is read need not be true: it is only safe to use, and what rests on it is proved elsewhere before it is said.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symdmc.encode.tables.derived_tests import probed
from symdmc.errors import Code, Complaint, ModelError
from symdmc.lookup.tables import DecisionTable
from symdmc.model.files.json_reading import JsonDocument, JsonFields, JsonNode, excerpt, load_json
from symdmc.model.files.text_file import write_text_file
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.outcome import Layer
from symdmc.patterndb.database import FORWARD, PAIRS, VALUES, PatternDatabase, locations_of
from symdmc.patterndb.well_formed import initial_states_agree, is_well_formed
from symdmc.spelling.speech import BUILD_DATABASE
from symdmc.task.definitions import Definition, Holds
from symdmc.task.derived import extended
from symdmc.task.fingerprint import task_fingerprint
from symdmc.task.merged_values import merged_values
from symdmc.task.task import Task

SCHEMA = "symdmc-database/3"

DIGEST = "sha256"
PREDICATE, DOMAIN = "predicate", "domain"
MOST_DIGITS = 9
"""The number of a variable has no more digits than this."""
MANY = 10**15
"""No count and no time in a file is larger."""
INT32, INT64 = range(-(2**31), 2**31), range(-(2**63), 2**63)


def write_database(path: Path, database: PatternDatabase) -> None:
    """Write the database to a file, whole or not at all."""
    write_text_file(path, json.dumps(_to_json(database), indent=1) + "\n")


def _to_json(database: PatternDatabase) -> dict[str, object]:
    table = database.table
    document: dict[str, object] = {
        "schema": SCHEMA,
        "fingerprint": database.fingerprint,
        "pattern": list(database.pattern),
        "complete": database.complete,
        "restriction": database.restriction,
        "restriction_nodes": database.restriction_nodes,
        "h_initial": database.h_initial,
        "costs": None if database.costs is None else _packed(np.array(database.costs, dtype="<i4")),
        "seconds": database.seconds,
        "peak_nodes": database.peak_nodes,
        "layers": [{"depth": each.depth, "nodes": each.nodes, "seconds": each.seconds} for each in database.layers],
        "values": {str(number): _packed(values) for number, values in sorted(database.values.items())},
        "root": table.root,
        "variable": _packed(table.variable),
        "start": _packed(table.start),
        "children": _packed(table.children),
        "classes": {str(number): _packed(classes) for number, classes in sorted(table.classes.items())},
        "low": {str(number): low for number, low in sorted(table.low.items())},
        "definitions": {str(number): _written(each) for number, each in sorted(database.definitions.items())},
    }
    return document | {DIGEST: digest(document)}


def digest(document: Mapping[str, object]) -> str:
    """The SHA-256 of all that a document says besides its digest, however it is laid out."""
    content = {key: value for key, value in document.items() if key != DIGEST}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _written(definition: Definition) -> dict[str, str]:
    """The definition of a derived variable, in the language of the model."""
    return {PREDICATE if isinstance(definition, Holds) else DOMAIN: definition.text}


def _packed(array: NDArray[np.integer]) -> str:
    return base64.b64encode(array.astype("<i8").tobytes()).decode("ascii")


def read_database(path: Path, task: Task) -> PatternDatabase:
    """The database in a file; ModelError says in one line why it cannot serve the task."""
    document = JsonDocument(str(path))
    root = JsonNode(load_json(path), document)
    members = root.members()
    schema = members["schema"].value if "schema" in members else None
    if schema != SCHEMA:
        what = "is no pattern database" if schema is None else f'has the format {excerpt(schema)}, not "{SCHEMA}"'
        raise ModelError(Complaint(Code.WRONG_SCHEMA, what, str(BUILD_DATABASE), str(path)))
    fields = root.fields(_KEYS)
    document.check()
    _require_intact(fields, path)
    fingerprint = fields.members["fingerprint"].text()
    if fingerprint != task_fingerprint(task):
        what = "belongs to another model or error condition"
        raise ModelError(Complaint(Code.OTHER_MODEL, what, str(BUILD_DATABASE), str(path)))
    definitions = _definitions(fields.members["definitions"], task)
    document.check()
    database = _database(fields, task, definitions)
    document.check()
    if not is_well_formed(database, task):
        raise ModelError(Complaint(Code.DATABASE_DAMAGED, "is damaged", str(BUILD_DATABASE), str(path)))
    found = replace(database, table=probed(extended(task, definitions.values()), database.table), file=path)
    if not initial_states_agree(found, task):
        raise ModelError(Complaint(Code.DATABASE_DAMAGED, "is damaged", str(BUILD_DATABASE), str(path)))
    return found


def _require_intact(fields: JsonFields, path: Path) -> None:
    """Refuse a file that is not as it was written."""
    try:
        own = digest({key: node.value for key, node in fields.members.items()})
    except (RecursionError, ValueError):
        own = None
    if fields.members[DIGEST].value != own:
        raise ModelError(
            Complaint(
                Code.DATABASE_DAMAGED,
                "is damaged: its digest is not that of its content",
                str(BUILD_DATABASE),
                str(path),
            )
        )


_KEYS = (
    *("schema", "fingerprint", "pattern", "complete", "restriction", "restriction_nodes", "h_initial", "costs"),
    *("seconds", "peak_nodes", "layers", "values", "root", "variable", "start", "children", "classes"),
    *("low", "definitions", DIGEST),
)


def _table(fields: JsonFields, definitions: Mapping[int, Definition]) -> DecisionTable:
    """The look-up table, without probes."""
    at = fields.members
    classes = _arrays(at["classes"])
    return DecisionTable(
        root=_bounded(at["root"], INT32),
        variable=_array(at["variable"], INT32).astype(np.int32),
        start=_array(at["start"]),
        children=_array(at["children"], INT32).astype(np.int32),
        classes=classes,
        low={number: _bounded(node, INT32) for number, node in _numbered(at["low"])},
        definitions={number: each for number, each in definitions.items() if number in classes},
    )


def _database(fields: JsonFields, task: Task, definitions: Mapping[int, Definition]) -> PatternDatabase:
    """What the file says, whether it fits together or not."""
    at = fields.members
    return PatternDatabase(
        fingerprint=task_fingerprint(task),
        pattern=tuple(item.text() for item in at["pattern"].items()),
        values=_arrays(at["values"]),
        table=_table(fields, definitions),
        complete=at["complete"].flag(),
        restriction=_restriction(at["restriction"]),
        restriction_nodes=_count(at["restriction_nodes"]),
        layers=tuple(_layer(item) for item in at["layers"].items()),
        h_initial=None if at["h_initial"].value is None else _count(at["h_initial"]),
        costs=_optional(at["costs"]),
        seconds=_number(at["seconds"]),
        peak_nodes=_count(at["peak_nodes"]),
        value_names=locations_of(task),
        definitions=definitions,
    )


def _definitions(node: JsonNode, task: Task) -> dict[int, Definition]:
    """The definitions of derived variables, by their numbers."""

    def defined(text: str, kind: str) -> Definition:
        return Holds(parse_expression(text, Scope.of(task.system))) if kind == PREDICATE else merged_values(task, text)

    found: dict[int, Definition] = {}
    for number, member in _numbered(node):
        kinds = member.members()
        if not (len(kinds) == 1 and kinds.keys() <= {PREDICATE, DOMAIN}):
            member.complain(Code.DATABASE_DAMAGED, "is no derived variable", f"give its {PREDICATE!r} or {DOMAIN!r}")
            continue
        ((kind, text),) = kinds.items()
        definition = text.parsed(defined, kind, None)
        if definition is not None:
            found[number] = definition
    return found


def _restriction(node: JsonNode) -> str:
    text = node.text()
    if text not in (FORWARD, PAIRS, VALUES):
        node.complain(
            Code.DATABASE_DAMAGED, f"{text!r} is no restriction", f"it is {FORWARD!r}, {PAIRS!r} or {VALUES!r}"
        )
    return text


def _layer(node: JsonNode) -> Layer:
    at = node.fields(("depth", "nodes", "seconds")).members
    if not at.keys() >= {"depth", "nodes", "seconds"}:
        return Layer(depth=0, states=None, nodes=0, seconds=0.0, backward=True)
    depth, nodes = _count(at["depth"]), _count(at["nodes"])
    return Layer(depth=depth, states=None, nodes=nodes, seconds=_number(at["seconds"]), backward=True)


def _number(node: JsonNode) -> float:
    """Seconds."""
    if isinstance(node.value, int | float) and not isinstance(node.value, bool) and 0 <= node.value <= MANY:
        return float(node.value)
    node.complain(Code.DATABASE_DAMAGED, "a number of seconds is expected", "change it")
    return 0.0


def _count(node: JsonNode) -> int:
    """How many there are of something."""
    return _bounded(node, range(MANY + 1))


def _bounded(node: JsonNode, allowed: range) -> int:
    number = node.integer()
    if number in allowed:
        return number
    node.complain(Code.DATABASE_DAMAGED, f"{excerpt(number)} lies outside {allowed[0]}..{allowed[-1]}", "change it")
    return 0


def _optional(node: JsonNode) -> tuple[int, ...] | None:
    return None if node.value is None else tuple(int(each) for each in _array(node))


def _arrays(node: JsonNode) -> dict[int, NDArray[np.int64]]:
    return {number: _array(member) for number, member in _numbered(node)}


def _numbered(node: JsonNode) -> Iterator[tuple[int, JsonNode]]:
    """The members of an object whose keys are the numbers of variables."""
    for key, member in node.members().items():
        if key.isascii() and key.isdecimal() and len(key) <= MOST_DIGITS and str(int(key)) == key:
            yield int(key), member
        else:
            member.complain(Code.DATABASE_DAMAGED, "is under a key that is no variable", "give its number")


def _array(node: JsonNode, allowed: range = INT64) -> NDArray[np.int64]:
    try:
        found = np.frombuffer(base64.b64decode(node.text(), validate=True), dtype="<i8").astype(np.int64)
        if len(found) == 0 or (int(found.min()) in allowed and int(found.max()) in allowed):
            return found
    except (binascii.Error, ValueError):
        pass
    node.complain(Code.DATABASE_DAMAGED, "is no array of integers in base64", "build the database again")
    return np.empty(0, dtype=np.int64)
