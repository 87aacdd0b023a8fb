"""What to do about a failure, as the user would write it: a call in Python, a command or an option on the command line.

The table has both. Python is spoken unless the command line has said that it is the one that speaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple


class Deed(NamedTuple):
    """Something to do."""

    in_python: str
    on_command_line: str

    def __str__(self) -> str:
        return self.on_command_line if _OPTIONS.get() else self.in_python


_OPTIONS: ContextVar[bool] = ContextVar("_OPTIONS", default=False)
"""Whether the command line speaks."""

ALL_STEPS: Final = Deed("text(steps=None)", "--steps all")
ASK: Final = Deed("ask with error='...' or deadlock=True", "ask with --error EXPRESSION or --deadlock")
ASK_EXPRESSION: Final = Deed("ask with error='...'", "ask with --error EXPRESSION")
ASK_OF_TRACE: Final = Deed("ask with error='...' or property='...'", "ask with --error or --property")
CHOOSE_PROPERTY: Final = Deed(
    "choose one with property='...', or use error='...' or deadlock=True",
    "choose one with --property, or use --error EXPRESSION or --deadlock",
)
BUILD_DATABASE: Final = Deed(
    "build it again with pattern_database(...)", "build it again with `symdmc patterndb build`"
)
LIST_EDGES: Final = Deed("`print(load(MODEL).text())` lists the edges", "`symdmc show MODEL --all` lists the edges")
LIST_NAMES: Final = Deed("`print(load(MODEL))` lists the names", "`symdmc show MODEL` lists the names")
PLACE_OF_USER: Final = Deed("heuristic='user:...'", "--heuristic user")
"""Where the expression of the heuristic `user` stands."""


@contextmanager
def speaking_options() -> Iterator[None]:
    """Inside, the command line speaks."""
    token = _OPTIONS.set(True)
    try:
        yield
    finally:
        _OPTIONS.reset(token)


def option_in_python(option: str, value: str | None) -> str:
    """An option of a request as Python writes it; None where no value matters."""
    return f"{option}={value!r}" if value is not None else option


def option_on_command_line(option: str, value: str | None) -> str:
    """An option of a request as the command line writes it."""
    name = {"properties_file": "properties", "predicates_file": "predicates", "layered": "depth"}.get(option, option)
    return f"--{name.replace('_', '-')}{'' if value is None else f' {value}'}"
