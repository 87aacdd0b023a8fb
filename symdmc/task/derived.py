"""Derived variables: a task with more variables, each a function of the others.

Whether a condition holds and in which class a value lies can then be kept by an abstraction like any variable. Nothing
reads a derived variable, and no transition mentions one: what it becomes in a step is the value of its definition in
the state after the step, which whoever computes steps has at hand. To write it into the transitions would mean to
express locations, passed values and conditional branches once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symdmc.model.system import Range
from symdmc.task.definitions import Definition, Holds, Merged
from symdmc.task.domains import Domain
from symdmc.task.task import Task, TaskVariable, Values, VariableKind


def extended(task: Task, definitions: Iterable[Definition]) -> Task:
    """The task with a derived variable for each definition behind its variables; what there is already, once.

    Value analysis is that of the task: a derived variable may have every value that its definition could have.
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
    """The values of a state with those of the derived variables behind them."""
    own = tuple(values[: len(task.variables) - len(task.definitions)])
    return (*own, *(_value(task, definition, own) for _, definition in sorted(task.definitions.items())))


def _value(task: Task, definition: Definition, values: Values) -> int:
    match definition:
        case Holds(condition):
            return int(task.semantics.holds(condition, task.state(values)))
        case Merged(variable):
            return definition.class_of(values[variable]) or 0
