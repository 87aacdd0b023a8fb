"""Work that symdmc gives to child processes, done in this process: small systems need less time than a fork takes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import symdmc.patterndb.supervised
import symdmc.search.symbolic.symbolic
from symdmc.outcome import Stop
from symdmc.running.run import Run
from symdmc.running.supervision import Supervised

CALLERS = (symdmc.patterndb.supervised, symdmc.search.symbolic.symbolic)
LONGEST = 30.0


class _TooLong(BaseException):
    """The time for one piece of work is over."""


@contextmanager
def without_children() -> Iterator[None]:
    """While this is open, no child process is started."""
    kept = [vars(module)["supervise"] for module in CALLERS]
    try:
        for module in CALLERS:
            setattr(module, "supervise", _at_once)  # noqa: B010  # mypy does not let the module be changed
        yield
    finally:
        for module, before in zip(CALLERS, kept, strict=True):
            setattr(module, "supervise", before)  # noqa: B010


def _at_once(  # Any: whatever the work says and gives
    work: Callable[[Callable[[Any], None]], Any], run: Run, on_report: Callable[[Any], None]
) -> Supervised[Any, Any]:
    left = LONGEST if run.limits.seconds is None else max(0.1, run.limits.seconds - run.seconds)
    before = signal.signal(signal.SIGALRM, _ended)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        return Supervised(work(on_report), None, None)
    except _TooLong:
        return Supervised(None, None, Stop.TIME)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ended(number: int, frame: FrameType | None) -> None:
    raise _TooLong
