"""Pattern databases in files: versioned JSON with the task's fingerprint; arrays as little-endian bytes in base64."""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symdmc.encode.tables.derived_tests import probed
from symdmc.errors import Complaint, ModelError
from symdmc.lookup.tables import DecisionTable
from symdmc.model.files.json_reading import JsonDocument, JsonFields, JsonNode, load_json
from symdmc.model.files.text_file import write_text_file
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.outcome import Layer
from symdmc.patterndb.database import FORWARD, PAIRS, VALUES, PatternDatabase, locations_of
from symdmc.task.definitions import Definition, Holds
from symdmc.task.derived import extended
from symdmc.task.fingerprint import task_fingerprint
from symdmc.task.merged_values import merged_values
from symdmc.task.task import Task

SCHEMA = "symdmc-database/2"

PREDICATE, DOMAIN = "predicate", "domain"


def write_database(path: Path, database: PatternDatabase) -> None:
    """Write the database to a file, whole or not at all."""
    write_text_file(path, json.dumps(_to_json(database), indent=1) + "\n")


def _to_json(database: PatternDatabase) -> dict[str, object]:
    table = database.table
    return {
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
        what = "is no pattern database" if schema is None else f"has the format {schema!r}, not {SCHEMA!r}"
        raise ModelError(Complaint(what, "build it again with `symdmc patterndb build`", str(path)))
    fields = root.fields(_KEYS)
    document.check()
    fingerprint = fields.members["fingerprint"].text()
    if fingerprint != task_fingerprint(task):
        what = "belongs to another model or error condition"
        raise ModelError(Complaint(what, "build it again with `symdmc patterndb build`", str(path)))
    database = _database(fields, task)
    document.check()
    _require_sound(database, task, path)
    return database


_KEYS = (
    *("schema", "fingerprint", "pattern", "complete", "restriction", "restriction_nodes", "h_initial", "costs"),
    *("seconds", "peak_nodes", "layers", "values", "root", "variable", "start", "children", "classes"),
    *("low", "definitions"),
)


def _database(fields: JsonFields, task: Task) -> PatternDatabase:
    at = fields.members
    definitions = _definitions(at["definitions"], task)
    classes = _arrays(at["classes"])
    table = DecisionTable(
        root=at["root"].integer(),
        variable=_array(at["variable"]).astype(np.int32),
        start=_array(at["start"]),
        children=_array(at["children"]).astype(np.int32),
        classes=classes,
        low={int(key): node.integer() for key, node in at["low"].members().items() if key.isdecimal()},
        definitions={number: each for number, each in definitions.items() if number in classes},
    )
    return PatternDatabase(
        fingerprint=task_fingerprint(task),
        pattern=tuple(item.text() for item in at["pattern"].items()),
        values=_arrays(at["values"]),
        table=probed(extended(task, definitions.values()), table),
        complete=at["complete"].flag(),
        restriction=_restriction(at["restriction"]),
        restriction_nodes=at["restriction_nodes"].integer(),
        layers=tuple(_layer(item) for item in at["layers"].items()),
        h_initial=None if at["h_initial"].value is None else at["h_initial"].integer(),
        costs=_optional(at["costs"]),
        seconds=_number(at["seconds"]),
        peak_nodes=at["peak_nodes"].integer(),
        value_names=locations_of(task),
        definitions=definitions,
    )


def _definitions(node: JsonNode, task: Task) -> dict[int, Definition]:
    """The definitions of derived variables, by their numbers."""

    def defined(text: str, kind: str) -> Definition:
        return Holds(parse_expression(text, Scope.of(task.system))) if kind == PREDICATE else merged_values(task, text)

    found: dict[int, Definition] = {}
    for key, member in node.members().items():
        kinds = member.members()
        if not (key.isdecimal() and len(kinds) == 1 and kinds.keys() <= {PREDICATE, DOMAIN}):
            member.complain("is no derived variable", f"give its number and its {PREDICATE!r} or {DOMAIN!r}")
            continue
        ((kind, text),) = kinds.items()
        definition = text.parsed(defined, kind, None)
        if definition is not None:
            found[int(key)] = definition
    return found


def _restriction(node: JsonNode) -> str:
    text = node.text()
    if text not in (FORWARD, PAIRS, VALUES):
        node.complain(f"{text!r} is no restriction", f"it is {FORWARD!r}, {PAIRS!r} or {VALUES!r}")
    return text


def _layer(node: JsonNode) -> Layer:
    at = node.fields(("depth", "nodes", "seconds")).members
    if not at.keys() >= {"depth", "nodes", "seconds"}:
        return Layer(depth=0, states=None, nodes=0, seconds=0.0, backward=True)
    depth, nodes = at["depth"].integer(), at["nodes"].integer()
    return Layer(depth=depth, states=None, nodes=nodes, seconds=_number(at["seconds"]), backward=True)


def _number(node: JsonNode) -> float:
    if isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    node.complain("a number is expected", "change it")
    return 0.0


def _optional(node: JsonNode) -> tuple[int, ...] | None:
    return None if node.value is None else tuple(int(each) for each in _array(node))


def _arrays(node: JsonNode) -> dict[int, NDArray[np.int64]]:
    found = {}
    for key, member in node.members().items():
        if key.isdecimal():
            found[int(key)] = _array(member)
        else:
            member.complain(f"{key!r} is no variable", "give its number")
    return found


def _array(node: JsonNode) -> NDArray[np.int64]:
    try:
        return np.frombuffer(base64.b64decode(node.text(), validate=True), dtype="<i8").astype(np.int64)
    except (binascii.Error, ValueError):
        node.complain("is no array of integers in base64", "build the database again")
        return np.empty(0, dtype=np.int64)


def _require_sound(database: PatternDatabase, task: Task, path: Path) -> None:
    """Refuse a table in which a walk could leave the arrays or never end, and a pattern or costs that do not fit."""
    if not (_fits(database, task) and _all_classified(database) and _walks_end(database.table)):
        raise ModelError(Complaint("is damaged", "build it again with `symdmc patterndb build`", str(path)))


def _fits(database: PatternDatabase, task: Task) -> bool:
    """Whether the parts are about the same variables, all of the task."""
    table = database.table
    plain, derived = len(task.variables), database.definitions
    names = {variable.name: number for number, variable in enumerate(task.variables)}
    names |= {each.text: number for number, each in derived.items()}
    pattern = {names[name] for name in database.pattern if name in names}
    return (
        len(pattern) == len(database.pattern)
        and pattern <= set(database.values) <= set(names.values())
        and set(table.classes) == set(table.low)
        and set(np.unique(table.variable).tolist()) <= set(table.classes) <= set(database.values)
        and all(number >= plain and number in database.values for number in derived)
        and (database.costs is None or len(database.costs) == len(task.transitions))
    )


def _all_classified(database: PatternDatabase) -> bool:
    """Whether the values of each variable are listed in order, and those of the tested ones have a class."""
    table, derived = database.table, database.definitions
    if any(database.values[number].tolist() != list(range(each.count)) for number, each in derived.items()):
        return False
    if any(table.low[number] != 0 for number in table.definitions):
        return False
    if not all(len(values) > 0 and bool((np.diff(values) > 0).all()) for values in database.values.values()):
        return False
    for number, classes in table.classes.items():
        first, last = (int(database.values[number][end]) - table.low[number] for end in (0, -1))
        if first < 0 or last >= len(classes) or bool((classes < 0).any()):
            return False
    return True


def _walks_end(table: DecisionTable) -> bool:
    """Whether every node has all its children, each of them a code or an earlier node."""
    nodes, entries = len(table.variable), len(table.children)
    if len(table.start) != nodes or table.root >= nodes:
        return False
    for number, classes in table.classes.items():
        own = np.flatnonzero(table.variable == number)
        places = table.start[own][:, np.newaxis] + np.unique(classes)
        if not bool(((places >= 0) & (places < entries)).all()):
            return False
        if not bool((table.children[places] < own[:, np.newaxis]).all()):
            return False
    return True
