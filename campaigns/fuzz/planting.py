"""Bugs planted one at a time into a copy of the project, and how long the campaign takes to find each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from campaigns.mutants.entries import Entry
from symdmc.packed.jit import ROOMS

CHECKOUT = Path(__file__).parents[2]
BUGS = Path(__file__).parent / "planted.toml"
LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "fuzz-failures")
WARM = 12
"""Systems that are tried first, so that what has to be compiled is, before the time counts ..."""
FAR_AWAY = 1_000_000
"""... and which these are: none that the campaign comes to."""


@dataclass(frozen=True)
class Found:
    """What came of one bug."""

    bug: Entry
    seconds: float
    what: str | None
    """The first failure; None where there was none in the time allowed."""

    @property
    def after(self) -> str:
        """When it was found."""
        return "not found" if self.what is None else f"{self.seconds:.0f} s"


def bugs(names: str = "") -> list[Entry]:
    """The bugs whose names begin so."""
    listed = tomllib.loads(BUGS.read_text(encoding="utf-8"))["bug"]
    found = [Entry(area="planted", tests=(), **each) for each in listed]
    return [each for each in found if each.id.startswith(names)]


def hunt(chosen: list[Entry], *, seed: int, seconds: float, workers: int, told: Callable[[Found], None]) -> list[Found]:
    """Plant each bug, run the campaign until it fails, and take the bug out again."""
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="symdmc-planted-") as folder:
        copy = Path(folder).resolve() / "copy"
        shutil.copytree(CHECKOUT, copy, ignore=LEFT_BEHIND)
        environment = os.environ | {"PYTHONPATH": str(copy), "SYMDMC_CACHE": f"{folder}/cache"}
        for bug in chosen:
            file = copy / bug.file
            healthy = shutil.copy2(
                file, Path(folder) / "healthy"
            )  # with its time, so that what is compiled of it counts
            file.write_text(bug.mutated(file.read_text(encoding="utf-8")), encoding="utf-8")
            try:
                warm = not found or _is_compiled(bug)
                found.append(_hunted(bug, copy, environment, seed, seconds, workers, warm=warm))
            finally:
                shutil.copy2(healthy, file)
            told(found[-1])
    return found


def _is_compiled(bug: Entry) -> bool:
    return any(bug.file.startswith(f"symdmc/{room}/") for room in ROOMS)


def _hunted(
    bug: Entry, copy: Path, environment: dict[str, str], seed: int, seconds: float, workers: int, *, warm: bool
) -> Found:
    def ended(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    where = ended("-c", "import symdmc; print(symdmc.__file__)").stdout.strip()
    if not Path(where).is_relative_to(copy):
        raise RuntimeError(f"symdmc comes from {where}, not from the copy with the bug")
    campaign = ("-m", "campaigns.fuzz", "--keep", str(copy / "failures"), "--shrink", "0", "--seed", str(seed))
    if warm:
        ended(*campaign, "--first", str(FAR_AWAY), "--most", str(WARM), "--workers", "1")
    began = time.monotonic()
    done = ended(*campaign, "--minutes", str(seconds / 60), "--workers", str(workers), "--stop")
    lines = [line for line in done.stdout.splitlines() if line.startswith("failed: ")]
    if done.returncode != (1 if lines else 0):
        raise RuntimeError(f"the campaign ended with {done.returncode}: {done.stdout[-500:]}")
    what = lines[0].removeprefix("failed: ")[:100] if lines else None
    return Found(bug, time.monotonic() - began, what)


def table(found: list[Found]) -> str:
    """What came of all bugs."""
    rows = [f"| {each.bug.id} | {each.bug.file} | {each.after} | {each.what or ''} |" for each in found]
    return "\n".join(("| bug | in | found after | as |", "|---|---|---|---|", *rows))
