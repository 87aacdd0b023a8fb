"""One run: limits, a clock, progress; and the time and memory of this process."""

from __future__ import annotations

import math
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from symdmc.outcome import Progress, ProgressCallback, Stop
from symdmc.running.guard import Guard, LastWords
from symdmc.running.guard import LimitReached as LimitReached
from symdmc.spelling.kinds import is_amount, wrong_kind

Result = TypeVar("Result")

_MIB = 1 << 20
CHECK_EVERY = 0.05
"""Checkpoints that follow a check of the limits by fewer seconds than this do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may use at most; None means no limit."""

    seconds: float | None = None
    memory_mb: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not is_amount(self.seconds):
            raise wrong_kind(
                "the argument time_limit", self.seconds, "seconds as a number that is not negative, or None"
            )
        if self.memory_mb is not None and not (is_amount(self.memory_mb) and isinstance(self.memory_mb, int)):
            wanted = "megabytes as an integer that is not negative, or None"
            raise wrong_kind("the argument memory_limit", self.memory_mb, wanted)


class Run:
    """One run: its limits, its clock, and who is told of its progress.

    The clock starts now, or has run for as many seconds as the process is old that was started for this run.
    """

    def __init__(
        self, limits: Limits = Limits(), progress: ProgressCallback | None = None, *, age: float = 0.0
    ) -> None:
        if progress is not None and not callable(progress):
            raise wrong_kind("the argument progress", progress, "a function, or None")
        self.limits = limits
        self._progress = progress
        self._start = time.monotonic() - age
        self._checked = -CHECK_EVERY
        self._most_elsewhere = 0
        self._guard: Guard | None = None
        self._noticed: float | None = None
        self._is_over = False
        self.phase = ""
        """What is done now, in words; empty while searching."""
        self.phase_began = 0.0

    def report_to(self, progress: ProgressCallback | None) -> None:
        """From now on tell this callback of progress."""
        self._progress = progress

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._start

    def stop(self, elsewhere: int = 0) -> Stop | None:
        """The limit that is reached, if any, by this process or by the memory of another one."""
        stop = None
        if self.overtime >= 0:
            stop = Stop.TIME
        elif max(resident_bytes(), elsewhere) > self.memory_bytes:
            stop = Stop.MEMORY
        if stop is not None and self._noticed is None:
            self._noticed = self.seconds
        return stop

    def guarded(self, work: Callable[[], Result], last_words: LastWords | None = None) -> Result:
        """What the work returns; LimitReached is raised where it does not heed the limits, see Guard."""
        if self._guard is not None or self.limits == Limits():
            return work()
        self._guard = Guard(self, last_words)
        try:
            with self._guard:
                return work()
        finally:
            self._guard = None

    @contextmanager
    def unguarded(self) -> Iterator[None]:
        """Inside, somebody else looks at the limits all the time."""
        guard = self._guard
        if guard is None:
            yield
            return
        guard.pauses += 1
        try:
            yield
        finally:
            guard.pauses -= 1

    def reason(self, stop: Stop) -> str:
        """Why the run ended without an answer, and at what."""
        return f"{stop.words} while {self.phase}" if self.phase else stop.words

    def end(self) -> None:
        """From now on the limits do not matter: there is an answer, and it only has to be told."""
        self._is_over = True

    @property
    def overtime(self) -> float:
        """The seconds since the time limit; negative before."""
        return -math.inf if self.limits.seconds is None or self._is_over else self.seconds - self.limits.seconds

    @property
    def fullness(self) -> float:
        """The memory that this process occupies, as a part of the limit."""
        return 0.0 if self.limits.memory_mb is None or self._is_over else resident_bytes() / self.memory_bytes

    @property
    def noticed(self) -> float | None:
        """The seconds since the work has seen that a limit is reached; None if it has not."""
        return None if self._noticed is None else self.seconds - self._noticed

    def checkpoint(self) -> None:
        """Raise LimitReached at a limit; cheap enough for an inner loop."""
        seconds = self.seconds
        if seconds - self._checked < CHECK_EVERY:
            return
        self._checked = seconds
        stop = self.stop()
        if stop is not None:
            raise LimitReached(stop)

    def begin(self, phase: str) -> None:
        """Take note of what is done now; it is worth a word only if it lasts or meets a limit."""
        self.phase, self.phase_began = phase, self.seconds

    def say(self, phase: str, depth: int = 0) -> None:
        """Tell what is done now, in words."""
        self.tell(depth=depth, phase=phase)

    def tell(self, *, explored: int = 0, generated: int = 0, stored: int = 0, depth: int = 0, phase: str = "") -> None:
        """Tell how far the run is."""
        self.begin(phase)
        if self._progress is not None:
            self._progress(
                Progress(
                    explored=explored,
                    generated=generated,
                    stored=stored,
                    depth=depth,
                    seconds=self.seconds,
                    phase=phase,
                )
            )

    def note_elsewhere(self, occupied: int) -> None:
        """Take note of the memory that a child process of this run occupies."""
        self._most_elsewhere = max(self._most_elsewhere, occupied)

    def peak_memory_mb(self) -> float:
        """The most memory that this process, or a child process of this run, ever occupied."""
        return max(peak_memory_mb(), round(self._most_elsewhere / _MIB, 1))

    @property
    def memory_bytes(self) -> int:
        """The memory that the process may occupy: the limit, or nine tenths of what there is."""
        sizes = [machine_bytes() * 9 // 10]
        if self.limits.memory_mb is not None:
            sizes.append(self.limits.memory_mb * _MIB)
        addresses = addresses_left()
        if addresses is not None:
            sizes.append(resident_bytes() + addresses * 9 // 10)
        return min(sizes)

    @property
    def memory_left(self) -> int:
        """The bytes that new arrays may take."""
        return max(_MIB, self.memory_bytes - resident_bytes())


@cache
def machine_bytes() -> int:
    """The memory this process can ever have: that of the machine, of the container around it, or its address space."""
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY:
        sizes.append(most)
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            sizes.append(int(Path(file).read_text()))
        except (OSError, ValueError):
            continue
    return min(sizes)


def addresses_left() -> int | None:
    """The bytes by which the address space of this process may still grow; None where that is not limited."""
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    taken = _bytes_of(0)
    return None if most == resource.RLIM_INFINITY or taken is None else max(0, most - taken)


def resident_bytes() -> int:
    """The memory this process occupies now; where the system does not say, the most it ever did."""
    occupied = _bytes_of(1)
    return peak_bytes() if occupied is None else occupied


def _bytes_of(place: int) -> int | None:
    """What the system says at this place about the memory of this process; None where it does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[place]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return None


def peak_memory_mb() -> float:
    """The most memory this process ever occupied."""
    return round(peak_bytes() / _MIB, 1)


def peak_bytes() -> int:
    """The same in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
