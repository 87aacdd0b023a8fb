"""States as users spell them: the named values, and initial values for all other variables."""

from __future__ import annotations

from re import fullmatch

from symdmc.errors import Code, Complaint, ModelError
from symdmc.spelling.speech import LIST_NAMES
from symdmc.spelling.suggestions import did_you_mean
from symdmc.task.task import Task, TaskVariable, Values, VariableKind


def state_named(task: Task, spelling: str) -> Values:
    """The values of a state such as `P_0.critical,x=3,a[1]=2`.

    A variable that is not named has its initial value, the first where it may have several. ModelError has a line for
    each part that cannot be understood.
    """
    values = [variable.initial[0] for variable in task.variables]
    named: dict[int, str] = {}
    complaints: list[Complaint] = []
    for part in filter(None, (part.strip() for part in spelling.split(","))):
        try:
            number, value = _assigned(task, part)
            if number in named:
                what = f"the state has {named[number]!r} and {part!r}"
                raise ModelError(Complaint(Code.GIVEN_TWICE, what, f"give {task.variables[number].name!r} one value"))
            named[number], values[number] = part, value
        except ModelError as error:
            complaints += error.complaints
    if complaints:
        raise ModelError(complaints)
    return tuple(values)


def _assigned(task: Task, part: str) -> tuple[int, int]:
    """The variable that one part of a spelling names, and its value."""
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if equals:
        return _integer(task, name, value)
    process, dot, location = (piece.strip() for piece in part.partition("."))
    if dot:
        return _place(task, process, location)
    raise ModelError(Complaint(Code.WRONG_STATE, f"the state has {part!r}", "write PROCESS.LOCATION or VARIABLE=VALUE"))


def _place(task: Task, process: str, location: str) -> tuple[int, int]:
    number = task.layout.process.get(process)
    if number is None:
        remedy = did_you_mean(process, task.layout.process, str(LIST_NAMES))
        raise ModelError(Complaint(Code.UNKNOWN_NAME, f"the state has {process!r}, which is no process", remedy))
    known = task.variables[number].value_names
    if location not in known:
        what = f"process {process!r} has no location {location!r}"
        raise ModelError(Complaint(Code.UNKNOWN_NAME, what, did_you_mean(location, known, str(LIST_NAMES))))
    return number, known.index(location)


def _integer(task: Task, name: str, value: str) -> tuple[int, int]:
    numbers = {
        variable.name: number
        for number, variable in enumerate(task.variables)
        if variable.kind is not VariableKind.LOCATION
    }
    if name in task.layout.process:
        raise ModelError(
            Complaint(Code.WRONG_STATE, f"the state has a value of the process {name!r}", f"write {name}.LOCATION")
        )
    if name not in numbers and task.layout.cells.get(name, 0) > 0:
        raise ModelError(
            Complaint(Code.WRONG_STATE, f"the state has the whole array {name!r}", f"name its cells, as in {name}[0]=1")
        )
    if name not in numbers:
        remedy = did_you_mean(name, numbers, str(LIST_NAMES))
        raise ModelError(Complaint(Code.UNKNOWN_NAME, f"the state has {name!r}, which is no variable", remedy))
    return numbers[name], _within(task.variables[numbers[name]], value)


def _within(variable: TaskVariable, text: str) -> int:
    allowed = variable.type
    value = int(text) if fullmatch(r"[+-]?[0-9]{1,18}", text) else None
    if value is None or not allowed.low <= value <= allowed.high:
        what = f"{variable.name!r} cannot be {text!r}"
        raise ModelError(
            Complaint(Code.VALUE_OUT_OF_RANGE, what, f"give an integer from {allowed.low} to {allowed.high}")
        )
    return value
