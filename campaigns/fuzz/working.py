"""Many drafts at once: worker processes that take numbers, and the parent that hears what came of them.

The draft with number n of a seed is always the same, with the same attacks, whoever works on it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pkgutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any

import symdmc
from campaigns.fuzz.attacks import Attack, carried_out, drawn_attacks
from campaigns.fuzz.brute_force import Space
from campaigns.fuzz.drafts import Draft, from_json, to_json
from campaigns.fuzz.drawing import drawn
from campaigns.fuzz.judging import Wrong
from campaigns.fuzz.shrinking import shrunk

SHRINKING_SECONDS = 40.0
MOST_SECONDS = 240.0
"""A worker from which nothing is heard for so long is ended, and what it tried counts as failed."""
ATTACKS = 4
"""Attacks on a draft besides those that every draft gets."""


@dataclass(frozen=True)
class Failure:
    """A failure with everything that shows it again."""

    seed: int
    number: int
    what: str
    details: str
    draft: Draft
    attack: Attack

    def to_json(self) -> dict[str, Any]:
        """The failure as JSON values."""
        named = {"seed": self.seed, "number": self.number, "what": self.what, "details": self.details}
        return named | {"attack": self.attack.to_json(), "draft": to_json(self.draft)}

    def written(self, folder: Path) -> Path:
        """The file in a folder that has the failure now."""
        folder.mkdir(parents=True, exist_ok=True)
        words = "-".join("".join(each for each in word if each.isalnum()) for word in self.what.split())
        file = folder / f"{self.seed}-{self.number}-{words}.json"
        file.write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")
        return file


def failure_from(text: str) -> Failure:
    """The failure that a file has."""
    data = json.loads(text)
    head = {name: data[name] for name in ("seed", "number", "what", "details")}
    return Failure(**head, draft=from_json(data["draft"]), attack=Attack(**data["attack"]))


@dataclass
class Tally:
    """What came of everything so far."""

    drafts: int = 0
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    """For each kind of attack how often each answer came."""
    failures: list[Failure] = field(default_factory=list)

    def note(self, kind: str, answer: str) -> None:
        """Count an answer."""
        self.answers.setdefault(kind, Counter())[answer.partition(":")[0]] += 1

    @property
    def attacks(self) -> int:
        """How many there were."""
        return sum(map(Counter.total, self.answers.values()))


def planned(seed: int, number: int) -> tuple[Draft, Space, list[Attack]]:
    """The draft with a number, and what is tried on it."""
    random = Random(f"{seed}/{number}")
    _, draft, space = drawn(random)
    return draft, space, drawn_attacks(random, draft, ATTACKS)


def tried(seed: int, number: int) -> Iterator[tuple[Attack, str | Failure]]:
    """Each attack on the draft with a number, and what came of it."""
    draft, space, attacks = planned(seed, number)
    for attack in attacks:
        try:
            yield attack, carried_out(draft, space, attack)
        except Wrong as wrong:
            yield attack, Failure(seed, number, wrong.what, wrong.details, draft, attack)


def import_all() -> None:
    """Import whatever symdmc may need: its child processes would each do so again, and take seconds for it."""
    for module in pkgutil.walk_packages(symdmc.__path__, "symdmc."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def _end_with(parent: int) -> None:
    """End this worker and its child processes when the parent has ended, whatever ended it."""
    while os.getppid() == parent:
        time.sleep(1)
    os.killpg(0, signal.SIGKILL)


def work(seed: int, connection: Connection, shrinking: float) -> None:
    """Take numbers from the parent until it has no more, and send what came of each."""
    os.setpgrp()  # so that the processes of a hanging attack can be ended too
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import_all()
    known: set[str] = set()
    with suppress(EOFError, BrokenPipeError):
        while (number := connection.recv()) is not None:
            for attack, came in tried(seed, number):
                found = came
                if isinstance(came, Failure) and came.what not in known and shrinking > 0:
                    known.add(came.what)
                    draft, less = shrunk(came.draft, attack, came.what, shrinking)
                    found = Failure(seed, number, came.what, came.details, draft, less)
                connection.send((attack.kind, found))
            connection.send(None)


class _Worker:
    def __init__(self, seed: int, shrinking: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=work, args=(seed, other, shrinking))
        self.process.start()
        other.close()
        self.number = -1
        self.heard = time.monotonic()

    def give(self, number: int | None) -> None:
        self.number, self.heard = -1 if number is None else number, time.monotonic()
        with suppress(BrokenPipeError):
            self.connection.send(number)

    def end(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


def campaign(
    seed: int,
    *,
    workers: int,
    seconds: float,
    first: int = 0,
    most: int | None = None,
    shrinking: float = SHRINKING_SECONDS,
    until_failure: bool = False,
    told: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Try one draft after the other for some time, or some number of them; `told` hears of it now and then."""
    tally, began = Tally(), time.monotonic()
    numbers = iter(range(first, (1 << 60) if most is None else first + most))
    team: list[_Worker] = []

    def is_over() -> bool:
        return time.monotonic() - began > seconds or (until_failure and bool(tally.failures))

    try:
        team = [_Worker(seed, shrinking) for _ in range(workers)]
        busy = [worker for worker in team if _given(worker, numbers)]
        while busy and not is_over():
            for ready in wait([worker.connection for worker in busy], timeout=1.0):
                worker = next(each for each in busy if each.connection is ready)
                if _is_done(worker, tally):
                    tally.drafts += 1
                    if not _given(worker, numbers):
                        busy.remove(worker)
            for worker in [each for each in busy if time.monotonic() - each.heard > MOST_SECONDS + shrinking]:
                tally.failures.append(_silent(seed, worker.number, "no answer"))
                worker.end()
                team[team.index(worker)] = busy[busy.index(worker)] = fresh = _Worker(seed, shrinking)
                _given(fresh, numbers)
            told(tally)
    finally:
        for worker in team:
            worker.end()
    return tally


def _given(worker: _Worker, numbers: Iterator[int]) -> bool:
    number = next(numbers, None)
    worker.give(number)
    return number is not None


def _is_done(worker: _Worker, tally: Tally) -> bool:
    """Hear what a worker has to say; whether it is done with its number."""
    worker.heard = time.monotonic()
    try:
        said = worker.connection.recv()
    except EOFError:
        raise RuntimeError(f"a worker has ended while it worked on number {worker.number}") from None
    if said is None:
        return True
    kind, came = said
    if isinstance(came, Failure):
        tally.failures.append(came)
        tally.note(kind, "failed")
    else:
        tally.note(kind, came)
    return False


def _silent(seed: int, number: int, what: str) -> Failure:
    draft, _, attacks = planned(seed, number)
    return Failure(seed, number, what, "try each attack on this draft", draft, attacks[-1])
