"""Work in a child process ends at its limits, whatever it is doing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symdmc.errors import InternalError
from symdmc.outcome import Stop
from symdmc.packed.jit import interruptible
from symdmc.running import supervision
from symdmc.running.run import LimitReached, Limits, Run
from symdmc.running.supervision import supervise

PAIRS = 16
ROOT = Path(__file__).parents[2]


def _ended_after(work: Callable[[Callable[[int], None]], None], limit: float) -> tuple[Stop | None, float, int]:
    """How the work ended, the seconds it took, and how many reports came."""
    reports: list[int] = []
    began = time.monotonic()
    ended = supervise(work, Run(Limits(seconds=limit)), reports.append)
    return ended.stop, time.monotonic() - began, len(reports)


def _wide_function() -> tuple[Any, Any]:
    """The pairs x_k y_k with all x above all y: two to the power of the pairs nodes."""
    bdd = pytest.importorskip("dd.cudd").BDD()
    bdd.configure(reordering=False)
    bdd.declare(*(f"x{k}" for k in range(PAIRS)), *(f"y{k}" for k in range(PAIRS)))
    function = bdd.false
    for k in range(PAIRS):
        function |= bdd.var(f"x{k}") & bdd.var(f"y{k}")
    return bdd, function


@pytest.mark.parametrize("what", ["one long call", "sifting"])
def test_a_time_limit_holds_while_diagrams_are_busy(what: str) -> None:
    bdd, function = _wide_function()

    def work(send: Callable[[int], None]) -> None:
        send(len(bdd))
        while True:
            if what == "sifting":
                bdd.configure(reordering=True)
                bdd.reorder()
                bdd.reorder({f"{name}{k}": k + PAIRS * (name == "y") for name in "xy" for k in range(PAIRS)})
            else:
                turned = {f"x{k}": bdd.var(f"y{PAIRS - 1 - k}") for k in range(PAIRS)}
                bdd.let(turned, function)

    stop, seconds, reports = _ended_after(work, 3.0)
    assert stop is Stop.TIME
    assert seconds < 5.0
    assert reports == 1


def test_a_time_limit_holds_while_report_follows_report() -> None:
    def work(send: Callable[[int], None]) -> None:
        number = 0
        while True:
            number += 1
            send(number)

    stop, seconds, reports = _ended_after(work, 0.5)
    assert stop is Stop.TIME
    assert seconds < 2.5
    assert reports > 100


def test_a_child_that_vanishes_is_an_internal_error() -> None:
    def work(send: Callable[[int], None]) -> None:
        raise SystemExit(3)

    with pytest.raises(InternalError, match="exit code 3"):
        supervise(work, Run(), lambda report: None)


def test_what_the_work_raises_is_raised() -> None:
    def work(send: Callable[[int], None]) -> None:
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        supervise(work, Run(), lambda report: None)


def test_the_memory_of_a_child_counts_also_where_it_is_never_looked_at() -> None:
    def work(send: Callable[[int], None]) -> int:
        return len(bytearray(b"x") * (300 << 20))

    run = Run()
    assert supervise(work, run, lambda report: None).result == 300 << 20
    assert run.peak_memory_mb() >= 300


@pytest.mark.parametrize("behind", [KeyboardInterrupt(), LimitReached(Stop.TIME)], ids=repr)
def test_an_interrupt_behind_an_error_of_the_compiler_is_raised_itself(behind: BaseException) -> None:
    def kernel(reason: BaseException) -> int:
        try:
            raise reason
        except BaseException as caught:
            raise SystemError("returned a result with an exception set") from caught

    with pytest.raises(type(behind)):
        interruptible(kernel)(behind)
    with pytest.raises(SystemError):
        interruptible(kernel)(ValueError())


PARENT = """
import sys, time
from symdmc.running import child
from symdmc.running.run import Run
from symdmc.running.supervision import supervise

if sys.argv[1] == "watched":
    child.ended_by_kernel = lambda: False

def work(send):
    send("working")
    time.sleep(60)

supervise(work, Run(), lambda report: print(report, flush=True))
"""


@pytest.mark.parametrize("how", ["by the kernel", "watched"])
def test_a_child_ends_when_its_parent_is_killed(how: str) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, how], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout is not None
    with parent.stdout:
        assert parent.stdout.readline()
        parent.kill()
        parent.wait()
        assert parent.stdout.read() == ""  # the child has the other end until it ends


def test_a_child_that_nobody_ends_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "OVERTIME", 0.3)
    monkeypatch.setattr(Run, "stop", lambda run, elsewhere=0: None)
    stop, seconds, _ = _ended_after(lambda send: time.sleep(60), 0.1)
    assert stop is Stop.TIME
    assert seconds < 10
