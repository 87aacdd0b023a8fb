"""Random drafts: small enough for brute force, with every feature of the language, each draft in a style of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from campaigns.fuzz.brute_force import Space, State, TooLarge, explored, item_names
from campaigns.fuzz.drafts import (
    BROADCAST,
    BUFFERED,
    BYTE,
    INT,
    JOIN,
    LOCKSTEP,
    ONE,
    RECEIVE,
    RENDEZVOUS,
    SEND,
    UNTYPED,
    Channel,
    Draft,
    Edge,
    Expression,
    Kind,
    Place,
    Process,
    Question,
    Sync,
    Variable,
    conjunction,
    number,
)

T = TypeVar("T")

EXTREMES = (-(2**31), 2**31 - 1, -(2**31) + 1, 2**16, -32768, 32767, -32769, 32768, 255, 256, -1, 31, 32, 33, 65535)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^")
LOGIC = ("and", "or", "imply")


@dataclass(frozen=True)
class Style:
    """What a draft is like."""

    name: str
    dve: bool
    processes: tuple[int, int]
    places: tuple[int, int]
    scalars: tuple[int, int]
    array: tuple[int, int] | None
    """The least and most cells of an array; None: there is none."""
    channels: tuple[int, int]
    wild: int
    """Of a hundred expressions those with extreme numbers and any operators."""
    loose: int
    """Of a hundred guards and updates those of any form."""
    more: tuple[int, int] = (0, 2)
    """Edges of each process besides a way around its locations."""
    costly: int = 60
    """Of a hundred drafts those with steps that cost nothing; never in DVE."""


STYLES = (
    (Style("counters", False, (2, 4), (2, 5), (1, 3), (1, 3), (0, 2), 3, 15), 5),
    (Style("counters in DVE", True, (2, 4), (2, 5), (1, 3), (1, 3), (0, 2), 3, 15), 5),
    (Style("everything", False, (1, 3), (2, 4), (1, 3), (1, 4), (0, 3), 25, 50), 4),
    (Style("everything in DVE", True, (1, 3), (2, 4), (1, 3), (1, 4), (0, 3), 25, 50), 4),
    (Style("channels", False, (2, 4), (2, 4), (1, 2), None, (2, 3), 5, 25), 3),
    (Style("channels in DVE", True, (2, 4), (2, 4), (1, 2), None, (2, 3), 5, 25), 3),
    (Style("numbers", False, (1, 2), (2, 3), (1, 3), (1, 3), (0, 1), 80, 70), 2),
    (Style("numbers in DVE", True, (1, 2), (2, 3), (1, 3), (1, 3), (0, 1), 80, 70), 2),
    (Style("detours", False, (2, 3), (3, 5), (1, 1), None, (0, 0), 0, 5, (3, 6), 100), 4),
    (Style("arithmetic", False, (1, 1), (1, 2), (2, 3), None, (0, 0), 40, 95, (5, 12)), 4),
    (Style("arithmetic in DVE", True, (1, 1), (1, 2), (2, 3), None, (0, 0), 40, 95, (5, 12)), 4),
    (Style("wide arrays", False, (1, 2), (2, 3), (1, 2), (65, 300), (0, 1), 10, 30), 1),
    (Style("wide arrays in DVE", True, (1, 2), (2, 3), (1, 2), (65, 300), (0, 1), 10, 30), 1),
)


def drawn(random: Random) -> tuple[str, Draft, Space]:
    """A draft with a question, the name of its style, and all its states."""
    while True:
        style = random.choices([each for each, _ in STYLES], [weight for _, weight in STYLES])[0]
        for _ in range(8):
            draft = _Drawing(random, style).draft()
            try:
                space = explored(draft)
            except TooLarge:
                continue
            if len(space.moves) < random.choice((4, 12, 30, 80)):
                continue
            question = _question(random, draft, space)
            draft = replace(draft, question=question)
            return style.name, draft, explored(draft)


class _Drawing:
    """A draft in the making."""

    def __init__(self, random: Random, style: Style) -> None:
        self.random, self.style = random, style
        self.variables: list[Variable] = []
        self.channels: list[Channel] = []
        self.places: dict[str, list[str]] = {}

    def draft(self) -> Draft:
        random, style = self.random, self.style
        for i in range(random.randint(*style.processes)):
            self.places[f"P{i}"] = [f"l{k}" for k in range(random.randint(*style.places))]
        self.declare()
        processes = self.processes()
        return Draft(
            dve=style.dve,
            all_committed=style.dve or random.random() < 0.5,
            sender_first=not style.dve and random.random() < 0.5,
            variables=tuple(self.variables),
            channels=tuple(self.channels),
            processes=processes,
        )

    def chance(self, percent: float) -> bool:
        return self.random.random() * 100 < percent

    def pick(self, options: Sequence[T]) -> T:
        return options[self.random.randrange(len(options))]

    # ---- declarations

    def declare(self) -> None:
        random, style = self.random, self.style
        for i in range(random.randint(*style.scalars)):
            self.variable(f"x{i}", None)
        if style.array is not None and (style.array[0] > 4 or self.chance(60)):
            self.variable("a", random.randint(*style.array))
            if self.chance(20):
                self.variable("b", random.randint(1, 3))
        if self.chance(25):
            self.constant("K", [random.randint(0, 4)], None)
        if self.chance(15):
            values = [random.randint(0, 3) for _ in range(random.randint(1, 4))]
            self.constant("table", values, len(values))
        shared = [each for each in self.variables if "->" not in each.name]
        owned = [each for name in self.places for each in self.variables if each.name.startswith(f"{name}->")]
        self.variables = [*shared, *owned]  # the order of a DVE text
        for i in range(random.randint(*style.channels)):
            self.channels.append(self.channel(f"c{i}"))

    def constant(self, name: str, values: list[int], size: int | None) -> None:
        kind = BYTE if self.style.dve else (min(values), max(values), False)
        self.variables.append(Variable(name, kind, tuple((value,) for value in values), size, constant=True))

    def variable(self, name: str, size: int | None) -> None:
        owner = f"{self.pick(list(self.places))}->" if self.chance(35) else ""
        kind: Kind = self.pick((BYTE, BYTE, INT))
        if not self.style.dve:
            low = self.pick((0, 0, 0, -1, -2))
            kind = (low, low + self.random.randint(1, 5), self.chance(50))
            if self.chance(15):
                kind = self.pick((BYTE, INT, UNTYPED, (-(2**31), 2**31 - 1, False)))
        cells = []
        for k in range(1 if size is None else size):
            value = max(kind[0], min(kind[1], self.pick((0, 0, 0, 1, 2, -1)) if k < 5 else 0))
            if self.chance(3) and kind[1] - kind[0] > 100:
                value = self.pick((kind[0], kind[1], max(kind[0], 200)))
            several = not self.style.dve and k < 3 and self.chance(8)
            other = value + 1 if value < kind[1] else value - 1
            cells.append((value, other) if several else (value,))
        self.variables.append(Variable(owner + name, kind, tuple(cells), size))

    def channel(self, name: str) -> Channel:
        hows: tuple[str, ...] = (RENDEZVOUS, RENDEZVOUS, BUFFERED, BUFFERED)
        how = self.pick(hows if self.style.dve else (*hows, BROADCAST, BROADCAST, LOCKSTEP, LOCKSTEP))
        count = self.pick((0, 1, 1, 2)) if how != LOCKSTEP else 0
        typed = self.chance(60)
        if self.style.dve:
            kinds = tuple(self.pick((BYTE, INT)) if typed else UNTYPED for _ in range(count))
        else:
            kinds = tuple(
                (-self.random.randint(0, 1), self.random.randint(1, 3), self.chance(50)) for _ in range(count)
            )
        capacity = self.random.randint(1, 2 if count > 1 else 3) if how == BUFFERED else 0
        return Channel(name, how, kinds, capacity, typed)

    # ---- expressions

    def readable(self) -> list[Expression]:
        """Something of every variable that can be read."""
        found: list[Expression] = []
        for variable in self.variables:
            if variable.size is None:
                found.append(("v", variable.name))
            else:
                found.append(("c", variable.name, self.index(variable.size)))
        for channel in self.channels:
            if channel.how == BUFFERED:
                found.append(("v", f"{channel.name}->length"))
                if channel.kinds:
                    found.append(("c", self.pick(item_names(channel)), self.index(channel.capacity)))
        return found

    def index(self, size: int) -> Expression:
        """An index, mostly a right one."""
        scalars = [each.name for each in self.variables if each.size is None]
        if size > 10 and scalars and self.chance(60):
            base: Expression = ("v", self.pick(scalars))
            shift = self.pick((0, 0, 1, size - 4, size - 2, 64))
            return base if shift == 0 else ("b", "+", base, number(shift))
        if self.chance(60) or not scalars:
            return number(self.random.randrange(size))
        if self.chance(60):
            return ("v", self.pick(scalars))
        bounded = ("b", self.pick(("%", "&")), ("v", self.pick(scalars)), number(max(1, size - self.chance(50))))
        return bounded if self.chance(60) else ("b", self.pick(("+", "-")), ("v", self.pick(scalars)), number(1))

    def atom(self) -> Expression:
        if self.chance(self.style.wild):
            return number(self.pick(EXTREMES))
        form = self.random.randrange(10)
        if form < 3:
            return number(self.random.randint(-1, 4))
        if form < 4:
            return self.at()
        return self.pick(self.readable())

    def at(self) -> Expression:
        process = self.pick(list(self.places))
        return ("@", process, self.pick(self.places[process]))

    def anything(self, depth: int) -> Expression:
        """Any expression at all."""
        if depth == 0 or self.chance(25):
            return self.atom()
        if self.style.wild >= 40 and self.chance(30):
            computed = ("b", self.pick(ARITHMETIC), self.atom(), self.atom())
            return ("b", self.pick(COMPARISONS), computed, self.atom())
        form = self.random.randrange(12)
        if form < 2:
            return ("?", self.condition(depth - 1), self.anything(depth - 1), self.anything(depth - 1))
        if form < 3:
            return ("u", self.pick(("-", "~", "not")), self.anything(depth - 1))
        words = ARITHMETIC if form < 8 else COMPARISONS if form < 10 else LOGIC
        return ("b", self.pick(words), self.anything(depth - 1), self.anything(depth - 1))

    def comparison(self) -> Expression:
        """A variable and a value that it may have, or two variables."""
        left = self.pick(self.readable())
        if self.chance(25):
            return ("b", self.pick(COMPARISONS), left, self.pick(self.readable()))
        value = self.random.randint(-1, 4) if not self.chance(self.style.wild) else self.pick(EXTREMES)
        if self.chance(15):
            sum_of = ("b", self.pick(("+", "-", "*")), left, self.pick(self.readable()))
            return ("b", self.pick(COMPARISONS), sum_of, number(value))
        return ("b", self.pick(COMPARISONS), left, number(value))

    def condition(self, depth: int = 2) -> Expression:
        if self.chance(self.style.loose):
            return self.anything(depth)
        if self.chance(20):
            return self.at()
        if self.chance(15):
            return ("b", self.pick(LOGIC), self.comparison(), self.comparison())
        if self.chance(8):
            return ("u", "not", self.comparison())
        return self.comparison()

    # ---- processes

    def targets(self) -> list[Expression]:
        found: list[Expression] = []
        for variable in self.variables:
            if not variable.constant:
                index = self.index(variable.size) if variable.size is not None else None
                found.append(("v", variable.name) if index is None else ("c", variable.name, index))
        return found

    def update(self) -> tuple[Expression, Expression]:
        target = self.pick(self.targets())
        kind = next(each.kind for each in self.variables if each.name == target[1])
        form = self.random.randrange(100)
        if form >= 100 - self.style.loose:
            value = self.anything(3)
            if self.chance(30):
                value = ("b", self.pick(COMPARISONS), value, self.anything(0))
            elif not self.chance(15):
                value = ("b", self.pick(("&", "&", "%")), value, number(self.pick((1, 3, 3, 4))))
            return target, value
        if form < 30:
            high = min(kind[1], 5)
            return target, number(self.random.randint(max(kind[0], -2), high))
        if form < 60:
            step = ("b", self.pick(("+", "+", "-")), target, number(self.pick((1, 1, 2))))
            if kind[1] - kind[0] < 20 and self.chance(60):
                return target, step
            return target, ("b", self.pick(("%", "&")), step, number(self.pick((2, 3, 4, 7))))
        if form < 75:
            step = ("b", "+", target, number(1))
            return target, ("?", ("b", "<", target, number(min(kind[1], self.pick((2, 3, 5))))), step, number(0))
        return target, self.pick(self.readable())

    def processes(self) -> tuple[Process, ...]:
        edges = {name: self.own_edges(name) for name in self.places}
        for channel in self.channels:
            self.use(channel, edges)
        committed = 12 if self.chance(35) else 0
        asserted = 30 if self.chance(35) else 0
        invariants = 15 if self.chance(25) and not self.style.dve else 0
        costs = not self.style.dve and self.chance(self.style.costly)
        made = []
        for name, places in self.places.items():
            several = not self.style.dve and len(places) > 1 and self.chance(10)
            self.random.shuffle(edges[name])
            made.append(
                Process(
                    name=name,
                    initial=tuple(places[:2]) if several else (places[0],),
                    places=tuple(
                        Place(
                            name=place,
                            committed=self.chance(committed),
                            invariant=self.condition() if self.chance(invariants if k else 0) else ONE,
                            asserted=self.condition() if self.chance(asserted) else None,
                        )
                        for k, place in enumerate(places)
                    ),
                    edges=tuple(replace(edge, cost=self.pick((0, 1, 1))) if costs else edge for edge in edges[name]),
                )
            )
        return tuple(made)

    def own_edges(self, name: str) -> list[Edge]:
        """A way around, mostly, and some edges from anywhere to anywhere."""
        places, found = self.places[name], []
        if self.chance(75):
            around = list(zip(places, [*places[1:], places[0]], strict=True))
            found = [self.edge(name, *pair) for pair in around if self.chance(85)]
        for _ in range(self.random.randint(*self.style.more)):
            found.append(self.edge(name, self.pick(places), self.pick(places)))
        return found

    def edge(self, name: str, source: str, target: str, sync: Sync | None = None) -> Edge:
        return Edge(
            source=source,
            target=target,
            guard=self.condition() if self.chance(45 if sync is None else 20) else ONE,
            sync=sync,
            updates=tuple(self.update() for _ in range(self.pick((0, 1, 1, 2)))),
        )

    def use(self, channel: Channel, edges: dict[str, list[Edge]]) -> None:
        """Edges on a channel, in place of some internal ones or besides them."""
        names = list(self.places)
        first = self.pick(names)
        others = [name for name in names if name != first] or [first]
        users: list[tuple[str, str]] = []
        if channel.how == LOCKSTEP:
            users = [(name, JOIN) for name in names if name == first or self.chance(60)]
        else:
            users = [(first, SEND), (self.pick(others), RECEIVE)]
            if channel.how == BROADCAST:
                users += [(name, RECEIVE) for name in others if self.chance(60)]
            users += [(self.pick(names), self.pick((SEND, RECEIVE))) for _ in range(self.random.randint(0, 2))]
        for name, direction in users:
            places, own = self.places[name], edges[name]
            sync = self.sync(channel, direction)
            plain = [k for k, edge in enumerate(own) if edge.sync is None]
            if plain and self.chance(40):
                k = self.pick(plain)
                own[k] = replace(own[k], sync=sync)
            else:
                own.append(self.edge(name, self.pick(places), self.pick(places), sync))

    def sync(self, channel: Channel, direction: str) -> Sync:
        if direction == SEND:
            return Sync(channel.name, direction, values=tuple(self.passed(kind) for kind in channel.kinds))
        if direction == RECEIVE:
            return Sync(channel.name, direction, targets=tuple(self.pick(self.targets()) for _ in channel.kinds))
        return Sync(channel.name, direction)

    def passed(self, kind: Kind) -> Expression:
        if self.chance(self.style.loose):
            return ("b", "&", self.anything(2), number(3)) if self.chance(85) else self.anything(2)
        if self.chance(40):
            return number(self.random.randint(max(kind[0], -1), min(kind[1], 3)))
        return self.pick(self.readable())


# ---- questions


def _question(random: Random, draft: Draft, space: Space) -> Question:
    """A question about states that are far away, or nearly reached; seldom about deadlocks, faults, assertions."""
    form = random.randrange(100)
    asserted = any(place.asserted is not None for process in draft.processes for place in process.places)
    if asserted and form >= 60:
        return Question(assertions=True)
    if form >= 92:
        return Question(fault=True)
    if form >= 84:
        return Question(deadlock=True, deadlock_where=_error(random, draft, space) if random.random() < 0.5 else ONE)
    error = _error(random, draft, space)
    if form >= 80:
        deadlock, fault = random.random() < 0.5, random.random() < 0.5
        assertions = asserted and random.random() < 0.3
        return Question(error=error, deadlock=deadlock, fault=fault, assertions=assertions)
    return Question(error=error)


def _error(random: Random, draft: Draft, space: Space) -> Expression:
    """What is true of a distant state only, or of no state that is reached: facts of one state, or of two at once."""
    states = sorted(space.level, key=space.level.__getitem__)
    wanted = random.random() < 0.5
    best, best_level = ONE, -1
    for _ in range(12):
        first = states[-1 - min(int(random.expovariate(6 / len(states))), len(states) - 1)]
        second = first if wanted else random.choice(states)
        facts = [fact for state in (first, second) for fact in _facts(draft, state, random)]
        chosen = random.sample(facts, min(len(facts), random.choice((2, 2, 3, 3, 4) if wanted else (2, 3, 4, 5))))
        error = conjunction(*dict.fromkeys(chosen))
        if random.random() < 0.2:
            error = ("b", "or", error, conjunction(*random.sample(facts, min(len(facts), 4))))
        condition = space.machine.value(error)
        level = next((space.level[state] for state in states if space.machine.holds(condition, state)), None)
        if level is None and not wanted:
            return error
        if level is not None and level > best_level:
            best, best_level = error, level
    return best


def _facts(draft: Draft, state: State, random: Random) -> Iterator[Expression]:
    """What is true in a state, piece by piece."""
    cells = iter(state)
    for process in draft.processes:
        yield ("@", process.name, process.places[next(cells)].name)
    places: list[Expression] = []
    values: list[int] = []
    stored = [(each.name, each.size) for each in draft.variables]
    for channel in draft.channels:
        if channel.how == BUFFERED:
            stored += [(f"{channel.name}->length", None), *((name, channel.capacity) for name in item_names(channel))]
    for name, size in stored:
        for k in range(1 if size is None else size):
            value = next(cells)
            if k < 4 or k == (size or 0) - 1:
                places.append(("v", name) if size is None else ("c", name, number(k)))
                values.append(value)
    for place, value in zip(places, values, strict=True):
        word = random.choice(("==", "==", "==", "<=", ">="))
        yield ("b", word, place, number(value))
    if len(places) > 1:
        i, k = random.sample(range(len(places)), 2)
        total = values[i] + values[k]
        if abs(total) < 2**31:
            yield ("b", "==", ("b", "+", places[i], places[k]), number(total))
