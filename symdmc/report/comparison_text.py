"""A comparison table as lines of text, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from symdmc.report.comparison_table import ComparisonTable, Group

GAP = "   "


@dataclass(frozen=True, slots=True)
class _Block:
    """The columns of one group, set to their widths; the heading stands over all of them."""

    heading: str
    names: tuple[str, ...]
    rows: tuple[str, ...]


def text_lines(table: ComparisonTable, groups: Sequence[Group], rule: str) -> list[str]:
    """The table with two lines of headings, the groups over their columns, and a rule below them."""
    name_width = max(map(len, (table.corner, *table.names)))
    blocks = [_block(group) for group in groups]
    headings = [block.heading for block in blocks]
    lines = [_joined_line("".ljust(name_width), headings)] if any(map(str.strip, headings)) else []
    height = max(len(block.names) for block in blocks)
    for number in range(height):
        corner = table.corner if number == height - 1 else ""
        above = [_line_of(block, number - (height - len(block.names))) for block in blocks]
        lines.append(_joined_line(corner.ljust(name_width), above))
    lines.append("")
    for number, name in enumerate(table.names):
        lines.append(_joined_line(name.ljust(name_width), [block.rows[number] for block in blocks]))
    lines[lines.index("")] = rule * max(map(len, lines))
    return lines


def _joined_line(first: str, rest: Sequence[str]) -> str:
    return GAP.join((first, *rest)).rstrip()


def _line_of(block: _Block, number: int) -> str:
    return block.names[number] if number >= 0 else " " * len(block.heading)


def _block(group: Group) -> _Block:
    """Numbers to the right, texts to the left; configurations are broken behind each `+`, quantities at each space."""
    breaks = ("+", "+\n") if group.heading else (" ", "\n")
    names = [name.replace(*breaks).split("\n") for name in group.names]
    height = max(map(len, names))
    padded = [[""] * (height - len(lines)) + lines for lines in names]
    widths = [max(map(len, (*lines, *(row[number].text for row in group.rows)))) for number, lines in enumerate(padded)]
    total = sum(widths) + len(GAP) * (len(widths) - 1)
    widths[-1] += max(0, len(group.heading) - total)
    left = [name == "configuration" for name in group.names]
    return _Block(
        group.heading.center(max(total, len(group.heading))),
        tuple(_set([lines[number] for lines in padded], widths, left) for number in range(height)),
        tuple(_set([cell.text for cell in row], widths, left) for row in group.rows),
    )


def _set(texts: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    """The texts of a line in columns."""
    return GAP.join(
        text.ljust(width) if to_left else text.rjust(width)
        for text, width, to_left in zip(texts, widths, left, strict=True)
    )


def markdown_text(table: ComparisonTable) -> str:
    """The table in Markdown: each column has the heading of its group and its own."""
    headings = [table.corner, *(_joined(group.heading, name) for group in table.groups for name in group.names)]
    lines = [markdown_row(headings), "|" + "---|" + "---:|" * (len(headings) - 1)]
    for number, name in enumerate(table.names):
        lines.append(markdown_row([name, *(cell.text for group in table.groups for cell in group.rows[number])]))
    return "\n".join(lines) + "\n"


def markdown_row(cells: Sequence[str]) -> str:
    """A row of a table in Markdown."""
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def csv_text(table: ComparisonTable) -> str:
    """The table for programs: numbers in full, words for what has none."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([table.corner, *(_joined(group.heading, name) for group in table.groups for name in group.names)])
    for number, name in enumerate(table.names):
        writer.writerow([name, *(cell.raw for group in table.groups for cell in group.rows[number])])
    return file.getvalue()


def _joined(heading: str, name: str) -> str:
    return f"{heading}: {name}" if heading else name
