"""Bugs planted one at a time into a copy of the project, and how long the campaign takes to find each."""

from __future__ import annotations

import hashlib
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
from campaigns.mutants.worker import importers, module_of
from symdmc.packed.jit import ROOMS, kernel_folder

CHECKOUT = Path(__file__).parents[2]
BUGS = Path(__file__).parent / "planted.toml"
LEFT_BEHIND = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "fuzz-failures")
WARM = 3
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
        healthy_kernels = _keep_compiled(copy, environment)
        for bug in chosen:
            file = copy / bug.file
            healthy = shutil.copy2(file, Path(folder) / "healthy")  # and its time, by which numba knows it
            file.write_text(bug.mutated(file.read_text(encoding="utf-8")), encoding="utf-8")
            try:
                _keep_unaffected(bug, copy, healthy_kernels, _compiled(copy, environment))
                found.append(_hunted(bug, copy, environment, seed, seconds, workers))
            finally:
                shutil.copy2(healthy, file)
            told(found[-1])
    return found


def _ended(copy: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """What Python has to say, run in the copy."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def _compiled(copy: Path, environment: dict[str, str]) -> Path:
    """The folder of compiled kernels; it is named after the text of them all, the bug included."""
    asked = "from symdmc.packed.jit import kernel_folder; print(kernel_folder())"
    return Path(_ended(copy, environment, "-c", asked).stdout.strip())


def _keep_compiled(copy: Path, environment: dict[str, str]) -> Path:
    """The folder of compiled kernels, with those of the checkout: numba names folders in it after those of sources."""
    here, there = kernel_folder(), _compiled(copy, environment)
    for folder in {file.parent for room in ROOMS for file in (copy / "symdmc" / room).rglob("*.py")}:
        known = None if here is None else here / _numba_name(CHECKOUT / folder.relative_to(copy))
        if known is not None and known.is_dir():
            shutil.copytree(known, there / _numba_name(folder))
    return there


def _numba_name(folder: Path) -> str:
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"


def _keep_unaffected(bug: Entry, copy: Path, healthy: Path, planted: Path) -> None:
    """Take over what is compiled of the modules that do not import the one with the bug."""
    stale = {name.rpartition(".")[2] for name in importers(copy / "symdmc", module_of(bug.file))}
    for file in healthy.rglob("*.nb?"):
        if planted != healthy and file.name.split(".")[0] not in stale:
            place = planted / file.relative_to(healthy)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, place)


def _hunted(bug: Entry, copy: Path, environment: dict[str, str], seed: int, seconds: float, workers: int) -> Found:
    def ended(*arguments: str) -> subprocess.CompletedProcess[str]:
        return _ended(copy, environment, *arguments)

    where = ended("-c", "import symdmc; print(symdmc.__file__)").stdout.strip()
    if not Path(where).is_relative_to(copy):
        raise RuntimeError(f"symdmc comes from {where}, not from the copy with the bug")
    campaign = ("-m", "campaigns.fuzz", "--keep", str(copy / "failures"), "--shrink", "0", "--seed", str(seed))
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
