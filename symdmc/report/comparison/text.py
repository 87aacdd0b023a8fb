"""A comparison table as lines of text, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from symdmc.report.comparison.table import ColumnGroup, ComparisonTable

GAP = "   "


@dataclass(frozen=True, slots=True)
class _Block:
    """The columns of one group, padded to their widths, with a heading over all of them."""

    heading: str
    names: tuple[str, ...]
    rows: tuple[str, ...]


def text_lines(table: ComparisonTable, groups: Sequence[ColumnGroup], rule: str) -> list[str]:
    """The table with the headings of the groups over those of their columns, and a rule below them."""
    height = max(map(len, (lines for group in groups for lines in _broken(group))))
    blocks = [_block(group, height) for group in groups]
    width = max(map(len, (table.corner, *table.names)))
    corners = [*[""] * (height - 1), table.corner]
    above = [_joined_line("".ljust(width), [block.heading for block in blocks])]
    above += [
        _joined_line(corner.ljust(width), [block.names[number] for block in blocks])
        for number, corner in enumerate(corners)
    ]
    below = [
        _joined_line(name.ljust(width), [block.rows[number] for block in blocks])
        for number, name in enumerate(table.names)
    ]
    headed = above if any(group.heading for group in groups) else above[1:]
    return [*headed, rule * max(map(len, (*headed, *below))), *below]


def _joined_line(first: str, rest: Sequence[str]) -> str:
    return GAP.join((first, *rest)).rstrip()


def _broken(group: ColumnGroup) -> list[list[str]]:
    """The names of the columns in lines: configurations are broken after each `+`, quantities at each space."""
    breaks = ("+", "+\n") if group.heading else (" ", "\n")
    return [name.replace(*breaks).split("\n") for name in group.names]


def _block(group: ColumnGroup, height: int) -> _Block:
    """The group as a block, numbers to the right and texts to the left, with names of `height` lines."""
    padded = [[""] * (height - len(lines)) + lines for lines in _broken(group)]
    widths = [max(map(len, (*lines, *(row[number].text for row in group.rows)))) for number, lines in enumerate(padded)]
    total = sum(widths) + len(GAP) * (len(widths) - 1)
    widths[-1] += max(0, len(group.heading) - total)
    left = [name in ("configuration", "heuristic") for name in group.names]
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
    lines = [_markdown_row(headings), "|" + "---|" + "---:|" * (len(headings) - 1)]
    for number, name in enumerate(table.names):
        lines.append(_markdown_row([name, *(cell.text for group in table.groups for cell in group.rows[number])]))
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def csv_text(table: ComparisonTable) -> str:
    """The table for programs: numbers in full, and words where there is no number."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([table.corner, *(_joined(group.heading, name) for group in table.groups for name in group.names)])
    for number, name in enumerate(table.names):
        writer.writerow([name, *(cell.raw for group in table.groups for cell in group.rows[number])])
    return file.getvalue()


def _joined(heading: str, name: str) -> str:
    return f"{heading}: {name}" if heading else name
