"""How fast Spin explores the same state spaces: stored states a second of an exhaustive breadth-first search.

    python -m benchmarks.spin                                   the models below
    python -m benchmarks.spin arbiter_tree:height=2             others

Needs `spin` and `gcc` on the path (Debian packages of these names). The compilation of the verifier is not counted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import symdmc
from benchmarks.promela import promela
from symdmc.model.system import System

MODELS = ("arbiter_tree:height=3,faulty=false", "arbiter_tree:height=3", "hanoi:disks=14,variant=plain")
GENERATE = ("spin", "-o3", "-a", "model.pml")
"""Without the merging of statements."""
COMPILE = ("gcc", "-O2", "-DBFS", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-w", "-o", "pan", "pan.c")
"""Breadth-first, without partial order reduction, which would leave states out."""
RUN = ("./pan", "-E", "-m100000", "-w24")
"""Past states without a step, with a hash table of 2^24 slots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpinRun:
    """What Spin reports about one exhaustive search."""

    states: int
    transitions: int
    depth: int
    seconds: float
    memory_mb: float

    @property
    def rate(self) -> float | None:
        """Stored states a second; None where the search was too short to be timed."""
        return self.states / self.seconds if self.seconds else None


def missing_programs() -> list[str]:
    """The programs this benchmark needs that are not on the path."""
    return [program for program in ("spin", "gcc") if shutil.which(program) is None]


def run_spin(system: System, at_least: float = 0.0) -> list[SpinRun]:
    """Explore the system with Spin, again and again until the searches took so many seconds in all.

    Raises RuntimeError where one of the programs fails.
    """
    with TemporaryDirectory() as folder:
        Path(folder, "model.pml").write_text(promela(system))
        _call(GENERATE, folder)
        _call(COMPILE, folder)
        runs = [read_report(_call(RUN, folder))]
        while sum(run.seconds for run in runs) < at_least:
            runs.append(read_report(_call(RUN, folder)))
        return runs


def read_report(text: str) -> SpinRun:
    """The numbers in the output of a verifier; raises RuntimeError where it found an error or did not finish."""
    numbers = {
        name: re.search(pattern, text)
        for name, pattern in {
            "states": r"(\d+) states, stored",
            "transitions": r"(\d+) transitions",
            "depth": r"depth reached (\d+), errors: 0",
            "seconds": r"elapsed time ([\d.]+) seconds",
            "memory_mb": r"([\d.]+)\s+total actual memory usage",
        }.items()
    }
    found = {name: float(match.group(1)) for name, match in numbers.items() if match is not None}
    if len(found) < len(numbers) or "not completed" in text:
        raise RuntimeError(f"spin did not finish: {text.strip()[:200]}")
    return SpinRun(
        states=int(found["states"]),
        transitions=int(found["transitions"]) - 1,  # Spin counts the way into the first state
        depth=int(found["depth"]),
        seconds=found["seconds"],
        memory_mb=found["memory_mb"],
    )


def _call(command: Sequence[str], folder: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {(done.stderr or done.stdout).strip()[:200]}")
    return done.stdout


def main(models: Sequence[str]) -> None:
    """Print one line for each model."""
    if missing := missing_programs():
        print(f"{' and '.join(missing)} not found: nothing to compare with; install the Debian packages of that name")
        return
    print(f"{'model':40} {'states':>10} {'depth':>6} {'seconds':>8} {'states/s':>9} {'MB':>7}")
    for model in models:
        (run,) = run_spin(symdmc.load(model))
        rate = "" if run.rate is None else f"{run.rate:9.0f}"
        print(f"{model:40} {run.states:10} {run.depth:6} {run.seconds:8.2f} {rate:>9} {run.memory_mb:7.0f}")


if __name__ == "__main__":
    main(sys.argv[1:] or MODELS)
