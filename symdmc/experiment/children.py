"""Jobs in child processes, a few at a time: each has its own process and limits, and one result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from symdmc.checking.request import Question
from symdmc.errors import InternalError
from symdmc.experiment.record import FAILED, MEMORY, TIME, Job, Record, finished
from symdmc.outcome import EXIT_CODES, Stop
from symdmc.running.child import Lifeline, command_of
from symdmc.running.run import Limits, machine_bytes
from symdmc.running.supervision import OVERTIME

POLL_SECONDS = 0.02
GRACE_SECONDS = 15.0
"""A job is ended when it has exceeded its time limit by a tenth and this many seconds."""
WORKER = "symdmc.experiment.worker"
_MIB = 1 << 20


def records_of(
    jobs: Iterable[Job],
    question: Question,
    limits: Limits,
    *,
    workers: int,
    on_start: Callable[[Job], None] = lambda job: None,
) -> Iterator[Record]:
    """The result of every job, as soon as it is known; closing the iterator ends the jobs that are running."""
    waiting = deque(jobs)
    running: list[_Child] = []
    share = limits.memory_mb or machine_bytes() * 9 // 10 // _MIB // workers
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.popleft()
                on_start(job)
                running.append(_Child(job, question, limits, share))
            for child in tuple(running):
                record = child.record()
                if record is not None:
                    running.remove(child)
                    yield record
            time.sleep(POLL_SECONDS)
    finally:
        for child in running:
            child.end()


class _Child:
    """A running job."""

    def __init__(self, job: Job, question: Question, limits: Limits, memory_mb: int) -> None:
        self.job = job
        self._limits = limits
        self._memory_mb = memory_mb
        self._began = time.monotonic()
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 (`end` closes them)
        self._lifeline = Lifeline()
        self._process = subprocess.Popen(
            command_of(WORKER, self._lifeline, None if self._latest is None else self._latest + OVERTIME),
            stdin=subprocess.PIPE,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,  # `end` ends the whole group
            pass_fds=[self._lifeline.reading],
            env=_environment(),
        )
        request = request_of(job, question, Limits(seconds=limits.seconds, memory_mb=memory_mb))
        self._send(json.dumps(request).encode() + b"\n")

    def _send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the child has ended already; `record` will say how
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def record(self) -> Record | None:
        """The result, if there is one already."""
        if self._process.poll() is not None:
            return self._finished(self._answered(self._process.returncode))
        if self._is_late():
            return self._finished(_stopped(Stop.TIME, "time limit reached; the run had to be ended"))
        if self._is_large():
            return self._finished(_stopped(Stop.MEMORY, "memory limit reached; the run had to be ended"))
        return None

    def end(self) -> None:
        """End the process and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdin is not None
        for stream in (self._process.stdin, self._out, self._err):
            with suppress(BrokenPipeError):  # from a request that `_send` could not write
                stream.close()
        self._lifeline.close()

    def _finished(self, outcome: dict[str, Any]) -> Record:
        seconds = round(time.monotonic() - self._began, 6)
        self.end()
        return finished(self.job, self._limits, {"seconds": seconds, **outcome})

    def _answered(self, code: int) -> dict[str, Any]:
        """The answer of the process, or why there is none."""
        text = _content(self._out)
        if code == 0 and text:
            answer: dict[str, Any] = json.loads(text)
            return answer
        if code == -signal.SIGKILL:
            return _stopped(Stop.MEMORY, "ended by the system, which does so when memory runs out")
        last = (_content(self._err).strip().splitlines() or [f"exit code {code}"])[-1]
        return {"outcome": FAILED, "reason": f"the run broke off: {last}", "exit_code": InternalError.exit_code}

    @property
    def _latest(self) -> float | None:
        """The seconds after which it is ended."""
        limit = self._limits.seconds
        return None if limit is None else 1.1 * limit + GRACE_SECONDS

    def _is_late(self) -> bool:
        return self._latest is not None and time.monotonic() - self._began > self._latest

    def _is_large(self) -> bool:
        """Whether it uses clearly more memory than a job that keeps to its limit."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError, ValueError):
            return False
        return pages * os.sysconf("SC_PAGE_SIZE") > (1.2 * self._memory_mb + 128) * _MIB


def _stopped(stop: Stop, reason: str) -> dict[str, Any]:
    return {"outcome": TIME if stop is Stop.TIME else MEMORY, "reason": reason, "exit_code": EXIT_CODES[stop]}


def _content(file: Any) -> str:  # Any: the type of a temporary file has no public name
    file.seek(0)
    return bytes(file.read()).decode(errors="replace")


def request_of(job: Job, question: Question, limits: Limits) -> dict[str, Any]:
    """The request to a worker, as JSON values; `Question(**...)` makes the question again."""
    path = question.properties_file
    asked = {**asdict(question), "properties_file": None if path is None else os.fspath(path)}
    return {**asdict(job), "question": asked, "time_limit": limits.seconds, "memory_limit": limits.memory_mb}


def _environment() -> dict[str, str]:
    """The environment of a child that imports the same symdmc."""
    package = str(Path(__file__).resolve().parents[2])
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": package if not before else f"{package}{os.pathsep}{before}"}
