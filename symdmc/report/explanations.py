"""Pages about kinds of complaints, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from symdmc.report.complaints.page import Example, Page
from symdmc.report.console import plain_table, print_block, print_line
from symdmc.report.schemas import document


def print_codes(console: Console, sections: Mapping[str, Sequence[Page]]) -> None:
    """The answer of `explain`: all codes, with a line for each."""
    for place, (title, pages) in enumerate(sections.items()):
        if place:
            console.print()
        table = plain_table()
        table.add_column(title, no_wrap=True)
        table.add_column("what is wrong", overflow="fold")
        for page in pages:
            table.add_row(Text(page.code, style="bold"), Text(page.summary))
        print_block(console, table)


def print_page(console: Console, page: Page) -> None:
    """The answer of `explain CODE`: what it means, what to do about it, and an example."""
    print_line(console, Text.assemble((page.code, "bold"), f": {page.summary}"))
    for paragraph in (page.meaning, page.remedy):
        console.print()
        print_block(console, Text(paragraph))
    if page.example is not None:
        console.print()
        print_line(console, "For example:")
        for line in example_lines(page.example):
            print_line(console, f"  {line}".rstrip())


def example_lines(example: Example) -> Iterator[str]:
    """The files of an example with what is in them, then what is done and what symdmc says."""
    for name, text in example.files.items():
        yield f"{name}:"
        yield from (f"  {line}" for line in text.splitlines())
        yield ""
    yield from (f">>> {line}" for line in example.program.splitlines())
    yield from (f"$ {command}" for command in example.commands)
    yield from example.says.splitlines()


def explain_document(pages: Sequence[Page]) -> dict[str, object]:
    """What `explain --json` prints."""
    return document("explain", None, None, exit_code=0, codes=[_page(page) for page in pages])


def _page(page: Page) -> dict[str, object]:
    example = None if page.example is None else "\n".join(example_lines(page.example))
    return {
        "code": page.code.value,
        "summary": page.summary,
        "meaning": page.meaning,
        "remedy": page.remedy,
        "example": example,
    }
