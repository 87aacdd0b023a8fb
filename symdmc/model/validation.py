"""Whether a system is well formed: all its faults at once or, if it has none, warnings for its author."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.model.arithmetic import UNARY
from symdmc.model.expressions import (
    BINARY_PRECEDENCE,
    TOO_DEEP,
    At,
    Binary,
    Cell,
    Expr,
    Literal,
    Ref,
    Target,
    Unary,
    is_deeper,
    walk,
)
from symdmc.model.question_words import QUESTION_WORDS, misplaced_word
from symdmc.model.scope import RESERVED_WORDS, is_name
from symdmc.model.sizes import size_faults
from symdmc.model.suspicions import suspicions
from symdmc.model.system import Channel, ChannelKind, Direction, Edge, Process, Range, Synchronisation, System, Variable
from symdmc.spelling.printable import number_text
from symdmc.spelling.suggestions import did_you_mean

INT32 = Range(-(2**31), 2**31 - 1)


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The result of validation: faults, which must be mended, and warnings, only given for a system without faults."""

    complaints: tuple[Complaint, ...]
    warnings: tuple[Complaint, ...]


def validate(system: System) -> ValidationReport:
    """All faults of a system, or else all warnings."""
    return ValidationReport(system.faults, () if system.faults else suspicions(system))


def faults(system: System) -> tuple[Complaint, ...]:
    """All faults of a system; those of size alone if it has any."""
    return tuple(size_faults(system.variables, system.channels, _place(system))) or tuple(_Faults(system).all())


def validated(system: System) -> System:
    """The same system; raises ModelError with every fault if it has any."""
    if system.faults:
        raise ModelError(system.faults)
    return system


def _place(system: System) -> str:
    return f"model {system.name}"


