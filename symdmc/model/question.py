"""What can be asked about a system: which of its states are error states."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, get_args

from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.model.definedness import any_of
from symdmc.model.expressions import (
    FALSE,
    TOO_DEEP,
    TRUE,
    At,
    Binary,
    Conditional,
    Expr,
    Ref,
    balanced,
    conjunction,
    disjunction,
    is_deeper,
    negation,
    operands,
    walk,
)
from symdmc.model.files.text_file import read_text_file
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question_words import DEADLOCK, FAULT, QUESTION_WORDS, misplaced_word, with_word_as
from symdmc.model.scope import Scope
from symdmc.model.state import State
from symdmc.model.system import ASSERTION_PROPERTY, Property, System
from symdmc.spelling.abridged import brief
from symdmc.spelling.kinds import require_kind, wrong_kind
from symdmc.spelling.speech import ASK, ASK_EXPRESSION, CHOOSE_PROPERTY
from symdmc.spelling.suggestions import did_you_mean, listed

Asked: TypeAlias = str | Expr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ErrorCondition:
    """The error states: those where `expression` holds, those without a step, those from which a step faults.

    Of the states without a step only those in which `deadlock_where` holds.
    """

    name: str
    """What reports call the question: the name of the property, or the text of the expression."""
    expression: Expr = FALSE
    deadlock: bool = False
    deadlock_where: Expr = TRUE
    fault: bool = False

    def __repr__(self) -> str:
        return brief("ErrorCondition", self.name, deadlock=self.deadlock, fault=self.fault)


def ask(
    system: System,
    *,
    error: Asked | Iterable[Asked] | None = None,
    property: str | None = None,
    properties_file: str | os.PathLike[str] | None = None,
    deadlock: bool = False,
    assertions: bool = False,
    fault: bool = False,
) -> ErrorCondition:
    """The states in which any of the asked conditions holds; ModelError has one line for each fault of the question.

    Without any condition: the only property of the file, if a file is given; else the assertions of the model, if it
    has any; else its only property.
    """
    written = read_properties(Path(properties_file), system) if properties_file is not None else {}
    conditions = _Conditions(system)
    for each in _several(error):
        require_kind("a part of the argument error", each, (str, *get_args(Expr)), "a text such as 'x == 3'")
        conditions.add_error(each)
    if property is not None:
        conditions.add_property(property, {**system.property_named, **written})
    if assertions:
        conditions.add_assertions()
    if deadlock:
        conditions.parts.append(deadlock_condition(system))
    if fault:
        conditions.parts.append(ErrorCondition(name=FAULT, fault=True))
    if not conditions.parts and not conditions.complaints:
        conditions.add_default(written or system.property_named)
    return conditions.any_of_them()


def read_properties(path: Path, system: System) -> dict[str, Property]:
    """The named error conditions of a file with lines `name; expression`, by name; `#` starts a comment."""
    scope = Scope.of(system).of_question()
    properties: dict[str, Property] = {}
    complaints: list[Complaint] = []
    for number, line in enumerate(read_text_file(path, "a file with lines 'name; expression'").splitlines(), 1):
        name, separator, text = line.partition("#")[0].partition(";")
        if not (name.strip() or separator):
            continue
        where = SourceSpan(str(path), number, len(name) - len(name.lstrip()) + 1)
        if not name.strip() or not text.strip():
            complaints.append(
                Complaint(Code.SYNTAX_ERROR, "this line is not a property", "write 'name; expression'", where)
            )
        elif name.strip() in properties:
            complaints.append(
                Complaint(Code.DUPLICATE_NAME, f"property {name.strip()!r} is given twice", "rename one of them", where)
            )
        else:
            try:
                error = parse_expression(text, scope, file=str(path), line=number, column=len(name) + 2)
            except ModelError as fault:
                complaints.extend(fault.complaints)
                error = FALSE
            properties[name.strip()] = Property(name=name.strip(), error=error, span=where)
    if not properties and not complaints:
        complaints.append(Complaint(Code.EMPTY_FILE, "has no property", "write lines 'name; expression'", str(path)))
    if complaints:
        raise ModelError(complaints)
    return properties


def deadlock_condition(system: System) -> ErrorCondition:
    """The condition that no step exists, where not every process is at a location at which it may end."""
    ends = [
        disjunction(*(At(process.name, place.name) for place in process.locations if place.valid_end))
        for process in system.processes
    ]
    where = TRUE if FALSE in ends else negation(conjunction(*ends))
    return ErrorCondition(name=DEADLOCK, deadlock=True, deadlock_where=where)


def has_valid_ends(system: System) -> bool:
    """Whether there are places for all processes at which they may end."""
    return deadlock_condition(system).deadlock_where != TRUE


def is_valid_end(system: System, state: State) -> bool:
    """Whether every process is at a location at which it may end."""
    ends = [{place.name for place in process.locations if place.valid_end} for process in system.processes]
    return all(place in own for place, own in zip(state.locations, ends, strict=True))


def condition_of(name: str, expression: Expr, system: System) -> ErrorCondition:
    """The condition that an expression of a question means; ModelError where a word stands in a wrong place.

    It holds in a state if the expression does where `deadlock` is read as 0, or if the state has no step and the
    expression holds where `deadlock` is read as 1.
    """
    words = {word for word in QUESTION_WORDS if word not in system.variable_named}
    if name == ASSERTION_PROPERTY and name in system.property_named:
        expression = any_of(operands(expression, "or"), system)  # each assertion for itself
    parts = operands(expression, "or")
    fault = FAULT in words and Ref(FAULT) in parts
    rest = disjunction(*(part for part in parts if part != Ref(FAULT))) if fault else expression
    complaint = misplaced_word(rest, words)
    if complaint is not None:
        raise ModelError(complaint)
    if DEADLOCK not in words or not any(part == Ref(DEADLOCK) for part in walk(rest)):
        return ErrorCondition(name=name, expression=rest, fault=fault)
    always, stuck = (with_word_as(value, rest) for value in (FALSE, TRUE))
    where = deadlock_condition(system).deadlock_where
    where = stuck if where == TRUE else conjunction(where, stuck)
    return ErrorCondition(name=name, expression=always, deadlock=True, deadlock_where=where, fault=fault)


def any_where(conditions: Iterable[Expr], system: System) -> Expr:
    """Where any of some conditions holds."""
    parts = tuple(dict.fromkeys(conditions))
    return TRUE if TRUE in parts or not parts else any_of(parts, system)


class _Conditions:
    """Collects the conditions of a question; a state is an error state if any of them holds."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.scope = Scope.of(system).of_question()
        self.parts: list[ErrorCondition] = []
        self.complaints: list[Complaint] = []

    def add_error(self, error: Asked) -> None:
        """Add an expression, in which the words `deadlock` and `fault` may stand."""
        if not isinstance(error, str) and is_deeper(error := balanced(error)):
            self._complain(Code.NESTED_TOO_DEEPLY, f"the error condition has {TOO_DEEP}", "break it into several")
            return
        text = str(error)  # an expression made in Python is read back, which checks its names
        try:
            expression = parse_expression(text, self.scope, file="<error>")
            self.parts.append(condition_of(text.strip(), expression, self.system))
        except ModelError as fault:
            self.complaints.extend(fault.complaints)

    def add_property(self, name: str, known: Mapping[str, Property]) -> None:
        """Add a named property."""
        if name in known:
            self.parts.append(condition_of(name, known[name].error, self.system))
            return
        remedy = did_you_mean(name, known, str(ASK_EXPRESSION) if not known else "")
        self._complain(Code.UNKNOWN_PROPERTY, f"there is no property {name!r}", remedy)

    def add_assertions(self) -> None:
        """Add the condition that an assertion of the model does not hold."""
        if ASSERTION_PROPERTY in self.system.property_named:
            self.add_property(ASSERTION_PROPERTY, self.system.property_named)
        else:
            self._complain(Code.NO_ASSERTIONS, "the model has no assertions", str(ASK))

    def add_default(self, known: Mapping[str, Property]) -> None:
        """Add the condition that is meant when none is given."""
        names = [ASSERTION_PROPERTY] if ASSERTION_PROPERTY in known else sorted(known)
        if len(names) == 1:
            self.add_property(names[0], known)
            return
        if not names:
            self._complain(Code.NOTHING_ASKED, "nothing is asked and the model has no property", str(ASK))
        else:
            choice = f"{len(names)} properties: {listed(names, 'and')}"
            self._complain(Code.NOTHING_ASKED, f"nothing is asked and there are {choice}", str(CHOOSE_PROPERTY))

    def any_of_them(self) -> ErrorCondition:
        """The question as one condition."""
        if self.complaints:
            raise ModelError(self.complaints)
        if len(self.parts) == 1:
            return self.parts[0]
        asked = [part.expression for part in self.parts if part.expression != FALSE]
        together = ErrorCondition(
            name="",
            expression=any_of(asked, self.system),
            deadlock=any(part.deadlock for part in self.parts),
            deadlock_where=any_where([part.deadlock_where for part in self.parts if part.deadlock], self.system),
            fault=any(part.fault for part in self.parts),
        )
        if is_deeper(together.expression) or is_deeper(together.deadlock_where):
            self._complain(Code.NESTED_TOO_DEEPLY, "together these conditions are too deep", "ask for one at a time")
            raise ModelError(self.complaints)
        is_plain = together.expression == disjunction(*asked)
        names = dict.fromkeys(map(_enclosed, self.parts))
        return replace(together, name=(" or " if is_plain else ", ").join(names))

    def _complain(self, code: Code, what: str, remedy: str) -> None:
        self.complaints.append(Complaint(code, what, remedy, f"model {self.system.name}"))


def _enclosed(part: ErrorCondition) -> str:
    """The name of one condition among several, so that an expression keeps its meaning between `or`s."""
    loose = isinstance(part.expression, Conditional) or (
        isinstance(part.expression, Binary) and part.expression.operator == "imply"
    )
    return f"({part.name})" if loose and not part.name.isidentifier() else part.name


def _several(error: Asked | Iterable[Asked] | None) -> tuple[Asked, ...]:
    if error is None:
        return ()
    if isinstance(error, Asked):
        return (error,)
    if isinstance(error, bytes | bytearray) or not isinstance(error, Iterable):
        raise wrong_kind("the argument error", error, "a text such as 'x == 3', or several")
    return tuple(error)
