"""What a search answers, and what a running one tells."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from symdmc.evidence.certificate import Certificate
from symdmc.model.trace import Trace
from symdmc.spelling.abridged import brief


class Verdict(Enum):
    """The answer to one question about one system."""

    SAFE = "safe"
    """No error state is reachable."""
    ERROR = "error"
    """An error state is reachable, and the trace shows how."""
    UNKNOWN = "unknown"
    """The search ended before it could tell."""


class Stop(Enum):
    """Why a search ended without having seen everything."""

    TIME = "time limit"
    MEMORY = "memory limit"
    INTERRUPT = "interrupted"
    TERMINATED = "terminated"
    HANG_UP = "hung up"

    @property
    def is_signal(self) -> bool:
        """Whether somebody wanted the run to end."""
        return self not in (Stop.TIME, Stop.MEMORY)

    @property
    def words(self) -> str:
        """What happened."""
        return self.value if self.is_signal else f"{self.value} reached"


EXIT_CODES = {
    Verdict.SAFE: 0,
    Verdict.ERROR: 10,
    Verdict.UNKNOWN: 20,
    Stop.TIME: 21,
    Stop.MEMORY: 22,
    Stop.HANG_UP: 129,
    Stop.INTERRUPT: 130,
    Stop.TERMINATED: 143,
}


FAULT_EXIT_CODE = 11
"""Safe, but a step can fault or nobody looked whether one can; only where this is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a running search stands."""

    explored: int
    generated: int
    stored: int
    depth: int
    seconds: float
    phase: str = ""
    """What begins now, in words; empty while searching."""


ProgressCallback: TypeAlias = Callable[[Progress], None]

NEITHER = "a result is neither true nor false; ask its `is_safe` or `is_error`"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FaultReport:
    """Faults met by a search: in how many of the expanded states, and how to get to the first."""

    states: int
    first: Trace | None
    reason: str | None

    def __repr__(self) -> str:
        return brief(type(self).__name__, self.reason or "no fault", states=self.states, first=self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The states at one distance, as a symbolic search finds them all at once; or what one round of chaining added."""

    depth: int
    """Distance from the initial states, or to the error states when found backward; the number of a round."""
    states: int | None
    """None where they were not counted: counting exactly takes time."""
    nodes: int
    """Of the diagram of this state set."""
    seconds: float
    """Spent on finding it."""
    backward: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a pattern selection kept or dropped a variable or a predicate."""

    variable: str
    kept: bool
    """It is in at least one of the patterns."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SelectionReport:
    """What a pattern selection chose, and why."""

    name: str
    """As it is spelled."""
    patterns: tuple[tuple[str, ...], ...]
    reasons: tuple[Reason, ...]
    """One for each variable, or for each predicate."""
    steps: tuple[str, ...]
    """What was tried, in order, one line each."""
    followed: int = 0
    """States that were stepped from on abstract traces, to find out which of these are real."""
    remarks: tuple[str, ...] = ()
    """What the databases of the patterns lack, because building them took too much."""

    def __repr__(self) -> str:
        kept = sum(reason.kept for reason in self.reasons)
        return brief("SelectionReport", self.name, patterns=len(self.patterns), kept=kept, of=len(self.reasons))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SearchResult:
    """The verdict of one search with its evidence and its costs; a plain value, nothing in it computes."""

    verdict: Verdict
    reason: str
    property: str
    stop: Stop | None = None
    trace: Trace | None = None
    shortest: bool = False
    """The trace is proved to be a shortest one."""
    lower_bound: int | None = None
    """No error trace is shorter than this; None after a proof that there is none."""
    remarks: tuple[str, ...] = ()
    """What rests on the declarations of a heuristic of the user's own, and which of these are not true."""
    faults: FaultReport | None = None
    """None where the search did not look for faults."""
    explored: int = 0
    """States expanded."""
    generated: int = 0
    """Steps taken, each to a new or a known state."""
    stored: int = 0
    """Different states met."""
    seconds: float = 0.0
    preprocessing_seconds: float = 0.0
    """Of these, spent on value analysis and compilation."""
    peak_memory_mb: float = 0.0
    settled_by: str | None = "search"
    """What gave the answer: the search, or a selection, by its spelling, before any search; None for no answer."""
    engine: str = "explicit"
    search: str = "bfs"
    heuristic: str | None = None
    seed: int | None = None
    direction: str | None = None
    """Of a symbolic search."""
    peak_nodes: int | None = None
    """The most nodes of decision diagrams at any time; None where there were none."""
    order: tuple[str, ...] | None = None
    """The variables in the order of the decision diagrams."""
    layers: tuple[Layer, ...] | None = None
    """What a symbolic search found, in the order it did."""
    h_initial: int | Literal["dead end"] | None = None
    """The smallest estimate of an initial state; None where nothing was estimated."""
    patterns: tuple[tuple[str, ...], ...] | None = None
    """The variables that each pattern database keeps; None without one."""
    selections: tuple[SelectionReport, ...] = ()
    """How patterns were chosen automatically."""
    certificate: Certificate | None = None
    """Of the verdict "safe", where it was asked for and could be made."""
    reopened: int | None = None
    """How often an expanded state was reached again at a smaller cost; None where that was not looked for."""
    dead_ends: int | None = None
    """Steps to dead ends, which were not followed; None without a heuristic."""

    def __repr__(self) -> str:
        about = {} if self.trace is None else {"length": self.length, "shortest": self.shortest}
        return brief(type(self).__name__, self.verdict.value, property=self.property, reason=self.reason, **about)

    def __bool__(self) -> bool:
        raise TypeError(NEITHER)

    @builtins.property
    def is_safe(self) -> bool:
        """It is proved that no error state is reachable; false also where the verdict is unknown."""
        return self.verdict is Verdict.SAFE

    @builtins.property
    def is_error(self) -> bool:
        """An error state is reachable; false also where the verdict is unknown."""
        return self.verdict is Verdict.ERROR

    @builtins.property
    def exit_code(self) -> int:
        """What `symdmc check` returns for this result."""
        return EXIT_CODES[self.stop if self.stop is not None and self.verdict is Verdict.UNKNOWN else self.verdict]

    @builtins.property
    def searched(self) -> bool:
        """Whether a search ran; false where a selection had the answer before."""
        return self.settled_by in ("search", None)

    @builtins.property
    def length(self) -> int | None:
        """The cost of the error trace."""
        return None if self.trace is None else self.trace.length


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Exploration:
    """What an exhaustive walk found; a quantity is None where the walk ended too early to know it."""

    states: int | None
    transitions: int | None
    depth: int | None
    """The largest number of transitions needed to reach a state."""
    deadlocks: int | None
    faults: FaultReport | None
    stop: Stop | None = None
    reason: str = "all reachable states visited"
    stored: int = 0
    """Different states met, also when the walk ended too early."""
    generated: int = 0
    """Steps taken, also when the walk ended too early."""
    first_deadlock: Trace | None = None
    seconds: float = 0.0
    preprocessing_seconds: float = 0.0
    """Of these, spent on value analysis and compilation."""
    peak_memory_mb: float = 0.0
    engine: str = "explicit"
    peak_nodes: int | None = None
    """The most nodes of decision diagrams at any time; None where there were none."""
    order: tuple[str, ...] | None = None
    """The variables in the order of the decision diagrams."""
    layers: tuple[Layer, ...] | None = None
    """What a symbolic exploration found: layers, or with chaining rounds."""

    def __repr__(self) -> str:
        known = {name: getattr(self, name) for name in ("transitions", "depth", "deadlocks")}
        return brief(type(self).__name__, self.reason, states=self.states, **known)

    def __bool__(self) -> bool:
        raise TypeError("an exploration is neither true nor false; ask its `states`, `deadlocks` or `faults`")

    @property
    def exit_code(self) -> int:
        """What `symdmc explore` returns for this result."""
        return 0 if self.stop is None else EXIT_CODES[self.stop]
