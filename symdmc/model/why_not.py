"""Why an edge cannot be taken in a state: what keeps it from being part of any step.

Whether it can is asked of the reference semantics; the obstacles are found in the order in which that judges a step.
Obstacles that do not depend on one another are all told: the place of the process, every part of the guard that is
false, a committed location elsewhere, a buffer, and partners that cannot join. Only an edge that nothing of this keeps
back is tried together with its partners, where commitment, a fault or an invariant may forbid each such step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from symdmc.errors import Code, Complaint, ModelError
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import TRUE, At, Cell, Expr, Ref, conjuncts, walk
from symdmc.model.semantics import Semantics, Team
from symdmc.model.state import EdgeRef, Fault, State, Step
from symdmc.model.steps import passed_values, step_label
from symdmc.model.system import Channel, ChannelKind, Commitment, Direction, Edge, System
from symdmc.spelling.speech import LIST_EDGES
from symdmc.spelling.suggestions import did_you_mean, listed

Kind: TypeAlias = Literal["location", "guard", "commitment", "buffer", "partner", "fault", "invariant"]
MOST_VALUES = 8
"""At most this many values are named to show why a condition is false."""
_FORMS = "write P, 'P: a -> b', a channel c, or 'c: P!'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """One thing that keeps an edge from being taken."""

    kind: Kind
    text: str
    within: tuple[Obstacle, ...] = ()
    """Of a missing partner: what keeps each edge that could be it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Whether an edge can be taken in a state, and if not, why."""

    edge: str
    """In words, such as `P: a -> b (c!)`."""
    steps: tuple[str, ...]
    """The steps that take it, by their labels."""
    obstacles: tuple[Obstacle, ...]
    """Some unless there are steps."""

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The answer in lines, what belongs to a line indented below it."""
        if self.steps:
            yield f"{self.edge} can be taken: {', '.join(self.steps)}"
        else:
            yield f"{self.edge} cannot be taken:"
            yield from _indented(self.obstacles, "  ")


def _indented(obstacles: Iterable[Obstacle], indent: str) -> Iterator[str]:
    for obstacle in obstacles:
        yield f"{indent}{obstacle.text}"
        yield from _indented(obstacle.within, indent + "  ")


def why_not(system: System, state: State, edge: str | EdgeRef) -> tuple[Explained, ...]:
    """What keeps an edge, or each of several, from being taken in a state of the system.

    `P: a -> b` names the edges of process P from a to b, `P` those that leave its location, `c` those that use
    channel c from where the processes are, and `c: P!` those of process P among them, so that the label of a step can
    be given as it stands. Raises ModelError where there is no such edge.

    >>> import symdmc
    >>> trace = symdmc.check("arbiter_tree:height=2").trace
    >>> symdmc.why_not(trace.system, trace.initial, "Client1")[0].steps
    ('Client1: idle -> wants',)
    """
    semantics = Semantics(system)
    refs = edges_named(system, state, edge) if isinstance(edge, str) else [edge]
    return tuple(explained(semantics, state, ref) for ref in refs)


def edges_that_wait(semantics: Semantics, state: State) -> list[EdgeRef]:
    """The edges that leave the locations of a state and are in no step from it."""
    taken = {ref for step in semantics.steps(state) for ref in step.edges}
    return [ref for ref in _all_edges(semantics.system) if _is_here(semantics.system, ref, state) and ref not in taken]


def explained(semantics: Semantics, state: State, ref: EdgeRef) -> Explained:
    """Whether the edge can be taken in the state, and if not, why."""
    moves = semantics.moves(state, lambda team: ref in team)
    steps = [move for move in moves if isinstance(move, Step) and ref in move.edges]
    labels = [step_label(step, semantics.system, passed_values(step, semantics, state)) for step in steps]
    obstacles = () if steps else tuple(_Judge(semantics, state).obstacles(ref))
    return Explained(edge=edge_text(semantics.system, ref), steps=tuple(dict.fromkeys(labels)), obstacles=obstacles)


def edge_text(system: System, ref: EdgeRef) -> str:
    """An edge in words: `P: a -> b`, with its synchronisation where it has one."""
    process = system.processes[ref[0]]
    edge = process.edges[ref[1]]
    sync = "" if edge.sync is None else f" ({edge.sync})"
    return f"{process.name}: {edge.source} -> {edge.target}{sync}"


