"""Systems as plain DVE text: without templates and enumerations, so that other tools can read it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from symdmc.errors import Code, Complaint, SourceSpan, UnsupportedFeature
from symdmc.model.expressions import TRUE, At, Binary, Cell, Expr, Ref, Unary, operands, walk
from symdmc.model.system import (
    ASSERTION_PROPERTY,
    BYTE,
    DVE_RULES,
    SHORT,
    Channel,
    ChannelKind,
    Edge,
    Location,
    Process,
    Range,
    System,
    Variable,
)
from symdmc.reader.dve_declarations import UNCUT, WORDS

_TYPES: Mapping[Range, str] = {BYTE: "byte", SHORT: "int"}
_END_NOTE = "  // an extension of symdmc"


def dve_text(system: System) -> str:
    """The system in DVE; raises UnsupportedFeature with a line for all that the language cannot say.

    A system that was read from DVE is equal to the one that is read from this text.
    """
    writer = _Writer(system)
    text = "\n".join((*writer.lines(), ""))
    if writer.complaints:
        raise UnsupportedFeature(dict.fromkeys(writer.complaints))
    return text


class _Writer:
    """Writes one system; what DVE cannot say is added to `complaints`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.complaints: list[Complaint] = []
        self.own: dict[str, dict[str, Variable]] = {process.name: {} for process in system.processes}
        for variable in system.variables:
            owner, arrow, name = variable.name.rpartition("->")
            if arrow:
                self.own[owner][name] = variable

    def lines(self) -> Iterator[str]:
        """The lines of the text."""
        self._check()
        asserted = self._assertions()
        yield from (self._variable(each.name, each) for each in self.system.variables if "->" not in each.name)
        yield from map(self._channel, self.system.channels)
        for process in self.system.processes:
            yield ""
            yield from self._process(process, asserted.get(process.name, ()))
        yield from ("", "system async;")

    def _refuse(self, what: str, remedy: str, span: SourceSpan | None = None) -> None:
        where = span or f"model {self.system.name}"
        self.complaints.append(Complaint(Code.NOT_IN_DVE, f"DVE cannot say that {what}", remedy, where))

    def _check(self) -> None:
        """Complain about what concerns the whole system."""
        system = self.system
        for clock in system.clocks:
            self._refuse(f"{clock.name!r} is a clock", "count steps in an integer", clock.span)
        committed = any(place.committed for process in system.processes for place in process.locations)
        if committed and system.rules.commitment is not DVE_RULES.commitment:
            self._refuse("one committed participant is enough for a step", "let the rules ask for all participants")
        rendezvous = any(channel.kind is ChannelKind.RENDEZVOUS for channel in system.channels)
        if rendezvous and system.rules.updates is not DVE_RULES.updates:
            self._refuse("the sender's assignments run first", "let the rules run those of the receiver first")
        for named in system.properties:
            if named.name != ASSERTION_PROPERTY:
                self._refuse(f"{named.name!r} is a property", "leave it out, and ask for its condition", named.span)
        self._check_words(chain(system.processes, system.channels))

    def _check_words(self, named: Iterable[Process | Channel | Location]) -> None:
        for each in named:
            self._check_word(each.name, each.span)

    def _check_word(self, name: str, span: SourceSpan | None) -> None:
        if name in WORDS:
            self._refuse(f"something is called {name!r}, a word of the language", "rename it", span)

    def _variable(self, name: str, variable: Variable) -> str:
        self._check_word(name, variable.span)
        if variable.type not in _TYPES or variable.digital_clock:
            kind = "is a digital clock" if variable.digital_clock else f"holds {variable.type}"
            self._refuse(f"{variable.name!r} {kind}", "make it a byte or a short", variable.span)
        if any(len(choices) > 1 for choices in variable.initial):
            self._refuse(f"{variable.name!r} has several initial values", "choose one", variable.span)
        start = [str(choices[0]) for choices in variable.initial]
        if variable.size is not None:
            while start and start[-1] == "0":
                start.pop()
        text = ", ".join(start)
        given = "" if not start else f" = {text}" if variable.size is None else f" = {{{text}}}"
        size = "" if variable.size is None else f"[{variable.size}]"
        return f"{'const ' if variable.constant else ''}{_TYPES.get(variable.type, 'int')} {name}{size}{given};"

    def _channel(self, channel: Channel) -> str:
        if channel.kind in (ChannelKind.BROADCAST, ChannelKind.LOCKSTEP):
            self._refuse(f"{channel.name!r} is a {channel.kind.value} channel", "use another kind", channel.span)
        if channel.urgent:
            self._refuse(f"{channel.name!r} is urgent", "use commitment", channel.span)
        typed = all(kind in _TYPES for kind in channel.types)
        cut = any(kind != UNCUT for kind in channel.types)
        if channel.kind is ChannelKind.BUFFERED and not typed and cut:
            held = ", ".join(map(str, channel.types))
            self._refuse(f"the buffer of {channel.name!r} holds {held}", "use bytes and shorts", channel.span)
        kinds = f" {{{', '.join(_TYPES[kind] for kind in channel.types)}}}" if typed and channel.types else ""
        size = f"[{channel.capacity}]" if channel.kind is ChannelKind.BUFFERED else ""
        return f"channel{kinds} {channel.name}{size};"

    def _process(self, process: Process, asserted: Sequence[tuple[str, Expr]]) -> Iterator[str]:
        self._check_words(process.locations)
        for place in process.locations:
            if place.urgent or place.invariant != TRUE:
                what = f"{process.name}.{place.name} {'is urgent' if place.urgent else 'has an invariant'}"
                self._refuse(what, "use commitment and guards", place.span)
        if len(process.initial) > 1:
            self._refuse(f"process {process.name!r} starts at one of several locations", "choose one", process.span)
        yield f"process {process.name} {{"
        yield from (f"  {self._variable(name, each)}" for name, each in self.own[process.name].items())
        yield f"  state {_names(process.locations)};"
        yield f"  init {process.initial[0]};"
        if committed := [place for place in process.locations if place.committed]:
            yield f"  commit {_names(committed)};"
        if ends := [place for place in process.locations if place.valid_end]:
            yield f"  end {_names(ends)};{_END_NOTE}"
        for location, expression in asserted:
            self._check_names((expression,), process, None)
            yield f"  assert {location}: {_seen_from(process, expression)};"
        if process.edges:
            yield "  trans"
            *edges, last = (self._edge(edge, process) for edge in process.edges)
            yield from (f"    {edge}," for edge in edges)
            yield f"    {last};"
        yield "}"

    def _edge(self, edge: Edge, process: Process) -> str:
        if edge.cost != 1:
            self._refuse(f"edge {edge.source} -> {edge.target} costs {edge.cost}", "leave the cost out", edge.span)
        synced = () if edge.sync is None else (*edge.sync.values, *edge.sync.targets)
        updates = chain.from_iterable((each.target, each.value) for each in edge.assignments)
        self._check_names((edge.guard, *synced, *updates), process, edge.span)
        clauses = [
            "" if edge.guard == TRUE else f"guard {edge.guard};",
            "" if edge.sync is None else f"sync {edge.sync};",
            f"effect {', '.join(map(str, edge.assignments))};" if edge.assignments else "",
        ]
        text = _seen_from(process, " ".join((*filter(None, clauses), "}")))
        return f"{edge.source} -> {edge.target} {{ {text}"

    def _check_names(self, expressions: Iterable[Expr], process: Process, span: SourceSpan | None) -> None:
        """Complain about shared variables that those of the process hide."""
        own: Collection[str] = self.own[process.name]
        for part in chain.from_iterable(map(walk, expressions)) if own else ():
            name = part.name if isinstance(part, Ref) else part.array if isinstance(part, Cell) else ""
            if name in own:
                what = f"process {process.name!r} means the shared {name!r}, not its own one"
                self._refuse(what, "rename one of them", span)

    def _assertions(self) -> dict[str, list[tuple[str, Expr]]]:
        """The assertions of each process, with their locations."""
        found: dict[str, list[tuple[str, Expr]]] = {}
        named = self.system.property_named.get(ASSERTION_PROPERTY)
        for part in () if named is None else operands(named.error, "or"):
            match part:
                case Binary("and", At(process, location), Unary("not", asserted)):
                    found.setdefault(process, []).append((location, asserted))
                case _:
                    what = f"'{part}' is an error; an assertion belongs to a location"
                    self._refuse(
                        what, "leave it out, and ask for it as a condition", named.span if named is not None else None
                    )
        return found


def _seen_from(process: Process, text: object) -> str:
    """The text with the plain names of the process's own variables, which nothing else is called there."""
    return re.sub(rf"\b{process.name}->", "", str(text))


def _names(places: Sequence[Location]) -> str:
    return ", ".join(place.name for place in places)
