"""The steps of a system, one state at a time: which edges may move together, and what comes of it.

Given some edges, the referee says what comes of moving them; it lists all steps by trying whatever edges could go
together. Written apart from `model.semantics`, from the rules in docs/dve.md, docs/expressions.md and
docs/formats/models.md.

A step is tried in this order, and the first test that fails decides. All participants stand at the sources of their
edges. For a broadcast or a lockstep label: whose guards hold decides who takes part; a guard without a value forbids
the step. Committed locations allow it. The buffer has room, or an item. The guards hold, the sender's first. Values are
passed, assignments run, processes move; the invariants of all locations hold afterwards, process by process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, product
from typing import TypeAlias

from symdmc.errors import Code, Complaint, UnsupportedFeature
from symdmc.evidence.judge.values import Board, NoValue, kept
from symdmc.model.expressions import TRUE
from symdmc.model.question import ErrorCondition
from symdmc.model.state import EdgeRef, Fault, State, Step
from symdmc.model.system import (
    Channel,
    ChannelKind,
    Commitment,
    Direction,
    Edge,
    Location,
    Synchronisation,
    System,
    UpdateOrder,
)

Team: TypeAlias = tuple[EdgeRef, ...]
"""Edges that move together, the sender's first."""
Choices: TypeAlias = list[list[EdgeRef]]
"""Of each process that takes part the edges that it can choose from."""


