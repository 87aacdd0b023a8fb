"""Systems as text that reads like a model: `print(system)` shows its first lines."""

from __future__ import annotations

from collections.abc import Iterator

from symdmc.model.expressions import TRUE
from symdmc.model.system import (
    BOOLEAN,
    BYTE,
    SHORT,
    Channel,
    ChannelKind,
    Edge,
    Location,
    Process,
    Range,
    System,
    Variable,
)

_KINDS = {BYTE: "byte", SHORT: "short", BOOLEAN: "boolean"}


def describe(system: System) -> str:
    """The whole system, declarations first, then process by process, one line for each edge."""
    return "\n".join(_lines(system))


def _lines(system: System) -> Iterator[str]:
    yield f"system {system.name}"
    rules = system.rules
    yield f"  committed locations: {rules.commitment.value} participants; updates: {rules.updates.value}"
    local = {process.name: f"{process.name}->" for process in system.processes}
    shared = [variable for variable in system.variables if not variable.name.startswith(tuple(local.values()))]
    yield from (f"  {_variable(variable)}" for variable in shared)
    yield from (f"  {_channel(channel)}" for channel in system.channels)
    yield from (f"  clock {clock.name}" for clock in system.clocks)
    for process in system.processes:
        own = [variable for variable in system.variables if variable.name.startswith(local[process.name])]
        yield ""
        yield from _process(process, own)
    if system.properties:
        yield ""
    yield from (f"property {named.name}: {named.error}" for named in system.properties)


def _variable(variable: Variable) -> str:
    kind = f"digital clock {variable.type}" if variable.digital_clock else _kind(variable.type)
    size = "" if variable.size is None else f"[{variable.size}]"
    start = ", ".join(" or ".join(map(str, choices)) for choices in variable.initial)
    value = start if variable.size is None else f"{{{start}}}"
    return f"{'constant ' if variable.constant else ''}{kind} {variable.name}{size} = {value}"


def _kind(values: Range) -> str:
    return _KINDS.get(values, f"integer {values}")


def _channel(channel: Channel) -> str:
    urgent = "urgent " if channel.urgent else ""
    types = f" of ({', '.join(map(str, channel.types))})" if channel.types else ""
    room = f" with room for {channel.capacity}" if channel.kind is ChannelKind.BUFFERED else ""
    return f"{urgent}{channel.kind.value} channel {channel.name}{types}{room}"


def _process(process: Process, own: list[Variable]) -> Iterator[str]:
    yield f"process {process.name}, starting at {' or '.join(process.initial)}"
    yield from (f"  {_variable(variable)}" for variable in own)
    yield from (f"  {_location(place)}" for place in process.locations)
    yield from (f"  {_edge(edge)}" for edge in process.edges)


def _location(place: Location) -> str:
    named = {"committed": place.committed, "urgent": place.urgent, "valid end": place.valid_end}
    flags = "".join(f"{name} " for name, holds in named.items() if holds)
    invariant = "" if place.invariant == TRUE else f", invariant {place.invariant}"
    return f"{flags}location {place.name}{invariant}"


def _edge(edge: Edge) -> str:
    parts = [
        "" if edge.guard == TRUE else f"when {edge.guard}",
        "" if edge.sync is None else f"sync {edge.sync}",
        f"do {', '.join(map(str, edge.assignments))}" if edge.assignments else "",
        "" if edge.cost == 1 else f"cost {edge.cost}",
    ]
    text = "; ".join(part for part in parts if part)
    return f"{edge.source} -> {edge.target}{': ' if text else ''}{text}"
