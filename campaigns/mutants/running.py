"""Running the tests on each mutant: copies of the project, workers, results that are kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from campaigns.mutants.entries import Entry, MutantError

CHECKOUT = Path(__file__).parents[2]
PATIENCE = 30.0
"""Seconds that the tests of a mutant may always take; a mutant that hangs is found."""
SLOWER = 5.0
"""And how many times as long as without a mutant."""
COMPILING = 300.0
"""Seconds more for mutants of what is compiled."""
AT_FIRST = 1800.0
"""Seconds that tests may take without a mutant, where everything may have to be compiled."""
TOGETHER = 12
"""At most this many mutants are given to a worker at once."""


@dataclass(frozen=True, slots=True)
class Result:
    """How the tests ended on a mutant."""

    entry: Entry
    ended: str
    """"failed" and "hung" are what a mutant should do, "passed" is what it should not; else the run itself is wrong."""
    took: float
    printed: str = ""

    @property
    def is_found(self) -> bool:
        """Whether the tests noticed it."""
        return self.ended in ("failed", "hung")

    @property
    def column(self) -> str:
        """What it counts as in the table."""
        if self.ended not in ("failed", "hung", "passed"):
            return "not run"
        if self.is_found:
            return "found"
        return "harmless" if self.entry.harmless else "survived"


class Kept:
    """Results of earlier runs, one file for each entry and text of the file that it changes.

    What was found stays found while the tests that were run are as they were, whatever was added; what survived is
    tried again when any test changes.
    """

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.folder, self.checkout = folder, checkout
        folder.mkdir(parents=True, exist_ok=True)
        shared = sorted((checkout / "tests").glob("*.py"))
        self._shared = hashlib.sha256(b"|".join(path.read_bytes() for path in shared)).hexdigest()

    def _file(self, entry: Entry) -> Path:
        said = json.dumps([entry.id, entry.text, entry.instead]).encode()
        text = (self.checkout / entry.file).read_bytes()
        return self.folder / f"{hashlib.sha256(said + text).hexdigest()[:24]}.json"

    def _tests(self, entry: Entry) -> dict[str, str]:
        """For each test the digest of its file, and one for the modules that all tests share."""
        found = {"": self._shared}
        for test in entry.tests:
            file = self.checkout / test.partition("::")[0]
            found[test] = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
        return found

    def result(self, entry: Entry) -> Result | None:
        """The result of this very mutant, if it has one."""
        file = self._file(entry)
        if not file.is_file():
            return None
        known = json.loads(file.read_text(encoding="utf-8"))
        result = Result(entry, known["ended"], known["took"], known["printed"])
        then, now = known["tests"].items(), self._tests(entry).items()
        return result if then == now or (result.is_found and then <= now) else None

    def keep(self, result: Result) -> None:
        """Keep a result for the next time; one of a run that went wrong is not kept."""
        if result.column != "not run":
            entry = result.entry
            known = {"id": entry.id, "ended": result.ended, "took": result.took, "printed": result.printed}
            file = self._file(entry)
            file.with_suffix(".new").write_text(json.dumps(known | {"tests": self._tests(entry)}), encoding="utf-8")
            file.with_suffix(".new").replace(file)


def run(
    entries: Sequence[Entry],
    keep: Path,
    *,
    workers: int = 2,
    checkout: Path = CHECKOUT,
    tell: Callable[[Result], None] = lambda _: None,
) -> list[Result]:
    """The results of all entries in their order; those that are kept are not run again."""
    for entry in entries:
        entry.mutated((checkout / entry.file).read_text(encoding="utf-8"))
    kept = Kept(keep, checkout)
    results = {entry.id: result for entry in entries if (result := kept.result(entry)) is not None}
    groups: SimpleQueue[list[Entry]] = SimpleQueue()
    count = 0
    for group in _grouped([entry for entry in entries if entry.id not in results]):
        groups.put(group)
        count += 1

    children: list[subprocess.Popen[str]] = []

    def work() -> None:
        healthy: dict[tuple[str, ...], dict[str, Any]] = {}
        with _worker(checkout, children) as ask:
            while True:
                try:
                    group = groups.get_nowait()
                except Empty:
                    return
                for result in _results(group, ask, checkout, healthy):
                    kept.keep(result)
                    results[result.entry.id] = result
                    tell(result)

    with ThreadPoolExecutor(max(1, min(workers, count))) as pool:
        try:
            for done in [pool.submit(work) for _ in range(min(workers, count))]:
                done.result()
        except BaseException:  # an interrupt, say: the others stop too
            for child in children:
                child.terminate()
            raise
    return [results[entry.id] for entry in entries]


def _grouped(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """The entries that have the same tests together, so that these are run once without a mutant."""
    by_tests: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        by_tests.setdefault(entry.tests, []).append(entry)
    for group in by_tests.values():
        yield from (group[k : k + TOGETHER] for k in range(0, len(group), TOGETHER))


Ask = Callable[[dict[str, Any]], dict[str, Any]]


def _results(
    group: list[Entry], ask: Ask, checkout: Path, healthy: dict[tuple[str, ...], dict[str, Any]]
) -> Iterator[Result]:
    """First the tests without a mutant, once for a worker: where these fail, nothing is known about the mutants."""
    tests = group[0].tests
    run = {"id": "", "file": "", "source": "", "tests": list(tests), "must_import": False}
    if tests not in healthy:
        healthy[tests] = ask(run | {"limit": AT_FIRST})
    without = healthy[tests]
    if without["ended"] != "passed":
        for entry in group:
            yield Result(entry, f"without the mutant: {without['ended']}", without["took"], without["printed"])
        return
    for entry in group:
        source = entry.mutated((checkout / entry.file).read_text(encoding="utf-8"))
        compiling = COMPILING if _is_compiled(entry.file) else 0.0
        limit = PATIENCE + SLOWER * without["took"] + compiling
        mutant = {"id": entry.id, "file": entry.file, "source": source, "limit": limit, "must_import": True}
        answer = ask(run | mutant)
        yield Result(entry, answer["ended"], answer["took"], answer["printed"])


def _is_compiled(file: str) -> bool:
    from symdmc.packed.jit import ROOMS

    return any(file.startswith(f"symdmc/{room}/") for room in ROOMS)


@contextmanager
def _worker(checkout: Path, children: list[subprocess.Popen[str]]) -> Iterator[Ask]:
    """A worker in a copy of its own, with a cache of its own; both are gone afterwards. It is added to the children."""
    with tempfile.TemporaryDirectory(prefix="symdmc-mutants-") as folder:
        copy = Path(folder).resolve() / "copy"
        shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist"))
        environment = os.environ | {"PYTHONPATH": str(copy), "SYMDMC_CACHE": f"{folder}/cache"}
        command = [sys.executable, "-m", "campaigns.mutants.worker"]
        child = subprocess.Popen(
            command,
            cwd=copy,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        children.append(child)

        def ask(run: dict[str, Any]) -> dict[str, Any]:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps(run) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
            if not line:
                raise MutantError(f"a worker ended at {run['id'] or 'tests without a mutant'}; start again to go on")
            answered: dict[str, Any] = json.loads(line)
            return answered

        try:
            yield ask
        finally:
            child.terminate()
            child.wait()
