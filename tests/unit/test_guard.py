"""A guard ends what does not look at its limits: plain Python, waiting, native code; in any thread."""

from __future__ import annotations

import ctypes
import importlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symdmc.cli.failures import failure_of
from symdmc.errors import Code, Complaint, ModelError
from symdmc.outcome import Stop
from symdmc.running import run as running
from symdmc.running import signals
from symdmc.running.guard import SIGNAL
from symdmc.running.run import LimitReached, Limits, Run, resident_bytes

LATEST = 8.0
"""Seconds that an end after 0.2 s may take on a busy machine."""


def endless() -> None:
    while True:
        pass


def waiting() -> None:
    time.sleep(60)


def blocked() -> None:
    reading, _ = os.pipe()
    os.read(reading, 1)


def swallowing() -> None:
    while True:
        try:
            endless()
        except Exception:
            continue


def stubborn() -> None:
    try:
        endless()
    except LimitReached:
        endless()


def ended_by(work: Callable[[], None], limits: Limits) -> tuple[Stop, float]:
    """What limit ended the work, and the seconds it took."""
    run = Run(limits)
    with pytest.raises(LimitReached) as caught:
        run.guarded(work)
    return caught.value.stop, run.seconds


@pytest.mark.parametrize("work", [endless, waiting, blocked, swallowing, stubborn], ids=lambda work: work.__name__)
def test_work_that_never_looks_at_the_limits_is_ended(work: Callable[[], None]) -> None:
    stop, seconds = ended_by(work, Limits(seconds=0.2))
    assert stop is Stop.TIME
    assert 0.2 < seconds < LATEST


def test_memory_that_grows_is_ended() -> None:
    kept: list[bytes] = []

    def growing() -> None:
        while True:
            kept.append(b"x" * (1 << 20))
            time.sleep(0.001)

    here = resident_bytes() >> 20
    stop, _ = ended_by(growing, Limits(memory_mb=here + 100))
    assert stop is Stop.MEMORY
    assert len(kept) < 400


def test_a_thread_other_than_the_first_is_ended_too() -> None:
    ended: list[Stop] = []
    thread = threading.Thread(target=lambda: ended.append(ended_by(endless, Limits(seconds=0.2))[0]))
    thread.start()
    thread.join(LATEST)
    assert ended == [Stop.TIME]


def test_the_inner_of_two_guards_ends_its_own_work_only() -> None:
    def outer() -> None:
        assert ended_by(endless, Limits(seconds=0.2))[0] is Stop.TIME
        time.sleep(0.4)

    Run(Limits(seconds=60)).guarded(outer)


def test_the_outer_of_two_guards_ends_the_work_of_both() -> None:
    def inner() -> None:
        Run(Limits(seconds=60)).guarded(endless)

    assert ended_by(inner, Limits(seconds=0.2))[0] is Stop.TIME


def test_what_was_there_before_is_back_after_it() -> None:
    def answer(number: int, frame: object) -> None:
        answered.append(number)

    answered: list[int] = []
    before, threads = signal.signal(SIGNAL, answer), threading.active_count()
    try:
        Run(Limits(seconds=60)).guarded(lambda: os.kill(os.getpid(), SIGNAL))
        assert answered == [SIGNAL]
        ended_by(endless, Limits(seconds=0.2))
        assert signal.getsignal(SIGNAL) is answer
    finally:
        signal.signal(SIGNAL, before)
    last = time.monotonic() + LATEST
    while threading.active_count() > threads and time.monotonic() < last:
        time.sleep(0.01)
    assert threading.active_count() <= threads  # those of earlier tests may have ended too


def test_without_limits_there_is_no_guard() -> None:
    threads = threading.active_count()
    assert Run().guarded(threading.active_count) == threads


def test_nothing_ends_work_that_has_an_answer() -> None:
    run = Run(Limits(seconds=0.1))

    def work() -> str:
        run.end()
        time.sleep(1.0)
        return "the answer"

    assert run.guarded(work) == "the answer"


def test_a_limit_that_is_reached_at_once_leaves_no_guard_behind() -> None:
    threads = threading.active_count()
    for _ in range(50):
        assert ended_by(endless, Limits(memory_mb=1))[0] is Stop.MEMORY
    last = time.monotonic() + LATEST
    while threading.active_count() > threads and time.monotonic() < last:
        time.sleep(0.01)
    assert threading.active_count() <= threads  # those of earlier tests may have ended too


DEAF = """
import ctypes, os, sys
from symdmc.outcome import Stop
from symdmc.running.run import Limits, Run

def deaf():
    pause = ctypes.CDLL(None).sleep
    while True:
        try:
            pause(60)
        except BaseException:
            continue

Run(Limits(seconds=0.2)).guarded(deaf, lambda stop: os.write(2, stop.words.encode()))
"""


def test_native_code_that_heeds_nothing_ends_with_the_process() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", DEAF], cwd=root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (21, "time limit reached")


def test_a_limited_address_space_is_all_the_memory_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = running._bytes_of(0)
    assert taken is not None
    free = Run().memory_left
    monkeypatch.setattr(resource, "getrlimit", lambda what: (taken + (100 << 20), resource.RLIM_INFINITY))
    assert 80 << 20 < Run().memory_left < 100 << 20 < free


