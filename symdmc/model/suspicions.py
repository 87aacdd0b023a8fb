"""Warnings about what is allowed but rarely intended: updates whose order matters, lost locations, lone channels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import TypeAlias

from symdmc.errors import Code, Complaint, SourceSpan
from symdmc.model.expressions import Cell, Expr, Literal, Ref, Target, walk
from symdmc.model.system import Channel, ChannelKind, Direction, Edge, Process, Range, Synchronisation, System

Place: TypeAlias = tuple[str, int | None]
"""A variable and a cell of it; None where the index is computed or the variable is no array."""
User: TypeAlias = tuple[Process, Edge, Synchronisation]
"""An edge that names a channel."""


def suspicions(system: System) -> tuple[Complaint, ...]:
    """All warnings about a system that has no faults."""
    users = _users(system)
    return (
        *_one_at_a_place(warning for process in system.processes for warning in _unreachable(process)),
        *_unfitting(system),
        *_one_at_a_place(each for channel in system.channels for each in _one_sided(channel, users[channel.name])),
        *_one_at_a_place(each for channel in system.channels for each in _order_matters(channel, users[channel.name])),
    )


def _one_at_a_place(warnings: Iterable[Complaint]) -> Iterator[Complaint]:
    """The first warning of each place of a text; one text may be that of many processes."""
    seen: set[SourceSpan] = set()
    for warning in warnings:
        if warning.where not in seen:
            yield warning
        if isinstance(warning.where, SourceSpan):
            seen.add(warning.where)


def _users(system: System) -> dict[str, list[User]]:
    users: dict[str, list[User]] = {channel.name: [] for channel in system.channels}
    for process in system.processes:
        for edge in process.edges:
            if edge.sync is not None:
                users[edge.sync.channel].append((process, edge, edge.sync))
    return users


def _unreachable(process: Process) -> Iterator[Complaint]:
    """The locations that no path of edges leads to, even without guards."""
    targets: dict[str, list[str]] = {}
    for edge in process.edges:
        targets.setdefault(edge.source, []).append(edge.target)
    reached, pending = set(process.initial), list(process.initial)
    while pending:
        for target in targets.get(pending.pop(), ()):
            if target not in reached:
                reached.add(target)
                pending.append(target)
    for place in process.locations:
        if place.name not in reached:
            what = f"no path of edges leads to location {place.name!r} of process {process.name!r}"
            yield Complaint(
                Code.UNREACHABLE_LOCATION, what, "check the names of the targets", place.span or process.span
            )


def _unfitting(system: System) -> Iterator[Complaint]:
    """One warning for each constant that is assigned to a variable, or put into a buffer, that cannot hold it."""
    seen: set[tuple[object, ...]] = set()
    for process in system.processes:
        for edge in process.edges:
            for name, kind, value in _constants_stored(system, edge):
                one, own = (name, value), (name.removeprefix(f"{process.name}->"), value, edge.span)
                if not kind.low <= value <= kind.high and one not in seen and (edge.span is None or own not in seen):
                    seen.update((one, own))
                    remedy = f"{kind.store(value)} is stored" if kind.wraps else "the step faults"
                    yield Complaint(
                        Code.VALUE_DOES_NOT_FIT,
                        f"{value} does not fit into {name!r}, which holds {kind.interval}",
                        remedy,
                        edge.span,
                    )


def _constants_stored(system: System, edge: Edge) -> Iterator[tuple[str, Range, int]]:
    """The constants that an edge stores: where, what can be stored there, and the constant."""
    for assignment in edge.assignments:
        name = _place(assignment.target)[0]
        if isinstance(assignment.value, Literal):
            yield name, system.variable_named[name].type, assignment.value.value
    if edge.sync is not None:
        channel = system.channel_named[edge.sync.channel]
        if channel.kind is ChannelKind.BUFFERED:
            for k, (kind, value) in enumerate(zip(channel.types, edge.sync.values, strict=False)):
                if isinstance(value, Literal):
                    yield channel.item_name(k), kind, value.value


def _one_sided(channel: Channel, users: Iterable[User]) -> Iterator[Complaint]:
    directions = {sync.direction for _, _, sync in users}
    if directions == {Direction.SEND}:
        yield Complaint(
            Code.ONE_SIDED_CHANNEL,
            f"channel {channel.name!r} is sent on but never received from",
            "add a receiver",
            channel.span,
        )
    if directions == {Direction.RECEIVE}:
        yield Complaint(
            Code.ONE_SIDED_CHANNEL,
            f"channel {channel.name!r} is received from but never sent on",
            "add a sender",
            channel.span,
        )


def _order_matters(channel: Channel, users: list[User]) -> Iterator[Complaint]:
    """One warning for each variable that one participant of a step writes and another one reads or writes."""
    seen: set[str] = set()
    for one, other in _partners(channel, users):
        for name in _conflicts(one[1], other[1]) + _conflicts(other[1], one[1]):
            if name not in seen:
                seen.add(name)
                parties = f"{one[0].name!r} and {other[0].name!r} both use {name!r}"
                what = f"when they synchronise on {channel.name!r}, {parties} and at least one writes it"
                yield Complaint(
                    Code.UPDATE_ORDER_MATTERS, what, "the order of their updates decides what it holds", other[1].span
                )


def _partners(channel: Channel, users: list[User]) -> Iterator[tuple[User, User]]:
    """Pairs of edges of different processes that can be part of the same step."""
    senders = [user for user in users if user[2].direction is Direction.SEND]
    receivers = [user for user in users if user[2].direction is Direction.RECEIVE]
    pairs: Iterable[tuple[User, User]]
    match channel.kind:
        case ChannelKind.BUFFERED:
            return
        case ChannelKind.RENDEZVOUS:
            pairs = product(senders, receivers)
        case ChannelKind.BROADCAST:
            pairs = (*product(senders, receivers), *combinations(receivers, 2))
        case ChannelKind.LOCKSTEP:
            pairs = combinations(users, 2)
    yield from (pair for pair in pairs if pair[0][0] is not pair[1][0])


def _conflicts(writer: Edge, other: Edge) -> list[str]:
    """The variables that the first edge writes and the second one reads while updating, or writes."""
    used = {*_written(other), *_read(other)}
    return sorted({name for name, cell in _written(writer) for place in used if _overlap((name, cell), place)})


def _overlap(one: Place, other: Place) -> bool:
    return one[0] == other[0] and (one[1] is None or other[1] is None or one[1] == other[1])


def _written(edge: Edge) -> set[Place]:
    received = edge.sync.targets if edge.sync is not None else ()
    return {_place(target) for target in (*received, *(assignment.target for assignment in edge.assignments))}


def _read(edge: Edge) -> set[Place]:
    """What the updates read; guards and passed values are read before the step and depend on no order."""
    received = edge.sync.targets if edge.sync is not None else ()
    targets = (*received, *(assignment.target for assignment in edge.assignments))
    indexes = [target.index for target in targets if isinstance(target, Cell)]
    return set(_places((*indexes, *(assignment.value for assignment in edge.assignments))))


def _places(expressions: Iterable[Expr]) -> Iterator[Place]:
    for expression in expressions:
        yield from (_place(part) for part in walk(expression) if isinstance(part, Ref | Cell))


def _place(target: Target) -> Place:
    match target:
        case Ref(name):
            return name, None
        case Cell(array, Literal(index)):
            return array, index
        case Cell(array, _):
            return array, None
