"""Looking along a path: the values of expressions in its states, and the part of a system that somebody asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

from symdmc.errors import Code, Complaint, ModelError
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import Expr
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.spelling.speech import LIST_NAMES
from symdmc.spelling.suggestions import did_you_mean

Seen: TypeAlias = "int | str | tuple[Seen, ...]"
"""An integer, the name of a location, or in words why there is no value; of an array or a buffer all that it holds."""
_Reading: TypeAlias = Callable[[State], Seen]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What something is worth in each state of a trace."""

    name: str
    values: tuple[Seen, ...]
    """One for each state, the first one's before that of step 1."""


def watch(system: System, trace: Trace, expressions: str | Iterable[str]) -> tuple[Column, ...]:
    """The values of expressions in the states of a trace; where one faults, its value is a text that says why.

    The name of a process stands for its location, that of an array or of a buffered channel for all that it holds.
    Raises ModelError with a line for each fault in the expressions.

    >>> import symdmc
    >>> result = symdmc.check("arbiter_tree:height=2")
    >>> [column.values[-1] for column in symdmc.watch(result.trace.system, result.trace, ["Client1", "Client3"])]
    ['granted', 'granted']
    """
    return tuple(Column(name=each.text, values=each.along(trace.states)) for each in watches(system, expressions))


@dataclass(frozen=True, slots=True)
class Watch:
    """An expression that is looked at in states."""

    text: str
    reading: _Reading

    def along(self, states: Iterable[State]) -> tuple[Seen, ...]:
        """Its value in each of the states."""
        return tuple(map(self.value, states))

    def value(self, state: State) -> Seen:
        """Its value in a state, or in words why it has none."""
        try:
            return self.reading(state)
        except ArithmeticFault as fault:
            return f"fault: {fault}"


def watches(system: System, expressions: str | Iterable[str]) -> list[Watch]:
    """The expressions as something that can be looked at; ModelError has a line for each fault in them."""
    semantics, scope = Semantics(system), Scope.of(system)
    found: list[Watch] = []
    complaints: list[Complaint] = []
    for text in (expressions,) if isinstance(expressions, str) else expressions:
        try:
            found.append(Watch(text.strip(), _reading(text.strip(), semantics, scope)))
        except ModelError as error:
            complaints.extend(error.complaints)
    if complaints:
        raise ModelError(complaints)
    return found


def _reading(text: str, semantics: Semantics, scope: Scope) -> _Reading:
    part = semantics.system.parts.get(text)
    if part is None or not (part.process is not None or part.cells or part.is_buffer):
        expression: Expr = parse_expression(text, scope, file="<watch>")
        return lambda state: semantics.evaluate(expression, state)

    def held(state: State) -> Seen:
        """A location, the cells of an array, or the items of a buffer; their number where no values are passed."""
        value: Seen | list[Seen] = part.value(state)
        if not isinstance(value, list):
            return value
        return tuple(value) if part.held else len(value)

    return held


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Some processes, variables and buffers of a system, by their names."""

    processes: frozenset[str]
    variables: frozenset[str]
    """Whole arrays and buffers, by their names."""

    def has(self, name: str) -> bool:
        """Whether a process, a variable or a cell `a[2]` belongs to it."""
        return name in self.processes or name.partition("[")[0] in self.variables


def part_of(system: System, spelling: str | Iterable[str]) -> Excerpt:
    """The processes with their variables, the variables and the buffers that lists such as `P_0,x,Q*` name.

    A wildcard (`*`, `?`, `[...]`) stands for all names that match. ModelError has a line for each unknown name.
    """
    texts = (spelling,) if isinstance(spelling, str) else tuple(spelling)
    words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
    known = _named_parts(system)
    chosen: list[str] = []
    complaints = []
    for word in words:
        fitting = [word] if word in known else [name for name in known if fnmatchcase(name, word)]
        if not fitting:
            remedy = did_you_mean(word, known, str(LIST_NAMES))
            complaints.append(Complaint(Code.UNKNOWN_NAME, f"there is no process or variable {word!r}", remedy))
        chosen += fitting
    if not words:
        complaints.append(Complaint(Code.NOTHING_CHOSEN, "no process or variable is named", "name some, as in 'P,x'"))
    if complaints:
        raise ModelError(complaints)
    processes = frozenset(system.process_named)
    return Excerpt(
        processes=processes & set(chosen),
        variables=frozenset(variable for name in chosen for variable in (name, *known[name]))
        - system.process_named.keys(),
    )


def _named_parts(system: System) -> Mapping[str, tuple[str, ...]]:
    """For each name that can be asked for the variables that belong to it."""
    owners = (*system.process_named, *(channel.name for channel in system.channels if channel.buffer()))
    owned = {owner: [name for name in system.variable_named if name.startswith(f"{owner}->")] for owner in owners}
    named = {name: tuple(variables) for name, variables in owned.items()}
    return {name: (name,) for name in system.variable_named} | named
