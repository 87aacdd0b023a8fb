"""What is asked for and shown of a trace besides its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.model.watching import Column, Excerpt, part_of, watches
from symdmc.model.why_not import Explained, edges_named
from symdmc.outcome import EXIT_CODES, Stop
from symdmc.search.avoidance import BUDGET, Avoidance

if TYPE_CHECKING:
    from symdmc.checking.request import CheckRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRequest:
    """What is to be shown of a trace besides its steps."""

    watched: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    estimates: tuple[CheckRequest, ...] = ()
    """Each with one heuristic."""
    avoidable: bool = False
    budget: int = BUDGET
    why_not: tuple[str, ...] = ()
    at: int | None = None
    """After this many steps edges are asked for; None: after the last."""

    def require_known(self, system: System) -> None:
        """Raise ModelError where it names something that the system does not have."""
        watches(system, self.watched)
        if self.only:
            part_of(system, self.only)
        first = State(tuple(process.initial[0] for process in system.processes), ())
        for text in self.why_not:
            if ":" in text:  # a process alone may have no edge from where it happens to be
                edges_named(system, first, text)

    @property
    def takes_time(self) -> bool:
        """Whether a limit may end what is asked."""
        return self.avoidable or bool(self.estimates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What there is to see along a trace; `checking.looking` finds it."""

    part: Excerpt | None = None
    """Only this of the system is shown; None: everything."""
    watched: tuple[Column, ...] = ()
    """The values of expressions."""
    estimates: tuple[Column, ...] = ()
    """What heuristics estimate."""
    avoidance: Avoidance | None = None
    explained_at: int = 0
    """The number of steps after which edges were asked for."""
    explained: tuple[Explained, ...] = ()
    missing: tuple[str, ...] = ()
    """What was asked for and is not there, in sentences."""
    stop: Stop | None = None
    """The signal that ended the look, of which the rest is missing."""

    def exit_code(self, answer: int) -> int:
        """What a command returns whose answer alone would give this code."""
        return answer if self.stop is None else EXIT_CODES[self.stop]


NOTHING = Look()
