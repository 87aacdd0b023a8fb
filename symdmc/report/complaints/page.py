"""What a page about a kind of complaint is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symdmc.errors.codes import Code


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """How to get a complaint: in a folder with these files, by commands or by a program; the last one complains."""

    files: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    program: str = ""
    """In Python; there are commands or a program."""
    says: str
    """The complaint, with its code: a line on stderr, or the last of a traceback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """All there is to know about a kind of complaint."""

    code: Code
    summary: str
    """In one line."""
    meaning: str
    remedy: str
    example: Example | None = None
    """None where a complaint depends on the machine, or needs a file that no command writes."""
