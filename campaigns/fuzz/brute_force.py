"""Brute force over a draft: its own evaluator, its own steps, every reachable state. Uses nothing of symdmc.

A state is a tuple of integers: the number of the location of each process, then every cell of every variable, then for
each buffer its length and its cells, component by component. What a step is follows docs/expressions.md, docs/dve.md
and docs/formats/models.md.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TypeAlias

from campaigns.fuzz.drafts import (
    BROADCAST,
    BUFFERED,
    JOIN,
    LOCKSTEP,
    ONE,
    RECEIVE,
    RENDEZVOUS,
    SEND,
    Channel,
    Draft,
    Expression,
    Kind,
)

State: TypeAlias = tuple[int, ...]
Cells: TypeAlias = Sequence[int]
Team: TypeAlias = tuple[tuple[int, int], ...]
"""The edges of a step, each by the number of its process and its own; the sender's first."""
Value: TypeAlias = Callable[[Cells], int]

MOST_STATES = 1_500
MOST_MOVES = 12_000


class Faulty(Exception):
    """A value does not exist."""


class TooLarge(Exception):
    """There are too many states for brute force."""


@dataclass(frozen=True)
class Move:
    """A step, or where `after` is None an attempt that faults."""

    team: Team
    cost: int
    after: State | None


# ---- values


