"""How fast and how large: generated and stored states a second against the reference semantics, bytes a stored state.

    python -m benchmarks.throughput                the arbiter tree, Hanoi and three BEEM models
    python -m benchmarks.throughput --keep NAME    write benchmarks/results/NAME.json too

Each model runs in a process of its own: first a run that loads the compiled loops, then measured ones until they took
seconds, then the reference semantics on the first states of the same model, then Spin on the whole of it where Promela
text can be made (families without variables). Value analysis and compilation are not counted, nor is Spin's. Bytes a
state are the growth of resident memory over the first run, everything counted, where it stores 5 million states.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import symdmc
from benchmarks.plots import bars
from benchmarks.records import BENCHMARKS, Row, in_children, table, write_results
from benchmarks.spin import missing_programs, run_spin
from symdmc.checking.checks import bare_task_of
from symdmc.packed.packing import pack_domains
from symdmc.running.run import Limits, Run, peak_memory_mb
from symdmc.search.explicit.explicit import explore
from symdmc.search.explicit.reference import reference_walk

MODELS = (
    "arbiter_tree:height=3",
    "arbiter_tree:height=4",
    "hanoi:disks=15,variant=plain",
    "leader_filters.5",
    "leader_filters.7",
    "needham.4",
    "lifts.7",
)
MOST_SECONDS = 60.0
LEAST_SECONDS = 3.0
REFERENCE_BUDGET = 20_000
ENOUGH_STATES = 5_000_000
COLUMNS = (
    *("model", "bits", "states", "finished", "preprocessing", "seconds", "stored/s", "generated/s"),
    *("reference generated/s", "times reference", "spin stored/s", "times spin", "bytes/state"),
)


def _load(name: str) -> symdmc.System:
    path = BENCHMARKS / "beem" / "models" / f"{name}.dve"
    return symdmc.load(str(path) if path.is_file() else name)


def measure(name: str) -> list[Row]:
    """One model: compiled search, the reference semantics, Spin."""
    explore(bare_task_of(_load("hanoi:disks=7,variant=plain")), compiled=True)
    task = bare_task_of(_load(name))
    bits = pack_domains(task.analysis.domains).bits
    before = peak_memory_mb()
    runs = [explore(task, run=Run(Limits(seconds=MOST_SECONDS)), compiled=True)]
    grown = peak_memory_mb() - before
    while sum(_searching(run) for run in runs) < LEAST_SECONDS:
        runs.append(explore(task, compiled=True))
    seconds = sum(_searching(run) for run in runs)
    stored_rate = sum(run.stored for run in runs) / seconds
    generated_rate = sum(run.generated for run in runs) / seconds
    naive_rate = _reference_rate(task)
    spin_rate = _spin_rate(task.system, runs[0].states)
    return [
        {
            "model": name,
            "bits": bits,
            "states": runs[0].stored,
            "finished": runs[0].states is not None,
            "preprocessing": runs[0].preprocessing_seconds,
            "seconds": round(seconds / len(runs), 2),
            "stored/s": round(stored_rate),
            "generated/s": round(generated_rate),
            "reference generated/s": round(naive_rate),
            "times reference": round(generated_rate / naive_rate),
            "spin stored/s": None if spin_rate is None else round(spin_rate),
            "times spin": None if spin_rate is None else round(stored_rate / spin_rate, 1),
            "bytes/state": round(grown * 2**20 / runs[0].stored, 1) if runs[0].stored >= ENOUGH_STATES else None,
        }
    ]


def _searching(run: symdmc.Exploration) -> float:
    return run.seconds - run.preprocessing_seconds


def _reference_rate(task: symdmc.Task) -> float:
    """Steps a second of the reference semantics, on the first states of the model."""
    began = time.monotonic()
    walk = reference_walk(task, order="bfs", seed=0, run=Run(), budget=REFERENCE_BUDGET, explore=True)
    return walk.generated / (time.monotonic() - began)


def _spin_rate(system: symdmc.System, states: int | None) -> float | None:
    """Stored states a second of Spin on the same state space; None where that cannot be had."""
    if missing_programs() or states is None:
        return None
    try:
        runs = run_spin(system, LEAST_SECONDS)
    except ValueError:  # variables, or channels that are no rendezvous
        return None
    if runs[0].states != states:
        raise RuntimeError(f"spin stores {runs[0].states} states, not {states}")
    return sum(run.states for run in runs) / sum(run.seconds for run in runs)


def main() -> int:
    """Measure, print the table, keep the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("models", nargs="*", default=MODELS, help="families or BEEM models")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw stored states a second (.svg, .png, .pdf)")
    chosen = parser.parse_args()
    rows = [row for made in in_children(measure, chosen.models, 1) for row in made]
    print(table(rows, COLUMNS))
    if chosen.keep:
        write_results(chosen.keep, rows)
    if chosen.plot:
        shown = {"stored/s": "symdmc", "spin stored/s": "Spin, breadth first"}
        bars(rows, shown, chosen.plot, title="Stored states a second", unit="states/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
