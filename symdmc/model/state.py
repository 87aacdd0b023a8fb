"""States and steps of a system, as the reference semantics, the traces and the reports use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class State:
    """The location of every process and the values of every variable, ordered as `System.processes` and `.storage`."""

    locations: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]


EdgeRef: TypeAlias = tuple[int, int]
"""The number of a process and the number of one of its edges."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the edges that take part (the sender's first), what it costs, and where it leads."""

    edges: tuple[EdgeRef, ...]
    cost: int
    successor: State


@dataclass(frozen=True, slots=True)
class Fault:
    """A step that does not exist because evaluating it fails."""

    edges: tuple[EdgeRef, ...]
    reason: str