class Referee:
    """The initial states, error states and steps of one system."""

    def __init__(self, system: System) -> None:
        if system.clocks:
            raise UnsupportedFeature(
                Complaint(Code.CLOCKS_UNSUPPORTED, f"model {system.name!r} uses clocks, which are not supported yet")
            )
        self.system = system
        self.locations = {
            (process.name, place.name): place for process in system.processes for place in process.locations
        }
        self.bounded = self._having(lambda place: place.invariant != TRUE)
        """The processes with some location that has an invariant."""
        self.urgent = self._having(lambda place: place.committed)
        """The processes with some committed location."""
        self.leaving: dict[tuple[int, str], list[EdgeRef]] = {}
        """The edges of each process by the location that they leave."""
        self.members: dict[str, list[int]] = {channel.name: [] for channel in system.channels}
        """For each channel the processes that have any edge with it."""
        for number, process in enumerate(system.processes):
            for n, edge in enumerate(process.edges):
                self.leaving.setdefault((number, edge.source), []).append((number, n))
                if edge.sync is not None and number not in self.members[edge.sync.channel][-1:]:
                    self.members[edge.sync.channel].append(number)

    def _having(self, what: Callable[[Location], bool]) -> list[str]:
        return [process.name for process in self.system.processes if any(map(what, process.locations))]

    def edge(self, ref: EdgeRef) -> Edge:
        """The edge that a reference names."""
        return self.system.processes[ref[0]].edges[ref[1]]

    # States

    def starts_in(self, state: State) -> bool:
        """Whether the state is an initial one."""
        return self._has_shape(state) and self._is_start(state) and self._invariants_hold_at_first(state)

    def initial_states(self) -> Iterator[State]:
        """All initial states."""
        cells = [choices for variable in self.system.storage for choices in variable.initial]
        for places in product(*(process.initial for process in self.system.processes)):
            for flat in product(*cells):
                state = self._state(places, flat)
                if self._invariants_hold_at_first(state):
                    yield state

    def _state(self, places: tuple[str, ...], flat: tuple[int, ...]) -> State:
        values, first = [], 0
        for variable in self.system.storage:
            values.append(flat[first : first + variable.cells])
            first += variable.cells
        return State(places, tuple(values))

    def _has_shape(self, state: State) -> bool:
        sizes = [variable.cells for variable in self.system.storage]
        return len(state.locations) == len(self.system.processes) and [len(cells) for cells in state.values] == sizes

    def _is_start(self, state: State) -> bool:
        for process, place in zip(self.system.processes, state.locations, strict=True):
            if place not in process.initial:
                return False
        for variable, cells in zip(self.system.storage, state.values, strict=True):
            for choices, value in zip(variable.initial, cells, strict=True):
                if value not in choices:
                    return False
        return True

    def _invariants_hold_at_first(self, state: State) -> bool:
        board = Board(self.system, state)
        return all(board.holds(place.invariant) for place in self._places(self.bounded, board))

    def is_error(self, state: State, error: ErrorCondition, outcomes: Sequence[Step | Fault] | None = None) -> bool:
        """Whether the state is an error state; `outcomes` are those of the state, where they are known."""
        if Board(self.system, state).holds(error.expression):
            return True
        if not (error.deadlock or error.fault):
            return False
        met = list(self.outcomes(state)) if outcomes is None else outcomes
        if error.fault and any(isinstance(each, Fault) for each in met):
            return True
        if not error.deadlock or not all(isinstance(each, Fault) for each in met):
            return False
        return Board(self.system, state).holds(error.deadlock_where)

    # Steps

    def steps(self, state: State) -> list[Step]:
        """All steps from a state."""
        return [each for each in self.outcomes(state) if isinstance(each, Step)]

    def outcomes(self, state: State) -> Iterator[Step | Fault]:
        """All steps from a state, and all that fault."""
        board = Board(self.system, state)
        here = [ref for n, at in enumerate(state.locations) for ref in self.leaving.get((n, at), ())]
        users: dict[tuple[str, Direction], list[EdgeRef]] = {}
        for ref in here:
            sync = self.edge(ref).sync
            if sync is None:
                yield from self._tried((ref,), board)
            else:
                users.setdefault((sync.channel, sync.direction), []).append(ref)
        for channel in self.system.channels:
            senders, receivers, joining = (
                users.get((channel.name, each), []) for each in (Direction.SEND, Direction.RECEIVE, Direction.JOIN)
            )
            match channel.kind:
                case ChannelKind.BUFFERED:
                    teams: Iterable[Team | Fault] = ((ref,) for ref in (*senders, *receivers))
                case ChannelKind.RENDEZVOUS:
                    teams = ((one, other) for one in senders for other in receivers if one[0] != other[0])
                case ChannelKind.BROADCAST:
                    groups = (self._heard(sender, receivers, board) for sender in senders)
                    teams = chain.from_iterable(self._chosen(group) for group in groups)
                case ChannelKind.LOCKSTEP:
                    teams = self._chosen(self._together(channel, joining, board))
            for team in teams:
                yield from (team,) if isinstance(team, Fault) else self._tried(team, board)

    def outcome(self, edges: Team, state: State) -> Step | Fault | None:
        """What comes of exactly these edges moving together, the sender's first."""
        processes = [number for number, _ in edges]
        if not edges or len(set(processes)) < len(processes) or not all(map(self._exists, edges)):
            return None
        syncs = [self.edge(ref).sync for ref in edges]
        if any(self.edge(ref).source != state.locations[ref[0]] for ref in edges):
            return None
        names = {None if sync is None else sync.channel for sync in syncs}
        if len(names) > 1 or (names == {None} and len(edges) > 1):
            return None
        board, (name,) = Board(self.system, state), names
        problem = None if name is None else self._belongs(edges, self.system.channel_named[name], board)
        if problem is not None:
            return problem if isinstance(problem, Fault) else None
        return next(self._tried(edges, board), None)

    def _exists(self, ref: EdgeRef) -> bool:
        processes = self.system.processes
        return 0 <= ref[0] < len(processes) and 0 <= ref[1] < len(processes[ref[0]].edges)

    def _belongs(self, edges: Team, channel: Channel, board: Board) -> Fault | bool | None:
        """None if these edges, all of one channel, make a step together; else a fault that forbids it, or False."""
        directions = [sync.direction for ref in edges if (sync := self.edge(ref).sync) is not None]
        listens = [Direction.RECEIVE] * (len(edges) - 1)
        match channel.kind:
            case ChannelKind.BUFFERED:
                return None if len(edges) == 1 else False
            case ChannelKind.RENDEZVOUS:
                return None if directions == [Direction.SEND, Direction.RECEIVE] else False
            case ChannelKind.BROADCAST:
                if directions != [Direction.SEND, *listens]:
                    return False
                found = self._heard(edges[0], self._using(channel, Direction.RECEIVE, board), board)
            case ChannelKind.LOCKSTEP:
                found = self._together(channel, self._using(channel, Direction.JOIN, board), board)
        if found is None or isinstance(found, Fault):
            return found if found is not None else False
        fits = len(found) == len(edges) and all(ref in able for ref, able in zip(edges, found, strict=True))
        return None if fits else False

    def _using(self, channel: Channel, direction: Direction, board: Board) -> list[EdgeRef]:
        """The edges from where the processes are that use the channel in this direction."""
        places = tuple(board.place.values())
        found = (ref for n in self.members[channel.name] for ref in self.leaving.get((n, places[n]), ()))
        used = ((ref, self.edge(ref).sync) for ref in found)
        return [ref for ref, sync in used if sync and (sync.channel, sync.direction) == (channel.name, direction)]

    def _heard(self, sender: EdgeRef, receivers: Iterable[EdgeRef], board: Board) -> Choices | Fault | None:
        """Of a broadcast: the sender, and of each other process that can receive the edges by which it can."""
        able: dict[int, list[EdgeRef]] = {}
        try:
            if board.value(self.edge(sender).guard) == 0:
                return None
            for ref in receivers:
                if ref[0] != sender[0] and board.value(self.edge(ref).guard) != 0:
                    able.setdefault(ref[0], []).append(ref)
        except NoValue as reason:
            return Fault((sender,), str(reason))
        return [[sender], *(able[number] for number in sorted(able))]

    def _together(self, channel: Channel, joining: Iterable[EdgeRef], board: Board) -> Choices | Fault | None:
        """Of a lockstep label: of each process that has it on any edge the edges by which it can take part."""
        choices: Choices = []
        here = list(joining)
        for number in self.members[channel.name]:
            own = [ref for ref in here if ref[0] == number]
            try:
                choices.append([ref for ref in own if board.value(self.edge(ref).guard) != 0])
            except NoValue as reason:
                return Fault((own[0],), str(reason))
            if not choices[-1]:
                return None
        return choices or None

    def _chosen(self, choices: Choices | Fault | None) -> Iterable[Team | Fault]:
        """Every way to choose."""
        if choices is None or isinstance(choices, Fault):
            return () if choices is None else (choices,)
        return product(*choices)

    def _tried(self, team: Team, before: Board) -> Iterator[Step | Fault]:
        """What comes of a team whose edges leave the current locations and belong together, if anything."""
        try:
            if not self._may_move(team, before):
                return
            board = before.copied()
            self._act(team, board)
            if any(board.value(place.invariant) == 0 for place in self._places(self.bounded, board)):
                return
        except NoValue as reason:
            yield Fault(team, str(reason))
            return
        yield Step(team, max(self.edge(ref).cost for ref in team), board.state())

    def _places(self, names: Iterable[str], board: Board) -> Iterator[Location]:
        """Where some processes are."""
        return (self.locations[name, board.place[name]] for name in names)

    def _may_move(self, team: Team, board: Board) -> bool:
        if board.is_urgent is None:
            board.is_urgent = any(place.committed for place in self._places(self.urgent, board))
        if board.is_urgent:
            committed = [self.locations[self._name(ref), self.edge(ref).source].committed for ref in team]
            if not (all(committed) if self.system.rules.commitment is Commitment.ALL else any(committed)):
                return False
        if not self._buffer_allows(self.edge(team[0]).sync, board):
            return False
        return not any(board.value(self.edge(ref).guard) == 0 for ref in team)

    def _name(self, ref: EdgeRef) -> str:
        return self.system.processes[ref[0]].name

    def _buffer_allows(self, sync: Synchronisation | None, board: Board) -> bool:
        """Whether there is room to send into a buffer, or an item to receive from it."""
        channel = None if sync is None else self.system.channel_named[sync.channel]
        if sync is None or channel is None or channel.kind is not ChannelKind.BUFFERED:
            return True
        (items,) = board.held[channel.length_name]
        return items < channel.capacity if sync.direction is Direction.SEND else items > 0

    # What a step does

    def _act(self, team: Team, board: Board) -> None:
        """Pass values, run assignments, move."""
        self._pass_values(team, board)
        for ref in self._turns(team):
            for assignment in self.edge(ref).assignments:
                board.put(assignment.target, board.value(assignment.value))
        for ref in team:
            board.place[self._name(ref)] = self.edge(ref).target

    def _turns(self, team: Team) -> Team:
        """The edges in the order in which their assignments run."""
        sync = self.edge(team[0]).sync
        sender_last = self.system.rules.updates is UpdateOrder.RECEIVER_FIRST
        if sync is None or sync.direction is Direction.JOIN or not sender_last:
            return team
        return (*team[1:], team[0])

    def _pass_values(self, team: Team, board: Board) -> None:
        sync = self.edge(team[0]).sync
        if sync is None or sync.direction is Direction.JOIN:
            return
        channel = self.system.channel_named[sync.channel]
        if sync.direction is Direction.RECEIVE:
            self._receive(team[0], self._taken_out(channel, board), board)
        elif channel.kind is ChannelKind.BUFFERED:
            self._put_in(channel, [board.value(each) for each in sync.values], board)
        else:
            passed = [board.value(each) for each in sync.values]
            for ref in team[1:]:
                self._receive(ref, passed, board)

    def _receive(self, ref: EdgeRef, passed: Sequence[int], board: Board) -> None:
        sync = self.edge(ref).sync
        assert sync is not None
        for target, value in zip(sync.targets, passed, strict=True):
            board.put(target, value)

    def _taken_out(self, channel: Channel, board: Board) -> list[int]:
        """The front item of a buffer; the others move up, and the last cell becomes 0."""
        board.held[channel.length_name][0] -= 1
        taken = []
        for component in range(len(channel.types)):
            cells = board.held[channel.item_name(component)]
            taken.append(cells.pop(0))
            cells.append(0)
        return taken

    def _put_in(self, channel: Channel, passed: Sequence[int], board: Board) -> None:
        """Append an item to a buffer."""
        behind = board.held[channel.length_name][0]
        stored = [kept(kind, value) for kind, value in zip(channel.types, passed, strict=True)]
        for component, value in enumerate(stored):
            board.held[channel.item_name(component)][behind] = value
        board.held[channel.length_name][0] += 1
