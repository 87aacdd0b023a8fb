"""Lines on the terminal that show how far a comparison has come."""

from __future__ import annotations

import os
import sys
from typing import IO

from symdmc.experiment.record import ACCURACY, ERROR, Job, Record
from symdmc.report.comparison.table import count_text
from symdmc.report.progress import stderr_rewrites_lines
from symdmc.spelling.printable import printable_lines


class RunLines:
    """A line for each run that has ended, and below them one line for the runs in progress."""

    def __init__(self, stream: IO[str], total: int, *, enabled: bool) -> None:
        self._stream = stream
        self._total = total
        self._enabled = enabled
        self._done = 0
        self._running: list[Job] = []

    def __enter__(self) -> RunLines:
        return self

    def __exit__(self, *raised: object) -> None:
        self._rewrite("")

    def started(self, job: Job) -> None:
        """A run begins."""
        self._running.append(job)
        self._show_running()

    def ended(self, record: Record) -> None:
        """A run has ended."""
        self._done += 1
        self._running.remove(record.job)
        width = len(str(self._total))
        self._rewrite(f"[{self._done:{width}}/{self._total}] {run_text(record)}\n")
        self._show_running()

    def _show_running(self) -> None:
        names = "; ".join(f"{job.model} {job.configuration}" for job in self._running)
        self._rewrite(f"running: {names}"[: _columns() - 1] if names else "")

    def _rewrite(self, text: str) -> None:
        if self._enabled:
            self._stream.write(f"\r\x1b[K{printable_lines(text)}")
            self._stream.flush()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def run_text(record: Record) -> str:
    """How a run ended, in a line."""
    job = record.job
    name = f"{job.model} {job.configuration}" + ("" if job.seed is None else f" (seed {job.seed})")
    if job.kind == ACCURACY:
        return f"{name}: accuracy {'measured' if record.accuracy is not None else record.reason}"
    parts = [record.outcome if record.is_answer else f"{record.outcome}: {record.reason}"]
    if record.outcome == ERROR:
        parts.append(f"length {record.length}")
    if record.explored is not None:
        parts.append(f"{count_text(record.explored)} {'state' if record.explored == 1 else 'states'} explored")
    if record.seconds is not None:
        parts.append(f"{record.seconds:.2f} s")
    return f"{name}: {', '.join(parts)}"


def run_lines_on_terminal(total: int, *, quiet: bool) -> RunLines:
    """Progress on stderr, mute unless stderr is a terminal that can rewrite a line."""
    return RunLines(sys.stderr, total, enabled=not quiet and stderr_rewrites_lines())