class Slow:
    """Its destructor takes a second: what is raised there is lost."""

    def __del__(self) -> None:
        began = time.monotonic()
        while time.monotonic() - began < 1:
            pass


def destroying() -> None:
    Slow()
    endless()


def test_what_is_lost_in_a_destructor_is_raised_again_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    hook = sys.unraisablehook
    stop, seconds = ended_by(destroying, Limits(seconds=0.2))
    assert stop is Stop.TIME
    assert 0.4 < seconds < LATEST
    assert lost == []
    assert sys.unraisablehook is hook


def failing_in_a_callback() -> None:
    """As a compiler that calls back: what is raised there is lost, and what it was to do is not done."""

    def called_back() -> None:
        began = time.monotonic()
        while time.monotonic() - began < 1:
            pass

    ctypes.CFUNCTYPE(None)(called_back)()
    raise RuntimeError("nothing was done")


def test_an_error_that_comes_of_a_lost_interrupt_is_the_interrupt() -> None:
    stop, _ = ended_by(failing_in_a_callback, Limits(seconds=0.2))
    assert stop is Stop.TIME


def test_an_error_without_an_interrupt_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="nothing was done"):
        Run(Limits(seconds=100)).guarded(failing_in_a_callback)


def test_an_error_that_comes_of_a_lost_signal_is_the_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "_LOST", [Stop.TERMINATED])
    failure = failure_of(RuntimeError("nothing was done"))
    assert (failure.exit_code, failure.lines) == (143, (Stop.TERMINATED.words,))
    assert failure_of(ModelError([Complaint(Code.EMPTY_FILE, "a", "b")])).exit_code == 30


def test_an_import_ends_before_a_limit_strikes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slowly = "import time\nbegan = time.monotonic()\nwhile time.monotonic() - began < 1.5:\n    pass\nwhole = True\n"
    (tmp_path / "imported_slowly.py").write_text(slowly)
    monkeypatch.syspath_prepend(tmp_path)

    def importing() -> None:
        importlib.import_module("imported_slowly")
        endless()

    stop, seconds = ended_by(importing, Limits(seconds=0.2))
    assert stop is Stop.TIME
    assert 1.5 < seconds < LATEST
    assert sys.modules["imported_slowly"].whole


def test_an_import_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_forever.py").write_text("while True:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("symdmc.running.guard.TO_IMPORT", 0.5)

    def importing() -> None:
        importlib.import_module("imported_forever")

    stop, _ = ended_by(importing, Limits(seconds=0.2))
    assert stop is Stop.TIME


def in_the_compiler(work: Callable[[], None]) -> Callable[[], None]:
    """The work as if numba called it while it compiles."""
    names: dict[str, object] = {"__name__": "numba.core.compiler", "work": work}
    exec("def call():\n    work()", names)
    call = names["call"]
    assert callable(call)
    return call


def compiling_first() -> list[bool]:
    """Work that never ends, with a compilation at its beginning: whether that came to its end."""
    compiled: list[bool] = []

    def compiling() -> None:
        began = time.monotonic()
        while time.monotonic() - began < 1.5:
            pass
        compiled.append(True)

    def work() -> None:
        in_the_compiler(compiling)()
        endless()

    stop, seconds = ended_by(work, Limits(seconds=0.2))
    assert stop is Stop.TIME
    assert 1.5 < seconds < LATEST
    return compiled


def test_a_compilation_ends_before_a_limit_strikes() -> None:
    assert compiling_first() == [True]


def test_a_compilation_in_another_thread_ends_before_a_limit_strikes() -> None:
    compiled: list[bool] = []
    thread = threading.Thread(target=lambda: compiled.extend(compiling_first()))
    thread.start()
    thread.join(LATEST)
    assert compiled == [True]


COMPILING = """
import os, time
from symdmc.outcome import Stop
from symdmc.running.run import Limits, Run

compiling = {"__name__": "numba.core.compiler"}
exec("def work():\\n    while True:\\n        pass", compiling)
Run(Limits(seconds=0.2)).guarded(compiling["work"], lambda stop: os.write(2, stop.words.encode()))
"""


def test_a_command_does_not_wait_for_a_compilation() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", COMPILING], cwd=root, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (21, "time limit reached")


def test_a_signal_waits_while_something_is_compiled() -> None:
    """What is raised in a callback of the compiler can end the process; so it is raised later."""
    answers = signals._Answers()
    in_the_compiler(lambda: answers.raise_interrupt(2, sys._getframe()))()
    assert answers.is_lost
    with pytest.raises(KeyboardInterrupt):
        answers.raise_interrupt(2, sys._getframe())


COMPILING_FOREVER = """
import os
from symdmc.running.signals import answer_signals, with_last_words

compiling = {"__name__": "numba.core.compiler"}
exec("def work():\\n    print('ready', flush=True)\\n    while True:\\n        pass", compiling)
answer_signals()
with with_last_words(lambda stop: os.write(2, f"the last words: {stop.words}".encode())):
    compiling["work"]()
"""


def test_a_signal_ends_a_process_that_compiles() -> None:
    command = [sys.executable, "-c", COMPILING_FOREVER]
    root = Path(__file__).parents[2]
    child = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    began = time.monotonic()
    child.terminate()
    _, told = child.communicate(timeout=60)
    assert (child.returncode, told) == (143, "the last words: terminated")
    assert time.monotonic() - began < signals.PATIENCE - 1
