"""What can be chosen about a symbolic search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Direction: TypeAlias = Literal["forward", "backward", "bidirectional"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
BACKENDS = ("cudd", "autoref")
Order: TypeAlias = Literal["declared", "force", "local", "hubs"]
ORDERS: tuple[Order, ...] = get_args(Order)
"""The names in encode.order.orders.ORDERS, for those who need not wait for the import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolicOptions:
    """How a symbolic search works; the defaults are what the benchmarks support."""

    direction: str = "bidirectional"
    """From the initial states, from the error states, or from both: one of DIRECTIONS. Exploring is always forward."""
    order: str = "local"
    """Of the variables in the diagrams: one of encode.order.orders.ORDERS."""
    seed: int = 0
    """For the order."""
    sift: bool = False
    """Improve the order during the run; the bits of a variable stay together."""
    node_limit: int | None = None
    """Most nodes of all diagrams together."""
    merge_limit: int | None = None
    """Most nodes of a part of the relation that is merged from others; 0 keeps one part for each case of a transition;
    None leaves it to the search."""
    layered: bool = False
    """Explore layer by layer, which gives depth and transitions, instead of chaining, which is faster."""
    count_layers: bool = False
    """Count the states of every layer or round, exactly, which takes time where layers are large."""
    backend: str = "cudd"
    """Who owns the diagrams: one of BACKENDS."""
    certify: bool = False
    """Give the verdict "safe" with a certificate."""
