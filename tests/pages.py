"""Writes what is generated: the tables of docs/heuristics.md, and docs/complaints.md. `make docs` runs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from symdmc.checking.catalogue import entries
from symdmc.heuristics import HEURISTICS
from symdmc.report.complaints import SECTIONS
from symdmc.report.complaints.page import Page
from symdmc.report.explanations import example_lines
from symdmc.search import SEARCHES
from symdmc.selection import SELECTIONS
from symdmc.spelling.components import Table

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "heuristics.md"
COMPLAINTS = DOCS / "complaints.md"
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


BEGIN = """\
# Complaints

Every error and every warning about an input ends with a code in brackets, which stays the same when the words change.
`symdmc explain CODE` prints what is written here about it, `symdmc explain` lists all codes; in Python a complaint has
it as `code`: [python.md](python.md#errors). This page is written by `make docs`.
"""


def complaints_page() -> str:
    """The page of all kinds of complaints."""
    lines = [BEGIN]
    for title, pages in SECTIONS.items():
        listed = "".join(f"| [`{page.code}`](#{page.code}) | {page.summary} |\n" for page in pages)
        lines += [f"## {title}\n", f"| code | what is wrong |\n|---|---|\n{listed}", *map(_explained, pages)]
    return "\n".join(lines)


def _explained(page: Page) -> str:
    paragraphs = (
        fill(text, width=120, break_on_hyphens=False) for text in (f"{page.summary} {page.meaning}", page.remedy)
    )
    parts = [f"### {page.code}\n", *(f"{paragraph}\n" for paragraph in paragraphs)]
    if page.example is not None:
        parts.append("\n".join(("```text", *example_lines(page.example), "```\n")))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    COMPLAINTS.write_text(complaints_page(), encoding="utf-8")