class _Faults:
    """The faults of one system, found part by part in the order of its text."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.locations: dict[str, dict[str, None]] = {}
        for process in system.processes:
            self.locations.setdefault(process.name, {}).update(dict.fromkeys(place.name for place in process.locations))
        self.clocks = {clock.name for clock in system.clocks}
        self.buffers = {part.name for channel in system.channels for part in channel.buffer()}

    def all(self) -> Iterator[Complaint]:
        yield from self.names()
        yield from chain.from_iterable(map(self.variable, self.system.variables))
        yield from chain.from_iterable(map(self.channel, self.system.channels))
        if not self.system.processes:
            yield self.complaint(Code.NO_PROCESS, "there is no process", "add at least one")
        yield from chain.from_iterable(map(self.process, self.system.processes))
        for named in self.system.properties:
            words = tuple(word for word in QUESTION_WORDS if word not in self.system.variable_named)
            yield from self.expression(named.error, f"property {named.name!r}", named.span, words)
            misplaced = None if is_deeper(named.error) else misplaced_word(named.error, words)
            if misplaced is not None:
                yield self.complaint(
                    misplaced.code, f"property {named.name!r}: {misplaced.what}", misplaced.remedy, named.span
                )

    def complaint(self, code: Code, what: str, remedy: str = "", span: SourceSpan | None = None) -> Complaint:
        return Complaint(code, what, remedy, span if span is not None else _place(self.system))

    def unknown(self, what: str, name: str, known: Iterable[str], span: SourceSpan | None) -> Complaint:
        return self.complaint(
            Code.UNKNOWN_NAME, f"{what} {name!r} is not declared", did_you_mean(name, known, "declare it"), span
        )

    # Names

    def names(self) -> Iterator[Complaint]:
        shared = [variable for variable in self.system.variables if "->" not in variable.name]
        local = [variable for variable in self.system.variables if "->" in variable.name]
        processes = [("process", process.name, process.span) for process in self.system.processes]
        clocks = [("clock", clock.name, clock.span) for clock in self.system.clocks]
        variables = [("variable", variable.name, variable.span) for variable in shared]
        channels = [("channel", channel.name, channel.span) for channel in self.system.channels]
        properties = [("property", named.name, named.span) for named in self.system.properties]
        for kind, name, span in chain(processes, clocks, variables, channels, properties):
            yield from self.identifier(kind, name, span)
        yield from self.repeated(chain(processes, clocks, variables))
        taken = {process.name for process in self.system.processes}
        yield from (
            self.complaint(
                Code.DUPLICATE_NAME, f"channel {name!r} has the name of a process", "rename one of them", span
            )
            for _, name, span in channels
            if name in taken
        )
        yield from self.repeated(channels)
        yield from self.repeated(("variable", variable.name, variable.span) for variable in local)
        yield from self.repeated(properties)

    def identifier(self, kind: str, name: str, span: SourceSpan | None) -> Iterator[Complaint]:
        if name in RESERVED_WORDS:
            yield self.complaint(
                Code.RESERVED_WORD, f"{kind} name {name!r} is a word of the expression language", "rename it", span
            )
        elif not is_name(name):
            remedy = "use letters, digits and underscores, not starting with a digit"
            yield self.complaint(Code.NOT_AN_IDENTIFIER, f"{kind} name {name!r} is not an identifier", remedy, span)

    def repeated(self, declared: Iterable[tuple[str, str, SourceSpan | None]]) -> Iterator[Complaint]:
        first: dict[str, str] = {}
        for kind, name, span in declared:
            if name in first:
                other = "" if first[name] == kind else f" (first as a {first[name]})"
                yield self.complaint(
                    Code.DUPLICATE_NAME,
                    f"{kind} {name!r} is declared twice{other}",
                    "rename or remove one of them",
                    span,
                )
            first.setdefault(name, kind)

    # Variables and channels

    def variable(self, variable: Variable) -> Iterator[Complaint]:
        what, span = f"variable {variable.name!r}", variable.span
        owner, arrow, name = variable.name.rpartition("->")
        if arrow:
            yield from self.identifier("variable", name, span)
            if owner not in self.locations:
                yield self.unknown(f"the process of variable {variable.name!r},", owner, self.locations, span)
        yield from self.bounds(variable.type, what, span)
        if variable.size is not None and variable.size < 1:
            yield self.complaint(
                Code.WRONG_SIZE,
                f"array {variable.name!r} has {number_text(variable.size)} cells",
                "give it at least one",
                span,
            )
        elif len(variable.initial) != variable.cells:
            text = f"{what} has {len(variable.initial)} initial values for {variable.cells} cells"
            yield self.complaint(Code.WRONG_INITIAL_VALUES, text, "give one for each cell", span)
        if variable.digital_clock and (variable.constant or variable.type.wraps or variable.type.low != 0):
            text = f"digital clock {variable.name!r} is constant, wraps around or does not begin at 0"
            yield self.complaint(Code.WRONG_DIGITAL_CLOCK, text, "make it an integer from 0 to its bound", span)
        for choices in variable.initial:
            yield from self.choices(choices, variable)

    def choices(self, choices: tuple[int, ...], variable: Variable) -> Iterator[Complaint]:
        what, span = f"variable {variable.name!r}", variable.span
        if not choices:
            yield self.complaint(
                Code.WRONG_INITIAL_VALUES, f"{what} has a cell without an initial value", "give it one", span
            )
        if len(set(choices)) < len(choices):
            yield self.complaint(Code.GIVEN_TWICE, f"{what} lists an initial value twice", "list each value once", span)
        if variable.constant and len(choices) > 1:
            yield self.complaint(
                Code.WRONG_INITIAL_VALUES, f"constant {variable.name!r} has several values", "give it one", span
            )
        outside = [value for value in choices if not variable.type.low <= value <= variable.type.high]
        if outside and variable.type.low <= variable.type.high:
            text = f"{what} starts with {number_text(outside[0])}, outside {variable.type.interval}"
            yield self.complaint(Code.WRONG_INITIAL_VALUES, text, "choose an initial value inside the range", span)

    def bounds(self, kind: Range, what: str, span: SourceSpan | None) -> Iterator[Complaint]:
        if kind.low > kind.high:
            yield self.complaint(
                Code.EMPTY_RANGE, f"{what} has the empty range {kind.interval}", "put the smaller bound first", span
            )
        if kind.low < INT32.low or kind.high > INT32.high:
            yield self.complaint(
                Code.BEYOND_32_BITS, f"{what} has the range {kind.interval}, beyond 32 bits", "narrow it", span
            )

    def channel(self, channel: Channel) -> Iterator[Complaint]:
        what, span = f"channel {channel.name!r}", channel.span
        for kind in channel.types:
            yield from self.bounds(kind, what, span)
        if channel.kind is ChannelKind.LOCKSTEP and channel.types:
            yield self.complaint(
                Code.WRONG_CHANNEL,
                f"lockstep label {channel.name!r} passes values",
                "use another kind of channel",
                span,
            )
        if channel.kind is not ChannelKind.BUFFERED:
            if channel.capacity != 0:
                yield self.complaint(
                    Code.WRONG_CHANNEL, f"{what} has a capacity but no buffer", "make it a buffered channel", span
                )
            return
        if channel.capacity < 1:
            yield self.complaint(
                Code.WRONG_SIZE,
                f"the buffer of {what} has room for {number_text(channel.capacity)} items",
                "give it at least 1",
                span,
            )
        if any(not kind.low <= 0 <= kind.high for kind in channel.types):
            text = f"the buffer of {what} has a range without 0, which fills its free cells"
            yield self.complaint(Code.WRONG_CHANNEL, text, "let the range include 0", span)

    # Processes

    def process(self, process: Process) -> Iterator[Complaint]:
        known, owner = dict.fromkeys(place.name for place in process.locations), f"of process {process.name!r}"
        places = [(f"location {owner},", place.name, place.span) for place in process.locations]
        if not process.locations:
            yield self.complaint(
                Code.NO_LOCATION, f"process {process.name!r} has no location", "add at least one", process.span
            )
        elif not process.initial:
            yield self.complaint(
                Code.NO_INITIAL_LOCATION, f"process {process.name!r} has no initial location", "name one", process.span
            )
        yield from chain.from_iterable(self.identifier(*place) for place in places)
        yield from self.repeated(places)
        for name in process.initial:
            if name not in known:
                yield self.unknown(f"initial location {owner},", name, known, process.span)
        if len(set(process.initial)) < len(process.initial):
            yield self.complaint(
                Code.GIVEN_TWICE,
                f"process {process.name!r} names an initial location twice",
                "name it once",
                process.span,
            )
        for place in process.locations:
            yield from self.expression(place.invariant, f"invariant of {process.name}.{place.name}", place.span)
        for edge in process.edges:
            yield from self.edge(edge, f"edge {edge.source} -> {edge.target} of {process.name!r}", known)

    def edge(self, edge: Edge, what: str, locations: Collection[str]) -> Iterator[Complaint]:
        for name in dict.fromkeys((edge.source, edge.target)):
            if name not in locations:
                yield self.unknown(f"{what}: location", name, locations, edge.span)
        if edge.cost not in (0, 1):
            yield self.complaint(
                Code.WRONG_COST, f"{what} costs {number_text(edge.cost)}", "costs are 0 or 1", edge.span
            )
        yield from self.expression(edge.guard, f"{what}: guard", edge.span)
        if edge.sync is not None:
            yield from self.synchronisation(edge.sync, f"{what}: synchronisation", edge.span)
        for assignment in edge.assignments:
            yield from self.target(assignment.target, f"{what}: assignment", edge.span)
            yield from self.expression(assignment.value, f"{what}: assignment", edge.span)

    def synchronisation(self, sync: Synchronisation, what: str, span: SourceSpan | None) -> Iterator[Complaint]:
        for value in sync.values:
            yield from self.expression(value, what, span)
        for target in sync.targets:
            yield from self.target(target, what, span)
        channel = self.system.channel_named.get(sync.channel)
        if channel is None:
            yield self.unknown(f"{what}: channel", sync.channel, self.system.channel_named, span)
            return
        if (sync.direction is Direction.JOIN) != (channel.kind is ChannelKind.LOCKSTEP):
            lockstep = channel.kind is ChannelKind.LOCKSTEP
            remedy = "name the label alone, without '!' or '?'" if lockstep else "send with '!' or receive with '?'"
            text = f"{what}: {str(sync)!r} does not fit the {channel.kind.value} channel {channel.name!r}"
            yield self.complaint(Code.WRONG_DIRECTION, text, remedy, span)
            return
        passed, other = len(sync.values), len(sync.targets)
        if sync.direction is Direction.RECEIVE:
            passed, other = other, passed
        if passed != len(channel.types) or other:
            text = f"{what}: {str(sync)!r} passes {passed + other} values, the channel {len(channel.types)}"
            yield self.complaint(Code.WRONG_NUMBER_OF_VALUES, text, "pass as many as declared", span)

    # Expressions

    def target(self, target: Target, what: str, span: SourceSpan | None) -> Iterator[Complaint]:
        name = target.name if isinstance(target, Ref) else target.array
        variable = self.system.variable_named.get(name)
        if variable is not None and variable.constant:
            yield self.complaint(Code.CANNOT_ASSIGN, f"{what}: {name!r} is a constant", "assign to a variable", span)
            return
        yield from self.expression(target, what, span)
        if name in self.buffers:
            yield self.complaint(
                Code.CANNOT_ASSIGN, f"{what}: {name!r} belongs to a buffer", "change it by sending and receiving", span
            )

    def expression(
        self, expression: Expr, what: str, span: SourceSpan | None, words: Collection[str] = ()
    ) -> Iterator[Complaint]:
        if is_deeper(expression):
            yield self.complaint(
                Code.NESTED_TOO_DEEPLY, f"{what}: the expression has {TOO_DEEP}", "break it into several", span
            )
        for part in walk(expression):
            match part:
                case Literal(value) if not INT32.low <= value <= INT32.high:
                    yield self.complaint(
                        Code.BEYOND_32_BITS,
                        f"{what}: {number_text(value)} does not fit into 32 bits",
                        "use a smaller number",
                        span,
                    )
                case Ref(name) if name not in self.clocks and name not in words:
                    yield from self.use(name, False, what, span)
                case Cell(array, _):
                    yield from self.use(array, True, what, span)
                case At(process, location):
                    yield from self.at(process, location, what, span)
                case Unary(operator, _) if operator not in UNARY:
                    yield self.operator(operator, "one operand", UNARY, what, span)
                case Binary(operator, _, _) if operator not in BINARY_PRECEDENCE:
                    yield self.operator(operator, "two operands", BINARY_PRECEDENCE, what, span)

    def operator(self, name: str, operands: str, known: Iterable[str], what: str, span: SourceSpan | None) -> Complaint:
        remedy = f"use one of {' '.join(known)}"
        return self.complaint(
            Code.UNKNOWN_OPERATOR, f"{what}: there is no operator {name!r} with {operands}", remedy, span
        )

    def use(self, name: str, indexed: bool, what: str, span: SourceSpan | None) -> Iterator[Complaint]:
        variable = self.system.variable_named.get(name)
        if variable is None:
            yield self.unknown(f"{what}: variable", name, (*self.system.variable_named, *self.clocks), span)
        elif indexed and variable.size is None:
            yield self.complaint(Code.NOT_AN_ARRAY, f"{what}: {name!r} is not an array", "leave the index out", span)
        elif not indexed and variable.size is not None:
            yield self.complaint(Code.INDEX_MISSING, f"{what}: {name!r} is an array", "give an index", span)
        elif not indexed and variable.constant:
            yield self.complaint(
                Code.CONSTANT_BY_NAME, f"{what}: constant {name!r} stands by its name", "put its value there", span
            )

    def at(self, process: str, location: str, what: str, span: SourceSpan | None) -> Iterator[Complaint]:
        if process not in self.locations:
            yield self.unknown(f"{what}: process", process, self.locations, span)
        elif location not in self.locations[process]:
            yield self.unknown(f"{what}: location of {process!r},", location, self.locations[process], span)
