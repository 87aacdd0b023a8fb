"""Values that `print` shows as the command line does, and a notebook as HTML."""

from __future__ import annotations

import io
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from symdmc.model.files.text_file import write_text_file
from symdmc.spelling.printable import printable_lines

if TYPE_CHECKING:
    from rich.console import Console

STEPS = 20
"""At most this many steps of a trace are shown where nobody asks for more; the commands do the same."""


class Printed(ABC):
    """A value whose `str` is its text, also in a notebook."""

    __slots__ = ()

    @abstractmethod
    def text(self, *, steps: int | None = STEPS) -> str:
        """What the command line prints. Of a trace it has at most `steps` steps; None leaves no step out."""

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"


def text_of(render: Callable[[Console], None]) -> str:
    """What is printed where there is no terminal."""
    from symdmc.report.console import console_for

    stream = _Printable()
    render(console_for(stream))
    return stream.getvalue().rstrip("\n")


class _Printable(io.StringIO):
    """A text without signs that the standard output cannot write, such as ticks where it has only ASCII."""

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a plain attribute of all other streams
        """That of the standard output."""
        return getattr(sys.stdout, "encoding", None) or "utf-8"


def html_table(heading: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table for a notebook."""
    return f"<table>{_html_row('th', heading)}{''.join(_html_row('td', row) for row in rows)}</table>"


def _html_row(tag: str, cells: Iterable[object]) -> str:
    opened, closed = f'<{tag} style="text-align: left">', f"</{tag}>"
    return f"<tr>{''.join(f'{opened}{escape(printable_lines(str(cell)))}{closed}' for cell in cells)}</tr>"


def json_values(document: Mapping[str, object]) -> dict[str, object]:
    """The document as reading it from a file would give it: lists, where it has tuples."""
    values: dict[str, object] = json.loads(json.dumps(document))
    return values


def write_json(path: str | PathLike[str], document: Mapping[str, object]) -> None:
    """Write a document to a file, whole or not at all."""
    write_text_file(Path(path), json.dumps(document, indent=2) + "\n")
