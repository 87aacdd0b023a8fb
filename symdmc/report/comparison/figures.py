"""Comparisons as pictures: the error of estimates, the time over a bound, one configuration against another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symdmc.errors import Code, Complaint, ModelError
from symdmc.experiment.conduct import Findings
from symdmc.experiment.plan import Experiment
from symdmc.experiment.record import Record
from symdmc.report.pictures.chart import Axis, Point, Series, chart_svg, linear_axis, logarithmic_axis
from symdmc.spelling.plurals import counted

ACCURACY, SWEEP, SCATTER = "accuracy", "sweep", "scatter"
KINDS = (ACCURACY, SWEEP, SCATTER)


def require_figure(kind: str, experiment: Experiment) -> None:
    """Raise ModelError where the figure cannot show the experiment."""
    configurations = experiment.configurations
    if kind == ACCURACY and len(experiment.instances) != 1:
        what = f"the figure {kind} shows one instance, not {len(experiment.instances)}"
        raise ModelError(Complaint(Code.FIGURE_DOES_NOT_FIT, what, "name one model"))
    if kind == ACCURACY and not any(configuration.request.heuristic_text for configuration in configurations):
        raise ModelError(
            Complaint(
                Code.FIGURE_DOES_NOT_FIT, f"the figure {kind} shows heuristics", "name a configuration that has one"
            )
        )
    if kind == SWEEP and not any(configuration.sweep for configuration in configurations):
        what = f"the figure {kind} shows a range of configurations"
        raise ModelError(Complaint(Code.FIGURE_DOES_NOT_FIT, what, "name one, such as greedy+merge:10..200/10"))
    if kind == SCATTER and len(configurations) != 2:
        what = f"the figure {kind} shows two configurations, not {len(configurations)}"
        raise ModelError(Complaint(Code.FIGURE_DOES_NOT_FIT, what, "name two"))


def figure_svg(kind: str, findings: Findings) -> str:
    """The figure of a kind, as an SVG file."""
    return _DRAWN[kind](findings)


def accuracy_figure(findings: Findings) -> str:
    """The mean relative error of each heuristic over the distance [DFP09, figures 6 and 7]."""
    measured = [record for record in findings.measurements if record.accuracy is not None]
    series = [_error_series(record) for record in measured]
    points = [point for each in series for point in each.points]
    states = max((record.accuracy.states for record in measured if record.accuracy), default=0)
    return chart_svg(
        findings.experiment.instances[0].model,
        f"mean of |distance - estimate| over the states at the same distance; {states:,} reachable states",
        linear_axis("distance to the error", [point.x for point in points]),
        linear_axis("mean relative error (%)", [point.y for point in points]),
        series,
    )


def _error_series(record: Record) -> Series:
    assert record.accuracy is not None
    rows = record.accuracy.by_distance
    return Series(
        name=record.job.configuration,
        points=tuple(
            Point(
                distance,
                error,
                f"{record.job.configuration}, distance {distance}: {error:.1f} % ({counted(states, 'state')})",
            )
            for distance, states, error in rows
        ),
    )


def sweep_figure(findings: Findings) -> str:
    """The seconds of each range of configurations over its number, for each row [DFP09, figure 8]."""
    experiment = findings.experiment
    points: dict[str, list[Point]] = {}
    for row in experiment.rows:
        for configuration in experiment.configurations:
            runs = findings.of(row, configuration)
            if configuration.sweep is None or not all(run is not None and run.is_answer for run in runs):
                continue
            seconds = sum(run.seconds or 0.0 for run in runs if run is not None) / len(runs)
            name = configuration.sweep.name if len(experiment.rows) == 1 else f"{row.name}: {configuration.sweep.name}"
            tooltip = f"{row.name}, {configuration.text}: {seconds:.2f} s"
            points.setdefault(name, []).append(Point(configuration.sweep.number, seconds, tooltip))
    found = [point for each in points.values() for point in each]
    return chart_svg(
        experiment.rows[0].name if len(experiment.rows) == 1 else "time over the bound",
        "total time; runs without an answer are left out",
        linear_axis("N", [point.x for point in found]),
        linear_axis("seconds", [point.y for point in found]),
        [Series(name=name, points=tuple(sorted(each, key=lambda p: p.x))) for name, each in points.items()],
    )


def scatter_figure(findings: Findings) -> str:
    """The explored states of two configurations, a point for each row; points without an answer are at the edge."""
    experiment = findings.experiment
    first, second = experiment.configurations
    pairs = [
        (row.name, _explored(findings.of(row, first)), _explored(findings.of(row, second))) for row in experiment.rows
    ]
    values = [max(value, 1.0) for _, *both in pairs for value in both if value is not None]
    axis = logarithmic_axis("", [*values, 10 * max(values, default=1.0)])
    points = tuple(
        Point(_placed(x, axis), _placed(y, axis), f"{name}: {_count(x)} and {_count(y)} states")
        for name, x, y in pairs
        if x is not None or y is not None
    )
    return chart_svg(
        f"explored states: {first.text} and {second.text}",
        "below the diagonal the second one explores less; points at the upper or right edge have no answer there",
        Axis(label=first.text, low=axis.low, high=axis.high, logarithmic=True),
        Axis(label=second.text, low=axis.low, high=axis.high, logarithmic=True),
        [Series(name="", points=points, joined=False)],
        diagonal=True,
    )


def _explored(runs: tuple[Record | None, ...]) -> float | None:
    """The mean of the explored states; None where a run has no answer or explores no single states."""
    found = [run.explored for run in runs if run is not None and run.is_answer and run.explored is not None]
    return sum(found) / len(found) if found and len(found) == len(runs) else None


def _placed(value: float | None, axis: Axis) -> float:
    return axis.high if value is None else max(value, 1.0)


def _count(value: float | None) -> str:
    return "no answer in" if value is None else f"{value:,.0f}"


_DRAWN: Mapping[str, Callable[[Findings], str]] = {
    ACCURACY: accuracy_figure,
    SWEEP: sweep_figure,
    SCATTER: scatter_figure,
}
