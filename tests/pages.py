"""Writes what is generated in the documents, the tables of docs/heuristics.md. `make docs` runs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symdmc.checking.catalogue import entries
from symdmc.heuristics import HEURISTICS
from symdmc.search import SEARCHES
from symdmc.selection import SELECTIONS
from symdmc.spelling.components import Table

PAGE = Path(__file__).parents[1] / "docs" / "heuristics.md"
TABLES: Mapping[str, Table[Any]] = {"Heuristics": HEURISTICS, "Selections": SELECTIONS, "Searches": SEARCHES}
HEAD = "| spelling | summary |\n|---|---|\n"


def generated(page: str) -> str:
    """The page with its tables as they must be."""
    for title, table in TABLES.items():
        rows = "".join(f"| `{entry.spelling}` | {entry.summary} |\n" for entry in entries(table))
        found = re.search(rf"^### {title}\n\n{re.escape(HEAD)}((?:\|.*\n)*)", page, re.MULTILINE)
        assert found is not None, f"{PAGE} has no table of {title.lower()}"
        page = page[: found.start(1)] + rows + page[found.end(1) :]
    return page


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
