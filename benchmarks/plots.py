"""Figures of measurements; needs the extra `plots` (matplotlib)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.records import Row


def bars(rows: Sequence[Row], columns: Mapping[str, str], path: Path, *, title: str, unit: str) -> None:
    """A horizontal bar for each model and each column that has a number; the file's ending chooses the format."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.6 * len(rows)), layout="constrained")
    height = 0.8 / len(columns)
    for position, (column, label) in enumerate(columns.items()):
        known = [(place, row[column]) for place, row in enumerate(rows) if row.get(column) is not None]
        places = [place + position * height for place, _ in known]
        axes.barh(places, [value for _, value in known], height=height * 0.9, label=label)
    middle = height * (len(columns) - 1) / 2
    axes.set_yticks([place + middle for place in range(len(rows))], [row["model"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    axes.set_title(title)
    axes.legend()
    figure.savefig(path)
    pyplot.close(figure)
