"""Which updates of a transition matter for the values of some variables after it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from symdmc.model.expressions import Cell
from symdmc.task.flatten import cannot_fault
from symdmc.task.task import Task, Transition, Update


def live_updates(task: Task, transition: Transition, wanted: AbstractSet[int]) -> tuple[Update, ...]:
    """The updates that may store in a wanted variable, that a later one of these reads, or that may fault.

    Without the others the transition is possible in the same states and does the same to the wanted variables.
    """
    support = task.layout.support
    live = set(wanted)
    found: list[Update] = []
    for update in reversed(transition.updates):
        if live.isdisjoint(task.layout.targets(update.target)) and not _may_fault(task, update):
            continue
        found.append(update)
        if isinstance(update.target, Cell):
            live |= support(update.target.index)
        if not update.before:
            live |= support(update.value)
    return tuple(reversed(found))


def _may_fault(task: Task, update: Update) -> bool:
    if task.analysis.faultless:
        return False
    kind = task.variables[task.layout.targets(update.target)[0]].type
    return not (kind.wraps and task.layout.surely_exists(update.target) and cannot_fault(update.value))
