"""A model described: what its author wrote, what value analysis finds, and which variables interact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from symdmc.encode.order.orders import ORDERS, variable_order
from symdmc.model.question import condition_of
from symdmc.model.system import Channel, ChannelKind, Process, Range
from symdmc.model.validation import INT32, validate
from symdmc.report.pictures.graph import Link, Node, Picture
from symdmc.report.quantities import counted
from symdmc.report.schemas import complaint_document, document
from symdmc.task.interaction import interaction_graph
from symdmc.task.task import Task, TaskVariable, Transition, Update, VariableKind
from symdmc.task.values.domains import Domain

MOST_DRAWN = 60
"""A graph with more nodes than this is drawn with one node for each array."""


def show_document(
    model: str, task: Task, order: str | None = None, predicates: Mapping[str, object] | None = None
) -> dict[str, object]:
    """What `show --json` prints, with the variable order of a given name and with predicates if there are any."""
    system, analysis = task.system, task.analysis
    variables = [_variable(variable, domain) for variable, domain in zip(task.variables, analysis.domains, strict=True)]
    return document(
        "show",
        model,
        system,
        system,
        analysis,
        processes=[_process(process) for process in system.processes],
        variables=variables,
        state_bits=sum(bits(domain) for domain in analysis.domains),
        order=None if order is None else _order(task, order),
        predicates=predicates,
        transitions=[
            _transition(transition, number in analysis.possible) for number, transition in enumerate(task.transitions)
        ],
        channels=[_channel(channel) for channel in system.channels],
        properties=[{"name": named.name, "error": str(named.error)} for named in system.properties],
        warnings=[complaint_document(warning) for warning in validate(system).warnings],
        exit_code=0,
    )


def bits(domain: Domain) -> int:
    """How many bits hold any value of the set."""
    return (domain.count - 1).bit_length()


def runs(domain: Domain) -> list[tuple[int, int]]:
    """The set as intervals of consecutive values, in order."""
    if domain.listed is None:
        return [(domain.low, domain.high)]
    result: list[tuple[int, int]] = []
    for value in map(int, domain.listed):
        if result and value == result[-1][1] + 1:
            result[-1] = (result[-1][0], value)
        else:
            result.append((value, value))
    return result


def values_text(variable: TaskVariable, domain: Domain) -> str:
    """The values as a person reads them: names of locations, else `0..4, 7`."""
    if variable.kind is VariableKind.LOCATION:
        names = [variable.value_names[int(number)] for number in domain.array]
        return ", ".join(names) if len(names) < len(variable.value_names) else "all locations"
    return ", ".join(str(low) if low == high else f"{low}..{high}" for low, high in runs(domain))


def _variable(variable: TaskVariable, domain: Domain) -> dict[str, object]:
    return {
        "name": variable.name,
        "kind": variable.kind.value,
        "digital_clock": variable.digital_clock,
        "declared": _declared(variable),
        "values": values_text(variable, domain),
        "count": domain.count,
        "bits": bits(domain),
    }


def _order(task: Task, name: str) -> dict[str, object]:
    found = {each: variable_order(task, each) for each in ORDERS}
    return {
        "name": name,
        "cost": found[name].cost,
        "others": {each: order.cost for each, order in found.items() if each != name},
        "variables": [task.variables[number].name for number in found[name].variables],
    }


def _declared(variable: TaskVariable) -> str:
    if variable.kind is VariableKind.LOCATION:
        return counted(len(variable.value_names), "location")
    return f"digital clock {variable.type}" if variable.digital_clock else str(variable.type)


def _process(process: Process) -> dict[str, object]:
    return {
        "name": process.name,
        "locations": [place.name for place in process.locations],
        "initial": list(process.initial),
        "committed": [place.name for place in process.locations if place.committed],
        "edges": len(process.edges),
    }


def _channel(channel: Channel) -> dict[str, object]:
    return {
        "name": channel.name,
        "kind": channel.kind.value,
        "passes": ["any integer" if _holds_all(kind) else str(kind) for kind in channel.types],
        "capacity": channel.capacity if channel.kind is ChannelKind.BUFFERED else None,
    }


def _holds_all(kind: Range) -> bool:
    return kind.low <= INT32.low and INT32.high <= kind.high


def _transition(transition: Transition, possible: bool) -> dict[str, object]:
    return {
        "label": transition.label or None,
        "moves": [
            f"{branch.process}: {branch.source} -> {branch.target}"
            + ("" if branch.condition is None else f" if {branch.condition}")
            for branch in transition.branches
        ],
        "guard": str(transition.guard),
        "updates": [_update(update) for update in transition.updates],
        "cost": transition.cost,
        "possible": possible,
    }


def _update(update: Update) -> str:
    condition = "" if update.condition is None else f" if {update.condition}"
    return f"{update.target} = {update.value}{condition}"


def interaction_picture(task: Task) -> Picture:
    """The interaction graph, in which the variables that some property reads are marked."""
    groups = _groups(task)
    number_of = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    asked = {groups[number] for number in _asked(task)}
    kinds = {name: variable.kind.value for name, variable in zip(groups, task.variables, strict=True)}
    weights: Counter[tuple[int, int]] = Counter()
    for (read, written), weight in interaction_graph(task).weights.items():
        one, other = sorted((number_of[groups[read]], number_of[groups[written]]))
        if one != other:
            weights[one, other] += weight
    return Picture(
        title=f"{task.system.name}: which variables share transitions",
        nodes=tuple(Node(name, kinds[name], name in asked) for name in number_of),
        links=tuple(Link(one, other, weight) for (one, other), weight in sorted(weights.items())),
    )


def _groups(task: Task) -> list[str]:
    """For each variable the name of its node."""
    names = [variable.name for variable in task.variables]
    if len(names) <= MOST_DRAWN:
        return names
    return [_array(variable) for variable in task.variables]


def _array(variable: TaskVariable) -> str:
    """The name of the array that a cell belongs to, or of the variable itself."""
    if variable.kind is VariableKind.LOCATION or not variable.name.endswith("]"):
        return variable.name
    return variable.name.rpartition("[")[0] + "[]"


def _asked(task: Task) -> Iterator[int]:
    for named in task.system.properties:
        asked = condition_of(named.name, named.error, task.system)
        yield from task.layout.support(asked.expression) | task.layout.support(asked.deadlock_where)


def summary(task: Task) -> str:
    """The size of a model in one line."""
    system = task.system
    state_bits = sum(bits(domain) for domain in task.analysis.domains)
    impossible = len(task.transitions) - len(task.analysis.possible)
    parts = (
        counted(len(system.processes), "process"),
        f"{counted(len(task.variables), 'variable')} in {state_bits} bits",
        counted(len(task.transitions), "transition") + (f" ({impossible} can never run)" if impossible else ""),
        counted(len(system.channels), "channel"),
        counted(len(system.properties), "property"),
    )
    return ", ".join(parts)
