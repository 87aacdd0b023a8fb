"""What merging the parts of the relation and what the order of the variables are worth: seconds to count all states.

    python -m benchmarks.relation_table --keep relation      the arbiter tree and BEEM models, 30 seconds a cell
    python -m benchmarks.relation_table phils.4 szymanski.3  these models only

One table for chained images, one for layered ones. The columns vary the merge limit (nodes of a merged part; 0 keeps
one part for each case of a transition) with the default order, then the order with the default merge limit. Each cell
runs in a process of its own; seconds are those of value analysis, order, images and counting. The last row adds up
the column, a cell over the limit counted as the limit. Exit code 1 when two cells of a model count differently, or not
as published.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import symdmc
from benchmarks.beem import BEEM, jobs
from benchmarks.records import Row, in_children, table, write_results
from symdmc.checking.checks import bare_task_of
from symdmc.encode.order.orders import ORDERS
from symdmc.errors import SymdmcError
from symdmc.outcome import Exploration
from symdmc.running.run import Limits, Run
from symdmc.search.symbolic.options import SymbolicOptions
from symdmc.search.symbolic.symbolic import explore

MODELS = (
    *(f"arbiter_tree:height={height},faulty=false" for height in (3, 4, 5)),
    *("anderson.4", "brp.2", "driving_phils.2", "iprotocol.2", "lann.3"),
    *("leader_filters.3", "needham.3", "phils.4", "production_cell.2", "szymanski.3"),
)
ONE_PART = sys.maxsize
MERGE_LIMITS = {"merge 0": 0, "100": 100, "1000": 1_000, "10000": 10_000, "one part": ONE_PART}
EVERY_SIZE = 10**30


@dataclass(frozen=True)
class Cell:
    """One model explored in one way."""

    model: str
    column: str
    options: SymbolicOptions


def columns(layered: bool) -> dict[str, SymbolicOptions]:
    """The ways to explore, by what they are called in the table."""
    plain = SymbolicOptions(layered=layered, count_layers=False)
    merging = {name: replace(plain, merge_limit=limit) for name, limit in MERGE_LIMITS.items()}
    return merging | {order: replace(plain, order=order) for order in ORDERS}


def measure(limit: float, cell: Cell) -> list[Row]:
    """Explore, and say how long it took or why it did not end."""
    path = BEEM / "models" / f"{cell.model}.dve"
    task = bare_task_of(symdmc.load(str(path) if path.is_file() else cell.model))
    before = _processor_seconds()
    try:
        found = explore(task, cell.options, run=Run(Limits(seconds=limit)))
    except SymdmcError as refusal:
        shown, facts = "refused", {"states": None, "cause": str(refusal)}
    else:
        shown, facts = _shown(found, limit), _facts(found)
    images = "layered" if cell.options.layered else "chained"
    spent = round(_processor_seconds() - before, 2)
    row: Row = {"model": cell.model, "images": images, "column": cell.column, "shown": shown}
    return [{**row, **facts, "processor_seconds": spent}]


def _processor_seconds() -> float:
    """Of this process and of the child in which the diagrams are."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _shown(found: Exploration, limit: float) -> str:
    if found.states is not None:
        return f"{found.seconds:.2f}"
    return f">{limit:g}" if found.stop is not None and found.stop.value == "time limit" else "memory"


def _facts(found: Exploration) -> Row:
    return {
        "states": found.states,
        "seconds": found.seconds,
        "peak_nodes": found.peak_nodes,
        "cause": None if found.stop is None else found.reason,
    }


def laid_out(rows: Sequence[Row], models: Sequence[str], limit: float) -> str:
    """One line for each model, and the sums."""
    names = list(columns(layered=False))
    lines: list[Row] = []
    for model in models:
        cells = {row["column"]: row["shown"] for row in rows if row["model"] == model}
        lines.append({"model": model} | cells)
    sums: Row = {"model": "sum"}
    for name in names:
        spent = [row["seconds"] if row["states"] is not None else limit for row in rows if row["column"] == name]
        sums[name] = f"{sum(spent):.1f}"
    return table([*lines, sums], ("model", *names))


def disagreements(rows: Sequence[Row]) -> list[str]:
    """The models whose cells differ in what they count, or from what is published."""
    published = {job.model: job.states for job in jobs(EVERY_SIZE, "*")} if BEEM.is_dir() else {}
    counts: dict[str, set[int | None]] = {}
    for row in rows:
        if row["states"] is not None:
            counts.setdefault(row["model"], {published.get(row["model"], row["states"])}).add(row["states"])
    return sorted(model for model, found in counts.items() if len(found) > 1)


def main() -> int:
    """Measure, print both tables, keep the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("models", nargs="*", default=MODELS, help="families or BEEM models")
    parser.add_argument("--limit-seconds", type=float, default=30.0, help="for each cell (default: 30)")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    chosen = parser.parse_args()
    rows: list[Row] = []
    for title, layered in (("Chained images, seconds", False), ("Layered images, seconds", True)):
        ways = columns(layered).items()
        cells = [Cell(model, name, options) for model in chosen.models for name, options in ways]
        made: list[Row] = []
        for some in in_children(partial(measure, chosen.limit_seconds), cells, 1):
            made += some
            print(f"{some[0]['model']} {some[0]['column']}: {some[0]['shown']}", file=sys.stderr, flush=True)
            if chosen.keep:
                write_results(chosen.keep, [*rows, *made], limit_seconds=chosen.limit_seconds)
        rows += made
        print(f"{title}\n\n{laid_out(made, chosen.models, chosen.limit_seconds)}\n", flush=True)
    differing = disagreements(rows)
    print(f"{sum(row['states'] is not None for row in rows)} counts, differing: {', '.join(differing) or 'none'}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
