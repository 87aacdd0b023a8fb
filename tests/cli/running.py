"""How the tests run the command line, and the small models they run it on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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


def run_apart(*args: str, cwd: Path, **settings: Any) -> Ran:
    """Run a command line in a process of its own."""
    command = [sys.executable, "-m", "symdmc", *args]
    env = environment() | settings.pop("env", {})
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, **settings)
    return Ran(done.returncode, done.stdout, done.stderr)
