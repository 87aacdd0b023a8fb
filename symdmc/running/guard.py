"""A guard holds a thread to the limits of its run, whatever the thread is doing.

What works in steps looks at the limits itself, and returns what it has. Reading, validation and calls of other
libraries do not: there the guard raises LimitReached in the midst of the work, again and again until it has been left.
Native code that does not even notice that can only be ended with the process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from enum import Enum, auto
from types import FrameType, TracebackType
from typing import Any, Protocol, TypeAlias

from symdmc.errors import SymdmcError
from symdmc.outcome import EXIT_CODES, Stop
from symdmc.running.undisturbed import is_compiler, is_import

POLL_SECONDS = {False: 0.05, True: 0.01}
"""How often the guard looks; the second, where memory is limited."""
GRACE = 0.3
"""Seconds for work that looks at the limits itself, before it is interrupted."""
TO_RETURN = 1.0
"""The same for work that has seen the limit and returns what it has."""
EXCESS = 1.05
"""Memory that exceeds the limit by this factor leaves no grace."""
AGAIN = 0.25
TO_IMPORT = 5.0
"""Seconds for an import to end."""
LAST = 1.0
"""Seconds from the first interruption to the end of the process."""
SIGNAL = signal.SIGURG
"""It wakes the main thread: nothing else sends it, and where no guard is left it is ignored."""

LastWords: TypeAlias = Callable[[Stop], None]


class _Place(Enum):
    """Where a thread is."""

    OUTSIDE = auto()
    """Not in what is guarded, or about to enter or to leave it."""
    UNDISTURBED = auto()
    """In work that would do harm if it were left in the midst; the process may end all the same."""
    INSIDE = auto()


class LimitReached(BaseException):
    """Raised where a run cannot return what it has so far; becomes an outcome.

    As Ctrl-C it is no Exception, so that whoever handles all errors does not go on.
    """

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop)
        self.stop = stop

    def __str__(self) -> str:
        return self.stop.words

    def __reduce__(self) -> tuple[type[LimitReached], tuple[Stop]]:
        return LimitReached, (self.stop,)


class _TimeReached(LimitReached):
    def __init__(self) -> None:
        super().__init__(Stop.TIME)


class _MemoryReached(LimitReached):
    def __init__(self) -> None:
        super().__init__(Stop.MEMORY)


_RAISED = {Stop.TIME: _TimeReached, Stop.MEMORY: _MemoryReached}


class Watched(Protocol):
    """What a guard has to know about a run."""

    @property
    def overtime(self) -> float:
        """The seconds since the time limit."""

    @property
    def fullness(self) -> float:
        """The memory that is occupied, as a part of the limit."""

    @property
    def noticed(self) -> float | None:
        """The seconds since the work has seen that a limit is reached; None if it has not."""


class Guard:
    """Holds the thread that enters it to the limits of a run until the thread leaves it.

    `last_words` are written, and the process ended, if the thread does not heed the limit; without them it is only
    interrupted.
    """

    def __init__(self, run: Watched, last_words: LastWords | None = None) -> None:
        self._run, self._last_words = run, last_words
        self._left = threading.Event()
        self._lock = threading.Lock()
        self._raising: Stop | None = None
        self._due_since: float | None = None
        self._before: Any = None  # Any: a handler of signals has no type of its own
        self._told_lost = sys.unraisablehook
        self._lost: Stop | None = None
        """What was raised where nothing can be raised."""
        self.pauses = 0
        """The limits are somebody else's business while this is not 0."""

    def __enter__(self) -> Guard:
        self._frame = sys._getframe(1)
        self._guarded = threading.get_ident()
        self._in_main = threading.current_thread() is threading.main_thread()
        if self._in_main:
            self._before = signal.signal(SIGNAL, self._wake)
        self._told_lost, sys.unraisablehook = sys.unraisablehook, self._pass_over
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trail: TracebackType | None
    ) -> None:
        self._left.set()
        with self._lock:
            self._raising = None
            del self._frame
        if sys.unraisablehook == self._pass_over:
            sys.unraisablehook = self._told_lost
        if self._in_main:
            os.getppid()  # a signal that is on its way arrives now, with the handler that knows what it means
            signal.signal(SIGNAL, self._before)
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._guarded), None)
        if self._lost is not None and isinstance(error, Exception) and not isinstance(error, SymdmcError):
            raise LimitReached(self._lost) from error

    def _wake(self, number: int, frame: FrameType | None) -> None:
        """The main thread has been woken, by this guard, by one around it or by somebody else."""
        if self._raising is not None and self._place(frame) is _Place.INSIDE:
            raise LimitReached(self._raising)
        if callable(self._before):
            self._before(number, frame)

    def _pass_over(self, lost: sys.UnraisableHookArgs) -> None:
        """What was raised where nothing can be raised, such as a destructor, is raised again: no word about it.

        In a callback of a compiler it is an error that follows, since the callback has not done its work.
        """
        if isinstance(lost.exc_value, LimitReached):
            self._lost = lost.exc_value.stop
        else:
            self._told_lost(lost)

    def _place(self, frame: FrameType | None) -> _Place:
        """Where a thread is that is at this frame.

        An import is to be whole, if it does not take too long; what is compiled, however long it takes.
        """
        since = time.monotonic() if self._due_since is None else self._due_since
        may_import = time.monotonic() - since < TO_IMPORT
        place = _Place.INSIDE
        while frame is not None and frame is not self._frame:
            if frame.f_code in _AT_THE_BORDER:
                return _Place.OUTSIDE
            if is_compiler(frame) or (may_import and is_import(frame)):
                place = _Place.UNDISTURBED
            frame = frame.f_back
        return _Place.OUTSIDE if frame is None else place

    def _watch(self) -> None:
        while not self._left.wait(POLL_SECONDS[self._run.fullness > 0]):
            stop = None if self.pauses else self._due()
            if stop is None:
                continue
            since = self._due_since = self._due_since or time.monotonic()
            with self._lock:
                if not self._left.is_set():
                    self._hold(self._place(sys._current_frames().get(self._guarded)), stop, since)
            self._left.wait(AGAIN)

    def _hold(self, place: _Place, stop: Stop, since: float) -> None:
        """Interrupt a thread that has not heeded a limit since then, or end the process."""
        if place is _Place.INSIDE:
            self._interrupt(stop)
        if place is not _Place.OUTSIDE and self._last_words is not None and time.monotonic() - since > LAST:
            self._last_words(stop)
            os._exit(EXIT_CODES[stop])

    def _due(self) -> Stop | None:
        """The limit that the work has not heeded, if there is one."""
        run = self._run
        if run.noticed is not None and run.noticed < TO_RETURN:
            return None
        if run.overtime > GRACE:
            return Stop.TIME
        if run.fullness > EXCESS or (run.fullness > 1 and not self._left.wait(GRACE) and run.fullness > 1):
            return Stop.MEMORY
        return None

    def _interrupt(self, stop: Stop) -> None:
        self._raising = stop
        if self._in_main:
            signal.pthread_kill(self._guarded, SIGNAL)
        else:
            raised = ctypes.py_object(_RAISED[stop])
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._guarded), raised)


_AT_THE_BORDER = (Guard.__enter__.__code__, Guard.__exit__.__code__)
