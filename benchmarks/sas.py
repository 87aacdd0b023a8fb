"""SAS+ text for tasks whose guards and stores are constants, with the same states and steps: what planners read.

A fact is "this variable has this value". Every transition becomes one operator: facts it needs and keeps, and facts
it changes. Planners call the error condition goal and the error trace plan. The file has version 3 of the format of
Fast Downward's translator, no mutex groups and no axioms; an operator costs what the transition does.

    python -m benchmarks.sas arbiter_tree:height=3 > tree.sas
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

import symdmc
from symdmc.checking.checks import task_of
from symdmc.checking.request import Question
from symdmc.model.expressions import TRUE, At, Binary, Cell, Expr, Literal, Ref, conjuncts
from symdmc.task.task import Task, Transition, Update, VariableKind

LEAST_VALUES = 2
"""Some planners do not expect a variable with a single value."""


def sas(task: Task) -> str:
    """The task in SAS+; raises ValueError where a guard, a store or the error condition is more than facts."""
    return "\n".join(_SasText(task).lines()) + "\n"


class _SasText:
    """The sections of the file; values are numbered by their place in the analysed domain."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.numbers = [{int(value): n for n, value in enumerate(domain.array)} for domain in task.analysis.domains]

    def lines(self) -> Iterator[str]:
        """The whole file."""
        _refuse_unsuitable(self.task)
        yield from _section("version", ["3"])
        yield from _section("metric", ["1"])
        yield str(len(self.numbers))
        for variable in range(len(self.numbers)):
            yield from _section("variable", self._variable(variable))
        yield "0"
        initial = next(self.task.initial_values())
        yield from _section("state", [str(values[value]) for values, value in zip(self.numbers, initial, strict=True)])
        yield from _section("goal", self._counted(self._facts(self.task.error.expression)))
        possible = sorted(self.task.analysis.possible)
        yield str(len(possible))
        for number in possible:
            yield from _section("operator", self._operator(number, self.task.transitions[number]))
        yield "0"

    def _variable(self, number: int) -> Iterator[str]:
        variable, values = self.task.variables[number], self.numbers[number]
        names = [f"{variable.name} {_value_name(self.task, number, value)}" for value in values]
        names += [f"{variable.name} never {spare}" for spare in range(len(values), LEAST_VALUES)]
        yield from (f"var{number}", "-1", str(len(names)))
        yield from (f"Atom {name}" for name in names)

    def _operator(self, number: int, transition: Transition) -> Iterator[str]:
        """What a transition needs and what it changes; a variable that keeps its value is only needed."""
        before = self._facts(self.task.full_guard(transition))
        after = self._stores(transition)
        changed = {variable: value for variable, value in after.items() if before.get(variable) != value}
        yield f"{transition.label or 'step'} {number}"
        yield from self._counted({variable: value for variable, value in before.items() if variable not in changed})
        yield str(len(changed))
        yield from (f"0 {variable} {before.get(variable, -1)} {value}" for variable, value in sorted(changed.items()))
        yield str(transition.cost)

    def _stores(self, transition: Transition) -> dict[int, int]:
        """The variables a transition writes, with the numbers of their new values; the last store counts."""
        layout = self.task.layout
        stored = dict(self._store(update) for update in transition.updates)
        for branch in transition.branches:
            if branch.condition is not None:
                raise ValueError(f"{branch.process} takes part in {transition.label} on a condition")
            stored[layout.process[branch.process]] = layout.location[branch.process, branch.target]
        return {variable: self.numbers[variable][value] for variable, value in stored.items()}

    def _store(self, update: Update) -> tuple[int, int]:
        match update:
            case Update(target=Ref() | Cell(_, Literal()) as target, value=Literal(value), condition=None):
                (variable,) = self.task.layout.targets(target)
                return variable, self.task.variables[variable].type.store(value)
            case _:
                raise ValueError(f"the store {update.target} = {update.value} is no constant")

    def _facts(self, expression: Expr) -> dict[int, int]:
        """The variables a conjunction of facts looks at, with the numbers of the values they must have."""
        found: dict[int, int] = {}
        for part in conjuncts(expression):
            variable, value = self._fact(part)
            number = self.numbers[variable].get(value)
            if number is None or found.setdefault(variable, number) != number:
                raise ValueError(f"{expression} never holds")
        return found

    def _fact(self, part: Expr) -> tuple[int, int]:
        layout = self.task.layout
        match part:
            case At(process, location):
                return layout.process[process], layout.location[process, location]
            case Binary("==", Ref() | Cell(_, Literal()) as place, Literal(value)) if layout.surely_exists(place):
                (variable,) = layout.targets(place)
                return variable, value
            case _:
                raise ValueError(f"{part} is no fact about a single variable")

    @staticmethod
    def _counted(facts: dict[int, int]) -> Iterator[str]:
        yield str(len(facts))
        yield from (f"{variable} {value}" for variable, value in sorted(facts.items()))


def _section(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"begin_{name}"
    yield from lines
    yield f"end_{name}"


def _value_name(task: Task, variable: int, value: int) -> str:
    described = task.variables[variable]
    return described.value_names[value] if described.kind is VariableKind.LOCATION else str(value)


def _refuse_unsuitable(task: Task) -> None:
    """Raise ValueError where the task as a whole has more than facts can say."""
    if task.error.deadlock or task.error.fault:
        raise ValueError(f"the error condition {task.error.name} is no conjunction of facts")
    if task.invariant != TRUE:
        raise ValueError(f"{task.system.name} has invariants")
    if any(len(variable.initial) > 1 for variable in task.variables):
        raise ValueError(f"{task.system.name} has several initial states")


def main(arguments: Sequence[str]) -> None:
    """Print the file for the model's only property."""
    print(sas(task_of(symdmc.load(arguments[0]), Question())), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
