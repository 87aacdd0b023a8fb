"""Figures are well-formed SVG files with a mark for every point, where the axes say it is."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from symdmc.errors import ModelError
from symdmc.experiment.record import ACCURACY, TIME
from symdmc.outcome import Stop
from symdmc.report.comparison.figures import figure_svg, require_figure
from symdmc.report.pictures.chart import Axis, Point, Series, chart_svg, linear_axis, logarithmic_axis
from tests.experiments import experiment, findings, record
from tests.unit.test_experiment_results import MEASUREMENT

SVG = "{http://www.w3.org/2000/svg}"


def marks(svg: str) -> dict[str, tuple[float, float]]:
    """The place of every point, by what is told about it."""
    root = ElementTree.fromstring(svg)
    circles = [circle for circle in root.iter(f"{SVG}circle") if circle.find(f"{SVG}title") is not None]
    return {circle[0].text or "": (float(circle.get("cx", "")), float(circle.get("cy", ""))) for circle in circles}


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (linear_axis("", [0, 47]), [0, 10, 20, 30, 40, 50]),
        (linear_axis("", [0.83]), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (linear_axis("", []), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (logarithmic_axis("", [83, 270_000]), [10, 100, 1000, 10_000, 100_000, 1_000_000]),
        (logarithmic_axis("", []), [1, 10]),
        (logarithmic_axis("", [1, 1e15]), [1, 100, 1e4, 1e6, 1e8, 1e10, 1e12, 1e14]),
    ],
)
def test_axes_have_round_numbers_around_all_values(axis: Axis, ticks: list[float]) -> None:
    assert axis.ticks() == pytest.approx(ticks)
    assert axis.share(axis.low) == 0
    assert axis.share(axis.high) == pytest.approx(1)


def test_a_chart_has_every_point_at_its_place_and_is_escaped() -> None:
    axis = linear_axis("x & y", [10])
    points = (Point(0, 0, "low"), Point(10, 10, "high <b>"))
    svg = chart_svg("a < b", "note", axis, axis, [Series(name="s & t", points=points)])
    assert marks(svg) == {"low": (84.0, 432.0), "high <b>": (776.0, 72.0)}
    assert {"a < b", "note", "x & y", "s & t"} <= set(texts(svg))


def test_a_line_of_very_many_points_has_no_marks() -> None:
    points = tuple(Point(number, number, "") for number in range(151))
    axis = linear_axis("", [150])
    svg = chart_svg("", "", axis, axis, [Series(name="", points=points)])
    assert marks(svg) == {}
    assert svg.count("<polyline") == 1


def test_the_accuracy_figure_has_a_curve_for_each_heuristic() -> None:
    other = replace(MEASUREMENT, job=replace(MEASUREMENT.job, configuration="fsm-max"))
    svg = figure_svg(ACCURACY, findings(experiment(["m"], "astar+blind", "astar+fsm-max"), MEASUREMENT, other))
    assert set(marks(svg)) == {
        f"{name}, distance {distance}: {error} % (1 state)"
        for name in ("blind", "fsm-max")
        for distance, error in ((1, "0.0"), (2, "50.0"))
    }
    assert {"blind", "fsm-max", "distance to the error", "mean relative error (%)"} <= set(texts(svg))


def test_the_sweep_figure_has_the_seconds_over_the_number() -> None:
    asked = experiment(["m"], "wastar:1..3+blind", "bfs")
    runs = [record("m", f"wastar:{n}+blind", length=3, seconds=float(n)) for n in (1, 3)]
    svg = figure_svg("sweep", findings(asked, *runs, record("m", "wastar:2+blind", TIME), record("m", "bfs", length=3)))
    found = marks(svg)
    assert set(found) == {"m, wastar:1+blind: 1.00 s", "m, wastar:3+blind: 3.00 s"}
    (x1, y1), (x3, y3) = found.values()
    assert x1 < x3
    assert y1 > y3
    assert "wastar:N+blind" in texts(svg)


def test_the_scatter_figure_has_a_point_for_each_row_and_the_unanswered_at_the_edge() -> None:
    asked = experiment(["a", "b", "c"], "bfs", "dfs")
    svg = figure_svg(
        "scatter",
        findings(
            asked,
            *(record("a", name, length=3, explored=100) for name in ("bfs", "dfs")),
            record("b", "bfs", length=3, explored=0),
            record("b", "dfs", TIME),
            *(record("c", name, TIME) for name in ("bfs", "dfs")),
        ),
    )
    found = marks(svg)
    assert set(found) == {"a: 100 and 100 states", "b: 0 and no answer in states"}
    assert found["b: 0 and no answer in states"] == (84.0, 72.0)


@pytest.mark.parametrize("kind", [ACCURACY, "sweep", "scatter"])
def test_a_figure_of_nothing_is_still_a_picture(kind: str) -> None:
    svg = figure_svg(kind, findings(experiment(["a"], "wastar:1..2+blind"), interrupted=Stop.INTERRUPT))
    assert marks(svg) == {}


@pytest.mark.parametrize(
    ("kind", "models", "configurations", "fault"),
    [
        (ACCURACY, ["a", "b"], ["astar+blind"], "shows one instance, not 2"),
        (ACCURACY, ["a"], ["bfs"], "shows heuristics"),
        ("sweep", ["a"], ["bfs"], "shows a range"),
        ("scatter", ["a"], ["bfs"], "two configurations, not 1"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_refused(
    kind: str, models: list[str], configurations: list[str], fault: str
) -> None:
    with pytest.raises(ModelError, match=fault):
        require_figure(kind, experiment(models, *configurations))
