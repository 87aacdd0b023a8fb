"""Systems as plain values that the campaign owns: drawn, written in every form, run by brute force, shrunk, kept.

An expression is a nested tuple: `("n", 5)` a number, `("v", "x")` a variable, `("c", "a", index)` a cell, `("@", "P",
"l")` whether P is at l, `("u", operator, operand)`, `("b", operator, left, right)`, `("?", condition, then, else)`.
Variables are named as JSON models name them: `x`, or `P->x` for one of process P.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeAlias

Expression: TypeAlias = tuple[Any, ...]  # Any: nested tuples of texts and numbers

ONE: Expression = ("n", 1)
RENDEZVOUS, BROADCAST, BUFFERED, LOCKSTEP = "rendezvous", "broadcast", "buffered", "lockstep"
SEND, RECEIVE, JOIN = "!", "?", ""
BYTE, INT = (0, 255, True), (-32768, 32767, True)
UNTYPED = (-(2**31), 2**31 - 1, True)
"""The type of a value in an untyped buffer."""
Kind: TypeAlias = tuple[int, int, bool]
"""The lowest value, the highest, and whether others wrap around; else to store another one is a fault."""


@dataclass(frozen=True)
class Variable:
    """A variable, or an array of `size` cells; for each cell the values it may start with."""

    name: str
    kind: Kind
    initial: tuple[tuple[int, ...], ...]
    size: int | None = None
    constant: bool = False


@dataclass(frozen=True)
class Channel:
    """A channel; `typed` says whether a DVE text gives its types."""

    name: str
    how: str
    kinds: tuple[Kind, ...] = ()
    capacity: int = 0
    typed: bool = True


@dataclass(frozen=True)
class Sync:
    """What an edge does on a channel: `values` it sends, or `targets` it receives into."""

    channel: str
    direction: str
    values: tuple[Expression, ...] = ()
    targets: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Edge:
    """An edge of a process; `updates` are pairs of a place and a value."""

    source: str
    target: str
    guard: Expression = ONE
    sync: Sync | None = None
    updates: tuple[tuple[Expression, Expression], ...] = ()
    cost: int = 1


@dataclass(frozen=True)
class Place:
    """A location; `asserted` must hold there, or else the state is an error state of the property `assert`."""

    name: str
    committed: bool = False
    invariant: Expression = ONE
    asserted: Expression | None = None


@dataclass(frozen=True)
class Process:
    """A process."""

    name: str
    initial: tuple[str, ...]
    places: tuple[Place, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Question:
    """Which states are error states."""

    error: Expression | None = None
    deadlock: bool = False
    deadlock_where: Expression = ONE
    """Which of the states without a step count."""
    fault: bool = False
    assertions: bool = False


@dataclass(frozen=True)
class Draft:
    """A system with a question; `dve` says that it keeps to what the DVE language has."""

    dve: bool
    all_committed: bool
    sender_first: bool
    variables: tuple[Variable, ...]
    channels: tuple[Channel, ...]
    processes: tuple[Process, ...]
    question: Question = Question()

    @property
    def edges(self) -> int:
        """How many there are."""
        return sum(len(process.edges) for process in self.processes)


def to_json(draft: Draft) -> dict[str, Any]:
    """The draft as JSON values."""
    return asdict(draft)


def from_json(data: dict[str, Any]) -> Draft:
    """The draft that `to_json` wrote."""
    made: Draft = _read(Draft, data)
    return made


_PARTS: dict[tuple[type, str], type] = {
    (Draft, "variables"): Variable,
    (Draft, "channels"): Channel,
    (Draft, "processes"): Process,
    (Draft, "question"): Question,
    (Process, "places"): Place,
    (Process, "edges"): Edge,
    (Edge, "sync"): Sync,
}


def _read(kind: type, data: dict[str, Any]) -> Any:  # Any: one of the dataclasses of this file
    values = {}
    for each in fields(kind):
        value = data[each.name]
        part = _PARTS.get((kind, each.name))
        if part is not None and isinstance(value, list | tuple):
            value = tuple(_read(part, item) for item in value)
        elif part is not None and value is not None:
            value = _read(part, value)
        values[each.name] = _frozen(value)
    return kind(**values)


def _frozen(value: Any) -> Any:  # Any: JSON values
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


# ---- expressions


def number(value: int) -> Expression:
    """A constant."""
    return ("n", value)


def conjunction(*parts: Expression) -> Expression:
    """All of the parts."""
    result = parts[0] if parts else ONE
    for part in parts[1:]:
        result = ("b", "and", result, part)
    return result


def parts_of(expression: Expression) -> Iterator[Expression]:
    """The direct parts of an expression."""
    return (each for each in expression[1:] if isinstance(each, tuple))


def changed(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each of its parts changed, from the inside out."""
    inner = tuple(changed(each, change) if isinstance(each, tuple) else each for each in expression)
    return change(inner)


def with_expressions(draft: Draft, change: Callable[[Expression], Expression]) -> Draft:
    """The draft with each of its expressions changed; of places that are written, the index."""

    def place(target: Expression) -> Expression:
        return (*target[:2], change(target[2])) if target[0] == "c" else target

    def edge(each: Edge) -> Edge:
        sync = each.sync
        if sync is not None:
            sync = replace(sync, values=tuple(map(change, sync.values)), targets=tuple(map(place, sync.targets)))
        updates = tuple((place(target), change(value)) for target, value in each.updates)
        return replace(each, guard=change(each.guard), sync=sync, updates=updates)

    def location(each: Place) -> Place:
        asserted = None if each.asserted is None else change(each.asserted)
        return replace(each, invariant=change(each.invariant), asserted=asserted)

    processes = tuple(
        replace(each, places=tuple(map(location, each.places)), edges=tuple(map(edge, each.edges)))
        for each in draft.processes
    )
    asked = draft.question
    error = None if asked.error is None else change(asked.error)
    question = replace(asked, error=error, deadlock_where=change(asked.deadlock_where))
    return replace(draft, processes=processes, question=question)
