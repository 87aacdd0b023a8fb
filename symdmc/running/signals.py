"""SIGTERM and SIGHUP are answered as Ctrl-C is: what is known is told, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from types import FrameType

from symdmc.outcome import EXIT_CODES, Stop

ANSWERED = {signal.SIGINT: Stop.INTERRUPT, signal.SIGTERM: Stop.TERMINATED, signal.SIGHUP: Stop.HANG_UP}
PATIENCE = 10.0
"""Seconds that a process may take to end after a signal: native code that does not return is left alone as long."""
AGAIN = 1.0
"""A signal that follows another one within this many seconds does not disturb how that one is answered."""


class Signalled(KeyboardInterrupt):
    """SIGTERM or SIGHUP came."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.value)
        self.stop = stop
        self.exit_code = EXIT_CODES[stop]


def stop_of(interrupt: KeyboardInterrupt) -> Stop:
    """Which signal interrupted a run."""
    return interrupt.stop if isinstance(interrupt, Signalled) else Stop.INTERRUPT


def answer_signals() -> None:
    """From now on the signals raise KeyboardInterrupt, and end this process if that leads to nothing.

    A signal that this process was started to ignore, as by nohup, stays ignored.
    """
    last = -AGAIN

    def answer(number: int, frame: FrameType | None) -> None:
        nonlocal last
        if time.monotonic() - last < AGAIN:
            return
        last = time.monotonic()
        stop = ANSWERED[signal.Signals(number)]
        raise KeyboardInterrupt if stop is Stop.INTERRUPT else Signalled(stop)

    for number in ANSWERED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, answer)
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_end_after_signal, args=(heard,), daemon=True).start()


def _end_after_signal(heard: int) -> None:
    """Wait for a signal, have native code return, and end the process if it goes on all the same."""
    while True:
        number = int.from_bytes(os.read(heard, 1), "little")
        if number not in list(ANSWERED):
            continue
        interrupt_solver()
        time.sleep(PATIENCE)
        stop = ANSWERED[signal.Signals(number)]
        os.write(2, f"error: {stop.value}\n".encode())
        os._exit(EXIT_CODES[stop])


def interrupt_solver() -> None:
    """Have z3, if it is loaded, return from what it is doing."""
    z3 = sys.modules.get("z3")
    if z3 is not None:
        z3.main_ctx().interrupt()
