"""What is seen along a trace besides its steps, as text and for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from rich.console import Console

from symdmc.checking.look import Look
from symdmc.model.watching import Column
from symdmc.model.why_not import Explained, Obstacle
from symdmc.report.console import print_line
from symdmc.report.quantities import counted
from symdmc.search.avoidance import Avoidance, Fate

MOST_UNKNOWN = 10
"""At most this many other steps of unknown fate are listed."""


def print_look(console: Console, look: Look) -> None:
    """What belongs below the steps of a trace: why edges are not taken, and whether the error could be avoided."""
    if look.explained:
        console.print()
        print_line(console, f"after {counted(look.explained_at, 'step')}:", "bold")
        for each in look.explained:
            print_explained(console, each)
    if look.avoidance is not None:
        console.print()
        print_line(console, "could it have been avoided?", "bold")
        for line in avoidance_lines(look.avoidance):
            print_line(console, f"  {line}")


def print_explained(console: Console, explained: Explained) -> None:
    """Whether an edge can be taken, and if not, why."""
    for line in explained.lines():
        print_line(console, line)


def avoidance_lines(found: Avoidance) -> Iterator[str]:
    """Whether an error could have been avoided, what of this is proved, and with how much effort."""
    visited = counted(found.lost_visits, "state")
    if found.lost_after == 0:
        yield f"no: from the first state on every way leads to the error ({visited} visited)"
        return
    last = found.lost_after == found.error_after
    if not last:
        yield f"after step {found.lost_after} every way leads to the error: all were followed ({visited} visited)"
    if found.escape is not None:
        before = "up to the last step" if last else "before that step"
        yield f"{before} there is a way around it: {found.escape}{f' ({visited} visited)' if last else ''}"
    elif found.other_step_at != found.lost_after - 1:
        before = "before the last step" if last else "before that step"
        budget = counted(found.budget, "state")
        yield f"whether there is a way around it {before} is unknown: the budget of {budget} is spent"
    yield from _other_steps(found)


def _other_steps(found: Avoidance) -> Iterator[str]:
    visited = f"{counted(found.other_visits, 'state')} visited"
    if found.other_step_at is not None:
        where = "in the first state" if found.other_step_at == 0 else f"after step {found.other_step_at}"
        yield f"{where} it could still be avoided for good ({visited}):"
        for other in found.other_steps:
            mark = {Fate.SAFE: "avoids it", Fate.ERROR: "does not", Fate.UNKNOWN: "unknown"}[other.fate]
            yield f"  {other.label}: {mark}: {other.proof}"
    elif not found.other_steps:
        yield f"no other step on the way avoids it for good: behind each an error state is still reachable ({visited})"
    else:
        budget, listed = counted(found.budget, "state"), found.other_steps[:MOST_UNKNOWN]
        yield f"no other step is known to avoid it for good; unknown, with a budget of {budget}, are:"
        yield from (f"  {other.label} (after {counted(other.after, 'step')})" for other in listed)
        if len(found.other_steps) > MOST_UNKNOWN:
            yield f"  and {len(found.other_steps) - MOST_UNKNOWN:,} more"


def columns_document(columns: Iterable[Column]) -> list[dict[str, object]]:
    """Columns for JSON: the values are integers, texts, or lists of them."""
    return [{"name": column.name, "values": list(column.values)} for column in columns]


def avoidance_document(found: Avoidance | None) -> dict[str, object] | None:
    """For JSON."""
    if found is None:
        return None
    others = [asdict(other) | {"fate": other.fate.value} for other in found.other_steps]
    return asdict(found) | {"other_steps": others}


def explained_document(explained: Iterable[Explained]) -> list[dict[str, object]]:
    """For JSON."""
    return [
        {"edge": each.edge, "steps": list(each.steps), "obstacles": [_obstacle(part) for part in each.obstacles]}
        for each in explained
    ]


def _obstacle(obstacle: Obstacle) -> dict[str, object]:
    within = [_obstacle(each) for each in obstacle.within]
    return {"kind": obstacle.kind, "text": obstacle.text, "within": within}
