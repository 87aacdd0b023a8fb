"""Time and memory of this process, and the limits set on them."""

from __future__ import annotations

import os
import resource
import sys
import time
from functools import cache
from pathlib import Path

from symdmc.outcome import Limits, Stop

_MIB = 1 << 20
LOOK_EVERY = 0.05
"""Seconds between two looks at the memory at checkpoints, which may be very many."""


class LimitReached(Exception):
    """Raised where a run cannot return what it has so far; becomes an outcome."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.value)
        self.stop = stop


class Watch:
    """Measures one run and says when a limit is reached."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._start = time.monotonic()
        self._looked = -LOOK_EVERY
        self._most_elsewhere = 0

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return time.monotonic() - self._start

    def stop(self, elsewhere: int = 0) -> Stop | None:
        """The limit that is reached, if any, by this process or by the memory of another one."""
        if self.limits.seconds is not None and self.seconds >= self.limits.seconds:
            return Stop.TIME
        if max(resident_bytes(), elsewhere) > self.memory_bytes:
            return Stop.MEMORY
        return None

    def checkpoint(self) -> None:
        """Raise LimitReached at a limit; cheap enough for an inner loop."""
        seconds = self.seconds
        if seconds - self._looked < LOOK_EVERY:
            return
        self._looked = seconds
        stop = self.stop()
        if stop is not None:
            raise LimitReached(stop)

    def note_elsewhere(self, occupied: int) -> None:
        """Take note of what a child process that works for this run occupies."""
        self._most_elsewhere = max(self._most_elsewhere, occupied)

    def peak_memory_mb(self) -> float:
        """The most memory that this process ever occupied, or one that worked for this run."""
        return max(peak_memory_mb(), round(self._most_elsewhere / _MIB, 1))

    @property
    def memory_bytes(self) -> int:
        """What the process may occupy: the limit, or nine tenths of what the machine has."""
        machine = machine_bytes() * 9 // 10
        return machine if self.limits.memory_mb is None else min(machine, self.limits.memory_mb * _MIB)


@cache
def machine_bytes() -> int:
    """The memory this process can ever have: that of the machine, or of the container around it."""
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            sizes.append(int(Path(file).read_text()))
        except (OSError, ValueError):
            continue
    return min(sizes)


def resident_bytes() -> int:
    """The memory this process occupies now; where the system does not say, the most it ever did."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return peak_bytes()
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_memory_mb() -> float:
    """The most memory this process ever occupied."""
    return round(peak_bytes() / _MIB, 1)


def peak_bytes() -> int:
    """The same in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
