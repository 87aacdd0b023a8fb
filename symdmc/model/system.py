"""What the author of a model wrote: processes, locations, edges, variables, channels, clocks, named properties.

Everything here is frozen and hashable. Source positions ride along but take no part in equality, so a system read
back from another format is equal to the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from symdmc.errors import Complaint, SourceSpan
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import TRUE, Binary, Expr, Literal, Target
from symdmc.spelling.abridged import brief, first_lines
from symdmc.spelling.printable import number_text

if TYPE_CHECKING:
    from symdmc.model.named_state import Part


@dataclass(frozen=True, slots=True)
class Range:
    """The values a variable can store; storing any other value wraps around or faults."""

    low: int
    high: int
    wraps: bool = False

    def store(self, value: int) -> int:
        """The value kept when `value` is stored."""
        if self.low <= value <= self.high:
            return value
        if self.wraps:
            return (value - self.low) % (self.high - self.low + 1) + self.low
        raise ArithmeticFault(f"{value} is outside {self.interval}")

    def wrapped(self, value: Expr) -> Expr:
        """An expression for the value as a wrapping range keeps it; the remainder has the sign of the dividend."""
        span = Literal(self.high - self.low + 1)
        rest = Binary("%", Binary("-", value, Literal(self.low)), span)
        return Binary("+", Binary("%", Binary("+", rest, span), span), Literal(self.low))

    @property
    def interval(self) -> str:
        """The text `LOW..HIGH`."""
        return f"{number_text(self.low)}..{number_text(self.high)}"

    def __str__(self) -> str:
        return f"{self.interval}{' wrapping' if self.wraps else ''}"


BOOLEAN = Range(0, 1)
BYTE = Range(0, 255, wraps=True)
SHORT = Range(-32768, 32767, wraps=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A bounded integer (or Boolean: 0..1), or an array of them when `size` is given."""

    name: str
    """Qualified: `x`, or `P->x` for a variable of process P."""
    type: Range
    initial: tuple[tuple[int, ...], ...] = ((0,),)
    """For each cell (a scalar has one) the values it may start with."""
    size: int | None = None
    constant: bool = False
    """Never assigned; a scalar constant appears in expressions as its value."""
    digital_clock: bool = False
    """Counts time: the tick lets it grow by one, up to the end of its range, which means "that much or more"."""
    value_names: tuple[tuple[int, str], ...] = field(default=(), compare=False, repr=False)
    """What its values are called where a person reads them."""
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def cells(self) -> int:
        """How many integers the variable holds."""
        return 1 if self.size is None else self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A real-valued clock; systems that have any are refused by every engine so far."""

    name: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


class ChannelKind(Enum):
    """How the edges that name a channel move together."""

    RENDEZVOUS = "rendezvous"
    """One sender and one receiver, of different processes."""
    BROADCAST = "broadcast"
    """One sender, and every other process that can receive."""
    BUFFERED = "buffered"
    """Sending appends to a first-in-first-out buffer, receiving takes from its front."""
    LOCKSTEP = "lockstep"
    """Every process that has an edge with the label moves, all at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A name on which edges synchronise; `types` has one entry for each value passed."""

    name: str
    kind: ChannelKind = ChannelKind.RENDEZVOUS
    types: tuple[Range, ...] = ()
    capacity: int = 0
    urgent: bool = False
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def length_name(self) -> str:
        """The variable that holds the number of items in the buffer."""
        return f"{self.name}->length"

    def item_name(self, component: int) -> str:
        """The array that holds one component of every item in the buffer, the front item first."""
        return f"{self.name}->item" if len(self.types) == 1 else f"{self.name}->item{component}"

    def buffer(self) -> tuple[Variable, ...]:
        """The variables a buffered channel brings with it: its length, then one array for each component."""
        if self.kind is not ChannelKind.BUFFERED:
            return ()
        length = Variable(name=self.length_name, type=Range(0, self.capacity), span=self.span)
        start = ((0,),) * self.capacity
        items = (
            Variable(name=self.item_name(k), type=kind, size=self.capacity, initial=start, span=self.span)
            for k, kind in enumerate(self.types)
        )
        return (length, *items)


class Direction(Enum):
    """What an edge does with its channel."""

    SEND = "!"
    RECEIVE = "?"
    JOIN = ""
    """Takes part in a lockstep label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synchronisation:
    """The channel an edge uses, with the values it sends or the places it receives into."""

    channel: str
    direction: Direction
    values: tuple[Expr, ...] = ()
    targets: tuple[Target, ...] = ()

    def __str__(self) -> str:
        passed = ", ".join(str(part) for part in (*self.values, *self.targets))
        several = len(self.values) + len(self.targets) > 1
        return f"{self.channel}{self.direction.value}{'{' + passed + '}' if several else passed}"


