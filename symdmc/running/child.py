"""How every child process begins: it ends with its parent, whatever ends that, and at a time of its own.

`python -m symdmc.running.child PARENT LIFELINE SECONDS MODULE` does so before it imports the module and calls its
`main`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from contextlib import suppress
from importlib import import_module

ANSWERED_BY_PARENT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1
CHILD = "symdmc.running.child"


class Lifeline:
    """A pipe of which only the parent holds the writing end: when the parent is gone, the child reads its end."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def close(self) -> None:
        """Let go of both ends."""
        for end in (self.reading, self.writing):
            with suppress(OSError):
                os.close(end)


def begin(parent: int, lifeline: int, seconds: float | None) -> None:
    """What a child does first; `lifeline` is the end to read from, `seconds` how long the child may run."""
    for number in ANSWERED_BY_PARENT:
        signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGALRM, signal.SIGURG):
        signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [*ANSWERED_BY_PARENT, signal.SIGALRM])
    if not ended_by_kernel():
        threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    if os.getppid() != parent:  # it was gone already
        os._exit(1)
    if seconds is not None:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))


def ended_by_kernel() -> bool:
    """Have the kernel end this process with its parent, also in the midst of native code; False where it cannot."""
    if not sys.platform.startswith("linux"):
        return False
    with suppress(OSError, AttributeError):
        return ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0  # type: ignore[no-any-return]
    return False


def _end_with(lifeline: int) -> None:
    """Wait until the parent is gone, then end."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def command_of(module: str, lifeline: Lifeline, seconds: float | None) -> list[str]:
    """The command line of a child that begins as it should and then calls `main` of a module."""
    limit = "" if seconds is None else repr(seconds)
    return [sys.executable, "-P", "-m", CHILD, str(os.getpid()), str(lifeline.reading), limit, module]


def main() -> None:
    """Begin, then do the work."""
    parent, lifeline, seconds, module = sys.argv[1:]
    begin(int(parent), int(lifeline), float(seconds) if seconds else None)
    import_module(module).main()


if __name__ == "__main__":
    main()