def _cut(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _quotient(left: int, right: int) -> int:
    if right == 0:
        raise Faulty
    return _cut(math.trunc(left / right))


def _rest(left: int, right: int) -> int:
    if right == 0:
        raise Faulty
    return int(math.fmod(left, right))


def _place(start: int, size: int, index: int) -> int:
    if index < 0 or index >= size:
        raise Faulty
    return start + index


_NAMES = {"_cut": _cut, "_quotient": _quotient, "_rest": _rest, "_place": _place}
_BINARY = {
    "+": "_cut(({0}) + ({1}))",
    "-": "_cut(({0}) - ({1}))",
    "*": "_cut(({0}) * ({1}))",
    "/": "_quotient({0}, {1})",
    "%": "_rest({0}, {1})",
    "<<": "_cut(({0}) << (({1}) & 31))",
    ">>": "(({0}) >> (({1}) & 31))",
    "&": "(({0}) & ({1}))",
    "|": "(({0}) | ({1}))",
    "^": "(({0}) ^ ({1}))",
    "and": "(1 if ({0}) and ({1}) else 0)",
    "or": "(1 if ({0}) or ({1}) else 0)",
    "imply": "(1 if not ({0}) or ({1}) else 0)",
}
_BINARY |= {word: f"(1 if ({{0}}) {word} ({{1}}) else 0)" for word in ("<", "<=", ">", ">=", "==", "!=")}
_UNARY = {"-": "_cut(-({0}))", "~": "(-1 - ({0}))", "not": "(0 if ({0}) else 1)"}


def _kept(kind: Kind, value: int) -> int:
    """What a variable holds after a value was stored into it."""
    low, high, wraps = kind
    if low <= value <= high:
        return value
    if not wraps:
        raise Faulty
    span = high - low + 1
    while value < low:
        value += span * max(1, (low - value) // span)
    while value > high:
        value -= span * max(1, (value - high) // span)
    return value


# ---- a draft, ready to run


@dataclass
class _Edge:
    team: tuple[int, int]
    source: int
    target: int
    guard: Value
    channel: Channel | None
    direction: str | None
    values: list[Value]
    targets: list[tuple[Value, Kind]]
    updates: list[tuple[Value, Kind, Value]]
    cost: int


class Machine:
    """The states and steps of a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.numbers = {process.name: i for i, process in enumerate(draft.processes)}
        self.places = [{place.name: i for i, place in enumerate(process.places)} for process in draft.processes]
        self.start: dict[str, int] = {}
        self.size: dict[str, int | None] = {}
        self.kind: dict[str, Kind] = {}
        self._count = len(draft.processes)
        for variable in draft.variables:
            self._declare(variable.name, variable.size, variable.kind)
        for channel in draft.channels:
            if channel.how == BUFFERED:
                self._declare(f"{channel.name}->length", None, (0, channel.capacity, False))
                for name, kind in zip(item_names(channel), channel.kinds, strict=True):
                    self._declare(name, channel.capacity, kind)
        self.edges = [
            [self._edge(i, n) for n in range(len(process.edges))] for i, process in enumerate(draft.processes)
        ]
        self.committed = [
            {i for i, place in enumerate(process.places) if place.committed} for process in draft.processes
        ]
        self.invariants = [
            (i, k, self.value(place.invariant))
            for i, process in enumerate(draft.processes)
            for k, place in enumerate(process.places)
            if place.invariant != ONE
        ]

    def _declare(self, name: str, size: int | None, kind: Kind) -> None:
        self.start[name], self.size[name], self.kind[name] = self._count, size, kind
        self._count += 1 if size is None else size

    def value(self, expression: Expression) -> Value:
        """The expression as a function of states; it raises Faulty where there is no value."""
        made: Value = eval(f"lambda s: {self._text(expression)}", dict(_NAMES))
        return made

    def _text(self, expression: Expression) -> str:
        match expression:
            case ("n", value):
                return f"({value})"
            case ("v", name):
                return f"s[{self.start[name]}]"
            case ("c", name, index):
                return f"s[_place({self.start[name]}, {self.size[name]}, {self._text(index)})]"
            case ("@", process, place):
                number = self.numbers[process]
                return f"(1 if s[{number}] == {self.places[number][place]} else 0)"
            case ("u", operator, operand):
                return _UNARY[operator].format(self._text(operand))
            case ("b", operator, left, right):
                return _BINARY[operator].format(self._text(left), self._text(right))
            case ("?", condition, then, other):
                return f"({self._text(then)} if {self._text(condition)} else {self._text(other)})"
        raise ValueError(f"{expression!r} is no expression")

    def _target(self, place: Expression) -> tuple[Value, Kind]:
        """Where a place lies in a state, and what can be stored there."""
        start, kind = self.start[place[1]], self.kind[place[1]]
        if place[0] == "v":
            return (lambda s: start), kind
        size, index = self.size[place[1]] or 0, self.value(place[2])
        return (lambda s: _place(start, size, index(s))), kind

    def _edge(self, process: int, number: int) -> _Edge:
        edge, places, sync = self.draft.processes[process].edges[number], self.places[process], None
        sync = edge.sync
        channel = next((each for each in self.draft.channels if sync is not None and each.name == sync.channel), None)
        return _Edge(
            team=(process, number),
            source=places[edge.source],
            target=places[edge.target],
            guard=self.value(edge.guard),
            channel=channel,
            direction=None if sync is None else sync.direction,
            values=[self.value(each) for each in sync.values] if sync is not None else [],
            targets=[self._target(each) for each in sync.targets] if sync is not None else [],
            updates=[(*self._target(target), self.value(value)) for target, value in edge.updates],
            cost=edge.cost,
        )

    # ---- states and steps

    def initial(self) -> Iterator[State]:
        """The initial states."""
        cells = [choices for variable in self.draft.variables for choices in variable.initial]
        rest = self._count - len(self.draft.processes) - len(cells)
        starts = [
            [places[name] for name in process.initial]
            for process, places in zip(self.draft.processes, self.places, strict=True)
        ]
        for found in product(*starts, *cells):
            state = (*found, *([0] * rest))
            try:
                if self._may_be(state):
                    yield state
            except Faulty:
                continue

    def _may_be(self, state: Cells) -> bool:
        return all(state[i] != k or holds(state) for i, k, holds in self.invariants)

    def moves(self, state: State) -> list[Move]:
        """All steps from a state, and all attempts that fault."""
        ready = [[edge for edge in edges if edge.source == state[i]] for i, edges in enumerate(self.edges)]
        found: list[Move] = []
        for own in ready:
            for edge in own:
                found += self._moves_of(edge, ready, state)
        for channel in self.draft.channels:
            if channel.how == LOCKSTEP:
                found += self._together(channel, ready, state)
        return found

    def _moves_of(self, edge: _Edge, ready: list[list[_Edge]], state: State) -> Iterator[Move]:
        """The steps that an edge begins."""
        channel = edge.channel
        if channel is None or channel.how == BUFFERED:
            yield from self._tried([edge], state)
        elif channel.how == RENDEZVOUS and edge.direction == SEND:
            for other in self._receivers(edge, ready):
                yield from self._tried([edge, other], state)
        elif channel.how == BROADCAST and edge.direction == SEND:
            yield from self._cast(edge, ready, state)

    def _receivers(self, sender: _Edge, ready: list[list[_Edge]]) -> Iterator[_Edge]:
        for i, own in enumerate(ready):
            for other in own:
                if i != sender.team[0] and other.channel == sender.channel and other.direction == RECEIVE:
                    yield other

    def _cast(self, sender: _Edge, ready: list[list[_Edge]], state: State) -> Iterator[Move]:
        """Steps of a broadcast: with the sender, of each other process that can receive one edge."""
        try:
            if not sender.guard(state):
                return
            hearing = [other for other in self._receivers(sender, ready) if other.guard(state)]
        except Faulty:
            yield Move((sender.team,), sender.cost, None)
            return
        by_process: dict[int, list[_Edge]] = {}
        for other in hearing:
            by_process.setdefault(other.team[0], []).append(other)
        for chosen in product(*(by_process[i] for i in sorted(by_process))):
            yield from self._tried([sender, *chosen], state)

    def _together(self, channel: Channel, ready: list[list[_Edge]], state: State) -> Iterator[Move]:
        """Steps of a lockstep label: of each process that knows the label one edge."""
        members = [i for i, own in enumerate(self.edges) if any(edge.channel == channel for edge in own)]
        if not members:
            return
        choices = []
        for i in members:
            joining = [edge for edge in ready[i] if edge.channel == channel and edge.direction == JOIN]
            try:
                able = [edge for edge in joining if edge.guard(state)]
            except Faulty:
                yield Move((joining[0].team,), 1, None)
                return
            if not able:
                return
            choices.append(able)
        for chosen in product(*choices):
            yield from self._tried(list(chosen), state)

    def _tried(self, team: list[_Edge], state: State) -> Iterator[Move]:
        edges, cost = tuple(edge.team for edge in team), max(edge.cost for edge in team)
        try:
            after = self._after(team, state)
        except Faulty:
            yield Move(edges, cost, None)
        else:
            if after is not None:
                yield Move(edges, cost, after)

    def _after(self, team: list[_Edge], state: State) -> State | None:
        if any(state[i] in places for i, places in enumerate(self.committed)):
            those = [state[edge.team[0]] in self.committed[edge.team[0]] for edge in team]
            if not (all(those) if self.draft.all_committed else any(those)):
                return None
        first, channel = team[0], team[0].channel
        if channel is not None and channel.how == BUFFERED:
            length = state[self.start[f"{channel.name}->length"]]
            if length == (channel.capacity if first.direction == SEND else 0):
                return None
        if not all(edge.guard(state) for edge in team):
            return None
        cells = list(state)
        if channel is not None and channel.how == BUFFERED:
            self._use_buffer(first, channel, state, cells)
        elif channel is not None and channel.how != LOCKSTEP:
            passed = [value(state) for value in first.values]
            for other in team[1:]:
                _store_all(other.targets, passed, cells)
        in_order = team
        if not self.draft.sender_first and channel is not None and channel.how != LOCKSTEP:
            in_order = [*team[1:], team[0]]
        for edge in in_order:
            for place, kind, value in edge.updates:
                result = value(cells)
                cells[place(cells)] = _kept(kind, result)
        for edge in team:
            cells[edge.team[0]] = edge.target
        return tuple(cells) if self._may_be(cells) else None

    def _use_buffer(self, edge: _Edge, channel: Channel, state: State, cells: list[int]) -> None:
        at = self.start[f"{channel.name}->length"]
        length, starts = state[at], [self.start[name] for name in item_names(channel)]
        if edge.direction == SEND:
            for start, kind, value in zip(starts, channel.kinds, edge.values, strict=True):
                cells[start + length] = _kept(kind, value(state))
            cells[at] = length + 1
            return
        taken = [state[start] for start in starts]
        for start in starts:
            cells[start : start + channel.capacity] = [*state[start + 1 : start + channel.capacity], 0]
        cells[at] = length - 1
        _store_all(edge.targets, taken, cells)

    def holds(self, condition: Value, state: Cells) -> bool:
        """Whether a condition holds; one that faults does not."""
        try:
            return bool(condition(state))
        except Faulty:
            return False

    @cached_property
    def error(self) -> Value:
        """The condition of the question, without deadlocks and faults; assertions are part of it."""
        asked = self.draft.question
        conditions = [] if asked.error is None else [self.value(asked.error)]
        if asked.assertions:
            conditions.append(self._violated)
        return lambda s: int(any(self.holds(each, s) for each in conditions))

    @cached_property
    def _deadlock_where(self) -> Value:
        return self.value(self.draft.question.deadlock_where)

    @cached_property
    def _violated(self) -> Value:
        asserted = [
            (i, k, self.value(place.asserted))
            for i, process in enumerate(self.draft.processes)
            for k, place in enumerate(process.places)
            if place.asserted is not None
        ]

        def violated(state: Cells) -> int:
            return int(any(state[i] == k and not condition(state) for i, k, condition in asserted))

        return violated

    def is_error(self, state: State, moves: Sequence[Move] | None = None) -> bool:
        """Whether the question is about this state."""
        asked = self.draft.question
        if self.error(state):
            return True
        if not (asked.deadlock or asked.fault):
            return False
        moves = self.moves(state) if moves is None else moves
        stuck = all(move.after is None for move in moves) and self.holds(self._deadlock_where, state)
        return (asked.deadlock and stuck) or (asked.fault and any(move.after is None for move in moves))


def item_names(channel: Channel) -> list[str]:
    """The arrays that hold the items of a buffer."""
    if len(channel.kinds) == 1:
        return [f"{channel.name}->item"]
    return [f"{channel.name}->item{k}" for k in range(len(channel.kinds))]


def _store_all(targets: list[tuple[Value, Kind]], passed: Sequence[int], cells: list[int]) -> None:
    for (place, kind), value in zip(targets, passed, strict=True):
        cells[place(cells)] = _kept(kind, value)


# ---- all states


@dataclass(frozen=True)
class Space:
    """Every reachable state with its moves."""

    machine: Machine
    initial: tuple[State, ...]
    moves: dict[State, list[Move]]
    depth: int
    """The most transitions that a state needs."""
    level: dict[State, int] = field(default_factory=dict)
    """The least transitions that each state needs."""

    @cached_property
    def errors(self) -> set[State]:
        """The reachable error states."""
        return {state for state, moves in self.moves.items() if self.machine.is_error(state, moves)}

    @property
    def transitions(self) -> int:
        """All steps from all states."""
        return sum(move.after is not None for moves in self.moves.values() for move in moves)

    @property
    def deadlocks(self) -> int:
        """States without a step."""
        return sum(all(move.after is None for move in moves) for moves in self.moves.values())

    @property
    def faulting(self) -> int:
        """States from which a step faults."""
        return sum(any(move.after is None for move in moves) for moves in self.moves.values())

    @cached_property
    def distances(self) -> dict[State, int]:
        """For each state from which an error state can be reached, the cost of a cheapest way."""
        before: dict[State, list[tuple[State, int]]] = {}
        for state, moves in self.moves.items():
            for move in moves:
                if move.after is not None:
                    before.setdefault(move.after, []).append((state, move.cost))
        distance = dict.fromkeys(self.errors, 0)
        queue = deque(distance)
        while queue:
            state = queue.popleft()
            for source, cost in before.get(state, ()):
                if distance[state] + cost < distance.get(source, 1 << 60):
                    distance[source] = distance[state] + cost
                    (queue.append if cost else queue.appendleft)(source)
        return distance

    @cached_property
    def shortest(self) -> int | None:
        """The length of a shortest error trace; None where there is none."""
        return min((self.distances[state] for state in self.initial if state in self.distances), default=None)


def explored(draft: Draft, most_states: int = MOST_STATES, most_moves: int = MOST_MOVES) -> Space:
    """All reachable states of a draft; raises TooLarge where there are more than some thousand."""
    machine = Machine(draft)
    initial = tuple(machine.initial())
    level = dict.fromkeys(initial, 0)
    moves: dict[State, list[Move]] = {}
    queue, made, depth = deque(level), 0, 0
    while queue:
        state = queue.popleft()
        depth = level[state]
        moves[state] = machine.moves(state)
        made += len(moves[state])
        for move in moves[state]:
            if move.after is not None and move.after not in level:
                level[move.after] = depth + 1
                queue.append(move.after)
        if len(level) > most_states or made > most_moves:
            raise TooLarge
    return Space(machine, initial, moves, depth, level)
