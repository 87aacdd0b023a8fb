"""How components are spelled: NAME[:ARGUMENT][,key=value]..., the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from symdmc.errors import Code, Complaint, ModelError
from symdmc.spelling.parameters import REQUIRED, arguments_for, parameters_of

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Spelled:
    """One spelling, taken apart."""

    text: str
    name: str
    argument: str | None
    """What stands between the colon and the first comma."""
    options: Mapping[str, str]

    def into(self, make: Callable[..., _Made], argument: str | None = None) -> _Made:
        """Call `make` with the options as its keywords, read as its annotations say; `argument` names one more.

        Raises ModelError with a complaint for each that is wrong.
        """
        given = dict(self.options)
        if self.argument is not None:
            if argument is None:
                raise ModelError(
                    Complaint(
                        Code.WRONG_SPELLING,
                        f"{self.name!r} takes no argument",
                        f"leave out {self.argument!r}",
                        self.text,
                    )
                )
            given = {argument: self.argument, **given}
        parameters = parameters_of(make)
        for each in parameters:
            if each.name == argument and each.default is REQUIRED and argument not in given:
                raise ModelError(
                    Complaint(
                        Code.MISSING_ARGUMENT,
                        f"{self.name!r} needs an argument",
                        f"write {self.name}:{argument.upper()}",
                    )
                )
        return make(**arguments_for(parameters, given, self.text))

    def split(self, names: Iterable[str]) -> tuple[Spelled, Spelled]:
        """The options with these names and the others, neither with the argument."""
        own = set(names)
        first = {key: value for key, value in self.options.items() if key in own}
        rest = {key: value for key, value in self.options.items() if key not in own}
        return replace(self, argument=None, options=first), replace(self, argument=None, options=rest)


def name_in(text: str) -> str:
    """The name that a spelling begins with; raises ModelError where it does not begin with one."""
    found = re.fullmatch(r"([A-Za-z][\w-]*)(?:[:,].*)?", text, re.DOTALL)
    if found is None:
        raise ModelError(
            Complaint(Code.WRONG_SPELLING, f"{text!r} cannot be read", "write it like NAME:ARGUMENT,key=value")
        )
    return found[1]


def spelled(text: str, *, free_text: bool = False) -> Spelled:
    """The parts of a spelling; with `free_text` the argument goes on to the end, commas and all."""
    name = name_in(text)
    mark, rest = text[len(name) : len(name) + 1], text[len(name) + 1 :]
    if not mark:
        return Spelled(text, name, None, {})
    if mark == ",":
        return Spelled(text, name, None, _options(text, rest.split(",")))
    if free_text:
        return Spelled(text, name, rest, {})
    argument, *options = rest.split(",")
    if not argument:
        raise ModelError(
            Complaint(
                Code.WRONG_SPELLING, "there is nothing behind the colon", "leave it out or give an argument", text
            )
        )
    return Spelled(text, name, argument, _options(text, options))


def _options(text: str, words: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise ModelError(Complaint(Code.WRONG_SPELLING, f"{word!r} is no option", "write it like key=value", text))
        if key in options:
            raise ModelError(Complaint(Code.GIVEN_TWICE, f"the option {key!r} is given twice", "give it once", text))
        options[key] = value
    return options
