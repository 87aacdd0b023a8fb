"""The parameters of a function or of a dataclass: what its signature says, and values for them from texts."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from symdmc.errors import Code, Complaint, ModelError
from symdmc.spelling.suggestions import did_you_mean, listed

Value: TypeAlias = bool | int | str


@dataclass(frozen=True, slots=True)
class Between:
    """The bounds of an integer parameter, both allowed: `height: Annotated[int, Between(2, 10)]`."""

    low: int
    high: int


MANY = 1_000_000
"""A bound for options that need one and have no natural one."""


class Unspelled:
    """Marks a parameter that no text can give: `selection: Annotated[Selection | None, Unspelled()] = None`."""


class _Required:
    """The default of a parameter that has none."""


REQUIRED = _Required()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a family or of a model in Python."""

    name: str
    type: type[bool] | type[int] | type[str]
    default: object = REQUIRED
    choices: tuple[str, ...] = ()
    """The allowed texts, the default first; empty where they are not listed."""
    bounds: Between | None = None
    help: str = ""

    @property
    def allowed(self) -> str:
        """What may be given, as a phrase."""
        if self.choices:
            return listed(self.choices)
        if self.bounds is not None:
            return f"an integer from {self.bounds.low} to {self.bounds.high}"
        return "an integer" if self.type is int else "a text"

    @property
    def default_text(self) -> str | None:
        """The default as a user would write it; None where there is none or the function works it out."""
        if self.default is REQUIRED or self.default is None:
            return None
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)

    def parse(self, text: str) -> Value:
        """The value that a text stands for; raises ValueError where it stands for none."""
        if self.type is bool:
            text = text.lower()
        if self.choices and text not in self.choices:
            raise ValueError("is not allowed")
        if self.type is bool:
            return text == "true"
        if self.type is str:
            return text
        try:
            value = int(text)
        except ValueError:
            raise ValueError("is no integer") from None
        if self.bounds is not None and not self.bounds.low <= value <= self.bounds.high:
            raise ValueError("is out of range")
        return value


def parameters_of(build: Callable[..., object]) -> tuple[Parameter, ...]:
    """The parameters of a function, by its annotations, defaults and docstring (`name: help` lines).

    Annotations may be `bool`, `int`, `str`, a `Literal` of texts, `Annotated[int, Between(low, high)]`, and any of them
    `| None`; without one the type is that of the default. Parameters marked `Unspelled()` are left out. Anything else
    raises TypeError.
    """
    hints = get_type_hints(build, include_extras=True)
    offered = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(
        _parameter(entry, hints.get(entry.name), _help(build, entry.name))
        for entry in inspect.signature(build).parameters.values()
        if entry.kind in offered and not _is_unspelled(hints.get(entry.name))
    )


def _is_unspelled(hint: object) -> bool:
    return get_origin(hint) is Annotated and any(isinstance(mark, Unspelled) for mark in get_args(hint)[1:])


def arguments_for(parameters: tuple[Parameter, ...], given: Mapping[str, str], where: str) -> dict[str, Value]:
    """The given texts as values; raises ModelError with a complaint for every one that is wrong or missing."""
    known = {parameter.name: parameter for parameter in parameters}
    values: dict[str, Value] = {}
    complaints: list[Complaint] = []
    for name, text in given.items():
        if name not in known:
            remedy = did_you_mean(name, known, "" if known else "it has no parameters")
            complaints.append(Complaint(Code.UNKNOWN_PARAMETER, f"there is no parameter {name!r}", remedy, where))
            continue
        try:
            values[name] = known[name].parse(text)
        except ValueError as problem:
            what = f"parameter {name}={text} {problem}"
            complaints.append(Complaint(Code.WRONG_PARAMETER, what, f"give {known[name].allowed}", where))
    for parameter in parameters:
        if parameter.default is REQUIRED and parameter.name not in given:
            what = f"parameter {parameter.name} has no default and is not given"
            complaints.append(
                Complaint(Code.MISSING_ARGUMENT, what, f"give {parameter.allowed}: -p {parameter.name}=...", where)
            )
    if complaints:
        raise ModelError(complaints)
    return values


def _parameter(entry: inspect.Parameter, hint: object, help: str) -> Parameter:
    default: object = REQUIRED if entry.default is inspect.Parameter.empty else entry.default
    if hint is None:
        hint = str if default is REQUIRED or default is None else type(default)
    kind, choices, bounds = _read_hint(entry.name, hint)
    if kind is bool and default is False:
        choices = choices[::-1]
    elif default in choices:
        choices = (str(default), *(choice for choice in choices if choice != default))
    return Parameter(name=entry.name, type=kind, default=default, choices=choices, bounds=bounds, help=help)


def _read_hint(name: str, hint: object) -> tuple[type[bool] | type[int] | type[str], tuple[str, ...], Between | None]:
    """The plain type, the listed texts and the bounds that an annotation stands for."""
    if hint is bool:
        return bool, ("true", "false"), None
    if hint is int:
        return int, (), None
    if hint is str:
        return str, (), None
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal and all(isinstance(choice, str) for choice in inner):
        return str, inner, None
    if origin is Annotated:
        kind, choices, _ = _read_hint(name, inner[0])
        return kind, choices, next((mark for mark in inner[1:] if isinstance(mark, Between)), None)
    if origin in (Union, types.UnionType):
        others = [part for part in inner if part is not type(None)]
        if len(others) == 1:
            return _read_hint(name, others[0])
    raise TypeError(f"parameter {name} has a type that no text can be read as; use bool, int, str or Literal")


def _help(build: Callable[..., object], name: str) -> str:
    """The text behind `name:` in the docstring of a function, or of a class and its bases, up to the next such line."""
    for described in build.__mro__ if isinstance(build, type) else (build,):
        text = inspect.cleandoc(described.__doc__ or "")
        found = re.search(rf"^{name}: (.*(?:\n(?!\w+: |\n).*)*)", text, re.MULTILINE)
        if found is not None:
            return " ".join(found.group(1).split())
    return ""
