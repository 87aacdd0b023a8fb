"""Predicates shared out among the parts of the network."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.abstraction.predicates.sources import ERROR, FoundPredicate
from symdmc.selection.predicates.split import NetworkPart, covering, network_parts
from symdmc.selection.selection import Reason, Selection
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task

NO_PART = "no part of the network has all that it reads"


def shared_out(task: Task, name: str, found: Sequence[FoundPredicate], most: int | None) -> Selection:
    """The selection in which each part of at most `most` processes has the predicates that it can tell."""
    asked = [each.predicate for each in found if any(source.kind == ERROR for source in each.sources)]
    parts = covering(network_parts(task, most), asked)
    own = [(part, part.own(each.predicate for each in found)) for part in parts]
    kept = {predicate for _, predicates in own for predicate in predicates}
    return Selection(
        name=name,
        patterns=(),
        reasons=tuple(_reason(each, each.predicate in kept) for each in found),
        steps=tuple(_told(part, len(predicates)) for part, predicates in own),
        predicates=tuple(tuple(predicates) for _, predicates in own if predicates),
    )


def _reason(found: FoundPredicate, kept: bool) -> Reason:
    first, others = found.sources[0], len(found.sources) - 1
    why = f"{first} and {others} more" if others else str(first)
    return Reason(variable=str(found.predicate), kept=kept, why=why if kept else f"{why}; {NO_PART}")


def _told(part: NetworkPart, count: int) -> str:
    return f"{part.name}: {counted(len(part.variables), 'variable')}, {counted(count, 'predicate')}"
