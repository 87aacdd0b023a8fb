"""Steps in words, differences between states, and edges that never make a step, for traces and reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from symdmc.model.expressions import Cell, Literal
from symdmc.model.state import EdgeRef, State, Step
from symdmc.model.system import Channel, ChannelKind, Direction, Edge, Synchronisation, System, Variable

if TYPE_CHECKING:
    from symdmc.model.semantics import Semantics

Value: TypeAlias = int | str
"""What a cell holds, or the location of a process."""
Change: TypeAlias = tuple[str, Value, Value]
"""A process, variable or cell with what it was and what it is."""


def changes(before: State, after: State, system: System) -> list[Change]:
    """What differs between two states: processes by name, then variables, the cells of arrays one by one as `a[2]`."""
    old, new = named_values(before, system), named_values(after, system)
    return [(name, was, now) for (name, was), (_, now) in zip(old, new, strict=True) if was != now]


def named_values(state: State, system: System) -> Iterator[tuple[str, Value]]:
    """Everything a state fixes, by name: the location of every process, then every cell of every variable."""
    for process, location in zip(system.processes, state.locations, strict=True):
        yield process.name, location
    for variable, cells in zip(system.storage, state.values, strict=True):
        yield from zip(cell_names(variable), cells, strict=True)


def cell_names(variable: Variable) -> Iterator[str]:
    """`x` for a variable, `a[0]`, `a[1]`, ... for the cells of an array."""
    if variable.size is None:
        yield variable.name
    else:
        yield from (f"{variable.name}[{i}]" for i in range(variable.size))


def step_label(step: Step, system: System, passed: Sequence[int] = ()) -> str:
    """The step in one short line.

    `P: idle -> busy` is an internal step, `c: P! Q?` a synchronisation on c with sender P and receiver Q, `c: P Q` a
    lockstep label. Given the passed values, it shows them: `c(3, 1): P! Q?`.
    """
    channel = step_channel(step, system)
    if channel is None:
        process, edge = _taken(step.edges[0], system)
        return f"{process}: {edge.source} -> {edge.target}"
    values = f"({', '.join(map(str, passed))})" if passed else ""
    return f"{channel.name}{values}: {' '.join(_participants(step, system))}"


def step_channel(step: Step, system: System) -> Channel | None:
    """The channel a step synchronises on, or None for an internal step."""
    _, edge = _taken(step.edges[0], system)
    return None if edge.sync is None else system.channel_named[edge.sync.channel]


def passed_values(step: Step, semantics: Semantics, before: State) -> tuple[int, ...]:
    """The values a step from `before` passes: those sent, not yet cut to any type, or those taken from a buffer."""
    _, edge = _taken(step.edges[0], semantics.system)
    if edge.sync is None:
        return ()
    channel, values = semantics.system.channel_named[edge.sync.channel], edge.sync.values
    if edge.sync.direction is Direction.RECEIVE:
        values = tuple(Cell(channel.item_name(k), Literal(0)) for k in range(len(channel.types)))
    return tuple(semantics.evaluate(value, before) for value in values)


def _participants(step: Step, system: System) -> Iterator[str]:
    for ref in step.edges:
        process, edge = _taken(ref, system)
        yield f"{process}{edge.sync.direction.value if edge.sync is not None else ''}"


def _taken(ref: EdgeRef, system: System) -> tuple[str, Edge]:
    process = system.processes[ref[0]]
    return process.name, process.edges[ref[1]]


def team_fault(edges: Sequence[EdgeRef], system: System) -> str | None:
    """Why these edges never make one step together, whatever the state; None if they may."""
    taken = [_taken(ref, system)[1] for ref in edges]
    syncs = [edge.sync for edge in taken]
    processes = [system.processes[number].name for number, _ in edges]
    twice = next((name for name in processes if processes.count(name) > 1), None)
    if twice is not None:
        return f"{twice} takes two edges"
    first = syncs[0]
    if first is None:
        return None if len(edges) == 1 else f"{processes[0]} moves alone along this edge, but {processes[1]} moves too"
    channel = system.channel_named[first.channel]
    for name, sync in zip(processes, syncs, strict=True):
        if sync is None or sync.channel != channel.name:
            return f"{name} does not use {channel.name} along this edge"
    senders, receivers = _names(processes, syncs, Direction.SEND), _names(processes, syncs, Direction.RECEIVE)
    match channel.kind:
        case ChannelKind.BUFFERED:
            return None if len(edges) == 1 else f"only one process at a time uses {channel.name}, which is buffered"
        case ChannelKind.LOCKSTEP:
            members = [each.name for each in system.processes if any(_uses(edge, channel) for edge in each.edges)]
            return None if processes == members else f"those who move by {channel.name} are: {', '.join(members)}"
        case _ if len(senders) != 1:
            return f"{'nobody sends' if not senders else 'two processes send'} on {channel.name} in this step"
        case _ if first.direction is not Direction.SEND:
            return f"the sender on {channel.name} does not stand first"
        case ChannelKind.BROADCAST:
            return None if edges[1:] == tuple(sorted(edges[1:])) else "the receivers are not in the order of the model"
        case ChannelKind.RENDEZVOUS if len(receivers) != 1:
            return f"{'nobody receives' if not receivers else 'several receive'} on {channel.name} in this step"
    return None


def _names(processes: Sequence[str], syncs: Sequence[Synchronisation | None], direction: Direction) -> list[str]:
    return [
        name for name, sync in zip(processes, syncs, strict=True) if sync is not None and sync.direction is direction
    ]


def _uses(edge: Edge, channel: Channel) -> bool:
    return edge.sync is not None and edge.sync.channel == channel.name
