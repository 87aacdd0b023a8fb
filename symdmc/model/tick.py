"""Time that passes in digital clocks: bounded integers, all of which grow by one with each *tick*."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symdmc.errors import SourceSpan
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Target, conjunction, negation
from symdmc.model.system import Assignment, Edge, Location, Process, Variable

PLACE = "passes"
"""The only location of the process that ticks."""


def tick_process(
    name: str, variables: Iterable[Variable], others: Iterable[Process], span: SourceSpan | None = None
) -> Process:
    """A process whose only step, of cost 0, is the tick: every digital clock among the variables grows by one.

    A clock at the end of its range stays there. There is no tick while some other process is at an urgent location.
    As for any other step, there is none while a process is committed, or where it would break an invariant.
    """
    edge = Edge(
        source=PLACE,
        target=PLACE,
        guard=conjunction(*(negation(At(*place)) for place in _urgent(others))),
        assignments=tuple(_growth(target, clock) for clock in variables for target in _clock_cells(clock)),
        cost=0,
        span=span,
    )
    place = Location(name=PLACE, span=span)
    return Process(name=name, initial=(PLACE,), locations=(place,), edges=(edge,), span=span)


def _urgent(processes: Iterable[Process]) -> Iterator[tuple[str, str]]:
    return ((process.name, place.name) for process in processes for place in process.locations if place.urgent)


def _clock_cells(variable: Variable) -> Iterator[Target]:
    """The places of a variable that count time."""
    if not variable.digital_clock:
        return
    if variable.size is None:
        yield Ref(variable.name)
    else:
        yield from (Cell(variable.name, Literal(i)) for i in range(variable.size))


def _growth(target: Target, clock: Variable) -> Assignment:
    """One more, up to the end of the range."""
    end = Literal(clock.type.high)
    later: Expr = Conditional(Binary("<", target, end), Binary("+", target, Literal(1)), end)
    return Assignment(target, later)
