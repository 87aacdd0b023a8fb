"""Derived variables: a task with more variables, each a function of the others.

An abstraction can then keep the truth of a condition, or the class of a value, like any variable. No expression reads a
derived variable and no transition mentions one: its value after a step is that of its definition in the state after the
step, which the code that computes steps has at hand. Writing it into the transitions would mean expressing locations,
passed values and conditional branches once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symdmc.model.system import Range
from symdmc.task.definitions import Definition, Holds, Merged
from symdmc.task.task import Task, TaskVariable, Values, VariableKind
from symdmc.task.values.domains import Domain


def extended(task: Task, definitions: Iterable[Definition]) -> Task:
    """The task with a derived variable for each definition that it does not have already, after its other variables.

    It keeps the value analysis of the task; a derived variable may have every value that its definition can give.
    """
    known = set(task.definitions.values())
    new = [each for each in dict.fromkeys(definitions) if each not in known]
    if not new:
        return task
    first = len(task.variables)
    analysis = task.analysis
    result = replace(
        task,
        variables=(*task.variables, *(_variable(each) for each in new)),
        definitions={**task.definitions, **{first + k: each for k, each in enumerate(new)}},
    )
    domains = (*analysis.domains, *(Domain(0, each.count - 1) for each in new))
    result.__dict__["analysis"] = replace(analysis, domains=domains)  # where cached_property keeps it
    return result


def _variable(definition: Definition) -> TaskVariable:
    return TaskVariable(
        name=definition.text,
        kind=VariableKind.DERIVED,
        type=Range(0, definition.count - 1),
        initial=tuple(range(definition.count)),
    )


def numbers_of(task: Task, definitions: Iterable[Definition]) -> tuple[int, ...]:
    """The derived variables of an extended task that have these definitions."""
    numbers = {definition: number for number, definition in task.definitions.items()}
    return tuple(sorted({numbers[each] for each in definitions}))


def completed(task: Task, values: Sequence[int]) -> Values:
    """The values of a state, followed by those of the derived variables."""
    own = tuple(values[: len(task.variables) - len(task.definitions)])
    return (*own, *(_value(task, definition, own) for _, definition in sorted(task.definitions.items())))


def _value(task: Task, definition: Definition, values: Values) -> int:
    match definition:
        case Holds(condition):
            return int(task.semantics.holds(condition, task.state(values)))
        case Merged(variable):
            return definition.class_of(values[variable]) or 0
