"""Charts of points in two dimensions as SVG files that need nothing else; axes are linear or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symdmc.report.pictures import svg

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 800, 84.0, 776.0, 72.0, 432.0
LEGEND_LINE = 20
COLOURS = ("#1d4ed8", "#c2410c", "#15803d", "#a21caf", "#0e7490", "#b45309", "#be123c", "#475569")
MOST_TICKS = 8
MOST_MARKS = 150
"""A line through more points than this has no marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis from one number to another."""

    label: str
    low: float
    high: float
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value lies, 0 to 1."""
        if self.logarithmic:
            return (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """The numbers written along the axis."""
        if self.logarithmic:
            low, high = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0**exponent for exponent in range(low, high + 1, math.ceil((high - low) / MOST_TICKS))]
        step = round_step((self.high - self.low) / MOST_TICKS)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


@dataclass(frozen=True, slots=True)
class Point:
    """A point with a text about it."""

    x: float
    y: float
    tooltip: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points of one colour, joined by a line or not."""

    name: str
    points: tuple[Point, ...]
    joined: bool = True


def round_step(least: float) -> float:
    """The first number of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... that is not smaller."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def linear_axis(label: str, values: Sequence[float], *, low: float = 0.0) -> Axis:
    """An axis from `low` to a round number that is not below any value."""
    high = max((*values, low))
    step = round_step((high - low) / MOST_TICKS)
    return Axis(label=label, low=low, high=max(low + step, math.ceil(high / step - 1e-9) * step))


def logarithmic_axis(label: str, values: Sequence[float]) -> Axis:
    """An axis from a power of ten to another, with all values between them."""
    positive = [value for value in values if value > 0] or [1.0]
    low, high = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    return Axis(label=label, low=10.0**low, high=10.0 ** max(high, low + 1), logarithmic=True)


def chart_svg(title: str, note: str, x: Axis, y: Axis, series: Sequence[Series], *, diagonal: bool = False) -> str:
    """The series in one chart, with their names below; equal series give equal bytes."""
    named = [each for each in series if each.name]
    body = (
        *_axes(x, y),
        *([svg.line(LEFT, BOTTOM, RIGHT, TOP, "#94a3b8")] if diagonal else []),
        *(line for number, each in enumerate(series) for line in _series(each, COLOURS[number % len(COLOURS)], x, y)),
        *_legend(series),
    )
    return svg.document(WIDTH, BOTTOM + 58 + LEGEND_LINE * len(named), LEFT, title, note, body)


def _axes(x: Axis, y: Axis) -> Iterator[str]:
    """Grid lines, numbers, labels and the frame."""
    for tick in x.ticks():
        at = _across(x, tick)
        yield svg.line(at, TOP, at, BOTTOM, "#e2e8f0")
        yield svg.column_label(at, BOTTOM, _tick_text(x, tick))
    for tick in y.ticks():
        at = _up(y, tick)
        yield svg.line(LEFT, at, RIGHT, at, "#e2e8f0")
        yield svg.row_label(LEFT, at, _tick_text(y, tick))
    yield svg.title_below(LEFT, RIGHT, BOTTOM, x.label)
    yield svg.title_beside(22, TOP, BOTTOM, y.label)
    yield svg.frame(LEFT, TOP, RIGHT, BOTTOM)


def _tick_text(axis: Axis, tick: float) -> str:
    if axis.logarithmic:
        return svg.power_of_ten(round(math.log10(tick)))
    return f"{round(tick):,}" if abs(tick - round(tick)) < 1e-9 else f"{tick:g}"


def _across(axis: Axis, value: float) -> float:
    return LEFT + (RIGHT - LEFT) * axis.share(value)


def _up(axis: Axis, value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * axis.share(value)


def _series(series: Series, colour: str, x: Axis, y: Axis) -> Iterator[str]:
    places = [(_across(x, point.x), _up(y, point.y)) for point in series.points]
    if series.joined and len(places) > 1:
        yield svg.curve(places, colour)
        if len(places) > MOST_MARKS:
            return
    for point, (across, up) in zip(series.points, places, strict=True):
        yield svg.mark(across, up, "3.2", colour, point.tooltip)


def _legend(series: Sequence[Series]) -> Iterator[str]:
    """The names of the series beside their colours, one in a line."""
    height = BOTTOM + 58
    for number, each in enumerate(series):
        if each.name:
            colour = COLOURS[number % len(COLOURS)]
            yield f'<circle cx="{LEFT + 4:.0f}" cy="{height:.0f}" r="4" fill="{colour}"/>'
            yield f'<text x="{LEFT + 16:.0f}" y="{height + 4:.0f}">{svg.escaped(each.name)}</text>'
            height += LEGEND_LINE
