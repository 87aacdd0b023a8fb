"""How fast and how large: generated and stored states a second against the reference semantics, bytes a stored state.

    python -m benchmarks.throughput                the arbiter tree and three BEEM models
    python -m benchmarks.throughput --keep NAME    write benchmarks/results/NAME.json too

Each model runs in a process of its own: first a run that loads the compiled loops, then the measured one, then the
reference semantics on the first states of the same model. Value analysis and compilation are shown apart. Bytes a
state are the growth of resident memory over the measured run, everything counted, for runs of 5 million states or more.
"""

from __future__ import annotations

import argparse
import sys
import time

import symdmc
from benchmarks.records import BENCHMARKS, Row, in_children, table, write_results
from symdmc.kernel.packing import pack_domains
from symdmc.outcome import Limits
from symdmc.registry.checks import bare_task_of
from symdmc.search.explicit import explore
from symdmc.search.reference import reference_walk
from symdmc.search.resources import Watch, peak_memory_mb

MODELS = (
    "arbiter_tree:height=3",
    "arbiter_tree:height=4",
    "hanoi:disks=15,variant=plain",
    "leader_filters.7",
    "needham.4",
    "lifts.7",
)
MOST_SECONDS = 60.0
REFERENCE_BUDGET = 20_000
ENOUGH_STATES = 5_000_000
COLUMNS = (
    *("model", "bits", "states", "finished", "preprocessing", "seconds", "stored/s", "generated/s"),
    *("reference generated/s", "ratio", "bytes/state"),
)


def _load(name: str) -> symdmc.System:
    path = BENCHMARKS / "beem" / "models" / f"{name}.dve"
    return symdmc.load(str(path) if path.is_file() else name)


def measure(name: str) -> list[Row]:
    """One model: compiled search, then the reference semantics."""
    explore(bare_task_of(_load("hanoi:disks=7,variant=plain")), compiled=True)
    task = bare_task_of(_load(name))
    bits = pack_domains(task.analysis.domains).bits
    before = peak_memory_mb()
    found = explore(task, limits=Limits(seconds=MOST_SECONDS), compiled=True)
    grown = peak_memory_mb() - before
    searching = found.seconds - found.preprocessing_seconds
    began = time.process_time()
    naive = reference_walk(task, order="bfs", seed=0, watch=Watch(Limits()), budget=REFERENCE_BUDGET, explore=True)
    naive_rate = naive.generated / (time.process_time() - began)
    rate = found.generated / searching
    return [
        {
            "model": name,
            "bits": bits,
            "states": found.stored,
            "finished": found.states is not None,
            "preprocessing": found.preprocessing_seconds,
            "seconds": round(searching, 2),
            "stored/s": round(found.stored / searching),
            "generated/s": round(rate),
            "reference generated/s": round(naive_rate),
            "ratio": round(rate / naive_rate),
            "bytes/state": round(grown * 2**20 / found.stored, 1) if found.stored >= ENOUGH_STATES else None,
        }
    ]


def main() -> int:
    """Measure, print the table, keep the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("models", nargs="*", default=MODELS, help="families or BEEM models")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    chosen = parser.parse_args()
    rows = [row for made in in_children(measure, chosen.models, 1) for row in made]
    print(table(rows, COLUMNS))
    if chosen.keep:
        write_results(chosen.keep, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