class _Judge:
    """What stands in the way of edges in one state."""

    def __init__(self, semantics: Semantics, state: State) -> None:
        self.semantics, self.system, self.state = semantics, semantics.system, state
        self.committed = [
            (process.name, at)
            for process, at in zip(self.system.processes, state.locations, strict=True)
            if any(place.committed for place in process.locations if place.name == at)
        ]

    def obstacles(self, ref: EdgeRef) -> Iterator[Obstacle]:
        """All that keeps an edge from being taken; at least one if it cannot be."""
        found = [*self.own(ref), *self.missing_partners(ref)]
        yield from found or dict.fromkeys(self.together(ref))

    def own(self, ref: EdgeRef) -> Iterator[Obstacle]:
        """What keeps the edge, whoever might take part beside it."""
        edge, process = self.semantics.edge(ref), self.system.processes[ref[0]]
        here = _is_here(self.system, ref, self.state)
        if not here:
            at = self.state.locations[ref[0]]
            yield Obstacle(kind="location", text=f"{process.name} is at {at}, not at {edge.source}")
        if here and self.committed and not self.is_committed(ref) and self.needs_commitment(edge):
            yield Obstacle(kind="commitment", text=f"{self.who_is_committed()} first; {process.name} is not committed")
        channel = self.channel(edge)
        if channel is not None and channel.kind is ChannelKind.BUFFERED and edge.sync is not None:
            yield from self.buffer(channel, edge.sync.direction)
        yield from self.false_parts(edge.guard)

    def buffer(self, channel: Channel, direction: Direction) -> Iterator[Obstacle]:
        """A full buffer, for a sender, or an empty one."""
        length = self.semantics.evaluate(Ref(channel.length_name), self.state)
        if direction is Direction.RECEIVE and length == 0:
            yield Obstacle(kind="buffer", text=f"the buffer of {channel.name} is empty")
        if direction is Direction.SEND and length >= channel.capacity:
            yield Obstacle(kind="buffer", text=f"the buffer of {channel.name} is full: it has room for {length}")

    def false_parts(self, guard: Expr) -> Iterator[Obstacle]:
        """The parts of a guard that are false, with the values that make them so, or the first that faults."""
        failed = False
        for part in conjuncts(guard):
            try:
                if self.semantics.evaluate(part, self.state) != 0:
                    continue
            except ArithmeticFault as fault:
                if not failed:  # behind a part that is false nothing is evaluated
                    yield Obstacle(kind="fault", text=f"the guard faults in {part}: {fault}")
                    return
                continue
            failed = True
            yield Obstacle(kind="guard", text=f"the guard is false: {part}{self.because(part)}")

    def because(self, part: Expr, state: State | None = None) -> str:
        """The values of what a condition reads, in brackets."""
        found = dict.fromkeys(self.values_in(part, self.state if state is None else state))
        shown = list(found)[:MOST_VALUES]
        more = [f"{len(found) - MOST_VALUES} more"] if len(found) > MOST_VALUES else []
        return f" ({', '.join([*shown, *more])})" if shown else ""

    def values_in(self, part: Expr, state: State) -> Iterator[str]:
        for each in walk(part):
            try:
                match each:
                    case Ref(name):
                        yield f"{name} = {self.semantics.evaluate(each, state)}"
                    case Cell(array, index):
                        value = self.semantics.evaluate(each, state)
                        yield f"{array}[{self.semantics.evaluate(index, state)}] = {value}"
                    case At(process, _):
                        number = list(self.system.process_named).index(process)
                        yield f"{process} is at {state.locations[number]}"
            except ArithmeticFault:  # of a side that is not evaluated
                continue

    def missing_partners(self, ref: EdgeRef) -> Iterator[Obstacle]:
        """Partners without which the edge is never taken, and what keeps each of them."""
        edge = self.semantics.edge(ref)
        channel = self.channel(edge)
        if channel is None or edge.sync is None:
            return
        match channel.kind, edge.sync.direction:
            case ChannelKind.RENDEZVOUS, Direction.SEND:
                yield from self.nobody("receive", channel, Direction.RECEIVE, ref)
            case ((ChannelKind.RENDEZVOUS | ChannelKind.BROADCAST), Direction.RECEIVE):
                yield from self.nobody("send", channel, Direction.SEND, ref)
            case ChannelKind.LOCKSTEP, _:
                yield from self.idle_members(channel, ref)

    def nobody(self, verb: str, channel: Channel, direction: Direction, ref: EdgeRef) -> Iterator[Obstacle]:
        """The obstacle that no other process can use the channel in this direction, if none can."""
        partners = [each for each in self.using(channel, direction) if each[0] != ref[0]]
        if not partners:
            yield Obstacle(kind="partner", text=f"no other process has an edge to {verb} on {channel.name}")
        elif all(any(self.own(each)) for each in partners):
            text = f"no other process can {verb} on {channel.name}"
            yield Obstacle(kind="partner", text=text, within=tuple(self.each_kept(partners)))

    def idle_members(self, channel: Channel, ref: EdgeRef) -> Iterator[Obstacle]:
        """The other processes that must move by a lockstep label and cannot."""
        joining = self.using(channel, Direction.JOIN)
        for number in sorted({process for process, _ in joining} - {ref[0]}):
            edges = [each for each in joining if each[0] == number]
            if all(any(self.own(each)) for each in edges):
                text = f"{self.system.processes[number].name} must move by {channel.name} too and cannot"
                yield Obstacle(kind="partner", text=text, within=tuple(self.each_kept(edges)))

    def each_kept(self, partners: Sequence[EdgeRef]) -> Iterator[Obstacle]:
        """What keeps each of the edges; one line for a process that is elsewhere altogether."""
        for number in sorted({process for process, _ in partners}):
            edges = [each for each in partners if each[0] == number]
            ready = [each for each in edges if _is_here(self.system, each, self.state)]
            if not ready:
                sources = listed(dict.fromkeys(self.semantics.edge(each).source for each in edges))
                at = self.state.locations[number]
                text = f"{self.system.processes[number].name} is at {at}, not at {sources}"
                yield Obstacle(kind="location", text=text)
            for each in ready:
                for obstacle in self.own(each):
                    text = f"{edge_text(self.system, each)}: {obstacle.text}"
                    yield Obstacle(kind=obstacle.kind, text=text, within=obstacle.within)

    def together(self, ref: EdgeRef) -> Iterator[Obstacle]:
        """What forbids the steps of an edge that nothing keeps back by itself."""
        teams: list[Team] = []
        channel = self.channel(self.semantics.edge(ref))

        def asked(team: Team) -> bool:
            if ref in team:
                teams.append(team)
            return ref in team

        for move in self.semantics.moves(self.state, asked):
            if isinstance(move, Fault) and (ref in move.edges or self.uses(move.edges, channel)):
                label = step_label(Step(move.edges, 0, self.state), self.system)
                yield Obstacle(kind="fault", text=f"the step {label} faults: {move.reason}")
        for team in teams:
            uncommitted = [self.system.processes[each[0]].name for each in team if not self.is_committed(each)]
            if self.committed and not self.is_permitted(team):
                verb = "is not" if len(uncommitted) == 1 else "are not"
                who = f"{listed(uncommitted, 'and')} {verb} committed"
                yield Obstacle(kind="commitment", text=f"{self.who_is_committed()} first; {who}")
        for after in self.semantics.states_beyond(self.state, lambda team: ref in team):
            yield from self.broken_invariants(after)

    def broken_invariants(self, after: State) -> Iterator[Obstacle]:
        for process, at in zip(self.system.processes, after.locations, strict=True):
            (invariant,) = (place.invariant for place in process.locations if place.name == at)
            if invariant != TRUE and self.semantics.evaluate(invariant, after) == 0:
                text = f"afterwards the invariant of {process.name}.{at} would not hold: {invariant}"
                yield Obstacle(kind="invariant", text=f"{text}{self.because(invariant, after)}")

    def uses(self, edges: Sequence[EdgeRef], channel: Channel | None) -> bool:
        """Whether the first of the edges uses the channel."""
        return channel is not None and self.channel(self.semantics.edge(edges[0])) == channel

    def channel(self, edge: Edge) -> Channel | None:
        """The channel of an edge."""
        return None if edge.sync is None else self.system.channel_named[edge.sync.channel]

    def using(self, channel: Channel, direction: Direction) -> list[EdgeRef]:
        """All edges that use a channel in a direction."""
        syncs = ((ref, self.semantics.edge(ref).sync) for ref in _all_edges(self.system))
        return [ref for ref, sync in syncs if sync and (sync.channel, sync.direction) == (channel.name, direction)]

    def is_committed(self, ref: EdgeRef) -> bool:
        """Whether the process of the edge is at a committed location."""
        return self.system.processes[ref[0]].name in dict(self.committed)

    def is_permitted(self, team: Team) -> bool:
        """Whether committed locations let these edges move."""
        flags = map(self.is_committed, team)
        return all(flags) if self.system.rules.commitment is Commitment.ALL else any(flags)

    def needs_commitment(self, edge: Edge) -> bool:
        """Whether the process of the edge itself must be committed while any is."""
        channel = self.channel(edge)
        alone = channel is None or channel.kind is ChannelKind.BUFFERED
        return alone or self.system.rules.commitment is Commitment.ALL

    def who_is_committed(self) -> str:
        """The committed processes, which must move."""
        places = [f"{process}.{at}" for process, at in self.committed]
        verb = "is committed and moves" if len(places) == 1 else "are committed and move"
        return f"{listed(places, 'and')} {verb}"


