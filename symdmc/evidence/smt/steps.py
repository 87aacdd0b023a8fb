"""Every transition of a system as z3 terms: `Semantics.moves` for all states at once.

A transition is an internal edge, a sender and a receiver, an edge that uses a buffer, a sender with all processes that
can receive, or all processes of a lockstep label. Each of the last two is one transition, no matter who takes part: an
edge that may take part does so under a condition, and where a process can choose between several edges, each of them
has a Boolean that says whether it is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeAlias

import z3

from symdmc.evidence.smt.terms import (
    FALSE,
    TRUE,
    Evaluator,
    SmtLayout,
    Term,
    choice,
    conjunction,
    disjunction,
    negation,
    number,
    simplified,
    truth,
)
from symdmc.model.expressions import TRUE as ALWAYS
from symdmc.model.expressions import Expr, Ref, Target
from symdmc.model.state import EdgeRef
from symdmc.model.system import Channel, ChannelKind, Commitment, Direction, Edge, System, UpdateOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitionEdges:
    """The edges of one transition: those that always move, the sender's first, and those that move if they can."""

    edges: tuple[EdgeRef, ...]
    hearing: tuple[EdgeRef, ...] = ()
    """For a broadcast, the edges of other processes that can receive it."""
    joining: tuple[EdgeRef, ...] = ()
    """For a lockstep label, all edges that carry it; then `edges` is empty."""


def transitions(system: System) -> Iterator[TransitionEdges]:
    """Every transition of the system, in a fixed order."""
    for ref in _edges(system, None):
        yield TransitionEdges(edges=(ref,))
    for channel in system.channels:
        senders = _edges(system, Direction.SEND, channel)
        receivers = _edges(system, Direction.RECEIVE, channel)
        match channel.kind:
            case ChannelKind.BUFFERED:
                yield from (TransitionEdges(edges=(ref,)) for ref in (*senders, *receivers))
            case ChannelKind.RENDEZVOUS:
                pairs = ((one, other) for one in senders for other in receivers if one[0] != other[0])
                yield from (TransitionEdges(edges=pair) for pair in pairs)
            case ChannelKind.BROADCAST:
                for one in senders:
                    hearing = tuple(other for other in receivers if other[0] != one[0])
                    yield TransitionEdges(edges=(one,), hearing=hearing)
            case ChannelKind.LOCKSTEP:
                joining = tuple(_edges(system, Direction.JOIN, channel))
                if joining:
                    yield TransitionEdges(edges=(), joining=joining)


