"""Patterns as users spell them: names of processes and variables, with wildcards."""

from __future__ import annotations

from fnmatch import fnmatchcase

from symdmc.errors import Code, Complaint, ModelError
from symdmc.spelling.speech import LIST_NAMES
from symdmc.spelling.suggestions import did_you_mean
from symdmc.task.task import Task


def pattern_numbers(task: Task, spelling: str) -> tuple[int, ...]:
    """The variables that a list such as `P_0,x,buffer,Q*` names: locations of processes, integers, whole arrays.

    A wildcard (`*`, `?`, `[...]`) stands for all names that match. ModelError has a line for each unknown name.
    """
    names = _names(task)
    chosen: set[int] = set()
    complaints = []
    for word in filter(None, (word.strip() for word in spelling.split(","))):
        exact = names.get(word)
        fitting = exact if exact is not None else {n for name in names if fnmatchcase(name, word) for n in names[name]}
        if not fitting:
            remedy = did_you_mean(word, list(names), str(LIST_NAMES))
            complaints.append(
                Complaint(Code.UNKNOWN_NAME, f"the pattern has {word!r}, which is no process or variable", remedy)
            )
        chosen |= set(fitting)
    if complaints:
        raise ModelError(complaints)
    if not chosen:
        raise ModelError(
            Complaint(Code.NOTHING_CHOSEN, f"the pattern {spelling!r} is empty", "name processes or variables")
        )
    return tuple(sorted(chosen))


def _names(task: Task) -> dict[str, set[int]]:
    """For each name the variable, or all cells of the array, that it stands for."""
    names = {variable.name: {number} for number, variable in enumerate(task.variables)}
    for name, first in task.layout.first.items():
        names.setdefault(name, set()).update(range(first, first + task.layout.cells[name]))
    return names
