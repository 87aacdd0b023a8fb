"""Symbolic pattern databases on the arbiter tree: how long they take to build, what A* and proofs then cost.

    python -m benchmarks.patterndb --keep patterndb              heights 6 to 9
    python -m benchmarks.patterndb --heights 6 --complete        also to the last layer

The pattern has the paths of the watched clients and of the faulty one to the root, and the siblings along them. Seconds
are those of the whole job in a process of its own: loading, value analysis, order, forward pass, layers, table, search.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import symdmc
from benchmarks.records import Row, in_children, table, write_results
from symdmc.checking.checks import check_task, task_of
from symdmc.checking.request import Question, check_request
from symdmc.evidence.certificate import read_certificate, write_certificate
from symdmc.model.state import State
from symdmc.packed.packing import pack_domains
from symdmc.patterndb.build import BuildOptions, build_database, build_layers
from symdmc.task.task import Task
from symdmc.task.variable_names import pattern_numbers

LOOKED_UP = 200_000
MEMBERS = 200
COLUMNS = (
    *("job", "seconds", "build", "search", "length", "explored", "layers", "table_nodes", "peak_nodes"),
    *("certify_seconds", "lookups_a_second", "memberships_a_second"),
)


@dataclass(frozen=True)
class Job:
    """One tree, faulty or correct, with a partial or a complete database."""

    height: int
    faulty: bool
    complete: bool

    def __str__(self) -> str:
        kind = "faulty" if self.faulty else "correct"
        return f"height {self.height} {kind}{' complete' if self.complete else ''}"


def pattern_of(height: int) -> str:
    """The ways of clients 0, 1 and the last to the root, and the siblings along them."""
    clients = 2**height
    kept = {1}
    for number in (clients, clients + 1, 2 * clients - 1):
        while number > 1:
            kept |= {number, number ^ 1}
            number //= 2
    names = [f"Client{number - clients}" if number >= clients else f"Node{number}" for number in sorted(kept)]
    return ",".join(["Root", *names])


def measure(job: Job) -> list[Row]:
    """Check the tree, and time what was done."""
    began = time.monotonic()
    system = symdmc.load("arbiter_tree", height=job.height, faulty=job.faulty)
    task = task_of(system, Question())
    pattern = pattern_of(job.height)
    request = check_request(heuristic="pdb", pattern=pattern, complete=job.complete, certify=not job.faulty)
    result = check_task(task, request)
    row: Row = {
        "job": str(job),
        "seconds": round(time.monotonic() - began, 2),
        "build": result.preprocessing_seconds,
        "search": round(result.seconds - result.preprocessing_seconds, 2),
        "verdict": result.verdict.value,
        "length": result.length,
        "h_initial": result.h_initial,
        "explored": result.explored,
    }
    if result.certificate is not None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "certificate.json"
            write_certificate(path, result.certificate, system)
            row["certify_seconds"] = _certified_in(path, system)
    return [row | _tables(task, pattern, job)]


def _certified_in(path: Path, system: symdmc.System) -> float:
    from symdmc.evidence.certify import certify

    began = time.monotonic()
    certify(system, read_certificate(path, system))
    return round(time.monotonic() - began, 2)


def _tables(task: Task, pattern: str, job: Job) -> Row:
    """The database once more, in this process, to look into it."""
    numbers, options = pattern_numbers(task, pattern), BuildOptions(complete=job.complete)
    database = build_database(task, numbers, options)
    row: Row = {
        "layers": len(database.layers),
        "table_nodes": len(database.table),
        "peak_nodes": database.peak_nodes,
    }
    if not job.faulty:
        return row
    packing = pack_domains(task.analysis.domains)
    states = [task.values(state) for state in _walked(task, MEMBERS)]
    packed = np.array([packing.pack(values) for values in states] * (LOOKED_UP // len(states)), dtype=np.int64)
    packed = packed.reshape(-1, packing.words)
    database.codes(packed[:10], packing)  # compiles
    began = time.perf_counter()
    codes = database.codes(packed, packing)
    row["lookups_a_second"] = round(len(packed) / (time.perf_counter() - began))
    built = build_layers(task, numbers, options)
    began = time.perf_counter()
    told = [built.distance(values) for values in states]
    row["memberships_a_second"] = round(len(states) / (time.perf_counter() - began))
    assert told == [int(code) for code in codes[: len(states)]]
    return row


def _walked(task: Task, count: int) -> Sequence[State]:
    """States along a path that always takes the step in the middle."""
    state = next(iter(task.semantics.initial_states()))
    found = [state]
    while len(found) < count:
        steps = list(task.semantics.steps(state))
        state = steps[(len(steps) * len(found) // 7) % len(steps)].successor
        found.append(state)
    return found


def main() -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--heights", type=int, nargs="+", default=[6, 7, 8, 9], help="of the trees (default: 6 to 9)")
    parser.add_argument("--complete", action="store_true", help="also build databases to the last layer")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    chosen = parser.parse_args()
    jobs = [Job(height, faulty, False) for height in chosen.heights for faulty in (True, False)]
    if chosen.complete:
        jobs += [Job(height, True, True) for height in chosen.heights]
    rows: list[Row] = []
    for some in in_children(partial(measure), jobs, 1):
        rows += some
        print(some, file=sys.stderr, flush=True)
        if chosen.keep:
            write_results(chosen.keep, rows)
    print(table(rows, COLUMNS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