def edges_named(system: System, state: State, text: str) -> list[EdgeRef]:
    """The edges that a text names in a state; ModelError where there are none."""
    head, colon, tail = (part.strip() for part in text.partition(":"))
    name = head.partition("(")[0].strip()
    if not colon and name not in system.process_named and name in system.channel_named:
        return _nearest(system, state, [ref for ref in _all_edges(system) if _is_on(system, ref, name)])
    if colon and "->" not in tail and name in system.channel_named:
        return _participating(system, state, name, tail)
    number = _process(system, name)
    process = system.processes[number]
    if not colon:
        leaving = [ref for ref in _all_edges(system) if ref[0] == number and _is_here(system, ref, state)]
        if not leaving:
            what = f"no edge of {name} leaves its location {state.locations[number]}"
            raise ModelError(Complaint(Code.UNKNOWN_EDGE, what, f"name an edge, as in '{name}: a -> b'"))
        return leaving
    source, arrow, target = (part.strip() for part in tail.partition("->"))
    if not arrow:
        raise ModelError(Complaint(Code.UNKNOWN_EDGE, f"{text!r} names no edge", _FORMS))
    target = target.partition(" (")[0].strip()
    edges = [(number, n) for n, edge in enumerate(process.edges) if (edge.source, edge.target) == (source, target)]
    if not edges:
        known = [f"{name}: {edge.source} -> {edge.target}" for edge in process.edges]
        wanted = f"{name}: {source} -> {target}"
        remedy = did_you_mean(wanted, known, str(LIST_EDGES))
        raise ModelError(Complaint(Code.UNKNOWN_EDGE, f"there is no edge {wanted!r}", remedy))
    return edges


