"""States by name: a process has its location, a variable its value, an array or buffer the list of what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from symdmc.model.state import State
from symdmc.model.steps import cell_names
from symdmc.model.system import ChannelKind, System
from symdmc.spelling.abridged import abridged
from symdmc.spelling.suggestions import did_you_mean

NamedValue: TypeAlias = Any
"""A location is a text, a value an integer, an array a list; which of them, only the model says, hence Any."""
NamedChange: TypeAlias = tuple[str, NamedValue, NamedValue]
"""A process, variable, cell or buffer with what it was and what it is."""

_Default = TypeVar("_Default")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a name stands for in the states of a system."""

    name: str
    process: int | None = None
    """The number of a process; None for a variable or a buffer."""
    length: int | None = None
    """Of a buffer, the number in `System.storage` of its length."""
    held: tuple[int, ...] = ()
    """The numbers in `System.storage` of the variable, or of the components of the items in a buffer."""
    cells: tuple[str, ...] = ()
    """The names of the cells of an array."""
    constant: bool = False
    value_names: Mapping[int, str] = field(default_factory=dict)
    """What its values are called."""

    @property
    def is_buffer(self) -> bool:
        """Whether it is the buffer of a channel."""
        return self.length is not None

    def value(self, state: State) -> NamedValue:
        """What a state holds under the name."""
        if self.process is not None:
            return state.locations[self.process]
        if self.length is not None:
            (filled,) = state.values[self.length]
            components = [state.values[number][:filled] for number in self.held]
            if len(components) == 1:
                return list(components[0])
            return list(zip(*components, strict=True)) if components else [()] * filled
        (number,) = self.held
        return list(state.values[number]) if self.cells else state.values[number][0]

    def text(self, value: NamedValue) -> str:
        """A value of it as a person reads it."""
        if not self.value_names:
            return str(value)
        if isinstance(value, list):
            return f"[{', '.join(map(self.text, value))}]"
        return self.value_names.get(value, str(value))

    def is_zero(self, state: State) -> bool:
        """Whether a variable holds nothing but 0, or a buffer nothing."""
        return not any(state.values[self.length] if self.length is not None else state.values[self.held[0]])

    def differs(self, one: State, other: State) -> bool:
        """Whether two states hold different things under the name."""
        if self.process is not None:
            return one.locations[self.process] != other.locations[self.process]
        numbers = self.held if self.length is None else (self.length, *self.held)
        return any(one.values[number] != other.values[number] for number in numbers)

    def changes(self, before: State, after: State) -> Iterator[NamedChange]:
        """What differs between two states: cells of an array one by one, all else as a whole."""
        if not self.differs(before, after):
            return
        was, now = self.value(before), self.value(after)
        if self.cells:
            yield from (each for each in zip(self.cells, was, now, strict=True) if each[1] != each[2])
        else:
            yield self.name, was, now


def parts_of(system: System) -> Mapping[str, Part]:
    """What every name stands for: the processes, then the variables, then the buffers."""
    found = [Part(name=process.name, process=number) for number, process in enumerate(system.processes)]
    for number, variable in enumerate(system.variables):
        cells = tuple(cell_names(variable)) if variable.size is not None else ()
        found.append(
            Part(
                name=variable.name,
                held=(number,),
                cells=cells,
                constant=variable.constant,
                value_names=dict(reversed(variable.value_names)),
            )
        )
    number, variables = len(system.variables), {variable.name for variable in system.variables}
    for channel in system.channels:
        if channel.kind is ChannelKind.BUFFERED:
            name = channel.name if channel.name not in variables else f"{channel.name}->buffer"
            held = tuple(range(number + 1, number + 1 + len(channel.types)))
            found.append(Part(name=name, length=number, held=held))
            number += 1 + len(held)
    return MappingProxyType({part.name: part for part in found})


def named_changes(before: State, after: State, system: System) -> list[NamedChange]:
    """What differs between two states, by name; cells of arrays one by one as `a[2]`, buffers as lists."""
    return [change for part in system.parts.values() for change in part.changes(before, after)]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NamedState(State):
    """A state whose parts have names, as in a mapping that cannot be changed.

    `state["P"]` is the location of process P, `state["x"]` the value of a variable, `state["P->y"]` that of a variable
    of process P; an array and the buffer of a channel are lists. `state.locations` and `state.values` have the same by
    number, in the order of the model.
    """

    system: System = field()

    @classmethod
    def of(cls, state: State, system: System) -> NamedState:
        """The state with the names of its system."""
        return cls(state.locations, state.values, system)

    def __getitem__(self, name: str) -> NamedValue:
        part = self.system.parts.get(name)
        if part is None:
            remedy = did_you_mean(str(name), self.system.parts, "`list(state)` has all names")
            raise KeyError(f"there is no process, variable or buffer {name!r}; {remedy}")
        return part.value(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.system.parts)

    def __len__(self) -> int:
        return len(self.system.parts)

    def __contains__(self, name: object) -> bool:
        return name in self.system.parts

    def keys(self) -> list[str]:
        """All names: the processes, then the variables, then the buffers."""
        return list(self.system.parts)

    def items(self) -> list[tuple[str, NamedValue]]:
        """All names with what they stand for."""
        return [(name, part.value(self)) for name, part in self.system.parts.items()]

    def get(self, name: str, default: _Default | None = None) -> NamedValue | _Default:
        """What a name stands for, or the default where there is no such name."""
        part = self.system.parts.get(name)
        return default if part is None else part.value(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        same = (self.locations, self.values) == (other.locations, other.values)
        return same and (not isinstance(other, NamedState) or self.system == other.system)

    def __hash__(self) -> int:
        return hash((self.locations, self.values))

    def __repr__(self) -> str:
        return abridged("NamedState({})", (f"{name}={value!r}" for name, value in self.items()))
