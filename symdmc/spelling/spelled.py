"""How heuristics and pattern selections are spelled: NAME[:ARGUMENT][,key=value]..., the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from symdmc.errors import Complaint, ModelError
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

    def into(self, recipe: Callable[..., _Made], argument: str | None = None) -> _Made:
        """Call the recipe with the options as its keywords, read as its annotations say; `argument` names one more.

        Raises ModelError with a complaint for each that is wrong.
        """
        given = dict(self.options)
        if self.argument is not None:
            if argument is None:
                raise ModelError(
                    Complaint(f"{self.name!r} takes no argument", f"leave out {self.argument!r}", self.text)
                )
            given = {argument: self.argument, **given}
        parameters = parameters_of(recipe)
        for each in parameters:
            if each.name == argument and each.default is REQUIRED and argument not in given:
                raise ModelError(Complaint(f"{self.name!r} needs an argument", f"write {self.name}:{argument.upper()}"))
        return recipe(**arguments_for(parameters, given, self.text))


def spelled(text: str, *, raw: frozenset[str] = frozenset()) -> Spelled:
    """The parts of a spelling; those with a name in `raw` have an argument that goes on to the end, commas and all."""
    found = re.fullmatch(r"([A-Za-z][\w-]*)(?::(.*))?|([A-Za-z][\w-]*),(.*)", text, re.DOTALL)
    if found is None:
        raise ModelError(Complaint(f"{text!r} cannot be read", "write it like NAME:ARGUMENT,key=value"))
    name = found[1] or found[3]
    if found[3] is not None:
        return Spelled(text, name, None, _options(text, found[4].split(",")))
    if found[2] is None or name in raw:
        return Spelled(text, name, found[2], {})
    argument, *options = found[2].split(",")
    if not argument:
        raise ModelError(Complaint("there is nothing behind the colon", "leave it out or give an argument", text))
    return Spelled(text, name, argument, _options(text, options))


def _options(text: str, words: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise ModelError(Complaint(f"{word!r} is no option", "write it like key=value", text))
        if key in options:
            raise ModelError(Complaint(f"the option {key!r} is given twice", "give it once", text))
        options[key] = value
    return options