def _participating(system: System, state: State, channel: str, tail: str) -> list[EdgeRef]:
    """The edges on a channel of the processes that a label such as `P! Q?` names."""
    found: list[EdgeRef] = []
    for word in tail.split():
        number = _process(system, word.rstrip("!?"))
        direction = {"!": Direction.SEND, "?": Direction.RECEIVE}.get(word[-1])
        edges = [
            ref
            for ref in _all_edges(system)
            if ref[0] == number and _is_on(system, ref, channel) and direction in (None, _direction(system, ref))
        ]
        found += _nearest(system, state, edges)
    if not found:
        raise ModelError(Complaint(Code.UNKNOWN_EDGE, f"no edge is named by {f'{channel}: {tail}'!r}", _FORMS))
    return found


def _process(system: System, name: str) -> int:
    if name not in system.process_named:
        known = (*system.process_named, *system.channel_named)
        raise ModelError(
            Complaint(Code.UNKNOWN_NAME, f"there is no process or channel {name!r}", did_you_mean(name, known, _FORMS))
        )
    return list(system.process_named).index(name)


def _nearest(system: System, state: State, edges: list[EdgeRef]) -> list[EdgeRef]:
    """Those of the edges that leave the locations of the state, or all where none does."""
    return [ref for ref in edges if _is_here(system, ref, state)] or edges


def _all_edges(system: System) -> list[EdgeRef]:
    return [(i, n) for i, process in enumerate(system.processes) for n in range(len(process.edges))]


def _is_here(system: System, ref: EdgeRef, state: State) -> bool:
    """Whether the process of an edge is where the edge begins."""
    return state.locations[ref[0]] == system.processes[ref[0]].edges[ref[1]].source


def _is_on(system: System, ref: EdgeRef, channel: str) -> bool:
    sync = system.processes[ref[0]].edges[ref[1]].sync
    return sync is not None and sync.channel == channel


def _direction(system: System, ref: EdgeRef) -> Direction | None:
    sync = system.processes[ref[0]].edges[ref[1]].sync
    return None if sync is None else sync.direction
