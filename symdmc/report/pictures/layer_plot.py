"""Layer sizes as a picture: states and nodes of every layer of a symbolic search, both on logarithmic axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symdmc.outcome import Layer
from symdmc.report.pictures import svg
from symdmc.report.pictures.chart import round_step
from symdmc.report.quantities import counted

WIDTH, HEIGHT = 800, 480
LEFT, RIGHT = 72.0, 776.0
PANELS = {"states": (72.0, 236.0), "nodes": (264.0, 428.0)}
"""Where each quantity is drawn: top and bottom of its frame."""

SERIES = {False: ("forward", "#1d4ed8"), True: ("backward", "#c2410c")}
"""Name and colour of the layers found forward and of those found backward."""

MOST_MARKS = 120
"""More layers than this are drawn as a line only."""
MOST_ROWS = 5
"""Powers of ten that are labelled on one axis."""
MOST_COLUMNS = 12
EXACT = 10**15
"""Numbers from here on are written with three digits and a power of ten."""


@dataclass(frozen=True, slots=True)
class _SizeAxis:
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
        return int(round_step(max(1.0, (self.high - self.low) / MOST_ROWS)))


@dataclass(frozen=True, slots=True)
class _DepthAxis:
    """The horizontal axis: the depths of the layers."""

    last: int

    def place(self, depth: int) -> float:
        """How far to the right a depth is drawn."""
        return LEFT + (RIGHT - LEFT) * depth / max(1, self.last)

    @property
    def step(self) -> int:
        """How many depths lie between two labels."""
        return int(round_step(max(1.0, self.last / MOST_COLUMNS)))


def layers_svg(model: str, layers: Sequence[Layer], *, rounds: bool = False) -> str:
    """The sizes of the layers as a stand-alone SVG file; with `rounds`, the layers are rounds of chaining.

    Times are not drawn, so that equal searches give equal bytes.
    """
    columns = _DepthAxis(max((layer.depth for layer in layers), default=1))
    body = (
        *_legend(layers),
        *_columns_svg(columns, _distance(layers, rounds)),
        *(line for name in PANELS for line in _panel(name, layers, columns)),
    )
    return svg.document(WIDTH, HEIGHT, LEFT, model, _summary(layers, rounds), body)


def _summary(layers: Sequence[Layer], rounds: bool) -> str:
    noun = "round" if rounds else "layer"
    if not layers:
        return f"no {noun} was finished"
    most = (f"most {name} in one: {_amount(max(_sizes(name, layers)))}" for name in PANELS if _sizes(name, layers))
    return "; ".join((counted(len(layers), noun), *most))


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


def _columns_svg(columns: _DepthAxis, label: str) -> Iterator[str]:
    """The grid lines, numbers and label of the horizontal axis."""
    end = PANELS["nodes"][1]
    for depth in range(0, columns.last + 1, columns.step):
        x = columns.place(depth)
        for top, bottom in PANELS.values():
            yield svg.line(x, top, x, bottom, "#e2e8f0")
        yield svg.column_label(x, end, str(depth))
    yield svg.title_below(LEFT, RIGHT, end, label)


def _panel(name: str, layers: Sequence[Layer], columns: _DepthAxis) -> Iterator[str]:
    """One quantity of all layers, with its axis."""
    rows = _rows(name, layers)
    yield from _rows_svg(rows)
    yield svg.title_beside(20, rows.top, rows.bottom, name)
    yield svg.frame(LEFT, rows.top, RIGHT, rows.bottom)
    for backward in SERIES:
        chosen = [layer for layer in layers if layer.backward is backward and _size(name, layer) is not None]
        if chosen:
            yield from _series(name, chosen, rows, columns)


def _rows(name: str, layers: Sequence[Layer]) -> _SizeAxis:
    sizes = _sizes(name, layers)
    exponents = [math.log10(size) for size in sizes if size > 0] or [0.0]
    low = math.floor(min(exponents))
    return _SizeAxis(*PANELS[name], low, max(low + 1, math.ceil(max(exponents))), 0 in sizes)


def _rows_svg(rows: _SizeAxis) -> Iterator[str]:
    """The grid lines and numbers of a vertical axis."""
    if rows.high - rows.low <= 2:
        for exponent in range(rows.low, rows.high):
            for factor in range(2, 10):
                y = rows.at(exponent + math.log10(factor))
                yield svg.line(LEFT, y, RIGHT, y, "#f1f5f9")
    for exponent in range(rows.low, rows.high + 1, rows.step):
        yield from _row(rows.at(exponent), svg.power_of_ten(exponent))
    if rows.has_zero:
        yield from _row(rows.place(0), "0")


def _row(y: float, label: str) -> Iterator[str]:
    yield svg.line(LEFT, y, RIGHT, y, "#e2e8f0")
    yield svg.row_label(LEFT, y, label)


def _series(name: str, layers: Sequence[Layer], rows: _SizeAxis, columns: _DepthAxis) -> Iterator[str]:
    """A line through the layers of one direction, with a mark for each where there are not too many."""
    word, colour = SERIES[layers[0].backward]
    sizes = _sizes(name, layers)
    places = [(columns.place(layer.depth), rows.place(size)) for layer, size in zip(layers, sizes, strict=True)]
    yield svg.curve(places, colour)
    if len(layers) > MOST_MARKS:
        return
    for layer, size, (x, y) in zip(layers, sizes, places, strict=True):
        yield svg.mark(x, y, "3", colour, f"{word} {layer.depth}: {_amount(size)} {name}")


def _sizes(name: str, layers: Sequence[Layer]) -> list[int]:
    """The sizes that are known."""
    return [size for layer in layers if (size := _size(name, layer)) is not None]


def _size(name: str, layer: Layer) -> int | None:
    return layer.states if name == "states" else layer.nodes
