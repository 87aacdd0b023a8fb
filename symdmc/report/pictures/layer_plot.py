"""Layer sizes as a picture: states and nodes of every layer of a symbolic search, both on logarithmic axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from symdmc.outcome import Layer

WIDTH, HEIGHT = 800, 480
LEFT, RIGHT = 72.0, 776.0
PANELS = {"states": (72.0, 236.0), "nodes": (264.0, 428.0)}
"""Where each quantity is drawn: top and bottom of its frame."""

SERIES = {False: ("forward", "#1d4ed8"), True: ("backward", "#c2410c")}
"""Name and colour of the layers found forward and of those found backward."""

MOST_TITLE = 80
MOST_MARKS = 120
"""More layers than this are drawn as a line only."""
MOST_ROWS = 5
"""Powers of ten that are labelled on one axis."""
MOST_COLUMNS = 12
EXACT = 10**15
"""Numbers from here on are written with three digits and a power of ten."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The vertical axis of one panel: powers of ten, and below them a row for 0 where there is one to draw."""

    top: float
    bottom: float
    low: int
    high: int
    has_zero: bool

    def place(self, value: int) -> float:
        """The height at which a number is drawn."""
        return self.at(math.log10(value) if value > 0 else self.low - self.step)

    def at(self, exponent: float) -> float:
        """The height of a power of ten."""
        lowest = self.low - self.step * self.has_zero
        return self.bottom - (self.bottom - self.top) * (exponent - lowest) / (self.high - lowest)

    @property
    def step(self) -> int:
        """How many powers of ten lie between two labels."""
        return _round_number((self.high - self.low) / MOST_ROWS)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The horizontal axis: the depths of the layers."""

    last: int

    def place(self, depth: int) -> float:
        """How far to the right a depth is drawn."""
        return LEFT + (RIGHT - LEFT) * depth / max(1, self.last)

    @property
    def step(self) -> int:
        """How many depths lie between two labels."""
        return _round_number(self.last / MOST_COLUMNS)


def _round_number(least: float) -> int:
    """The first number of 1, 2, 5, 10, 20, 50, ... that is not smaller."""
    power = 1
    while 5 * power < least:
        power *= 10
    return next(power * factor for factor in (1, 2, 5) if power * factor >= least)


def layers_svg(model: str, layers: Sequence[Layer], *, rounds: bool = False) -> str:
    """The sizes of the layers as a stand-alone SVG file; of rounds of chaining, if that is what they are.

    What is measured by a clock is not drawn: the same search gives the same bytes.
    """
    columns = _Columns(max((layer.depth for layer in layers), default=1))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#0f172a">',
        f"<title>{escape(model)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{LEFT:.0f}" y="28" font-size="15" font-weight="bold">{escape(_cut(model))}</text>',
        f'<text x="{LEFT:.0f}" y="50" fill="#475569">{_summary(layers, rounds)}</text>',
        *_legend(layers),
        *_columns_svg(columns, _distance(layers, rounds)),
        *(line for name in PANELS for line in _panel(name, layers, columns)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _cut(title: str) -> str:
    return title if len(title) <= MOST_TITLE else f"{title[: MOST_TITLE - 1]}\N{HORIZONTAL ELLIPSIS}"


def _summary(layers: Sequence[Layer], rounds: bool) -> str:
    noun = "round" if rounds else "layer"
    if not layers:
        return f"no {noun} was finished"
    number = f"{len(layers):,} {noun}{'' if len(layers) == 1 else 's'}"
    most = (f"most {name} in one: {_amount(max(_sizes(name, layers)))}" for name in PANELS if _sizes(name, layers))
    return "; ".join((number, *most))


def _amount(number: int) -> str:
    """The number in full, or where that would be hard to read as 1.23e45."""
    if number < EXACT:
        return f"{number:,}"
    exponent = math.floor(math.log10(number))
    digits = f"{10 ** (math.log10(number) - exponent):.2f}"
    return f"{digits}e{exponent}" if digits != "10.00" else f"1.00e{exponent + 1}"


def _distance(layers: Sequence[Layer], rounds: bool) -> str:
    """What the horizontal axis counts."""
    if rounds:
        return "round of chaining"
    match sorted({layer.backward for layer in layers}):
        case [False, True]:
            return "distance: forward from the initial states, backward to the error states"
        case [True]:
            return "distance to the error states"
        case _:
            return "distance from the initial states"


def _legend(layers: Sequence[Layer]) -> Iterator[str]:
    """What the colours mean, where there are two."""
    if len({layer.backward for layer in layers}) < 2:
        return
    for (name, colour), x in zip(SERIES.values(), (RIGHT - 150, RIGHT - 70), strict=True):
        yield f'<circle cx="{x:.0f}" cy="46" r="4" fill="{colour}"/><text x="{x + 9:.0f}" y="50">{name}</text>'


def _columns_svg(columns: _Columns, label: str) -> Iterator[str]:
    """The grid lines, numbers and label of the horizontal axis."""
    end = PANELS["nodes"][1]
    for depth in range(0, columns.last + 1, columns.step):
        x = columns.place(depth)
        for top, bottom in PANELS.values():
            yield _line(x, top, x, bottom, "#e2e8f0")
        yield f'<text x="{x:.1f}" y="{end + 17:.0f}" text-anchor="middle">{depth}</text>'
    yield f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{end + 38:.0f}" text-anchor="middle">{label}</text>'


def _panel(name: str, layers: Sequence[Layer], columns: _Columns) -> Iterator[str]:
    """One quantity of all layers, with its axis."""
    rows = _rows(name, layers)
    yield from _rows_svg(rows)
    middle = (rows.top + rows.bottom) / 2
    yield f'<text transform="translate(20 {middle:.0f}) rotate(-90)" text-anchor="middle">{name}</text>'
    yield (
        f'<rect x="{LEFT:.0f}" y="{rows.top:.0f}" width="{RIGHT - LEFT:.0f}" height="{rows.bottom - rows.top:.0f}" '
        'fill="none" stroke="#64748b"/>'
    )
    for backward in SERIES:
        chosen = [layer for layer in layers if layer.backward is backward and _size(name, layer) is not None]
        if chosen:
            yield from _series(name, chosen, rows, columns)


def _rows(name: str, layers: Sequence[Layer]) -> _Rows:
    sizes = _sizes(name, layers)
    exponents = [math.log10(size) for size in sizes if size > 0] or [0.0]
    low = math.floor(min(exponents))
    return _Rows(*PANELS[name], low, max(low + 1, math.ceil(max(exponents))), 0 in sizes)


def _rows_svg(rows: _Rows) -> Iterator[str]:
    """The grid lines and numbers of a vertical axis."""
    if rows.high - rows.low <= 2:
        for exponent in range(rows.low, rows.high):
            for factor in range(2, 10):
                y = rows.at(exponent + math.log10(factor))
                yield _line(LEFT, y, RIGHT, y, "#f1f5f9")
    for exponent in range(rows.low, rows.high + 1, rows.step):
        power = f'10<tspan dy="-5" font-size="9">{exponent}</tspan>'
        yield from _row(rows.at(exponent), power)
    if rows.has_zero:
        yield from _row(rows.place(0), "0")


def _row(y: float, label: str) -> Iterator[str]:
    yield _line(LEFT, y, RIGHT, y, "#e2e8f0")
    yield f'<text x="{LEFT - 8:.0f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'


def _series(name: str, layers: Sequence[Layer], rows: _Rows, columns: _Columns) -> Iterator[str]:
    """A line through the layers of one direction, with a mark for each where there are not too many."""
    word, colour = SERIES[layers[0].backward]
    sizes = _sizes(name, layers)
    places = [(columns.place(layer.depth), rows.place(size)) for layer, size in zip(layers, sizes, strict=True)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
    if len(layers) > MOST_MARKS:
        return
    for layer, size, (x, y) in zip(layers, sizes, places, strict=True):
        told = f"{word} {layer.depth}: {_amount(size)} {name}"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{told}</title></circle>'


def _sizes(name: str, layers: Sequence[Layer]) -> list[int]:
    """As far as they are known."""
    return [size for layer in layers if (size := _size(name, layer)) is not None]


def _size(name: str, layer: Layer) -> int | None:
    return layer.states if name == "states" else layer.nodes


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
