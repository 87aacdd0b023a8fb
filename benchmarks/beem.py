"""All BEEM models with a published count of states up to a limit: counts, depths and the verdict of every property.

    python -m benchmarks.beem                      every model of at most 10 million states
    python -m benchmarks.beem --models 'needham*'  some of them

Each model runs in a process of its own. A row fails when states or depth differ from the published ones, when a
verdict is not the expected one, or when a trace does not replay. Exit code 1 when any row fails.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import symdmc
from benchmarks.records import BENCHMARKS, Row, fits, in_children, table, write_results
from symdmc.evidence.replay import replay

BEEM = BENCHMARKS / "beem"
COLUMNS = (
    "model",
    "states",
    "depth",
    "transitions",
    "deadlocks",
    "seconds",
    "states_per_second",
    "memory_mb",
    "agrees",
)
PROPERTY_COLUMNS = ("property", "verdict", "expected", "length", "shortest", "explored", "seconds", "agrees")


@dataclass(frozen=True)
class Job:
    """One model with what is published about it."""

    model: str
    states: int | None
    depth: int | None
    properties: tuple[tuple[str, str, str], ...]
    """Name, error condition, expected answer."""
    explores: bool = True

    @property
    def path(self) -> Path:
        """The model's file."""
        return BEEM / "models" / f"{self.model}.dve"


def jobs(limit: int, pattern: str) -> list[Job]:
    """The models to run, the small ones first."""
    properties: dict[str, list[tuple[str, str, str]]] = {}
    for row in _rows("properties.csv"):
        properties.setdefault(row["model"], []).append((row["property"], row["error_condition"], row["expected"]))
    found = [
        Job(row["model"], int(row["states"]), int(row["bfs_levels"]), tuple(properties.get(row["model"], ())))
        for row in _rows("state_counts.csv")
        if int(row["states"]) <= limit and fits(row["model"], pattern)
    ]
    return sorted(found, key=lambda job: (job.states or 0, job.model))


def unsettled(pattern: str) -> list[Job]:
    """The properties that nobody has settled, whatever the size of the model."""
    found: dict[str, Job] = {}
    for row in _rows("properties.csv"):
        if row["expected"] == "unknown" and fits(row["model"], pattern):
            before = found[row["model"]].properties if row["model"] in found else ()
            asked = (row["property"], row["error_condition"], row["expected"])
            found[row["model"]] = Job(row["model"], None, None, (*before, asked), explores=False)
    return [found[name] for name in sorted(found)]


def _rows(name: str) -> list[dict[str, str]]:
    with (BEEM / name).open(newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def run(job: Job) -> list[Row]:
    """Explore the model and ask all its properties."""
    system = symdmc.load(str(job.path))
    rows = [_explored(job, system)] if job.explores else []
    for name, condition, expected in job.properties:
        rows.append(_asked(system, name, condition, expected))
    return rows


def _explored(job: Job, system: symdmc.System) -> Row:
    began = time.monotonic()
    found = symdmc.explore(system)
    seconds = time.monotonic() - began
    return {
        "model": job.model,
        "states": found.states,
        "depth": found.depth,
        "transitions": found.transitions,
        "deadlocks": found.deadlocks,
        "faults": None if found.faults is None else found.faults.states,
        "seconds": round(seconds, 2),
        "states_per_second": round((found.states or 0) / seconds),
        "memory_mb": found.peak_memory_mb,
        "agrees": found.states == job.states and found.depth == job.depth,
    }


def _asked(system: symdmc.System, name: str, condition: str, expected: str) -> Row:
    began = time.monotonic()
    result = symdmc.check(system, error=condition)
    if result.trace is not None and result.trace.error is not None:
        replay(system, result.trace, result.trace.error)
    verdict = {"error": "reachable"}.get(result.verdict.value, result.verdict.value)
    return {
        "property": name,
        "verdict": verdict,
        "expected": expected,
        "length": result.length,
        "shortest": result.shortest if result.trace is not None else None,
        "explored": result.explored,
        "seconds": round(time.monotonic() - began, 2),
        "memory_mb": result.peak_memory_mb,
        "reason": result.reason,
        "agrees": verdict == expected if expected != "unknown" else None,
    }


def main() -> int:
    """Run, print the tables, keep the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--limit", type=int, default=10_000_000, help="most published states (default: 10 million)")
    parser.add_argument("--models", default="*", help="only models whose name fits, such as 'needham*'")
    parser.add_argument("--unsettled", action="store_true", help="only the properties whose answer nobody knows")
    parser.add_argument("--workers", type=int, default=1, help="models at a time (default: 1)")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    chosen = parser.parse_args()
    if not BEEM.is_dir():
        print(f"no models at {BEEM}; set SYMDMC_BENCHMARKS to the folder that has them", file=sys.stderr)
        return 1
    todo = unsettled(chosen.models) if chosen.unsettled else jobs(chosen.limit, chosen.models)
    rows: list[Row] = []
    for made in in_children(run, todo, chosen.workers):
        rows += made
        print(f"{len(rows):4} {made[0].get('model', made[0].get('property'))}", file=sys.stderr, flush=True)
    models = sorted((row for row in rows if "model" in row), key=lambda row: (row["states"] or 0, row["model"]))
    properties = sorted((row for row in rows if "property" in row), key=lambda row: str(row["property"]))
    print(table(models, COLUMNS), table(properties, PROPERTY_COLUMNS), sep="\n\n")
    failed = [row for row in rows if row["agrees"] is False]
    asked = sum(row["agrees"] is not None for row in properties)
    print(f"\n{len(models)} models and {asked} known answers compared, {len(failed)} disagree")
    if chosen.keep:
        write_results(chosen.keep, [*models, *properties])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