@dataclass(frozen=True, slots=True)
class Assignment:
    """Store the value of an expression, cut to the type of the target."""

    target: Target
    value: Expr

    def __str__(self) -> str:
        return f"{self.target} = {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A node of a process."""

    name: str
    committed: bool = False
    urgent: bool = False
    invariant: Expr = TRUE
    """Must hold in every state in which the process is here; a step into any other state does not exist."""
    valid_end: bool = False
    """The process may end here: where all processes may, a state without a step is no deadlock of a question."""
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A possible move of one process from a location to a location."""

    source: str
    target: str
    guard: Expr = TRUE
    sync: Synchronisation | None = None
    assignments: tuple[Assignment, ...] = ()
    cost: int = 1
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Process:
    """A finite automaton; one component of the parallel composition."""

    name: str
    initial: tuple[str, ...]
    locations: tuple[Location, ...]
    edges: tuple[Edge, ...]
    span: SourceSpan | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return brief("Process", self.name, locations=len(self.locations), edges=len(self.edges))


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A named error condition: the states where the expression is not 0 are the error states."""

    name: str
    error: Expr
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


class Commitment(Enum):
    """Which steps may run while some process is at a committed location."""

    ALL = "all"
    """Those whose participants are all committed (DVE)."""
    ANY = "any"
    """Those with at least one committed participant (UPPAAL)."""


class UpdateOrder(Enum):
    """Whose assignments run first when several edges make one step."""

    RECEIVER_FIRST = "receiver first"
    SENDER_FIRST = "sender first"


@dataclass(frozen=True, slots=True)
class Rules:
    """The points where modelling languages differ."""

    commitment: Commitment = Commitment.ANY
    updates: UpdateOrder = UpdateOrder.SENDER_FIRST


DVE_RULES = Rules(Commitment.ALL, UpdateOrder.RECEIVER_FIRST)

ASSERTION_PROPERTY = "assert"
"""The name of the error condition made from the assertions of a model."""


@dataclass(frozen=True, kw_only=True, repr=False)
class System:
    """Processes that run side by side, with the variables and channels they share and the named properties."""

    name: str
    processes: tuple[Process, ...]
    variables: tuple[Variable, ...] = ()
    channels: tuple[Channel, ...] = ()
    clocks: tuple[Clock, ...] = ()
    properties: tuple[Property, ...] = ()
    rules: Rules = Rules()
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What the user should know about how the model was read, one sentence each."""

    @cached_property
    def storage(self) -> tuple[Variable, ...]:
        """Everything that holds integers: the declared variables, then the buffers of the channels."""
        return (*self.variables, *chain.from_iterable(channel.buffer() for channel in self.channels))

    @cached_property
    def variable_named(self) -> Mapping[str, Variable]:
        """Variables and buffers by qualified name."""
        return MappingProxyType({variable.name: variable for variable in self.storage})

    @cached_property
    def channel_named(self) -> Mapping[str, Channel]:
        """Channels by name."""
        return MappingProxyType({channel.name: channel for channel in self.channels})

    @cached_property
    def process_named(self) -> Mapping[str, Process]:
        """Processes by name."""
        return MappingProxyType({process.name: process for process in self.processes})

    @cached_property
    def property_named(self) -> Mapping[str, Property]:
        """Named error conditions by name."""
        return MappingProxyType({named.name: named for named in self.properties})

    @cached_property
    def parts(self) -> Mapping[str, Part]:
        """What every name stands for in a state: the processes, then the variables, then the buffers of channels."""
        from symdmc.model.named_state import parts_of  # which needs the types of this file

        return parts_of(self)

    @cached_property
    def faults(self) -> tuple[Complaint, ...]:
        """All that is wrong with it; nothing runs a system that has any."""
        from symdmc.model.validation import faults  # which needs the types of this file

        return faults(self)

    def text(self) -> str:
        """The whole system, declarations first, then process by process, one line for each edge."""
        from symdmc.model.printing import describe  # which needs the types of this file

        return describe(self)

    def __str__(self) -> str:
        return first_lines(self.text(), "... (`text()` has all)")

    def __repr__(self) -> str:
        about = ("processes", "variables", "channels", "properties")
        return brief("System", self.name, **{name: len(getattr(self, name)) for name in about})
