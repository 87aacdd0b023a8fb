"""Predicates described: where they come from, their abstraction, and the entailment queries it needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from symdmc.abstraction.cartesian.cubes import CartesianAbstraction
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.abstraction.predicates.sources import FoundPredicate
from symdmc.model.expressions import At
from symdmc.task.task import Task

MOST_STARTS = 1000
"""With more initial states than this, their estimate is not computed."""


def predicates_document(
    task: Task, found: Sequence[FoundPredicate], abstraction: CartesianAbstraction
) -> dict[str, object]:
    """What `show --predicates --json` adds to the description."""
    entailment = abstraction.entailment
    return {
        "error": task.error.name,
        "found": [_predicate(each) for each in found],
        "layers": [len(layer) for layer in abstraction.layers],
        "complete": abstraction.complete,
        "expanded": abstraction.expanded,
        "initial": _initial(task, abstraction),
        "entailment": {
            "queries": entailment.queries,
            "answered": {name.value: count for name, count in entailment.answered},
            "undecided": entailment.undecided,
            "theory_calls": entailment.theory_calls,
        },
    }


def _predicate(found: FoundPredicate) -> dict[str, object]:
    return {
        "predicate": str(found.predicate),
        "kind": _kind(found.predicate),
        "sources": [str(source) for source in found.sources],
    }


def _kind(predicate: Predicate) -> str:
    if isinstance(predicate.expression, At):
        return "location"
    return "opaque" if predicate.linear is None else "linear"


def _initial(task: Task, abstraction: CartesianAbstraction) -> dict[str, object] | None:
    """The smallest estimate of an initial state, or that all are dead ends; None for too many initial states."""
    starts = list(islice(task.semantics.initial_states(), MOST_STARTS + 1))
    if len(starts) > MOST_STARTS:
        return None
    estimates = [abstraction.estimate(task, state) for state in starts]
    least = min((each for each in estimates if each is not None), default=None)
    return {"estimate": least, "dead_end": least is None}
