"""Where text goes: a terminal in its own width and colours, anything else plain and 100 columns wide."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from symdmc.spelling.colours import takes_colours
from symdmc.spelling.printable import printable, printable_lines

PLAIN_WIDTH = 100


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the closed pipe to the command, whose exit code must not change for it."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """The pieces to print; whatever a file says, none of them steers the terminal."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable_lines(segment.text), segment.style)


def console_for(stream: IO[str]) -> Console:
    """A console that interprets no text of a model, as markup or otherwise; it has styles where colours are taken."""
    is_terminal = stream.isatty()
    return _Console(
        file=stream,
        width=None if is_terminal else PLAIN_WIDTH,
        force_terminal=is_terminal,
        color_system=_colours(stream),
        markup=False,
        highlight=False,
        emoji=False,
    )


def _colours(stream: IO[str]) -> Literal["auto", "standard"] | None:
    """Which colours to use; where they are forced, those that every terminal knows."""
    if not takes_colours(stream):
        return None
    return "auto" if stream.isatty() and os.environ.get("TERM") != "dumb" else "standard"


def plain_table() -> Table:
    """An empty table with a line under its heading and no other."""
    return Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)


def print_block(console: Console, block: Table | Text) -> None:
    """Print a table or a wrapped text; in a file its lines end where their text does."""
    if console.is_terminal:
        console.print(block)
        return
    with console.capture() as captured:
        console.print(block)
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def print_line(console: Console, text: Text | str, style: str = "") -> None:
    """Print one line, however long: a terminal wraps it, a file keeps it whole; ends of lines in it are spelled out."""
    console.print(Text(printable(text), style=style) if isinstance(text, str) else text, soft_wrap=True)


def symbol(console: Console, pretty: str, plain: str) -> str:
    """The pretty text where the stream can write it, else the plain one."""
    try:
        pretty.encode(console.encoding)
    except UnicodeEncodeError:
        return plain
    return pretty
