"""Small random systems that use every feature of the model: the one source of the property and differential tests.

Nothing is filtered: whatever is drawn is a valid system of at most a few thousand states. Locations that no edge
enters, locations that no edge leaves and guards that never hold are drawn on purpose. Hypothesis draws a seed, from
which a system is made, and then what is struck out again, which is where shrinking works; it spreads the hundreds of
choices in a system badly when it makes them one by one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import TypeAlias, TypeVar

from hypothesis import strategies as st

from symdmc.model.arithmetic import UNARY
from symdmc.model.expressions import (
    BINARY_PRECEDENCE,
    TRUE,
    At,
    Binary,
    Cell,
    Conditional,
    Expr,
    Literal,
    Ref,
    Target,
    Unary,
    conjunction,
)
from symdmc.model.question import ErrorCondition
from symdmc.model.system import (
    BYTE,
    SHORT,
    Assignment,
    Channel,
    ChannelKind,
    Commitment,
    Direction,
    Edge,
    Location,
    Process,
    Property,
    Range,
    Rules,
    Synchronisation,
    System,
    UpdateOrder,
    Variable,
)

T = TypeVar("T")
Draw: TypeAlias = st.DrawFn
Choose: TypeAlias = Callable[[int, int], int]
"""An integer between two bounds, both included."""

SEEDS = st.integers(0, 2**24 - 1)
STATES = 3000
"""A bound on the product of all domains, the few values of wide variables left aside."""
SMALL = (0, 1, 2, 3, -1, 4)
WIDE = (31, 255, 256, -2, 65535, 32768, 2**31 - 1, -(2**31))
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
TOTAL = tuple(operator for operator in BINARY_PRECEDENCE if operator not in ("/", "%"))


@dataclass(frozen=True)
class Words:
    """What expressions can mention, and whether they may fault."""

    scalars: tuple[Variable, ...]
    arrays: tuple[Variable, ...]
    locations: tuple[tuple[str, str], ...]
    faults: bool

    @classmethod
    def of(cls, variables: Sequence[Variable], processes: dict[str, list[str]], faults: bool) -> Words:
        return cls(
            tuple(variable for variable in variables if variable.size is None and not variable.constant),
            tuple(variable for variable in variables if variable.size is not None),
            tuple((process, place) for process, places in processes.items() for place in places),
            faults,
        )


@st.composite
def expressions(draw: Draw, system: System, *, depth: int = 3, faults: bool = True) -> Expr:
    """Expressions over the variables, buffers and locations of a system."""
    return _expression(lambda low, high: draw(st.integers(low, high)), _words(system, faults), depth)


@st.composite
def systems_with_error(
    draw: Draw, *, costs: bool = False, faults: bool = True, kinds: Sequence[ChannelKind] = tuple(ChannelKind)
) -> tuple[System, ErrorCondition]:
    """A system and a question about it: an expression, deadlock, fault, or several of them."""
    choose = random.Random(draw(SEEDS)).randint
    system = _system(choose, kinds, costs, faults)
    error = _error_condition(choose, _words(system, faults=True))
    return _thinned(draw, system), error


@st.composite
def systems(
    draw: Draw, *, costs: bool = False, faults: bool = True, kinds: Sequence[ChannelKind] = tuple(ChannelKind)
) -> System:
    """A valid system with channels of the given kinds; `costs`: edges cost 0 or 1; without `faults`, no step faults."""
    return _thinned(draw, _system(random.Random(draw(SEEDS)).randint, kinds, costs, faults))


def random_system(seed: int, *, costs: bool = False, faults: bool = True) -> System:
    """The system of a seed, for tests that want the same ones every time."""
    return _system(random.Random(seed).randint, tuple(ChannelKind), costs, faults)


def _system(choose: Choose, kinds: Sequence[ChannelKind], costs: bool, faults: bool) -> System:
    places = _places(choose)
    count = _pick(choose, (0, 1, 1, 2, 2, 2, 3)) if kinds else 0
    channels = [_channel(choose, f"c{i}", _pick(choose, kinds), faults, 2 if i == 0 else 1) for i in range(count)]
    budget = STATES // prod(len(names) for names in places.values())
    for channel in channels:
        budget //= _contents(channel)
    variables = _variables(choose, tuple(places), budget, faults)
    narrow = [variable for variable in variables if variable.type not in (BYTE, SHORT)]
    buffers = [part for channel in channels for part in channel.buffer()]
    parts = Parts(
        choose=choose,
        places=places,
        channels=channels,
        guards=Words.of([*variables, *buffers], places, faults),
        values=Words.of([*narrow, *buffers], places, faults),
        writable=tuple(variable for variable in variables if not variable.constant),
        costs=costs,
    )
    system = System(
        name="random",
        processes=parts.processes(),
        variables=tuple(variables),
        channels=tuple(channels),
        properties=parts.properties(),
        rules=Rules(_pick(choose, tuple(Commitment)), _pick(choose, tuple(UpdateOrder))),
    )
    return _mostly_free(choose, system) if costs and _chance(choose, 30) else system


def _mostly_free(choose: Choose, system: System) -> System:
    """The system with few edges left that cost anything, so that most steps, and circles of them, are free."""

    def freed(edge: Edge) -> Edge:
        return replace(edge, cost=0) if _chance(choose, 80) else edge

    processes = (replace(each, edges=tuple(map(freed, each.edges))) for each in system.processes)
    return replace(system, processes=tuple(processes))


def _thinned(draw: Draw, system: System) -> System:
    """The system without some edges, guards and assignments: what a failing example does not need shrinks away."""
    count = sum(len(process.edges) for process in system.processes)
    fates = iter(draw(st.binary(min_size=count, max_size=count)))
    return replace(
        system,
        processes=tuple(
            replace(
                process, edges=tuple(chain.from_iterable(_thinned_edge(edge, next(fates)) for edge in process.edges))
            )
            for process in system.processes
        ),
    )


def _thinned_edge(edge: Edge, fate: int) -> Iterator[Edge]:
    if fate >= 16:
        yield edge
    elif fate >= 12:
        yield replace(edge, guard=TRUE)
    elif fate >= 8:
        yield replace(edge, assignments=())
    elif fate >= 4:
        yield replace(edge, guard=TRUE, assignments=())


def _words(system: System, faults: bool) -> Words:
    places = {process.name: [place.name for place in process.locations] for process in system.processes}
    return Words.of(system.storage, places, faults)


def _chance(choose: Choose, percent: int) -> bool:
    return choose(0, 99) >= 100 - percent


def _pick(choose: Choose, options: Sequence[T]) -> T:
    return options[choose(0, len(options) - 1)]


# Declarations


def _places(choose: Choose) -> dict[str, list[str]]:
    """The locations of each process: fewer of them where there are many processes."""
    processes = _pick(choose, (1, 2, 2, 2, 3, 3, 3, 4))
    largest = 4 if processes <= 2 else 3
    return {f"P{i}": ["a", "b", "c", "d"][: choose(2, largest)] for i in range(processes)}


def _channel(choose: Choose, name: str, kind: ChannelKind, faults: bool, room: int) -> Channel:
    """A channel; `room` limits the capacity and the components of a buffer, and so the number of its contents."""
    buffered = kind is ChannelKind.BUFFERED
    components = 0 if kind is ChannelKind.LOCKSTEP else choose(0, room if buffered else 2)
    return Channel(
        name=name,
        kind=kind,
        types=tuple(Range(-choose(0, 1), 1, _wraps(choose, faults)) for _ in range(components)),
        capacity=choose(1, room) if buffered else 0,
        urgent=not buffered and _chance(choose, 10),
    )


def _contents(channel: Channel) -> int:
    """How many contents the buffer of a channel can have."""
    items = prod(kind.high - kind.low + 1 for kind in channel.types)
    return sum(items**length for length in range(channel.capacity + 1))


def _wraps(choose: Choose, faults: bool) -> bool:
    return not faults or _chance(choose, 50)


def _variables(choose: Choose, owners: tuple[str, ...], budget: int, faults: bool) -> list[Variable]:
    """At least one scalar, others and arrays as the budget of states allows, constants, sometimes a wide variable."""
    variables = [_scalar(choose, "x", owners, faults)]
    budget //= _width(variables[0])
    for name in ("y", "x", "a", "b"):
        make = _array if name in ("a", "b") else _scalar
        variable = make(choose, name, owners, faults)
        known = any(other.name == variable.name for other in variables)
        if _chance(choose, 50) and _width(variable) <= budget and not known:
            budget //= _width(variable)
            variables.append(variable)
    if _chance(choose, 30):
        values = tuple((choose(-2, 4),) for _ in range(choose(1, 3)))
        variables.append(Variable(name="k", type=Range(-2, 4), size=len(values), initial=values, constant=True))
    if _chance(choose, 10):
        variables.append(Variable(name="n", type=Range(0, 9), initial=((choose(0, 9),),), constant=True))
    if _chance(choose, 35) and budget >= 4:
        variables.append(Variable(name="z", type=_pick(choose, (BYTE, SHORT)), initial=((choose(0, 200),),)))
    return variables


def _scalar(choose: Choose, name: str, owners: tuple[str, ...], faults: bool) -> Variable:
    low = -choose(0, 2)
    kind = Range(low, low + choose(1, 4), _wraps(choose, faults))
    return Variable(
        name=_owned(choose, name, owners),
        type=kind,
        initial=(_start(choose, kind),),
        digital_clock=kind.low == 0 and not kind.wraps,
    )


def _array(choose: Choose, name: str, owners: tuple[str, ...], faults: bool) -> Variable:
    low, size = -choose(0, 1), choose(1, 3)
    kind = Range(low, low + choose(1, 2), _wraps(choose, faults))
    initial = (_start(choose, kind), *((choose(kind.low, kind.high),) for _ in range(size - 1)))
    return Variable(name=_owned(choose, name, owners), type=kind, size=size, initial=initial)


def _owned(choose: Choose, name: str, owners: tuple[str, ...]) -> str:
    owner = _pick(choose, owners)
    return f"{owner}->{name}" if _chance(choose, 40) else name


def _start(choose: Choose, kind: Range) -> tuple[int, ...]:
    first = choose(kind.low, kind.high)
    other = first + 1 if first < kind.high else kind.low
    return (first, other) if _chance(choose, 12) else (first,)


def _width(variable: Variable) -> int:
    """How many values the variable can have."""
    return int((variable.type.high - variable.type.low + 1) ** variable.cells)


# Expressions


def _expression(choose: Choose, words: Words, depth: int) -> Expr:
    """An expression with at most `depth` operators on top of each other."""
    return _operation(choose, words, depth) if depth > 0 and _chance(choose, 60) else _atom(choose, words, depth)


def _operation(choose: Choose, words: Words, depth: int) -> Expr:
    def part() -> Expr:
        return _expression(choose, words, depth - 1)

    form = choose(0, 9)
    if form == 0:
        return Unary(_pick(choose, tuple(UNARY)), part())
    if form == 1:
        return Conditional(part(), part(), part())
    if words.faults:
        return Binary(_pick(choose, tuple(BINARY_PRECEDENCE)), part(), part())
    if form == 2:
        return Binary(_pick(choose, ("/", "%")), part(), Literal(_pick(choose, (2, 3, -2))))
    return Binary(_pick(choose, TOTAL), part(), part())


def _atom(choose: Choose, words: Words, depth: int) -> Expr:
    form = choose(0, 19)
    if form <= 6:
        return Literal(_pick(choose, SMALL))
    if form == 7:
        return Literal(_pick(choose, WIDE))
    if form <= 11 and words.arrays:
        return _cell(choose, _pick(choose, words.arrays), words, depth)
    if form <= 13:
        return At(*_pick(choose, words.locations))
    return Ref(_pick(choose, words.scalars).name)


def _cell(choose: Choose, array: Variable, words: Words, depth: int) -> Cell:
    """A cell by number, by a variable, or by any expression; the latter two may lie outside of the array."""
    if not words.faults or depth == 0 or _chance(choose, 60):
        return Cell(array.name, Literal(choose(0, array.cells - 1)))
    if _chance(choose, 60):
        return Cell(array.name, Ref(_pick(choose, words.scalars).name))
    return Cell(array.name, _expression(choose, words, 1))


def _condition(choose: Choose, words: Words) -> Expr:
    """A condition that holds often: a comparison with a value that can occur, a location, or anything."""
    form = choose(0, 5)
    if form <= 2:
        return _comparison(choose, words)
    if form == 3:
        return At(*_pick(choose, words.locations))
    return _expression(choose, words, 3)


def _comparison(choose: Choose, words: Words) -> Expr:
    variable = _pick(choose, words.scalars)
    value = choose(max(variable.type.low, -2), min(variable.type.high, 4))
    return Binary(_pick(choose, COMPARISONS), Ref(variable.name), Literal(value))


def _error_condition(choose: Choose, words: Words) -> ErrorCondition:
    form = choose(0, 9)
    if form == 8:
        where = _where(choose, words)
        name = str(conjunction(Ref("deadlock"), where))
        return ErrorCondition(name=name, deadlock=True, deadlock_where=where)
    if form == 9:
        return ErrorCondition(name="fault", fault=True)
    expression = _error(choose, words)
    if form == 7:
        return ErrorCondition(
            name="several",
            expression=expression,
            deadlock=choose(0, 1) == 1,
            deadlock_where=_where(choose, words),
            fault=choose(0, 1) == 1,
        )
    return ErrorCondition(name=str(expression), expression=expression)


def _where(choose: Choose, words: Words) -> Expr:
    """In which states without a step a deadlock is an error."""
    return TRUE if choose(0, 1) == 0 else _error(choose, words)


def _error(choose: Choose, words: Words) -> Expr:
    """A condition that seldom holds at the start: mostly, processes away from their first places and something else."""
    if _chance(choose, 15):
        return _condition(choose, words)
    away = [At(*_pick(choose, [at for at in words.locations if at[1] != "a"])) for _ in range(choose(1, 2))]
    return conjunction(*dict.fromkeys(away), *([_comparison(choose, words)] if _chance(choose, 70) else []))


# Processes


@dataclass(frozen=True)
class Parts:
    """Makes the processes of a system whose declarations are known."""

    choose: Choose
    places: dict[str, list[str]]
    channels: list[Channel]
    guards: Words
    values: Words
    """What values may be computed from: wide variables are not part of it, so that they take few values."""
    writable: tuple[Variable, ...]
    costs: bool

    def processes(self) -> tuple[Process, ...]:
        edges = self.edges()
        committed = 20 if _chance(self.choose, 40) else 0
        invariants = 25 if _chance(self.choose, 30) else 0
        return tuple(
            Process(
                name=name,
                initial=tuple(places[:2]) if _chance(self.choose, 12) else (places[0],),
                locations=tuple(
                    self.location(place, committed, 3 if place == places[0] else invariants) for place in places
                ),
                edges=tuple(edges[name]),
            )
            for name, places in self.places.items()
        )

    def location(self, name: str, committed: int, invariants: int) -> Location:
        return Location(
            name=name,
            committed=_chance(self.choose, committed),
            urgent=_chance(self.choose, 5),
            invariant=_condition(self.choose, self.guards) if _chance(self.choose, invariants) else TRUE,
        )

    def edges(self) -> dict[str, list[Edge]]:
        """The edges of every process: internal ones, and those that use the channels, in any order."""
        edges = {name: self.internal(name) for name in self.places}
        for channel in self.channels:
            for name, direction in self.users(channel):
                edge = self.edge(name, self.synchronisation(channel, direction))
                edges[name].insert(self.choose(0, len(edges[name])), edge)
        return edges

    def internal(self, name: str) -> list[Edge]:
        """Internal edges; mostly one that leaves the first place and one that returns, so that a process goes on."""
        edges = [self.edge(name, None) for _ in range(self.choose(0, 3))]
        first, second = self.places[name][:2]
        for source, target in ((first, second), (second, first)):
            if _chance(self.choose, 60):
                edges.append(replace(self.edge(name, None), source=source, target=target))
        return edges

    def users(self, channel: Channel) -> list[tuple[str, Direction]]:
        """Who uses a channel and how; a broadcast may find several receiving edges in one process."""
        names, choose = tuple(self.places), self.choose
        first = choose(0, len(names) - 1)
        others = [*names[first + 1 :], *names[:first]] or [names[first]]
        match channel.kind:
            case ChannelKind.LOCKSTEP:
                joining = [names[first], *others][: max(choose(1, len(names)), choose(1, len(names)))]
                return [(name, Direction.JOIN) for name in joining for _ in range(choose(1, 3))]
            case ChannelKind.BROADCAST:
                sending = [(names[first], Direction.SEND)] * choose(1, 2)
                return sending + [(name, Direction.RECEIVE) for name in others for _ in range(choose(1, 3))]
            case _:
                sending = [(names[first], Direction.SEND)] * choose(1, 2)
                receiving = [(others[0], Direction.RECEIVE)] * choose(1, 2)
                extra = [(_pick(choose, names), _pick(choose, (Direction.SEND, Direction.RECEIVE)))] * choose(0, 2)
                return sending + receiving + extra

    def edge(self, process: str, sync: Synchronisation | None) -> Edge:
        """An edge; of a process with four places it never enters the third and never leaves the last."""
        places = self.places[process]
        sources, targets = (places[:3], [*places[:2], places[3]]) if len(places) == 4 else (places, places)
        source = _pick(self.choose, sources if sync is None else [*sources, *places[:2], *places[:2]])
        return Edge(
            source=source,
            target=_pick(self.choose, [place for place in targets if place != source or _chance(self.choose, 20)]),
            guard=_condition(self.choose, self.guards) if _chance(self.choose, 40 if sync is None else 20) else TRUE,
            sync=sync,
            assignments=tuple(self.assignment() for _ in range(self.choose(0, 2))),
            cost=self.choose(0, 1) if self.costs else 1,
        )

    def synchronisation(self, channel: Channel, direction: Direction) -> Synchronisation:
        if direction is Direction.SEND:
            values = tuple(self.value(kind) for kind in channel.types)
            return Synchronisation(channel=channel.name, direction=direction, values=values)
        targets = tuple(self.target() for _ in channel.types)
        return Synchronisation(channel=channel.name, direction=direction, targets=targets)

    def assignment(self) -> Assignment:
        target = self.target()
        name = target.name if isinstance(target, Ref) else target.array
        return Assignment(target, self.value(next(each.type for each in self.writable if each.name == name)))

    def target(self) -> Target:
        variable = _pick(self.choose, self.writable)
        return Ref(variable.name) if variable.size is None else _cell(self.choose, variable, self.values, 2)

    def value(self, kind: Range) -> Expr:
        """A value to store: one in the range, a variable one up or down, a few bits of anything, or anything."""
        form = self.choose(0, 9)
        if kind in (BYTE, SHORT):
            return self.beside(Literal(_pick(self.choose, (*SMALL, *WIDE))))
        if form <= 3:
            return Literal(self.choose(kind.low, kind.high))
        if form <= 5:
            return self.beside(Literal(1))
        anything = _expression(self.choose, self.values, 2)
        return anything if form == 6 else Binary("&", anything, Literal(_pick(self.choose, (1, 3))))

    def beside(self, amount: Literal) -> Expr:
        return Binary(_pick(self.choose, ("+", "-")), Ref(_pick(self.choose, self.values.scalars).name), amount)

    def properties(self) -> tuple[Property, ...]:
        return tuple(Property(name=f"p{i}", error=_error(self.choose, self.guards)) for i in range(self.choose(0, 2)))
