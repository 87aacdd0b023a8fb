"""Components: things with a name and options, such as heuristics; and the tables that they are registered in.

The options of a component are the fields of its dataclass, its help is the docstring. A table has one line for each
component, which is imported when it is first asked for: the names cost nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import ClassVar, Generic, Self, TypeVar

from symdmc.errors import Code
from symdmc.spelling.parameters import Parameter, parameters_of
from symdmc.spelling.spelled import Spelled, name_in, spelled
from symdmc.spelling.suggestions import require_known


class Component:
    """What has a name, options that can be spelled, and examples that all random tests run."""

    ARGUMENT: ClassVar[str | None] = None
    """The option that may stand behind the colon."""
    FREE_TEXT: ClassVar[bool] = False
    """The argument goes on to the end of the spelling, commas and all, and there are no other options."""
    EXAMPLES: ClassVar[tuple[str, ...]] = ()
    """Spellings that the random tests try."""

    @classmethod
    def read(cls, words: Spelled) -> Self:
        """The component with the options that are spelled; raises ModelError where one is wrong."""
        return words.into(cls, cls.ARGUMENT)

    @classmethod
    def summary(cls) -> str:
        """What it is: the first paragraph of the docstring."""
        return " ".join((inspect.getdoc(cls) or "").split("\n\n", maxsplit=1)[0].split())

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The options that can be spelled."""
        return parameters_of(cls)


ComponentType = TypeVar("ComponentType", bound=Component)


class Table(Mapping[str, type[ComponentType]], Generic[ComponentType]):
    """Components of one kind by their names, in the order of the help."""

    def __init__(self, kind: str, homes: Mapping[str, str]) -> None:
        """`homes` has the place of each class as `module:Class`, or the name that another name is short for."""
        self.kind = kind
        self._homes = homes

    def __getitem__(self, name: str) -> type[ComponentType]:
        module, _, attribute = self._homes[self.home(name)].partition(":")
        found: type[ComponentType] = getattr(import_module(module), attribute)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def home(self, name: str) -> str:
        """The name itself, or the one that it is short for."""
        return name if ":" in self._homes[name] else self._homes[name]

    def named(self, name: str) -> type[ComponentType]:
        """The component with a name; raises ModelError with the nearest name where there is none."""
        require_known(Code.UNKNOWN_COMPONENT, self.kind, name, tuple(self))
        return self[name]

    def read(self, text: str) -> ComponentType:
        """The component that is spelled, with its options; raises ModelError where something is wrong."""
        component = self.named(name_in(text))
        return component.read(spelled(text, free_text=component.FREE_TEXT))
