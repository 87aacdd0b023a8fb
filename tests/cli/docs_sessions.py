"""Console sessions in the documents: what they claim, and how to run them.

A fenced block marked `console` is a session. A line that starts with `$ ` and runs `symdmc` is executed in a shell, in
a folder made for the document in which the folders of the checkout are at hand; other `$ ` lines (installing, looking
around) are not. The lines below a command are its output: all of it, or none, or with `...` on a line of its own for
whatever is left out. Seconds and megabytes may differ. `# exit code N` after the output notes the exit code; without
it the command must succeed. A block of any other kind with a file name behind its language, as in ```dve lift.dve, is
written to that file first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cli.running import ROOT

FENCE = re.compile(r"^```(\S*)[ ]*(\S*)[^\n]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
RUNS_SYMDMC = re.compile(r"(^|[|;&]\s*)symdmc\s")
EXIT_CODE = re.compile(r"# exit code (\d+)")
MASKS = (
    (re.compile(r"\d[\d,.]* s\b"), "<seconds>"),
    (re.compile(r"\d[\d,.]* MB\b"), "<megabytes>"),
    (re.compile(r'("seconds"|"peak_memory_mb"): [\d.]+'), r"\1: <number>"),
)


@dataclass(frozen=True)
class Command:
    """One command of a session with what the document says about it."""

    line: str
    output: tuple[str, ...]
    exit_code: int


@dataclass(frozen=True)
class File:
    """A file that a document shows."""

    name: str
    text: str


def documents() -> list[Path]:
    """Every document of the project."""
    return [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if path.exists()]


def parts(text: str) -> Iterator[Command | File]:
    """The commands and files of a document, in order."""
    for language, name, body in FENCE.findall(text):
        if language == "console":
            yield from _commands(body)
        elif re.fullmatch(r"[\w./-]+\.\w+", name):
            yield File(name, body)


def _commands(body: str) -> Iterator[Command]:
    for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, rest = re.sub(r"\\\n>?\s*", "", entry).partition("\n")
        if not RUNS_SYMDMC.search(line):
            continue
        noted = EXIT_CODE.search(rest)
        output = [text for text in rest.splitlines() if not EXIT_CODE.fullmatch(text.strip())]
        yield Command(line, tuple(_without_blank_end(output)), int(noted[1]) if noted else 0)


def _without_blank_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def masked(line: str) -> str:
    """The line without what differs from run to run."""
    for pattern, mask in MASKS:
        line = pattern.sub(mask, line)
    return line.rstrip()


def disagreement(shown: tuple[str, ...], real: list[str]) -> str | None:
    """The first thing that is shown but not printed, or printed but not shown; None when all is well."""
    if not shown:
        return None
    position, gap = 0, False
    printed = [masked(line) for line in real]
    for line in map(masked, shown):
        if line.strip() == "...":
            gap = True
            continue
        if gap and line in printed[position:]:
            position = printed.index(line, position)
        if position >= len(printed) or printed[position] != line:
            found = printed[position] if position < len(printed) else "the end of the output"
            return f"shown: {line!r}, printed: {found!r}"
        position, gap = position + 1, False
    rest = [line for line in printed[position:] if line]
    return f"printed, but not shown: {rest[0]!r}" if rest and not gap else None
