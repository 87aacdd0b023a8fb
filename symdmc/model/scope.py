"""What the names in an expression mean at one place of a model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from symdmc.model.question_words import QUESTION_WORDS
from symdmc.model.system import BOOLEAN, Channel, System, Variable

RESERVED_WORDS = frozenset({"true", "false", "and", "or", "not", "imply"})
"""The words of the expression grammar, which cannot be names."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def is_name(text: str) -> bool:
    """Whether the text can be a name in an expression."""
    return _NAME.fullmatch(text) is not None and text not in RESERVED_WORDS


def qualified(owner: str | None, name: str) -> str:
    """The name a variable of a process (or of a buffered channel) has in the system."""
    return name if owner is None else f"{owner}->{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The names that can be used in an expression; inside a process its own names hide the shared ones."""

    variables: Mapping[str, Variable] = field(default_factory=dict)
    """By qualified name, the buffers of channels included."""
    locations: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The locations of each process, in a collection where a name is found at once."""
    channels: Mapping[str, int | None] = field(default_factory=dict)
    """How many values each channel passes; None where any number is accepted."""
    process: str | None = None
    """The process in which the expression stands."""
    words: Mapping[str, Variable] = field(default_factory=dict)
    """What is used like a variable and is none."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that processes and channels have here."""

    @classmethod
    def of(cls, system: System, process: str | None = None) -> Scope:
        """What can be named in a question about the system, or in one of its processes."""
        return cls(
            variables=system.variable_named,
            locations={each.name: dict.fromkeys(place.name for place in each.locations) for each in system.processes},
            channels={channel.name: len(channel.types) for channel in system.channels},
            process=process,
        )

    @classmethod
    def declaring(
        cls,
        *,
        variables: Iterable[Variable] = (),
        locations: Mapping[str, Iterable[str]] | None = None,
        channels: Iterable[Channel] = (),
    ) -> Scope:
        """The scope of declarations that are not yet part of a system."""
        channels = tuple(channels)
        storage = chain(variables, *(channel.buffer() for channel in channels))
        return cls(
            variables={variable.name: variable for variable in storage},
            locations={process: dict.fromkeys(places) for process, places in (locations or {}).items()},
            channels={channel.name: len(channel.types) for channel in channels},
        )

    def of_question(self) -> Scope:
        """The same declarations, with the words `deadlock` and `fault` where they are no names of variables."""
        return replace(self, words={word: Variable(name=word, type=BOOLEAN) for word in QUESTION_WORDS})

    def within(self, process: str | None) -> Scope:
        """The same declarations, seen from inside a process."""
        return replace(self, process=process)

    def find(self, name: str) -> Variable | None:
        """The variable a plain name means here."""
        own = self.variables.get(qualified(self.process, name))
        return own if own is not None else self.variables.get(name, self.words.get(name))

    def member(self, owner: str, name: str) -> Variable | None:
        """The variable `name` of a process or channel."""
        return self.variables.get(qualified(self.meant(owner), name))

    def meant(self, owner: str) -> str:
        """The process or channel that a name means here."""
        return self.aliases.get(owner, owner)

    def visible(self) -> set[str]:
        """All plain names that mean a variable here."""
        shared = {name for name in self.variables if "->" not in name}
        return shared if self.process is None else shared | self.members(self.process)

    def members(self, owner: str) -> set[str]:
        """The names of the variables of a process or channel."""
        prefix = qualified(owner, "")
        return {name.removeprefix(prefix) for name in self.variables if name.startswith(prefix)}
