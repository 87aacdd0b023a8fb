"""Work that cannot be interrupted runs in a child process: the parent keeps its last report and ends it at a limit.

An operation on decision diagrams may take minutes and answers no signal. The child is a copy of this process, so the
work needs no packing up to get there; only reports and the result come back.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Generic, TypeVar

from symdmc.errors import InternalError
from symdmc.outcome import Stop
from symdmc.running.child import ANSWERED_BY_PARENT, Lifeline, begin
from symdmc.running.run import LimitReached, Run, peak_bytes
from symdmc.running.signals import stop_of

Report = TypeVar("Report")
Result = TypeVar("Result")

POLL_SECONDS = 0.05
OVERTIME = 5.0
"""Seconds after the time limit at which a child that nobody has ended ends by itself."""
ENDED = {-signal.SIGKILL: Stop.MEMORY, -signal.SIGALRM: Stop.TIME}
"""What it means that a child was ended: the system does so when memory runs out, and at the time of its own."""


@dataclass(frozen=True, slots=True)
class Supervised(Generic[Report, Result]):
    """How the work ended: with a result, or at a limit with the last report."""

    result: Result | None
    report: Report | None
    stop: Stop | None


def supervise(
    work: Callable[[Callable[[Report], None]], Result],
    run: Run,
    on_report: Callable[[Report], None],
) -> Supervised[Report, Result]:
    """Run `work(send_report)` in a child process until it is done or a limit is reached.

    What the work raises is raised here. A signal that ends a run ends the child and counts as a limit. The run gets to
    know what memory the child occupies.
    """
    with run.unguarded():
        return _supervised(work, run, on_report)


def _supervised(
    work: Callable[[Callable[[Report], None]], Result],
    run: Run,
    on_report: Callable[[Report], None],
) -> Supervised[Report, Result]:
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    lifeline = Lifeline()
    seconds = None if run.limits.seconds is None else run.limits.seconds - run.seconds + OVERTIME
    child = context.Process(target=_run, args=(work, sending, os.getpid(), lifeline, seconds), daemon=True)
    last: Report | None = None
    looked = 0.0
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ANSWERED_BY_PARENT)  # until the child does not heed them any more
    child.start()
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        sending.close()
        while True:
            if receiving.poll(POLL_SECONDS):
                try:
                    kind, content = receiving.recv()
                except EOFError:
                    child.join()
                    if child.exitcode in ENDED:
                        return Supervised(None, last, ENDED[child.exitcode])
                    ended = f"exit code {child.exitcode}"
                    raise InternalError(f"the child process ended without an answer ({ended})") from None
                if kind == "peak":
                    run.note_elsewhere(content)
                elif kind == "done":
                    return Supervised(content, last, None)
                elif kind == "raised":
                    raise content
                else:
                    last = content
                    on_report(content)
            if run.seconds - looked >= POLL_SECONDS:  # also while one report follows the other
                looked = run.seconds
                occupied = _resident_bytes(child.pid)
                run.note_elsewhere(occupied)
                stop = run.stop(occupied)
                if stop is not None:
                    return Supervised(None, last, stop)
    except KeyboardInterrupt as interrupt:
        return Supervised(None, last, stop_of(interrupt))
    finally:
        child.kill()
        child.join()
        receiving.close()
        lifeline.close()


def _run(
    work: Callable[[Callable[[Report], None]], Result],
    sending: Connection,
    parent: int,
    lifeline: Lifeline,
    seconds: float | None,
) -> None:
    """What the child does."""
    os.close(lifeline.writing)
    begin(parent, lifeline.reading, seconds)
    try:
        content: tuple[str, object] = ("done", work(lambda report: sending.send(("report", report))))
    except (Exception, LimitReached) as error:
        content = ("raised", error)
    sending.send(("peak", peak_bytes()))
    sending.send(content)


def _resident_bytes(pid: int | None) -> int:
    """The memory another process occupies; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