def _edges(system: System, direction: Direction | None, channel: Channel | None = None) -> list[EdgeRef]:
    """The edges that use a channel in this direction; with None, those that use no channel."""
    return [
        (number, n)
        for number, process in enumerate(system.processes)
        for n, edge in enumerate(process.edges)
        if (edge.sync.direction if edge.sync else None) == direction
        and (channel is None or (edge.sync is not None and edge.sync.channel == channel.name))
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A transition tried in the unknown state, with the choices made where there are any."""

    transition: TransitionEdges
    enabled: Term
    """Where the step exists."""
    fault: Term
    """Where trying it faults."""
    after: tuple[Term, ...]
    """The state after the step, where it exists."""
    writes: frozenset[int]
    """The slots that may differ after it."""
    sources: dict[int, int]
    """For each process that always takes part, the number of the location it starts from."""
    picks: dict[EdgeRef, Term]
    """For each edge that is one of several choices of its process, whether it is the one taken."""


_Member: TypeAlias = tuple[EdgeRef, Term]
"""An edge, and the condition under which it takes part."""


class StepEncoder:
    """Tries the transitions of one system."""

    def __init__(self, layout: SmtLayout) -> None:
        self.layout = layout
        self.system = layout.system
        committed = [
            layout.at(number, place.name, layout.current)
            for number, process in enumerate(self.system.processes)
            for place in process.locations
            if place.committed
        ]
        self.some_committed = disjunction(*committed)
        self.invariants = [
            (number, places)
            for number, process in enumerate(self.system.processes)
            if (places := [(place.name, place.invariant) for place in process.locations if place.invariant != ALWAYS])
        ]
        """For each process that has invariants its number, with the locations and their invariants."""
        self.committed = [
            {place.name for place in process.locations if place.committed} for process in self.system.processes
        ]

    def attempt(self, transition: TransitionEdges) -> Attempt:
        """The transition in the unknown state."""
        trial = _AttemptBuilder(self, transition)
        if transition.joining:
            trial.lockstep()
        elif trial.is_broadcast():
            trial.broadcast()
        else:
            trial.together()
        return trial.result()

    def edge(self, ref: EdgeRef) -> Edge:
        """The edge a reference names."""
        return self.system.processes[ref[0]].edges[ref[1]]

    def is_committed(self, ref: EdgeRef) -> bool:
        """Whether the edge leaves a committed location."""
        return self.edge(ref).source in self.committed[ref[0]]


class _AttemptBuilder:
    """Follows one transition in the order in which a step is tried.

    `alive` holds where nothing so far forbids the step and nothing faulted; `fault` where something faulted before
    anything else forbade it.
    """

    def __init__(self, steps: StepEncoder, transition: TransitionEdges) -> None:
        self.steps = steps
        self.layout = steps.layout
        self.system = steps.system
        self.transition = transition
        self.before = Evaluator(self.layout, self.layout.current)
        self.values = list(self.layout.current)
        self.alive = TRUE
        self.fault = FALSE
        self.sources: dict[int, int] = {}
        self.picks: dict[EdgeRef, Term] = {}

    # The three kinds of transition

    def together(self) -> None:
        """An internal edge, a rendezvous, or the use of a buffer."""
        team = [(ref, TRUE) for ref in self.transition.edges]
        for ref in self.transition.edges:
            self.start(ref)
        self.permit(team)
        self.room(self.transition.edges[0])
        for ref in self.transition.edges:
            self.guard(ref)
        self.finish(team)

    def broadcast(self) -> None:
        """A sender and everyone who can receive."""
        sender = self.transition.edges[0]
        self.start(sender)
        self.guard(sender)
        team = [(sender, TRUE), *self.takers(self.transition.hearing)]
        self.permit(team)
        self.finish(team)

    def lockstep(self) -> None:
        """One edge of each process that has any with the label."""
        team: list[_Member] = []
        for process in sorted({ref[0] for ref in self.transition.joining}):
            team += self.takers([ref for ref in self.transition.joining if ref[0] == process], must=True)
        self.permit(team)
        self.finish(team)

    def is_broadcast(self) -> bool:
        channel = self.channel(self.transition.edges[0])
        return channel is not None and channel.kind is ChannelKind.BROADCAST

    # Their parts

    def require(self, condition: Term) -> None:
        self.alive = conjunction(self.alive, condition)

    def risk(self, fault: Term) -> None:
        if fault is not FALSE:
            self.fault = disjunction(self.fault, conjunction(self.alive, fault))
            self.alive = conjunction(self.alive, negation(fault))

    def start(self, ref: EdgeRef) -> None:
        self.require(self.at_source(ref))
        self.sources[ref[0]] = self.layout.places[ref[0]][self.steps.edge(ref).source]

    def at_source(self, ref: EdgeRef) -> Term:
        return self.layout.at(ref[0], self.steps.edge(ref).source, self.layout.current)

    def guard(self, ref: EdgeRef) -> None:
        valued = self.before.evaluate(self.steps.edge(ref).guard)
        self.risk(valued.fault)
        self.require(truth(valued.term))

    def takers(self, refs: Sequence[EdgeRef], must: bool = False) -> list[_Member]:
        """The edges with the conditions under which they are taken; a process that can take one takes exactly one."""
        able: dict[EdgeRef, Term] = {}
        for ref in refs:
            ready, valued = self.at_source(ref), self.before.evaluate(self.steps.edge(ref).guard)
            self.risk(conjunction(ready, valued.fault))
            able[ref] = conjunction(ready, truth(valued.term))
        if must:
            self.require(disjunction(*able.values()))
        taken: list[_Member] = []
        for rivals in self.rivals(refs):
            taken += [(rivals[0], able[rivals[0]])] if len(rivals) == 1 else self.one_of(rivals, able)
        return sorted(taken, key=lambda member: member[0])

    def rivals(self, refs: Sequence[EdgeRef]) -> list[list[EdgeRef]]:
        """The edges grouped by where they start: those of one group may be enabled at once."""
        groups: dict[tuple[int, str], list[EdgeRef]] = {}
        for ref in refs:
            groups.setdefault((ref[0], self.steps.edge(ref).source), []).append(ref)
        return list(groups.values())

    def one_of(self, rivals: Sequence[EdgeRef], able: dict[EdgeRef, Term]) -> list[_Member]:
        """The edges with the condition that they are picked; exactly one of the enabled edges is."""
        for ref in rivals:
            self.picks[ref] = z3.Bool(f"pick {ref[0]} {ref[1]}")
        taken = [(ref, conjunction(able[ref], self.picks[ref])) for ref in rivals]
        some = disjunction(*(able[ref] for ref in rivals))
        self.require(disjunction(negation(some), *(condition for _, condition in taken)))
        for (_, one), (_, other) in combinations(taken, 2):
            self.require(negation(conjunction(one, other)))
        return taken

    def permit(self, team: Sequence[_Member]) -> None:
        """Require what the rule about committed locations demands."""
        if self.system.rules.commitment is Commitment.ALL:
            uncommitted = [condition for ref, condition in team if not self.steps.is_committed(ref)]
            allowed = conjunction(*(negation(condition) for condition in uncommitted))
        else:
            allowed = disjunction(*(condition for ref, condition in team if self.steps.is_committed(ref)))
        self.require(disjunction(negation(self.steps.some_committed), allowed))

    def room(self, ref: EdgeRef) -> None:
        """Require that a buffer has room to send or an item to receive."""
        channel = self.channel(ref)
        if channel is None or channel.kind is not ChannelKind.BUFFERED:
            return
        length = number(self.before.evaluate(Ref(channel.length_name)).term)
        sync = self.steps.edge(ref).sync
        receives = sync is not None and sync.direction is Direction.RECEIVE
        self.require(length > 0 if receives else length < channel.capacity)

    def channel(self, ref: EdgeRef) -> Channel | None:
        sync = self.steps.edge(ref).sync
        return None if sync is None else self.system.channel_named[sync.channel]

    def finish(self, team: Sequence[_Member]) -> None:
        """Pass values, run the assignments, move, and require the invariants."""
        self.communicate(team)
        in_order = list(team)
        if not self.transition.joining and self.system.rules.updates is UpdateOrder.RECEIVER_FIRST:
            in_order = [*team[1:], team[0]]
        for ref, condition in in_order:
            for assignment in self.steps.edge(ref).assignments:
                self.store(assignment.target, self.evaluate(assignment.value, condition), condition)
        for ref, condition in team:
            if self.steps.edge(ref).target != self.steps.edge(ref).source:
                target = self.layout.places[ref[0]][self.steps.edge(ref).target]
                self.values[ref[0]] = choice(condition, self.layout.slots[ref[0]].value(target), self.values[ref[0]])
        self.invariants()

    def communicate(self, team: Sequence[_Member]) -> None:
        first = team[0][0]
        channel, sync = self.channel(first), self.steps.edge(first).sync
        if channel is None or sync is None or sync.direction is Direction.JOIN:
            return
        if channel.kind is not ChannelKind.BUFFERED:
            self.receive(team[1:], [self.evaluate(value, TRUE) for value in sync.values])
        elif sync.direction is Direction.SEND:
            self.put(channel, [self.evaluate(value, TRUE) for value in sync.values])
        else:
            fronts = [self.layout.variable_slots[channel.item_name(k)][0] for k in range(len(channel.types))]
            passed = [self.layout.slots[slot].widened(self.values[slot]) for slot in fronts]
            self.take(channel)
            self.receive(team, passed)

    def receive(self, receivers: Sequence[_Member], passed: Sequence[Term]) -> None:
        for ref, condition in receivers:
            sync = self.steps.edge(ref).sync
            assert sync is not None
            for target, value in zip(sync.targets, passed, strict=True):
                self.store(target, value, condition)

    def put(self, channel: Channel, passed: Sequence[Term]) -> None:
        """Append an item: store it in the first free cell."""
        length = self.layout.variable_slots[channel.length_name][0]
        filled = self.layout.slots[length].widened(self.values[length])
        for k, value in enumerate(passed):
            for position, slot in enumerate(self.layout.variable_slots[channel.item_name(k)]):
                stored, fault = self.layout.slots[slot].stored(value)
                if position == 0:  # all cells have the type of the component
                    self.risk(fault)
                self.values[slot] = choice(filled == position, stored, self.values[slot])
        self.values[length] = self.values[length] + 1

    def take(self, channel: Channel) -> None:
        """Remove the front item: the others move up, and the freed cell becomes 0."""
        for k in range(len(channel.types)):
            slots = self.layout.variable_slots[channel.item_name(k)]
            for slot, behind in pairwise(slots):
                self.values[slot] = self.values[behind]
            self.values[slots[-1]] = self.layout.slots[slots[-1]].value(0)
        length = self.layout.variable_slots[channel.length_name][0]
        self.values[length] = self.values[length] - 1

    def evaluate(self, expression: Expr, condition: Term) -> Term:
        """The value in the state reached so far, as a bit vector of 32 bits."""
        valued = Evaluator(self.layout, self.values).evaluate(expression)
        self.risk(conjunction(condition, valued.fault))
        return number(valued.term)

    def store(self, target: Target, value: Term, condition: Term) -> None:
        positions, fault = Evaluator(self.layout, self.values).position(target)
        stored, outside = self.layout.slots[positions[0][0]].stored(value)
        self.risk(conjunction(condition, disjunction(fault, outside)))
        for slot, here in positions:
            self.values[slot] = choice(conjunction(condition, here), stored, self.values[slot])

    def invariants(self) -> None:
        """Require that the invariants of all locations hold after the step, process by process."""
        after = Evaluator(self.layout, self.values)
        for process, places in self.steps.invariants:
            valued = [(self.layout.at(process, name, self.values), after.evaluate(holds)) for name, holds in places]
            self.risk(disjunction(*(conjunction(at, each.fault) for at, each in valued)))
            for at, each in valued:
                self.require(disjunction(negation(at), truth(each.term)))

    def result(self) -> Attempt:
        after = tuple(
            new if new is old else z3.simplify(new) for new, old in zip(self.values, self.layout.current, strict=True)
        )
        return Attempt(
            transition=self.transition,
            enabled=simplified(self.alive),
            fault=simplified(self.fault),
            after=after,
            writes=frozenset(
                slot
                for slot, old in enumerate(self.layout.current)
                if after[slot] is not old and not after[slot].eq(old)
            ),
            sources=self.sources,
            picks=self.picks,
        )
