"""The interaction graph as a picture: which variables of a task are read or written together, as DOT or SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symdmc.report.pictures import svg

PALETTE = {
    "location": ("#dbeafe", "#1d4ed8"),
    "integer": ("#fef3c7", "#b45309"),
    "array cell": ("#fde68a", "#92400e"),
    "buffer": ("#dcfce7", "#15803d"),
}
"""Fill and stroke of a node by what its variable stands for."""

WORDS = {
    "location": "process",
    "integer": "integer",
    "array cell": "array",
    "buffer": "buffer",
    "asked": "in the error condition",
}
ASKED_STROKE = "#dc2626"

CHARACTER = 7.3
"""The width of a character of the labels."""
HEIGHT = 24.0
MARGIN = 24.0
LEGEND = 40.0


@dataclass(frozen=True, slots=True)
class Node:
    """A variable, or several of one array drawn as one."""

    name: str
    kind: str
    """A key of the palette."""
    asked: bool = False
    """The error condition reads it."""


@dataclass(frozen=True, slots=True)
class Link:
    """Two nodes, by number, that some transitions read or write together."""

    one: int
    other: int
    weight: float


@dataclass(frozen=True, slots=True)
class Picture:
    """A graph with a title."""

    title: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]


def to_dot(picture: Picture) -> str:
    """The picture for Graphviz."""
    lines = [
        f"graph {dot_text(picture.title)} {{",
        '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    ]
    for number, node in enumerate(picture.nodes):
        fill, stroke = PALETTE[node.kind]
        frame = f'color="{ASKED_STROKE}", penwidth=2' if node.asked else f'color="{stroke}"'
        lines.append(f'  n{number} [label={dot_text(node.name)}, fillcolor="{fill}", {frame}];')
    lines += [f"  n{link.one} -- n{link.other} [weight={max(1, round(link.weight))}];" for link in picture.links]
    return "\n".join((*lines, "}", ""))


def dot_text(*lines: str) -> str:
    """A quoted string of Graphviz that shows these lines."""
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'


def to_svg(picture: Picture) -> str:
    """The picture as a stand-alone SVG file: boxes that do not overlap, thicker lines for closer relations."""
    from symdmc.report.pictures.layout import place_boxes  # numpy, which a DOT file does not need

    sizes = [(len(node.name) * CHARACTER + 16, HEIGHT) for node in picture.nodes]
    centres = place_boxes(sizes, [(link.one, link.other) for link in picture.links])
    places = [(float(x) + MARGIN, float(y) + MARGIN + LEGEND) for x, y in centres]
    legend = tuple(_legend(picture))
    right = max((x + wide / 2 for (x, _), (wide, _) in zip(places, sizes, strict=True)), default=MARGIN)
    bottom = max((y for _, y in places), default=LEGEND) + HEIGHT / 2
    width = max(right, *(x for x, _ in legend), len(picture.title) * CHARACTER) + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{bottom + MARGIN:.0f}" '
        f'viewBox="0 0 {width:.0f} {bottom + MARGIN:.0f}" font-family="ui-monospace, monospace" font-size="12">',
        f"<title>{svg.escaped(picture.title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{MARGIN:.0f}" y="22" font-weight="bold">{svg.escaped(picture.title)}</text>',
        *(text for _, text in legend),
        *_svg_links(picture.links, places),
        *_svg_nodes(picture.nodes, places, sizes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _legend(picture: Picture) -> Iterator[tuple[float, str]]:
    """The meanings of the colours in the picture, each with the x coordinate where its entry ends."""
    present = {node.kind for node in picture.nodes} | {"asked" for node in picture.nodes if node.asked}
    x = MARGIN
    for kind, word in WORDS.items():
        if kind not in present:
            continue
        fill, stroke = PALETTE.get(kind, ("#ffffff", ASKED_STROKE))
        box = f'<rect x="{x:.0f}" y="32" width="14" height="12" rx="3" fill="{fill}" stroke="{stroke}"/>'
        text = f'<text x="{x + 19:.0f}" y="42" fill="#475569">{word}</text>'
        x += 19 + len(word) * CHARACTER + 16
        yield x, box + text


def _svg_links(links: Sequence[Link], places: Sequence[tuple[float, float]]) -> Iterator[str]:
    heaviest = max((link.weight for link in links), default=1.0)
    for link in sorted(links, key=lambda link: link.weight):
        (x1, y1), (x2, y2) = places[link.one], places[link.other]
        share = (link.weight / heaviest) ** 0.5
        yield (
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#64748b" '
            f'stroke-width="{0.8 + 2.2 * share:.1f}" stroke-opacity="{0.3 + 0.5 * share:.2f}"/>'
        )


def _svg_nodes(
    nodes: Sequence[Node], places: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]]
) -> Iterator[str]:
    for node, (x, y), (wide, tall) in zip(nodes, places, sizes, strict=True):
        fill, stroke = PALETTE[node.kind]
        frame = f'stroke="{ASKED_STROKE}" stroke-width="2.5"' if node.asked else f'stroke="{stroke}"'
        radius = 12 if node.kind == "location" else 3
        yield (
            f'<rect x="{x - wide / 2:.1f}" y="{y - tall / 2:.1f}" width="{wide:.1f}" height="{tall:.0f}" '
            f'rx="{radius}" fill="{fill}" {frame}/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{svg.escaped(node.name)}</text>'
        )
