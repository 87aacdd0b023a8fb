"""Predicates read off a model or given by the user, shared out among the parts of the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from symdmc.abstraction.predicates.given import predicates_given
from symdmc.abstraction.predicates.sources import ERROR, FoundPredicate, predicates_of_syntax
from symdmc.errors import Complaint, ModelError
from symdmc.selection.predicates.split import NetworkPart, covering, network_parts
from symdmc.selection.selection import Reason, Selection
from symdmc.task.task import Task

NO_PART = "no part of the network has all that it reads"


def selection_syntax(task: Task, *, most: int | None, report: Callable[[str], None] = lambda words: None) -> Selection:
    """Every location, guard, invariant and error condition [HSRKP07, section 4], in parts of at most `most` processes.

    None: one part, of all of them.
    """
    report("reading predicates")
    return _shared_out(task, "pred:syntax", predicates_of_syntax(task), most)


def selection_given(
    task: Task,
    texts: Sequence[str],
    files: Sequence[Path] = (),
    *,
    most: int | None,
    report: Callable[[str], None] = lambda words: None,
) -> Selection:
    """The predicates that some texts, and lines of files, mean, in parts of at most `most` processes.

    Raises ModelError where one is wrong, or where no part has all that any of them reads.
    """
    report("reading predicates")
    chosen = _shared_out(task, "pred:given", predicates_given(task, texts, files), most)
    if not chosen.predicates:
        what = f"no part of b={most} processes has all that any of the predicates reads"
        raise ModelError(Complaint(what, "give a larger b, or b=all"))
    return chosen


def _shared_out(task: Task, name: str, found: Sequence[FoundPredicate], most: int | None) -> Selection:
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
    return f"{part.name}: {len(part.variables)} variables, {count} predicates"
