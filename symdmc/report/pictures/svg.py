"""The parts that all charts have in common, as SVG text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from symdmc.spelling.printable import printable

MOST_TITLE = 80
"""Longer titles are cut."""


def escaped(text: str) -> str:
    """A text inside an element; no character is left that XML does not allow."""
    return escape(printable(text))


def document(width: float, height: float, left: float, title: str, note: str, body: Iterable[str]) -> str:
    """A stand-alone SVG file with a title, a note under it, and a body; both texts start at `left`."""
    heading = title if len(title) <= MOST_TITLE else f"{title[: MOST_TITLE - 1]}\N{HORIZONTAL ELLIPSIS}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12" fill="#0f172a">',
        f"<title>{escaped(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{left:.0f}" y="28" font-size="15" font-weight="bold">{escaped(heading)}</text>',
        f'<text x="{left:.0f}" y="50" fill="#475569">{escaped(note)}</text>',
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def curve(places: Sequence[tuple[float, float]], colour: str) -> str:
    """A line through some places."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>'


def mark(x: float, y: float, radius: str, colour: str, tooltip: str) -> str:
    """A dot with a text that is shown when the pointer is on it."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"><title>{escaped(tooltip)}</title></circle>'


def frame(left: float, top: float, right: float, bottom: float) -> str:
    """The border of a chart."""
    return (
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{right - left:.0f}" height="{bottom - top:.0f}" '
        'fill="none" stroke="#64748b"/>'
    )


def column_label(x: float, bottom: float, text: str) -> str:
    """A number under the horizontal axis."""
    return f'<text x="{x:.1f}" y="{bottom + 17:.0f}" text-anchor="middle">{text}</text>'


def row_label(left: float, y: float, text: str) -> str:
    """A number beside the vertical axis."""
    return f'<text x="{left - 8:.0f}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'


def power_of_ten(exponent: int) -> str:
    """The number as a label."""
    return f'10<tspan dy="-5" font-size="9">{exponent}</tspan>'


def title_below(left: float, right: float, bottom: float, text: str) -> str:
    """What the horizontal axis shows."""
    return f'<text x="{(left + right) / 2:.0f}" y="{bottom + 38:.0f}" text-anchor="middle">{escaped(text)}</text>'


def title_beside(x: int, top: float, bottom: float, text: str) -> str:
    """What the vertical axis shows, as a text turned by 90 degrees."""
    middle = (top + bottom) / 2
    return f'<text transform="translate({x} {middle:.0f}) rotate(-90)" text-anchor="middle">{escaped(text)}</text>'
