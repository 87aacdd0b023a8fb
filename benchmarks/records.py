"""What the benchmark commands share: child processes for clean measurements, tables, result files."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeVar

CHECKOUT = Path(__file__).resolve().parents[1]
RESULTS = CHECKOUT / "benchmarks" / "results"
BENCHMARKS = Path(os.environ.get("SYMDMC_BENCHMARKS", CHECKOUT.parent / "shared" / "benchmarks"))

Job = TypeVar("Job")
Row = dict[str, Any]


def in_children(work: Callable[[Job], list[Row]], jobs: Iterable[Job], workers: int) -> Iterator[list[Row]]:
    """The rows of every job, each made in a process of its own, so that one cannot touch the figures of another."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, max_tasks_per_child=1) as pool:
        futures = [pool.submit(work, job) for job in jobs]
        for future in as_completed(futures):
            yield future.result()


def fits(name: str, patterns: str) -> bool:
    """Whether the name fits one of the patterns, which commas separate."""
    return any(fnmatch(name, pattern) for pattern in patterns.split(","))


def table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """The rows as a Markdown table."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in rows:
        lines.append("| " + " | ".join(_text(row.get(column)) for column in columns) + " |")
    return "\n".join(lines)


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3g}" if isinstance(value, float) else str(value)


def write_results(name: str, rows: Sequence[Row], **facts: Any) -> Path:
    """Keep rows and facts in benchmarks/results, with what kind of machine they come from."""
    RESULTS.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine, **facts, "rows": rows}, indent=1) + "\n")
    return path
