"""Systems written in Python: declare variables, channels and processes in any order, then `build()`.

Guards, assignments and synchronisations are texts of the expression grammar (docs/expressions.md) or ready-made
values. Names are resolved in `build()`, so an edge may mention what is declared further down.

    m = Builder("mutex")
    m.integer("turn", 0, 1)
    for i in range(2):
        p = m.process(f"P{i}", initial="idle")
        p.edge("idle", "critical", guard=f"turn == {i}")
        p.edge("critical", "idle", do=f"turn = {1 - i}")
    m.property("both", "P0.critical and P1.critical")
    system = m.build()
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeAlias, TypeVar, get_args

from symdmc.errors import Complaint, ModelError, SourceSpan
from symdmc.model.expressions import FALSE, TRUE, Expr, balanced
from symdmc.model.parsing.parser import parse_assignments, parse_expression, parse_synchronisation
from symdmc.model.scope import Scope, qualified
from symdmc.model.sizes import Sizes
from symdmc.model.system import (
    BOOLEAN,
    BYTE,
    SHORT,
    Assignment,
    Channel,
    ChannelKind,
    Clock,
    Edge,
    Location,
    Process,
    Property,
    Range,
    Rules,
    Synchronisation,
    System,
    Variable,
)
from symdmc.model.tick import PLACE, tick_process
from symdmc.model.validation import INT32
from symdmc.spelling.abridged import brief
from symdmc.spelling.kinds import require_kind, wrong_kind

Choice: TypeAlias = int | Collection[int]
"""The initial value of a cell, or several it may start with: a tuple, a set, a range."""
Initial: TypeAlias = int | Collection[Choice] | None
"""A choice for every cell alike, or a *list* with one for each cell; None is 0, or the lowest value where 0 is none."""
Passed: TypeAlias = Range | tuple[int, int]
"""The values that are passed: a range, or its lowest and its highest value."""
Condition: TypeAlias = str | Expr
Updates: TypeAlias = str | Sequence[Assignment]

CONDITION = (str, *get_args(Expr))
SYNCS = (str, Synchronisation, type(None))
TEXT, INTEGER, FLAG = "a text", "an integer", "True or False"
CONDITIONS, VALUES = "a text such as 'x == 3'", "an integer or several"

_Read = TypeVar("_Read")


class _Declarations:
    """Where variables can be declared: a system, or a process, whose variables belong to it."""

    def __init__(self, variables: list[Variable], sizes: Sizes, owner: str | None) -> None:
        self._variables = variables
        self._sizes = sizes
        self._owner = owner

    def integer(
        self, name: str, low: int, high: int, *, initial: Initial = None, size: int | None = None, wraps: bool = False
    ) -> None:
        """Declare a bounded integer, or an array of `size`; leaving the range is a fault, unless it wraps around."""
        self._declare(name, Range(low, high, wraps), initial, size)

    def boolean(self, name: str, *, initial: Initial = None, size: int | None = None) -> None:
        """Declare a variable that holds 0 or 1."""
        self._declare(name, BOOLEAN, initial, size)

    def byte(self, name: str, *, initial: Initial = None, size: int | None = None) -> None:
        """Declare a variable that holds 0..255 and wraps around."""
        self._declare(name, BYTE, initial, size)

    def short(self, name: str, *, initial: Initial = None, size: int | None = None) -> None:
        """Declare a variable that holds 16-bit signed integers and wraps around."""
        self._declare(name, SHORT, initial, size)

    def digital_clock(self, name: str, bound: int, *, initial: Initial = None, size: int | None = None) -> None:
        """Declare an integer that counts time from 0 to `bound`, or more, which `Builder.tick` lets grow.

        It stays at the bound, so an invariant such as x <= 3 stops time only if the bound is larger than 3.
        """
        self._declare(name, Range(0, bound), initial, size, digital_clock=True)

    def constant(self, name: str, value: int | list[int]) -> None:
        """Declare a name for a value, or for an array of values."""
        values = value if isinstance(value, list) else [value]
        for each in values:
            require_kind(f"the argument value of the constant {name!r}", each, (int, bool), INTEGER, _caller())
        kind = Range(min(values, default=0), max(values, default=0))
        self._declare(name, kind, list(values), len(values) if isinstance(value, list) else None, constant=True)

    def _declare(
        self,
        name: str,
        kind: Range,
        initial: Initial,
        size: int | None,
        *,
        constant: bool = False,
        digital_clock: bool = False,
    ) -> None:
        span = _caller()
        require_kind("the argument name of a variable", name, str, TEXT, span)
        for bound, value in (("low", kind.low), ("bound" if digital_clock else "high", kind.high)):
            require_kind(f"the argument {bound} of {name!r}", value, int, INTEGER, span)
        require_kind(f"the argument size of {name!r}", size, (int, type(None)), f"{INTEGER} or None", span)
        require_kind(f"the argument wraps of {name!r}", kind.wraps, bool, FLAG, span)
        if initial is None:
            initial = 0 if kind.low <= 0 <= kind.high else kind.low
        for each in (initial, *(initial if isinstance(initial, list) else ())):
            _require_initial(name, each, span)
        full, cells = qualified(self._owner, name), 1 if size is None else size
        counts = [_count(each) for each in (initial if isinstance(initial, list) else [initial])]
        choices = sum(counts) if isinstance(initial, list) else counts[0] * cells
        if self._sizes.fits_variable(full, cells, max(counts, default=0), choices, span):
            self._variables.append(
                Variable(
                    name=full,
                    type=kind,
                    initial=_cells(initial, cells),
                    size=size,
                    constant=constant,
                    digital_clock=digital_clock,
                    span=span,
                )
            )


class Builder(_Declarations):
    """A system in the making.

    >>> import symdmc
    >>> m = symdmc.Builder("counting")
    >>> m.integer("x", 0, 5)
    >>> p = m.process("P", initial="s")
    >>> p.edge("s", "s", guard="x < 5", do="x = x + 1")
    >>> m.property("end", "x == 5")
    >>> symdmc.check(m).length
    5
    """

    def __init__(self, name: str, rules: Rules = Rules()) -> None:
        require_kind("the argument name of the model", name, str, TEXT)
        require_kind("the argument rules of the model", rules, Rules, "a value of type Rules")
        self._oversized: list[Complaint] = []
        super().__init__([], Sizes(self._oversized), None)
        self._name = name
        self._rules = rules
        self._channels: list[Channel] = []
        self._clocks: list[Clock] = []
        self._processes: list[ProcessBuilder] = []
        self._tick: tuple[str, SourceSpan] | None = None
        self._properties: list[tuple[str, Condition, SourceSpan]] = []

    def __repr__(self) -> str:
        return brief("Builder", self._name, processes=len(self._processes), variables=len(self._variables))

    def channel(self, name: str, *, values: int | Sequence[Passed] = (), urgent: bool = False) -> None:
        """Declare a rendezvous channel; `values` gives the number or the ranges of the values passed."""
        self._connect(name, ChannelKind.RENDEZVOUS, values, urgent=urgent)

    def broadcast(self, name: str, *, values: int | Sequence[Passed] = (), urgent: bool = False) -> None:
        """Declare a channel on which every process that can receive takes part."""
        self._connect(name, ChannelKind.BROADCAST, values, urgent=urgent)

    def buffered(self, name: str, *, capacity: int, values: int | Sequence[Passed] = ()) -> None:
        """Declare a first-in-first-out channel with room for `capacity` items."""
        self._connect(name, ChannelKind.BUFFERED, values, capacity=capacity)

    def lockstep(self, name: str) -> None:
        """Declare a label on which all processes that have an edge with it move at once."""
        self._connect(name, ChannelKind.LOCKSTEP, ())

    def clock(self, name: str) -> None:
        """Declare a clock; no engine runs systems with clocks yet."""
        span = _caller()
        require_kind("the argument name of a clock", name, str, TEXT, span)
        self._clocks.append(Clock(name=name, span=span))

    def process(self, name: str, initial: str | Sequence[str]) -> ProcessBuilder:
        """Declare a process that starts at `initial`, or at one of several such locations."""
        span = _caller()
        require_kind("the argument name of a process", name, str, TEXT, span)
        what = f"the argument initial of {name!r}"
        require_kind(what, initial, (str, Sequence), "the name of a location, or several", span)
        places = (initial,) if isinstance(initial, str) else tuple(initial)
        for place in places:
            require_kind(f"a location in {what}", place, str, TEXT, span)
        process = ProcessBuilder(self._variables, self._sizes, name, places)
        self._processes.append(process)
        return process

    def tick(self, process: str = "Time") -> None:
        """Let time pass: one step of cost 0, in a process of its own, by which all digital clocks grow together.

        The process comes last. A clock at its bound stays there; `model.tick` says where there is no tick.
        """
        span = _caller()
        require_kind("the argument process of tick", process, str, TEXT, span)
        self._tick = (process, span)

    def property(self, name: str, error: Condition) -> None:
        """Declare a named error condition."""
        span = _caller()
        require_kind("the argument name of a property", name, str, TEXT, span)
        require_kind(f"the argument error of the property {name!r}", error, CONDITION, CONDITIONS, span)
        self._properties.append((name, error, span))

    def build(self) -> System:
        """The system; raises ModelError with every fault in it, or with those of size alone."""
        if self._oversized:
            raise ModelError(self._oversized)
        system, complaints = self._resolved()
        complaints += system.faults
        if complaints:
            raise ModelError(complaints)
        return system

    def _connect(
        self, name: str, kind: ChannelKind, values: int | Sequence[Passed], capacity: int = 0, urgent: bool = False
    ) -> None:
        span = _caller()
        require_kind("the argument name of a channel", name, str, TEXT, span)
        require_kind(f"the argument capacity of {name!r}", capacity, int, INTEGER, span)
        require_kind(f"the argument urgent of {name!r}", urgent, bool, FLAG, span)
        what = f"the argument values of {name!r}"
        require_kind(what, values, (int, list, tuple), "a number of values, or a list of ranges such as [(0, 3)]", span)
        if isinstance(values, int) and values < 0:
            raise wrong_kind(what, values, "0 or more", span)
        if self._sizes.fits_channel(name, capacity, values if isinstance(values, int) else len(values), span):
            types = (INT32,) * values if isinstance(values, int) else tuple(_range(what, each, span) for each in values)
            self._channels.append(
                Channel(name=name, kind=kind, types=types, capacity=capacity, urgent=urgent, span=span)
            )

    def _resolved(self) -> tuple[System, list[Complaint]]:
        """The system, with a harmless value for every text that cannot be read, and complaints about those texts."""
        texts = _Texts(self._scope())
        asked = _Texts(texts.scope.of_question(), texts.complaints)
        system = System(
            name=self._name,
            processes=self._resolved_processes(texts),
            variables=tuple(self._variables),
            channels=tuple(self._channels),
            clocks=tuple(self._clocks),
            properties=tuple(
                Property(name=name, error=asked.condition(error, f"property {name!r}", span, FALSE), span=span)
                for name, error, span in self._properties
            ),
            rules=self._rules,
        )
        return system, texts.complaints

    def _resolved_processes(self, texts: _Texts) -> tuple[Process, ...]:
        processes = tuple(process.resolved(texts) for process in self._processes)
        if self._tick is None:
            return processes
        name, span = self._tick
        return (*processes, tick_process(name, self._variables, processes, span))

    def _scope(self) -> Scope:
        """All names; clocks count as variables here, since only engines have to distinguish them."""
        clocks = [Variable(name=clock.name, type=INT32) for clock in self._clocks]
        locations: dict[str, tuple[str, ...]] = {}
        for process in self._processes:
            locations[process.name] = (*locations.get(process.name, ()), *process.locations)
        if self._tick is not None:
            locations.setdefault(self._tick[0], (PLACE,))
        return Scope.declaring(
            variables=(*self._variables, *clocks),
            locations=locations,
            channels=self._channels,
        )


class ProcessBuilder(_Declarations):
    """A process in the making; a location exists as soon as it is mentioned."""

    def __init__(self, variables: list[Variable], sizes: Sizes, name: str, initial: tuple[str, ...]) -> None:
        super().__init__(variables, sizes, name)
        self.name = name
        self.locations = dict.fromkeys(initial)
        self._initial = initial
        self._declared: list[tuple[Location, Condition]] = []
        self._edges: list[tuple[Edge, Condition, str | Synchronisation | None, Updates]] = []
        self._span = _caller()

    def __repr__(self) -> str:
        return brief("ProcessBuilder", self.name, locations=len(self.locations), edges=len(self._edges))

    def location(
        self,
        name: str,
        *,
        committed: bool = False,
        urgent: bool = False,
        valid_end: bool = False,
        invariant: Condition = TRUE,
    ) -> None:
        """Declare the attributes of a location."""
        span = _caller()
        require_kind("the argument name of a location", name, str, TEXT, span)
        require_kind(f"the argument invariant of location {name!r}", invariant, CONDITION, CONDITIONS, span)
        for flag, value in (("committed", committed), ("urgent", urgent), ("valid_end", valid_end)):
            require_kind(f"the argument {flag} of location {name!r}", value, bool, FLAG, span)
        self.locations.setdefault(name)
        location = Location(name=name, committed=committed, urgent=urgent, valid_end=valid_end, span=span)
        self._declared.append((location, invariant))

    def edge(
        self,
        source: str,
        target: str,
        *,
        guard: Condition = TRUE,
        sync: str | Synchronisation | None = None,
        do: Updates = (),
        cost: int = 1,
    ) -> None:
        """Add an edge: taken where the guard holds, together with the partners of `sync`, it runs `do` in sequence."""
        span = _caller()
        for end, place in (("source", source), ("target", target)):
            require_kind(f"the argument {end} of an edge of {self.name!r}", place, str, TEXT, span)
        what = f"edge {source} -> {target} of {self.name!r}"
        require_kind(f"the argument guard of {what}", guard, CONDITION, CONDITIONS, span)
        require_kind(f"the argument sync of {what}", sync, SYNCS, "a text such as 'c!' or None", span)
        require_kind(f"the argument do of {what}", do, (str, Sequence), "a text such as 'x = 1', or assignments", span)
        for each in () if isinstance(do, str) else do:
            require_kind(
                f"an assignment in the argument do of {what}", each, Assignment, "a value of type Assignment", span
            )
        require_kind(f"the argument cost of {what}", cost, int, "0 or 1", span)
        self.locations.setdefault(source)
        self.locations.setdefault(target)
        edge = Edge(source=source, target=target, cost=cost, span=span)
        self._edges.append((edge, guard, sync, do))

    def resolved(self, texts: _Texts) -> Process:
        """The process, with its texts read."""
        inside = texts.within(self.name)
        return Process(
            name=self.name,
            initial=self._initial,
            locations=self._resolved_locations(inside),
            edges=tuple(self._resolved_edge(inside, *parts) for parts in self._edges),
            span=self._span,
        )

    def _resolved_locations(self, texts: _Texts) -> tuple[Location, ...]:
        """The locations in the order of first mention; one declared twice appears twice, which validation reports."""
        declared: dict[str, list[Location]] = {}
        for place, text in self._declared:
            what = f"invariant of {self.name}.{place.name}"
            full = replace(place, invariant=texts.condition(text, what, place.span, TRUE))
            declared.setdefault(place.name, []).append(full)
        plain = (Location(name=name, span=self._span) for name in self.locations)
        return tuple(chain.from_iterable(declared.get(place.name, [place]) for place in plain))

    def _resolved_edge(
        self, texts: _Texts, edge: Edge, guard: Condition, sync: str | Synchronisation | None, do: Updates
    ) -> Edge:
        what, span = f"edge {edge.source} -> {edge.target} of {self.name!r}", edge.span
        return replace(
            edge,
            guard=texts.condition(guard, f"{what}: guard", span, TRUE),
            sync=texts.synchronisation(sync, f"{what}: synchronisation", span),
            assignments=texts.updates(do, f"{what}: assignments", span),
        )


class _Texts:
    """Reads the texts of a model in one scope; a faulty text adds complaints and is read as `neutral`."""

    def __init__(self, scope: Scope, complaints: list[Complaint] | None = None) -> None:
        self.scope = scope
        self.complaints: list[Complaint] = [] if complaints is None else complaints

    def within(self, process: str) -> _Texts:
        return _Texts(self.scope.within(process), self.complaints)

    def condition(self, text: Condition, what: str, span: SourceSpan | None, neutral: Expr) -> Expr:
        return self._read(parse_expression, text, what, span, neutral) if isinstance(text, str) else balanced(text)

    def updates(self, text: Updates, what: str, span: SourceSpan | None) -> tuple[Assignment, ...]:
        if isinstance(text, str):
            return self._read(parse_assignments, text, what, span, ())
        return tuple(Assignment(balanced(each.target), balanced(each.value)) for each in text)

    def synchronisation(
        self, text: str | Synchronisation | None, what: str, span: SourceSpan | None
    ) -> Synchronisation | None:
        if isinstance(text, Synchronisation):
            values, targets = map(balanced, text.values), map(balanced, text.targets)
            return replace(text, values=tuple(values), targets=tuple(targets))
        if text is None:
            return None
        return self._read(parse_synchronisation, text, what, span, None)

    def _read(
        self,
        parse: Callable[[str, Scope], _Read],
        text: str,
        what: str,
        span: SourceSpan | None,
        neutral: _Read,
    ) -> _Read:
        try:
            return parse(text, self.scope)
        except ModelError as error:
            for complaint in error.complaints:
                column = f", column {complaint.where.column}" if isinstance(complaint.where, SourceSpan) else ""
                self.complaints.append(
                    Complaint(complaint.code, f"{what} {text!r}{column}: {complaint.what}", complaint.remedy, span)
                )
            return neutral


def _require_initial(name: str, initial: object, span: SourceSpan) -> None:
    """Raise ModelError unless it is an integer, or several in a collection that has no other meaning."""
    what = f"the argument initial of {name!r}"
    require_kind(what, initial, (int, bool, Collection), VALUES, span)
    if isinstance(initial, str | bytes | bytearray | Mapping):
        raise wrong_kind(what, initial, VALUES, span)


def _range(what: str, given: object, span: SourceSpan) -> Range:
    """A range as it is, or as a pair of its lowest and its highest value."""
    if isinstance(given, tuple) and len(given) == 2:
        given = Range(*given)
    require_kind(f"a part of {what}", given, Range, "a pair such as (0, 3), or a value of type Range", span)
    assert isinstance(given, Range)
    for bound in (given.low, given.high):
        require_kind(f"a bound in {what}", bound, int, INTEGER, span)
    return given


def _cells(initial: int | Collection[Choice], count: int) -> tuple[tuple[int, ...], ...]:
    if isinstance(initial, list):
        return tuple(map(_choices, initial))
    return (_choices(initial),) * count


def _count(cell: int | Collection[Choice]) -> int:
    return 1 if isinstance(cell, int) else len(cell)


def _choices(cell: int | Collection[Choice]) -> tuple[int, ...]:
    if isinstance(cell, int):
        return (int(cell),)
    values = [value for value in cell if isinstance(value, int)]
    if len(values) < len(cell):
        raise wrong_kind("the initial value of a cell", cell, VALUES, _caller())
    return tuple(sorted(values) if isinstance(cell, AbstractSet) else values)


def _caller() -> SourceSpan:
    """The line of the caller outside this file."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return SourceSpan(Path(frame.f_code.co_filename).name, frame.f_lineno, 1)
