"""Systems as JSON and back, exactly; docs/formats/models.md describes the schema.

Expressions are texts of the expression grammar, always with qualified names: `P->x` is the variable of a process, also
inside that process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from symdmc.errors import Code, ModelError, SourceSpan
from symdmc.model.expressions import FALSE, TRUE, Expr
from symdmc.model.files.json_reading import JsonDocument, JsonFields, JsonNode, check_schema, load_json
from symdmc.model.parsing.parser import parse_assignments, parse_expression, parse_synchronisation
from symdmc.model.scope import Scope
from symdmc.model.sizes import Sizes
from symdmc.model.system import (
    Assignment,
    Channel,
    ChannelKind,
    Clock,
    Commitment,
    Edge,
    Location,
    Process,
    Property,
    Range,
    Rules,
    System,
    UpdateOrder,
    Variable,
)
from symdmc.model.validation import INT32

SCHEMA = "symdmc-model/1"


class _Members(NamedTuple):
    """The members of an object, in the order they are written in."""

    required: tuple[str, ...]
    optional: Mapping[str, object]
    """Each with its default value; the writer leaves out a member that has it."""


_SYSTEM = ("rules", "variables", "channels", "clocks", "properties", "notes")
_VARIABLE = _Members(
    ("name", "low", "high", "initial"),
    {"wraps": False, "size": None, "constant": False, "digital_clock": False, "at": None},
)
_RANGE = _Members(("low", "high"), {"wraps": False})
_CHANNEL = _Members(("name", "kind"), {"values": [], "capacity": 0, "urgent": False, "at": None})
_CLOCK = _Members(("name",), {"at": None})
_PROCESS = _Members(("name", "initial", "locations", "edges"), {"at": None})
_LOCATION = _Members(
    ("name",), {"committed": False, "urgent": False, "valid_end": False, "invariant": str(TRUE), "at": None}
)
_EDGE = _Members(("source", "target"), {"guard": str(TRUE), "sync": None, "assignments": [], "cost": 1, "at": None})
_PROPERTY = _Members(("name", "error"), {"at": None})

_MEMBERS: Mapping[type, _Members] = MappingProxyType(
    {
        Range: _RANGE,
        Channel: _CHANNEL,
        Clock: _CLOCK,
        Process: _PROCESS,
        Location: _LOCATION,
        Edge: _EDGE,
        Property: _PROPERTY,
    }
)
"""The parts of a system whose members are what they consist of."""
_ATTRIBUTES: Mapping[str, str] = MappingProxyType({"values": "types", "at": "span"})
"""The attributes that have another name than their member."""

_Read = TypeVar("_Read")


def system_to_json(system: System, *, spans: bool = True) -> dict[str, object]:
    """The system as JSON values; without `spans`, the source positions are left out."""
    return {
        "schema": SCHEMA,
        "name": system.name,
        "rules": {"commitment": system.rules.commitment.value, "updates": system.rules.updates.value},
        "variables": [_variable_to_json(variable, spans) for variable in system.variables],
        "channels": _to_json(system.channels, spans),
        "clocks": _to_json(system.clocks, spans),
        "processes": _to_json(system.processes, spans),
        "properties": _to_json(system.properties, spans),
        "notes": list(system.notes),
    }


def _variable_to_json(variable: Variable, spans: bool) -> dict[str, object]:
    return _trimmed(
        _VARIABLE.optional,
        name=variable.name,
        low=variable.type.low,
        high=variable.type.high,
        wraps=variable.type.wraps,
        size=variable.size,
        initial=[choices[0] if len(choices) == 1 else list(choices) for choices in variable.initial],
        constant=variable.constant,
        digital_clock=variable.digital_clock,
        at=_to_json(variable.span if spans else None, spans),
    )


def _to_json(value: object, spans: bool) -> object:
    """A part of a system as JSON values: tuples as lists; kinds, expressions and positions as texts."""
    members = _MEMBERS.get(type(value))
    if members is not None:
        keys = (key for key in (*members.required, *members.optional) if spans or key != "at")
        found = {key: _to_json(getattr(value, _ATTRIBUTES.get(key, key)), spans) for key in keys}
        return _trimmed(members.optional, **found)
    match value:
        case None | bool() | int():
            return value
        case tuple():
            return [_to_json(each, spans) for each in value]
        case Enum():
            return value.value
        case _:
            return str(value)


def _trimmed(defaults: Mapping[str, object], **members: object) -> dict[str, object]:
    """The members without those that have their default value."""
    return {key: value for key, value in members.items() if key not in defaults or value != defaults[key]}


def read_json_file(path: str | Path) -> System:
    """The system in a JSON file; raises ModelError with every fault."""
    return system_from_json(load_json(Path(path)), file=str(path))


def system_from_json(data: object, file: str = "<json>") -> System:
    """The system that `system_to_json` wrote; raises ModelError with every fault, each with its path."""
    document = JsonDocument(file)
    system = _SystemReader(Sizes(document.complaints)).system(JsonNode(data, document))
    document.check()
    if system.faults:
        raise ModelError(
            complaint if isinstance(complaint.where, SourceSpan) else replace(complaint, where=file)
            for complaint in system.faults
        )
    return system


class _SystemReader:
    """Builds the parts of a system; the scope is known once the declarations are read."""

    def __init__(self, sizes: Sizes) -> None:
        self.scope = Scope()
        self.sizes = sizes

    def system(self, node: JsonNode) -> System:
        check_schema(node, SCHEMA)
        fields = node.fields(("schema", "name", "processes"), _SYSTEM)
        variables = tuple(map(self.variable, fields.items("variables")))
        channels = tuple(map(self.channel, fields.items("channels")))
        clocks = tuple(map(self.clock, fields.items("clocks")))
        processes = [item.fields(*_PROCESS) for item in fields.items("processes")]
        self.scope = Scope.declaring(
            variables=(*variables, *(Variable(name=clock.name, type=INT32) for clock in clocks)),
            locations={process.text("name"): _location_names(process) for process in processes},
            channels=channels,
        )
        return System(
            name=fields.text("name"),
            processes=tuple(map(self.process, processes)),
            variables=variables,
            channels=channels,
            clocks=clocks,
            properties=tuple(map(self.property, fields.items("properties"))),
            rules=self.rules(fields.get("rules")),
            notes=tuple(item.text() for item in fields.items("notes")),
        )

    def rules(self, node: JsonNode | None) -> Rules:
        if node is None:
            return Rules()
        fields = node.fields(("commitment", "updates"))
        return Rules(fields.choice("commitment", Commitment.ANY), fields.choice("updates", UpdateOrder.SENDER_FIRST))

    def variable(self, node: JsonNode) -> Variable:
        fields = node.fields(*_VARIABLE)
        name, given = fields.text("name"), fields.get("size")
        size = None if given is None else given.integer()
        counts = [len(cell) if isinstance(cell, list) else 1 for cell in fields.elements("initial")]
        cells, most = 1 if size is None else size, max(counts, default=0)
        fits = self.sizes.fits_variable(name, cells, most, sum(counts), node.where)
        return Variable(
            name=name,
            type=_range(fields),
            initial=tuple(map(_choices, fields.items("initial"))) if fits else (),
            size=size,
            constant=fields.flag("constant"),
            digital_clock=fields.flag("digital_clock"),
            span=_span(fields),
        )

    def channel(self, node: JsonNode) -> Channel:
        fields = node.fields(*_CHANNEL)
        name, capacity = fields.text("name"), fields.integer("capacity")
        fits = self.sizes.fits_channel(name, capacity, len(fields.elements("values")), node.where)
        return Channel(
            name=name,
            kind=fields.choice("kind", ChannelKind.RENDEZVOUS),
            types=tuple(_range(item.fields(*_RANGE)) for item in fields.items("values")),
            capacity=capacity if fits else 1,
            urgent=fields.flag("urgent"),
            span=_span(fields),
        )

    def clock(self, node: JsonNode) -> Clock:
        fields = node.fields(*_CLOCK)
        return Clock(name=fields.text("name"), span=_span(fields))

    def process(self, fields: JsonFields) -> Process:
        return Process(
            name=fields.text("name"),
            initial=tuple(item.text() for item in fields.items("initial")),
            locations=tuple(map(self.location, fields.items("locations"))),
            edges=tuple(map(self.edge, fields.items("edges"))),
            span=_span(fields),
        )

    def location(self, node: JsonNode) -> Location:
        fields = node.fields(*_LOCATION)
        return Location(
            name=fields.text("name"),
            committed=fields.flag("committed"),
            urgent=fields.flag("urgent"),
            valid_end=fields.flag("valid_end"),
            invariant=self.condition(fields.get("invariant"), TRUE),
            span=_span(fields),
        )

    def edge(self, node: JsonNode) -> Edge:
        fields = node.fields(*_EDGE)
        nothing: tuple[Assignment, ...] = ()
        assignments = [self.read(parse_assignments, item, nothing) for item in fields.items("assignments")]
        return Edge(
            source=fields.text("source"),
            target=fields.text("target"),
            guard=self.condition(fields.get("guard"), TRUE),
            sync=self.read(parse_synchronisation, fields.get("sync"), None),
            assignments=tuple(chain.from_iterable(assignments)),
            cost=fields.integer("cost", 1),
            span=_span(fields),
        )

    def property(self, node: JsonNode) -> Property:
        fields = node.fields(*_PROPERTY)
        text = fields.get("error")
        error = FALSE if text is None else text.parsed(parse_expression, self.scope.of_question(), FALSE)
        return Property(name=fields.text("name"), error=error, span=_span(fields))

    def condition(self, node: JsonNode | None, neutral: Expr) -> Expr:
        return self.read(parse_expression, node, neutral)

    def read(self, parse: Callable[[str, Scope], _Read], node: JsonNode | None, neutral: _Read) -> _Read:
        return neutral if node is None else node.parsed(parse, self.scope, neutral)


def _range(fields: JsonFields) -> Range:
    return Range(fields.integer("low"), fields.integer("high"), fields.flag("wraps"))


def _choices(cell: JsonNode) -> tuple[int, ...]:
    """The values a cell may start with: one integer, or a list of them."""
    return tuple(choice.integer() for choice in cell.items()) if isinstance(cell.value, list) else (cell.integer(),)


def _location_names(process: JsonFields) -> tuple[str, ...]:
    """The names of the locations, without noting faults: they are noted where the locations are read."""
    places = process.get("locations")
    entries = places.value if places is not None and isinstance(places.value, list) else []
    return tuple(str(entry.get("name")) for entry in entries if isinstance(entry, dict))


def _span(fields: JsonFields) -> SourceSpan | None:
    node = fields.get("at")
    if node is None:
        return None
    file, line, column = ("::" + node.text()).rsplit(":", 2)
    if not (line.isdecimal() and column.isdecimal()):
        node.complain(Code.WRONG_TYPE, f"{node.value!r} is not a place", "write FILE:LINE:COLUMN")
        return None
    return SourceSpan(file.removeprefix("::"), int(line), int(column))
