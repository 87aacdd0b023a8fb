"""The reference semantics: what the states and steps of a system are. Plain on purpose: all else is tested against it.

A step is tried in this order, and the first test that fails decides: the participants are at the sources of their
edges; the rule about committed locations; room or an item in the buffer; the guards, the sender's first. In a broadcast
or a lockstep label the guards decide who moves. There the guards come before the rule about committed locations,
process by process until one that must take part cannot, and a guard that faults forbids all steps it could be part of.
Then the passed values are read in the state before the step, received values and buffers are stored, the assignments
run edge by edge, each in sequence, the participants change their locations, and the invariants of all locations must
hold. If anything faults before that, the step does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TypeAlias, assert_never

from symdmc.errors import Code, Complaint, UnsupportedFeature
from symdmc.model.arithmetic import STRICT_BINARY, UNARY, ArithmeticFault
from symdmc.model.expressions import TRUE, At, Binary, Cell, Conditional, Expr, Literal, Ref, Target, Unary
from symdmc.model.state import EdgeRef, Fault, State, Step
from symdmc.model.system import Channel, ChannelKind, Commitment, Direction, Edge, Location, System, UpdateOrder

Team: TypeAlias = tuple[EdgeRef, ...]
"""The edges that make one step, the sender's first."""


class Semantics:
    """The states and steps of one system."""

    def __init__(self, system: System) -> None:
        if system.clocks:
            raise UnsupportedFeature(
                Complaint(Code.CLOCKS_UNSUPPORTED, f"model {system.name!r} uses clocks, which are not supported yet")
            )
        self.system = system
        self._process_number = {process.name: i for i, process in enumerate(system.processes)}
        self._variable_number = {variable.name: i for i, variable in enumerate(system.storage)}
        self._places = [{place.name: place for place in process.locations} for process in system.processes]
        # Found once, as it is the same in every state: in a system of a thousand processes, a step names two of them.
        self._invariants = self._processes_where(lambda place: place.invariant != TRUE)
        self._committed = self._processes_where(lambda place: place.committed)
        self._edges: dict[tuple[Direction | None, str | None], dict[int, dict[str, list[EdgeRef]]]] = {}
        """For each use of a channel, or for none, by process and source: in a process of many edges few are ready."""
        for i, process in enumerate(system.processes):
            for n, edge in enumerate(process.edges):
                direction = edge.sync.direction if edge.sync else None
                for channel in {None, edge.sync.channel if edge.sync else None}:
                    leaving = self._edges.setdefault((direction, channel), {}).setdefault(i, {})
                    leaving.setdefault(edge.source, []).append((i, n))
        self._joining = {
            channel.name: list(self._edges.get((Direction.JOIN, channel.name), ()))
            for channel in system.channels
            if channel.kind is ChannelKind.LOCKSTEP
        }

    def _processes_where(self, holds: Callable[[Location], bool]) -> list[int]:
        """The processes with some location for which `holds` is true."""
        return [i for i, process in enumerate(self.system.processes) if any(map(holds, process.locations))]

    def initial_states(self) -> Iterator[State]:
        """Every combination of initial locations and values that satisfies the invariants."""
        cells = [choices for variable in self.system.storage for choices in variable.initial]
        for locations in product(*(process.initial for process in self.system.processes)):
            for flat in product(*cells):
                rest = iter(flat)
                values = tuple(tuple(next(rest) for _ in range(variable.cells)) for variable in self.system.storage)
                state = State(locations, values)
                if self._may_start(state):
                    yield state

    def is_initial(self, state: State) -> bool:
        """Whether the state is one of `initial_states`, without listing them."""
        return (
            [len(cells) for cells in state.values] == [variable.cells for variable in self.system.storage]
            and len(state.locations) == len(self.system.processes)
            and all(at in process.initial for at, process in zip(state.locations, self.system.processes, strict=True))
            and all(
                value in choices
                for cells, variable in zip(state.values, self.system.storage, strict=True)
                for value, choices in zip(cells, variable.initial, strict=True)
            )
            and self._may_start(state)
        )

    def _may_start(self, state: State) -> bool:
        """Whether the invariants hold; where one faults, the state does not exist."""
        try:
            return self._satisfies_invariants(state)
        except ArithmeticFault:
            return False

    def holds(self, condition: Expr, state: State) -> bool:
        """Whether the condition is true in the state; one that faults is not."""
        try:
            return self.evaluate(condition, state) != 0
        except ArithmeticFault:
            return False

    def evaluate(self, expression: Expr, state: State) -> int:
        """The value of the expression in the state; raises ArithmeticFault where it has none."""
        match expression:
            case Literal(value):
                return value
            case Ref() | Cell():
                number, position = self._cell(expression, state)
                return state.values[number][position]
            case At(process, location):
                return int(state.locations[self._process_number[process]] == location)
            case Unary(operator, operand):
                return UNARY[operator](self.evaluate(operand, state))
            case Binary("and", left, right):
                return int(self.evaluate(left, state) != 0 and self.evaluate(right, state) != 0)
            case Binary("or", left, right):
                return int(self.evaluate(left, state) != 0 or self.evaluate(right, state) != 0)
            case Binary("imply", left, right):
                return int(self.evaluate(left, state) == 0 or self.evaluate(right, state) != 0)
            case Binary(operator, left, right):
                return STRICT_BINARY[operator](self.evaluate(left, state), self.evaluate(right, state))
            case Conditional(condition, then, otherwise):
                return self.evaluate(then if self.evaluate(condition, state) != 0 else otherwise, state)
            case _:
                assert_never(expression)

    def _cell(self, place: Target, state: State) -> tuple[int, int]:
        """The variable and the position in it that a place names in a state."""
        if isinstance(place, Ref):
            return self._variable_number[place.name], 0
        number, index = self._variable_number[place.array], self.evaluate(place.index, state)
        if not 0 <= index < len(state.values[number]):
            raise ArithmeticFault(f"index {index} of {place.array} is outside 0..{len(state.values[number]) - 1}")
        return number, index

    def _satisfies_invariants(self, state: State) -> bool:
        places = (self._places[number][state.locations[number]] for number in self._invariants)
        return all(self.evaluate(place.invariant, state) != 0 for place in places)

    def steps(self, state: State) -> list[Step]:
        """Every step from the state, in a fixed order."""
        return [move for move in self.moves(state) if isinstance(move, Step)]

    def steps_between(self, before: State, after: State) -> list[Step]:
        """The steps from one state to another, in the order of `steps`."""
        pairs = enumerate(zip(before.locations, after.locations, strict=True))
        moved = {number for number, (source, target) in pairs if source != target}

        def leads_there(team: Team) -> bool:
            arrives = all(self.edge(ref).target == after.locations[ref[0]] for ref in team)
            return arrives and moved <= {number for number, _ in team}

        moves = self.moves(before, leads_there)
        return [move for move in moves if isinstance(move, Step) and move.successor == after]

    def moves(self, state: State, asked: Callable[[Team], bool] = lambda _: True) -> Iterator[Step | Fault]:
        """Every step from the state, and every attempt that faults; only for teams for which `asked` is true."""
        for team in self._teams(state):
            if isinstance(team, Fault):
                yield team
                continue
            if not asked(team):
                continue
            try:
                successor = self._fire(team, state)
            except ArithmeticFault as fault:
                yield Fault(team, str(fault))
            else:
                if successor is not None:
                    yield Step(team, max(self.edge(ref).cost for ref in team), successor)

    def states_beyond(self, state: State, asked: Callable[[Team], bool]) -> Iterator[State]:
        """The states after steps that only an invariant forbids, for teams for which `asked` is true."""
        for team in self._teams(state):
            if isinstance(team, Fault) or not asked(team):
                continue
            try:
                after = self._after(team, state)
                if after is not None and not self._satisfies_invariants(after):
                    yield after
            except ArithmeticFault:
                continue

    def edge(self, ref: EdgeRef) -> Edge:
        """The edge a reference names."""
        return self.system.processes[ref[0]].edges[ref[1]]

    def _teams(self, state: State) -> Iterator[Team | Fault]:
        """The edges that could move together, judged by locations; for broadcasts and lockstep labels by guards too."""
        for sender in self._ready(state, Direction.SEND):
            channel = self._channel(sender)
            match channel.kind:
                case ChannelKind.BUFFERED:
                    yield (sender,)
                case ChannelKind.RENDEZVOUS:
                    receivers = self._ready(state, Direction.RECEIVE, channel)
                    yield from ((sender, receiver) for receiver in receivers if receiver[0] != sender[0])
                case ChannelKind.BROADCAST:
                    yield from self._broadcast(sender, channel, state)
        for receiver in self._ready(state, Direction.RECEIVE):
            if self._channel(receiver).kind is ChannelKind.BUFFERED:
                yield (receiver,)
        for label, members in self._joining.items():
            if members:
                yield from self._lockstep(label, members, state)
        yield from ((ref,) for ref in self._ready(state, None))

    def _broadcast(self, sender: EdgeRef, channel: Channel, state: State) -> Iterator[Team | Fault]:
        """The sender with one enabled receiving edge of each other process that has any."""
        try:
            if not self._is_enabled(sender, state):
                return
            receivers = [ref for ref in self._ready(state, Direction.RECEIVE, channel) if ref[0] != sender[0]]
            enabled = [ref for ref in receivers if self._is_enabled(ref, state)]
        except ArithmeticFault as fault:
            yield Fault((sender,), str(fault))
            return
        processes = sorted({process for process, _ in enabled})
        for chosen in product(*([ref for ref in enabled if ref[0] == process] for process in processes)):
            yield (sender, *chosen)

    def _lockstep(self, label: str, members: Sequence[int], state: State) -> Iterator[Team | Fault]:
        """One enabled edge with the label of each process that has any such edge."""
        ready = list(self._ready(state, Direction.JOIN, self.system.channel_named[label]))
        choices: list[list[EdgeRef]] = []
        for member in members:
            joining = [ref for ref in ready if ref[0] == member]
            try:
                choices.append([ref for ref in joining if self._is_enabled(ref, state)])
            except ArithmeticFault as fault:
                yield Fault(tuple(joining[:1]), str(fault))
                return
            if not choices[-1]:
                return
        yield from product(*choices)

    def _ready(self, state: State, direction: Direction | None, channel: Channel | None = None) -> Iterator[EdgeRef]:
        """The edges from the current locations that use a channel in this direction; with None, that use no channel."""
        for process, leaving in self._edges.get((direction, channel.name if channel else None), {}).items():
            yield from leaving.get(state.locations[process], ())

    def _fire(self, team: Team, state: State) -> State | None:
        """The state after the step, or None where something forbids the step."""
        after = self._after(team, state)
        return after if after is not None and self._satisfies_invariants(after) else None

    def _after(self, team: Team, state: State) -> State | None:
        """The state after the step regardless of invariants, or None where something else forbids the step."""
        if not self._is_permitted(team, state) or not self._has_room(team[0], state):
            return None
        if not all(self._is_enabled(ref, state) for ref in team):
            return None
        after = self._communicate(team, state)
        first_last = team if self.system.rules.updates is UpdateOrder.SENDER_FIRST else (*team[1:], team[0])
        for ref in team if self._is_lockstep(team) else first_last:
            for assignment in self.edge(ref).assignments:
                after = self._store(assignment.target, self.evaluate(assignment.value, after), after)
        locations = list(after.locations)
        for ref in team:
            locations[ref[0]] = self.edge(ref).target
        return State(tuple(locations), after.values)

    def _is_permitted(self, team: Team, state: State) -> bool:
        """Whether the committed locations let these edges move."""
        if not any(self._is_committed(number, state) for number in self._committed):
            return True
        committed = [self._is_committed(number, state) for number, _ in team]
        return all(committed) if self.system.rules.commitment is Commitment.ALL else any(committed)

    def _is_committed(self, number: int, state: State) -> bool:
        return self._places[number][state.locations[number]].committed

    def _is_enabled(self, ref: EdgeRef, state: State) -> bool:
        return self.evaluate(self.edge(ref).guard, state) != 0

    def _has_room(self, ref: EdgeRef, state: State) -> bool:
        """Whether a buffer has room to send or an item to receive; true of every other edge."""
        sync = self.edge(ref).sync
        if sync is None or self._channel(ref).kind is not ChannelKind.BUFFERED:
            return True
        length = self.evaluate(Ref(self._channel(ref).length_name), state)
        return length > 0 if sync.direction is Direction.RECEIVE else length < self._channel(ref).capacity

    def _communicate(self, team: Team, state: State) -> State:
        """The state after passing values: stored by the receivers, put into a buffer, or taken out of one."""
        sync = self.edge(team[0]).sync
        if sync is None or sync.direction is Direction.JOIN:
            return state
        channel = self._channel(team[0])
        if channel.kind is not ChannelKind.BUFFERED:
            passed = [self.evaluate(value, state) for value in sync.values]
            return self._receive(team[1:], passed, state)
        items = [state.values[self._variable_number[channel.item_name(k)]] for k in range(len(channel.types))]
        length = self.evaluate(Ref(channel.length_name), state)
        if sync.direction is Direction.SEND:
            passed = [
                kind.store(self.evaluate(value, state)) for kind, value in zip(channel.types, sync.values, strict=True)
            ]
            items = [(*item[:length], value, *item[length + 1 :]) for item, value in zip(items, passed, strict=True)]
            return self._with_buffer(channel, length + 1, items, state)
        taken = self._with_buffer(channel, length - 1, [(*item[1:], 0) for item in items], state)
        return self._receive(team, [item[0] for item in items], taken)

    def _receive(self, receivers: Team, passed: Sequence[int], state: State) -> State:
        for ref in receivers:
            sync = self.edge(ref).sync
            assert sync is not None
            for target, value in zip(sync.targets, passed, strict=True):
                state = self._store(target, value, state)
        return state

    def _with_buffer(self, channel: Channel, length: int, items: Sequence[tuple[int, ...]], state: State) -> State:
        values = list(state.values)
        values[self._variable_number[channel.length_name]] = (length,)
        for k, item in enumerate(items):
            values[self._variable_number[channel.item_name(k)]] = item
        return State(state.locations, tuple(values))

    def _store(self, target: Target, value: int, state: State) -> State:
        number, position = self._cell(target, state)
        cells = list(state.values[number])
        cells[position] = self.system.storage[number].type.store(value)
        return State(state.locations, (*state.values[:number], tuple(cells), *state.values[number + 1 :]))

    def _channel(self, ref: EdgeRef) -> Channel:
        sync = self.edge(ref).sync
        assert sync is not None
        return self.system.channel_named[sync.channel]

    def _is_lockstep(self, team: Team) -> bool:
        sync = self.edge(team[0]).sync
        return sync is not None and sync.direction is Direction.JOIN
