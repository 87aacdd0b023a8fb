"""Systems as JSON and back, exactly; docs/formats.md describes the schema.

Expressions are texts of the expression grammar, always with qualified names: `P->x` is the variable of a process, also
inside that process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from symdmc.errors import ModelError, SourceSpan
from symdmc.model.expressions import FALSE, TRUE, Expr
from symdmc.model.files.json_reading import JsonDocument, JsonFields, JsonNode, check_schema, load_json
from symdmc.model.parsing.parser import parse_assignments, parse_expression, parse_synchronisation
from symdmc.model.scope import Scope
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
from symdmc.model.validation import INT32, faults

SCHEMA = "symdmc-model/1"

_SYSTEM = ("rules", "variables", "channels", "clocks", "properties", "notes")
_VARIABLE: Mapping[str, object] = MappingProxyType(
    {"wraps": False, "size": None, "constant": False, "digital_clock": False, "at": None}
)
_RANGE: Mapping[str, object] = MappingProxyType({"wraps": False})
_CHANNEL: Mapping[str, object] = MappingProxyType({"values": [], "capacity": 0, "urgent": False, "at": None})
_LOCATION: Mapping[str, object] = MappingProxyType(
    {"committed": False, "urgent": False, "invariant": str(TRUE), "at": None}
)
_EDGE: Mapping[str, object] = MappingProxyType(
    {"guard": str(TRUE), "sync": None, "assignments": [], "cost": 1, "at": None}
)
_NAMED: Mapping[str, object] = MappingProxyType({"at": None})
"""The members that may be absent, each with its default value; the writer leaves out a member that has it."""

_Read = TypeVar("_Read")


def system_to_json(system: System, *, spans: bool = True) -> dict[str, object]:
    """The system as JSON values; without `spans`, the source positions are left out."""

    def at(span: SourceSpan | None) -> str | None:
        return str(span) if spans and span is not None else None

    return {
        "schema": SCHEMA,
        "name": system.name,
        "rules": {"commitment": system.rules.commitment.value, "updates": system.rules.updates.value},
        "variables": [_variable_to_json(variable, at(variable.span)) for variable in system.variables],
        "channels": [_channel_to_json(channel, at(channel.span)) for channel in system.channels],
        "clocks": [_trimmed(_NAMED, name=clock.name, at=at(clock.span)) for clock in system.clocks],
        "processes": [
            _trimmed(
                _NAMED,
                name=process.name,
                initial=list(process.initial),
                locations=[_location_to_json(place, at(place.span)) for place in process.locations],
                edges=[_edge_to_json(edge, at(edge.span)) for edge in process.edges],
                at=at(process.span),
            )
            for process in system.processes
        ],
        "properties": [
            _trimmed(_NAMED, name=named.name, error=str(named.error), at=at(named.span)) for named in system.properties
        ],
        "notes": list(system.notes),
    }


def _variable_to_json(variable: Variable, at: str | None) -> dict[str, object]:
    return _trimmed(
        _VARIABLE,
        name=variable.name,
        low=variable.type.low,
        high=variable.type.high,
        wraps=variable.type.wraps,
        size=variable.size,
        initial=[choices[0] if len(choices) == 1 else list(choices) for choices in variable.initial],
        constant=variable.constant,
        digital_clock=variable.digital_clock,
        at=at,
    )


def _channel_to_json(channel: Channel, at: str | None) -> dict[str, object]:
    return _trimmed(
        _CHANNEL,
        name=channel.name,
        kind=channel.kind.value,
        values=[_trimmed(_RANGE, low=kind.low, high=kind.high, wraps=kind.wraps) for kind in channel.types],
        capacity=channel.capacity,
        urgent=channel.urgent,
        at=at,
    )


def _location_to_json(place: Location, at: str | None) -> dict[str, object]:
    return _trimmed(
        _LOCATION,
        name=place.name,
        committed=place.committed,
        urgent=place.urgent,
        invariant=str(place.invariant),
        at=at,
    )


def _edge_to_json(edge: Edge, at: str | None) -> dict[str, object]:
    return _trimmed(
        _EDGE,
        source=edge.source,
        target=edge.target,
        guard=str(edge.guard),
        sync=None if edge.sync is None else str(edge.sync),
        assignments=[str(assignment) for assignment in edge.assignments],
        cost=edge.cost,
        at=at,
    )


def _trimmed(defaults: Mapping[str, object], **members: object) -> dict[str, object]:
    """The members without those that have their default value."""
    return {key: value for key, value in members.items() if key not in defaults or value != defaults[key]}


def read_json_file(path: str | Path) -> System:
    """The system in a JSON file; raises ModelError with every fault."""
    return system_from_json(load_json(Path(path)), file=str(path))


def system_from_json(data: object, file: str = "<json>") -> System:
    """The system that `system_to_json` wrote; raises ModelError with every fault, each with its path."""
    document = JsonDocument(file)
    system = _SystemReader().system(JsonNode(data, document))
    document.check()
    complaints = faults(system)
    if complaints:
        raise ModelError(
            complaint if isinstance(complaint.where, SourceSpan) else replace(complaint, where=file)
            for complaint in complaints
        )
    return system


class _SystemReader:
    """Builds the parts of a system; the scope is known once the declarations are read."""

    def __init__(self) -> None:
        self.scope = Scope()

    def system(self, node: JsonNode) -> System:
        check_schema(node, SCHEMA)
        fields = node.fields(("schema", "name", "processes"), _SYSTEM)
        variables = tuple(map(self.variable, fields.items("variables")))
        channels = tuple(map(self.channel, fields.items("channels")))
        clocks = tuple(map(self.clock, fields.items("clocks")))
        processes = [
            item.fields(("name", "initial", "locations", "edges"), _NAMED) for item in fields.items("processes")
        ]
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
        fields = node.fields(("name", "low", "high", "initial"), _VARIABLE)
        size = fields.get("size")
        return Variable(
            name=fields.text("name"),
            type=_range(fields),
            initial=tuple(map(_choices, fields.items("initial"))),
            size=None if size is None else size.integer(),
            constant=fields.flag("constant"),
            digital_clock=fields.flag("digital_clock"),
            span=_span(fields),
        )

    def channel(self, node: JsonNode) -> Channel:
        fields = node.fields(("name", "kind"), _CHANNEL)
        return Channel(
            name=fields.text("name"),
            kind=fields.choice("kind", ChannelKind.RENDEZVOUS),
            types=tuple(_range(item.fields(("low", "high"), _RANGE)) for item in fields.items("values")),
            capacity=fields.integer("capacity"),
            urgent=fields.flag("urgent"),
            span=_span(fields),
        )

    def clock(self, node: JsonNode) -> Clock:
        fields = node.fields(("name",), _NAMED)
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
        fields = node.fields(("name",), _LOCATION)
        return Location(
            name=fields.text("name"),
            committed=fields.flag("committed"),
            urgent=fields.flag("urgent"),
            invariant=self.condition(fields.get("invariant"), TRUE),
            span=_span(fields),
        )

    def edge(self, node: JsonNode) -> Edge:
        fields = node.fields(("source", "target"), _EDGE)
        nothing: tuple[Assignment, ...] = ()
        assignments = [self.read(parse_assignments, item, nothing) for item in fields.items("assignments")]
        return Edge(
            source=fields.text("source"),
            target=fields.text("target"),
            guard=self.condition(fields.get("guard"), TRUE),
            sync=self.read(parse_synchronisation, fields.get("sync"), None),
            assignments=sum(assignments, nothing),
            cost=fields.integer("cost", 1),
            span=_span(fields),
        )

    def property(self, node: JsonNode) -> Property:
        fields = node.fields(("name", "error"), _NAMED)
        error = self.condition(fields.get("error"), FALSE)
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
        node.complain(f"{node.value!r} is not a place", "write FILE:LINE:COLUMN")
        return None
    return SourceSpan(file.removeprefix("::"), int(line), int(column))
