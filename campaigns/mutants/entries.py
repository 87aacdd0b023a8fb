"""The list of mutants: each a small change of one file, and the tests that should find it.

The files `entries/AREA.toml` have a table `[tests]`, which names for each file of the package the tests that its
mutants are run against, and one `[[mutant]]` for each change. `text` must occur exactly once in the file.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ENTRIES = Path(__file__).parent / "entries"


class MutantError(Exception):
    """An entry that says nothing, or does not fit the sources; the message is one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One small change."""

    id: str
    area: str
    file: str
    """The path from the checkout."""
    text: str
    instead: str
    tests: tuple[str, ...]
    """What pytest is called with; the first test that fails ends the run."""
    harmless: str = ""
    """Why no test can find it, or why none has to."""

    def mutated(self, source: str) -> str:
        """The source with the change made; raises MutantError unless it applies exactly once and can be parsed."""
        found = source.count(self.text)
        if found != 1:
            raise MutantError(f"{self.id}: its text occurs {found} times in {self.file}; give lines that occur once")
        changed = source.replace(self.text, self.instead)
        if changed == source:
            raise MutantError(f"{self.id}: it changes nothing; write what stands instead")
        try:
            ast.parse(changed)
        except SyntaxError as error:
            raise MutantError(f"{self.id}: {self.file} cannot be parsed any more: {error}") from error
        return changed


def read_entries(folder: Path = ENTRIES, area: str | None = None) -> list[Entry]:
    """All entries, or those of one area, in the order of the files; raises MutantError for the first that is wrong."""
    files = sorted(folder.glob("*.toml"))
    if area is not None and area not in {file.stem for file in files}:
        raise MutantError(f"there is no area {area!r}; there are {', '.join(file.stem for file in files)}")
    entries = [entry for file in files if area in (None, file.stem) for entry in _entries_of(file)]
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            raise MutantError(f"{entry.id}: there are two mutants of this name; give each its own")
        seen.add(entry.id)
    return entries


def _entries_of(file: Path) -> Iterator[Entry]:
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    usual = document.get("tests", {})
    for given in document["mutant"]:
        values = {"tests": usual.get(given.get("file"), ())} | given
        values["tests"] = tuple(values["tests"])
        try:
            entry = Entry(area=file.stem, **values)
        except TypeError as error:
            raise MutantError(f"{file.name}: a mutant has a wrong or missing key: {error}") from error
        if not entry.tests:
            raise MutantError(f"{entry.id}: no tests are named, neither by it nor for {entry.file}")
        yield entry
