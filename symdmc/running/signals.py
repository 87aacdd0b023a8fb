"""SIGTERM and SIGHUP are answered as Ctrl-C is: what is known is told, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

from symdmc.outcome import EXIT_CODES, Stop
from symdmc.running.undisturbed import compiles

ANSWERED = {signal.SIGINT: Stop.INTERRUPT, signal.SIGTERM: Stop.TERMINATED, signal.SIGHUP: Stop.HANG_UP}
PATIENCE = 10.0
"""Seconds that a process may take to end after a signal: native code that does not return is left alone as long."""
TO_COMPILE = 0.4
"""The same where it compiles: what is raised there can crash the process, so it is not interrupted but ended."""
POLL_SECONDS = 0.05
AGAIN = 1.0
"""A signal that follows another one within this many seconds does not disturb how that one is answered."""

_LOST: list[Stop] = []

LastWords: TypeAlias = Callable[[Stop], None]


def _only_the_reason(stop: Stop) -> None:
    os.write(2, f"error: {stop.value}\n".encode())


_LAST_WORDS: list[LastWords] = [_only_the_reason]


class Signalled(KeyboardInterrupt):
    """SIGTERM or SIGHUP came."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.value)
        self.stop = stop
        self.exit_code = EXIT_CODES[stop]


def stop_of(interrupt: KeyboardInterrupt) -> Stop:
    """Which signal interrupted a run."""
    return interrupt.stop if isinstance(interrupt, Signalled) else Stop.INTERRUPT


def interrupt_of(stop: Stop) -> KeyboardInterrupt:
    """What a signal raises."""
    return KeyboardInterrupt() if stop is Stop.INTERRUPT else Signalled(stop)


def lost_signal() -> Stop | None:
    """The last signal that was raised where nothing can be raised: an error that follows is likely to come of it."""
    return _LOST[-1] if _LOST else None


@contextmanager
def with_last_words(words: LastWords) -> Iterator[None]:
    """What is written while this is open if a signal leads to nothing and the process is ended."""
    _LAST_WORDS.append(words)
    try:
        yield
    finally:
        _LAST_WORDS.remove(words)


def answer_signals() -> None:
    """From now on the signals raise KeyboardInterrupt, and end this process if that leads to nothing.

    A signal that this process was started to ignore, as by nohup, stays ignored. What is raised in the midst of a
    destructor is lost, so the signal is sent once more.
    """
    answers = _Answers()
    for number in ANSWERED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, answers.raise_interrupt)
    sys.unraisablehook = answers.note_lost
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=answers.end_after_signal, args=(heard,), daemon=True).start()


class _Answers:
    """How a process answers signals."""

    def __init__(self) -> None:
        self.last = -AGAIN
        self.is_lost = False

    def raise_interrupt(self, number: int, frame: FrameType | None) -> None:
        if time.monotonic() - self.last < AGAIN:
            return
        if compiles(frame):
            self.is_lost = True  # it is sent once more
            return
        self.last = time.monotonic()
        raise interrupt_of(ANSWERED[signal.Signals(number)])

    def note_lost(self, lost: sys.UnraisableHookArgs) -> None:
        """Take note of an interrupt that was raised where nothing can be raised."""
        if isinstance(lost.exc_value, KeyboardInterrupt):
            self.is_lost = True
            _LOST.append(stop_of(lost.exc_value))
        else:
            sys.__unraisablehook__(lost)

    def end_after_signal(self, heard: int) -> None:
        """Wait for a signal, and end the process if it goes on all the same."""
        number = 0
        while number not in list(ANSWERED):
            number = int.from_bytes(os.read(heard, 1), "little")
        began = time.monotonic()
        while (waited := time.monotonic() - began) < PATIENCE:
            if waited > TO_COMPILE and compiles(sys._current_frames().get(threading.main_thread().ident or 0)):
                break
            time.sleep(POLL_SECONDS)
            if self.is_lost:
                self.is_lost, self.last = False, -AGAIN
                os.kill(os.getpid(), number)
        stop = ANSWERED[signal.Signals(number)]
        _LAST_WORDS[-1](stop)
        os._exit(EXIT_CODES[stop])
