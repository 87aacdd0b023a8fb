"""How the tests run the command line, and the small models they run it on."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parents[2]

COUNTER = """\
byte x = 0;
byte y = 0;
process Up {
  state s, t;
  init s;
  trans
    s -> s { guard x < 30; effect x = x + 1; },
    s -> s { guard x < 28; effect x = x + 3; },
    s -> t { guard x == 30; effect y = 1; };
}
system async;
"""
"""A shortest way to x == 30 takes 10 steps; by single steps it takes 30."""

TALK = """\
byte got = 0;
byte a[3];
channel c;
process Sender {
  byte n = 0;
  state idle, busy;
  init idle;
  trans
    idle -> busy { sync c!n + 1; effect n = n + 1; },
    busy -> idle { guard n < 3; };
}
process Receiver {
  state wait, done;
  init wait;
  trans
    wait -> wait { sync c?got; effect a[got - 1] = got; };
}
system async;
"""
"""Three values are passed; then everything stops."""

DIVIDE = """\
byte x = 3;
process P {
  state s, t;
  init s;
  trans
    s -> s { guard x > 0; effect x = x - 1; },
    s -> t { guard 6 / x == 2; };
}
system async;
"""
"""At x == 0 the second guard divides by zero; P.t is reachable at once."""

ASSERTED = """\
byte x = 0;
process P {
  state s, t;
  init s;
  assert t : x == 0;
  trans s -> t { effect x = 1; };
}
system async;
"""

TIMED = """\
from symdmc import Builder


def build():
    m = Builder("timed")
    m.clock("now")
    p = m.process("P", initial="s")
    p.edge("s", "t")
    m.property("end", "P.t")
    return m.build()
"""

LARGE = """\
byte a[6];
process P {
  state s;
  init s;
  trans
    s -> s { effect a[0] = a[0] + 1; },
    s -> s { effect a[1] = a[1] + 1; },
    s -> s { effect a[2] = a[2] + 1; },
    s -> s { effect a[3] = a[3] + 1; },
    s -> s { effect a[4] = a[4] + 1; },
    s -> s { effect a[5] = a[5] + 1; };
}
system async;
"""
"""Far more states than anyone can visit."""

MODELS = {
    "counter.dve": COUNTER,
    "talk.dve": TALK,
    "divide.dve": DIVIDE,
    "asserted.dve": ASSERTED,
    "timed.py": TIMED,
    "large.dve": LARGE,
}


@dataclass(frozen=True)
class Ran:
    """How a command line ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.out)
        return loaded


Runner: TypeAlias = Callable[..., Ran]


def environment() -> dict[str, str]:
    """The variables of a child process that imports this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


HEEDING = """\
import runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
runpy.run_module("symdmc", run_name="__main__", alter_sys=True)
"""
"""`python -m symdmc` in a process that heeds Ctrl-C and SIGHUP, even if the one that started it ignores them."""
REWRITTEN = re.compile(r"[^\n]*\r\x1b\[K")


def run_interrupted(*args: str, cwd: Path, sign: str, number: int = signal.SIGINT) -> Ran:
    """Run a command line at a terminal of its own and press Ctrl-C once the progress line shows the sign.

    Any other signal goes to the first process alone. The lines of `err` are as they are left on the terminal. Fails if
    any process of the run is left.
    """
    terminal, end = os.openpty()
    env = environment() | {"TERM": "xterm", "NO_COLOR": "1"}
    command = [sys.executable, "-c", HEEDING, *args]
    child = subprocess.Popen(
        command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=end, text=True, start_new_session=True
    )
    os.close(end)
    try:
        shown = _read_until(terminal, sign)
        others = _children(child.pid)
        (os.killpg if number == signal.SIGINT else os.kill)(child.pid, number)
        shown += _read_until(terminal, None, seconds=20)
        out, _ = child.communicate(timeout=20)
    finally:
        os.close(terminal)
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    assert all(_is_gone(leader, seconds=10) for leader in (child.pid, *others))
    return Ran(child.returncode, out, REWRITTEN.sub("", shown.replace("\r\n", "\n")))


def _children(parent: int) -> list[int]:
    """The child processes of a process: those of `compare` lead groups of their own."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    return [int(pid) for pid, above in map(str.split, listed.splitlines()) if int(above) == parent]


def _is_gone(group: int, seconds: float) -> bool:
    """Whether no process of a group is left, at the latest after some time: those that end take a moment."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def _read_until(terminal: int, sign: str | None, seconds: float = 120) -> str:
    """What appears on a terminal until a text is seen, or until nobody writes to it any more."""
    shown, last = b"", time.monotonic() + seconds
    while sign is None or sign.encode() not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0.0, last - time.monotonic()))
        if not ready:
            raise TimeoutError(f"{sign or 'the end'!r} was not seen in {shown.decode()!r}")
        try:
            read = os.read(terminal, 4096)
        except OSError:  # all writers are gone
            read = b""
        if not read and sign is not None:
            raise EOFError(f"it ended with {shown.decode()!r} before {sign!r} was seen")
        if not read:
            break
        shown += read
    return shown.decode()


def run_apart(*args: str, cwd: Path, **settings: Any) -> Ran:
    """Run a command line in a process of its own."""
    command = [sys.executable, "-m", "symdmc", *args]
    env = environment() | settings.pop("env", {})
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, **settings)
    return Ran(done.returncode, done.stdout, done.stderr)
