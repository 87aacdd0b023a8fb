"""One line on the terminal that shows how far a search has come."""

from __future__ import annotations

import os
import sys
import threading
from typing import IO

from symdmc.outcome import Progress
from symdmc.running.run import Run, resident_bytes
from symdmc.spelling.plurals import counted
from symdmc.spelling.printable import printable

QUIET_SECONDS = 1.0
"""A run that takes less time than this shows no progress."""
INTERVAL = 0.2


class ProgressLine:
    """A progress callback that keeps rewriting its line while it is open, and removes it when it is closed.

    A phase that lasts has its seconds counted, also where nothing is told for long.
    """

    def __init__(self, stream: IO[str], *, enabled: bool) -> None:
        self._stream = stream
        self._enabled = enabled
        self._is_shown = False
        self._last = (0.0, 0)
        self._phase = ("", 0.0)
        """The kind of phase shown last, and when."""
        self._closed = threading.Event()
        self._lock = threading.RLock()

    def __enter__(self) -> ProgressLine:
        return self

    def watch(self, run: Run) -> None:
        """Have the run tell this line, and show what it does also where it tells nothing."""
        run.report_to(self)
        if self._enabled:
            threading.Thread(target=self._count_seconds, args=(run,), daemon=True).start()

    def __exit__(self, *raised: object) -> None:
        self._closed.set()
        if self._is_shown:
            self._write("")

    def _count_seconds(self, run: Run) -> None:
        while not self._closed.wait(QUIET_SECONDS):
            phase, seconds = run.phase, run.seconds - run.phase_began
            with self._lock:
                if phase and seconds >= QUIET_SECONDS and not self._closed.is_set():
                    self._write(f"{phase}, {seconds:.0f} s")

    def __call__(self, progress: Progress) -> None:
        """Show the progress, but not too often; a new phase is shown at once."""
        if not self._enabled:
            return
        if progress.phase:
            self._show_phase(progress)
        elif progress.seconds >= QUIET_SECONDS and progress.seconds - self._last[0] >= INTERVAL:
            self._write(self._line(progress))
            self._last = (progress.seconds, progress.explored)

    def _show_phase(self, progress: Progress) -> None:
        """Show the phase; one with a counter, as `layer: 7`, is the same phase at every number."""
        kind, since = self._phase
        new = progress.phase.partition(":")[0]
        if new != kind or progress.seconds - since >= INTERVAL:
            self._write(progress.phase)
            self._phase = (new, progress.seconds)

    def _write(self, text: str) -> None:
        with self._lock:
            self._is_shown = True  # also if Ctrl-C comes in between
            self._stream.write(f"\r\x1b[K{printable(text)}")
            self._stream.flush()
            self._is_shown = bool(text)

    def _line(self, progress: Progress) -> str:
        since, before = self._last
        speed = (progress.explored - before) / max(progress.seconds - since, 1e-3)
        parts = (
            f"{progress.seconds:.0f} s",
            f"{counted(progress.explored, 'state')} explored",
            f"{speed:,.0f}/s",
            f"depth {progress.depth}",
            f"{resident_bytes() / 2**20:,.0f} MB",
        )
        return ", ".join(parts)


def stderr_rewrites_lines() -> bool:
    """Whether stderr is a terminal that can rewrite a line."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def progress_on_terminal(run: Run | None = None, *, quiet: bool) -> ProgressLine:
    """A progress line on stderr that the run reports to, mute unless stderr is a terminal that can rewrite a line."""
    line = ProgressLine(sys.stderr, enabled=not quiet and stderr_rewrites_lines())
    if run is not None:
        line.watch(run)
    return line
