"""The handshake arbiter tree, whole system: ours against SymK on the same task, side by side in one run.

    python -m venv symk && symk/bin/pip install up-symk
    python -m benchmarks.symk --symk symk                          heights 2 to 6, 60 seconds each
    python -m benchmarks.symk --symk symk --heights 2 3 4 --keep symk

Both are programs started on a file or a name, and both are timed from start to end: `symdmc check --engine symbolic`
for a shortest error trace of the faulty tree, `symdmc explore --engine symbolic` for all states of the correct one;
SymK on the SAS+ file made from the Task, as it comes, and once more behind the preprocessor of its package, which
finds mutexes. SymK does not count states and claims nothing about the correct tree; it exhausts its search there. The
ratio compares with the faster of its two runs; processor seconds show how far a busy machine distorts. Exit code 1 when
a length or a count is not the known one.

The published columns are carried over from earlier runs of the same system on a machine of this class, with the order
(and NuSMV's relation) made for this tree by hand. LTSmin gives no trace.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import symdmc
from benchmarks.records import CHECKOUT, Row, table, write_results
from benchmarks.sas import sas
from symdmc.checking.checks import task_of
from symdmc.checking.request import Question

HEIGHTS = (2, 3, 4, 5, 6)
STATES = {2: "576", 3: "180224", 4: "13958643712", 5: "6.9e+19", 6: "1.4e+39"}
"""Reachable states of the correct tree, as published: all digits where they fit."""
PUBLISHED: dict[str, dict[str, dict[int, float | str]]] = {
    "faulty": {
        "NuSMV": {3: 0.2, 4: 1.0, 5: 8.3, 6: "over 60"},
        "LTSmin": {3: 0.1, 4: 0.4, 5: 1.6, 6: 15.5},
    },
    "correct": {
        "NuSMV": {3: 0.2, 4: 1.2, 5: 10.8, 6: "over 60"},
        "LTSmin": {3: 0.1, 4: 0.1, 5: 0.4, 6: 5.0},
    },
}
"""Seconds by height."""
SEARCHES = {"faulty": "sym_bd()", "correct": "sym_fw()"}
"""From both sides for a trace; forward alone exhausts the correct tree sooner."""
GRACE_SECONDS = 5.0
"""What our own report of a limit may take."""
OUT_OF_TIME, OUT_OF_MEMORY = 21, 22
"""Exit codes, of the planner and ours alike."""
UNSOLVED = 12
"""The exit code of a planner that has searched everything in vain."""
OURS, PLAIN, PREPROCESSED = "symdmc", "SymK", "SymK preprocessed"
COLUMNS = (
    *("height", "answer", OURS, PLAIN, PREPROCESSED, "SymK / symdmc"),
    *("symdmc, processor", "SymK, processor", "NuSMV, published", "LTSmin, published", "agrees"),
)


@dataclass(frozen=True)
class Run:
    """How a program ended."""

    seconds: float
    processor_seconds: float
    output: str = ""
    exit_code: int | None = None
    """None when it was stopped at the time limit."""
    answer: int | None = None
    """Length or number of states; None where it found none, or was stopped."""

    @property
    def finished(self) -> bool:
        """Whether it ended by itself, having searched to the end."""
        return self.exit_code not in (None, OUT_OF_TIME, OUT_OF_MEMORY)

    def shown(self, limit: float) -> float | str:
        """The seconds for the table."""
        if self.exit_code == OUT_OF_MEMORY:
            return "memory"
        return round(self.seconds, 2) if self.finished else f"over {limit:g}"


def timed(commands: Sequence[tuple[Sequence[str], str | None]], folder: str, limit: float) -> Run:
    """Run programs one after the other, each with a file as its input, under one limit."""
    began, before = time.monotonic(), _children_seconds()
    output, code = "", None
    for command, file in commands:
        left = max(limit - (time.monotonic() - began), 0)
        with Path(folder, file or "/dev/null").open() as given:
            try:
                done = subprocess.run(
                    command, cwd=folder, stdin=given, capture_output=True, text=True, check=False, timeout=left
                )
            except subprocess.TimeoutExpired:
                return Run(time.monotonic() - began, _children_seconds() - before)
        output, code = done.stdout, done.returncode
    return Run(time.monotonic() - began, _children_seconds() - before, output, code)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# ---- ours


def ours(model: str, variant: str, limit: float) -> Run:
    """Our run; raises RuntimeError where it ends without an answer and without a limit."""
    verb = "check" if variant == "faulty" else "explore"
    options = ("--engine", "symbolic", "--json", "--time-limit", f"{limit:g}")
    command = (sys.executable, "-m", "symdmc", verb, model, *options)
    run = timed([(command, None)], str(CHECKOUT), limit + GRACE_SECONDS)
    if not run.finished:
        return run
    answer = json.loads(run.output)["length" if variant == "faulty" else "states"]
    if answer is None:
        raise RuntimeError(f"no answer from {' '.join(command)}: exit code {run.exit_code}")
    return replace(run, answer=answer)


# ---- SymK


def planner_in(path: Path) -> Path:
    """The planner that a path means: itself, or the one in the environment (or the environment of the Python) there."""
    if path.name == "downward":
        return path.absolute()
    folder = path if path.is_dir() else path.absolute().parent.parent
    found = sorted(folder.absolute().glob("**/up_symk/symk/builds/*/bin/downward"))
    if not found:
        raise FileNotFoundError(f"no SymK in {folder}: install up-symk there")
    return found[0]


def symk(planner: Path, variant: str, folder: str, limit: float, *, preprocess: bool) -> Run:
    """SymK's run on task.sas in the folder."""
    search = (str(planner), "--search", SEARCHES[variant])
    if preprocess:
        Path(folder, "output.sas").unlink(missing_ok=True)
        run = timed([((str(planner.with_name("preprocess")),), "task.sas"), (search, "output.sas")], folder, limit)
    else:
        run = timed([(search, "task.sas")], folder, limit)
    return replace(run, answer=read_answer(run.output, run.exit_code)) if run.finished else run


def read_answer(output: str, exit_code: int | None) -> int | None:
    """The cost of the plan, None where there is none; raises RuntimeError where the planner did neither."""
    cost = re.search(r"Plan cost: (\d+)", output)
    if cost is not None:
        return int(cost.group(1))
    if exit_code != UNSOLVED:
        raise RuntimeError(f"SymK ended with {exit_code}: {output.strip()[-200:]}")
    return None


# ---- both


def measure(height: int, variant: str, planner: Path | None, limit: float) -> Row:
    """One height of one variant, all runs one after the other."""
    model = f"arbiter_tree:height={height},faulty={'true' if variant == 'faulty' else 'false'}"
    with TemporaryDirectory() as folder:
        Path(folder, "task.sas").write_text(sas(task_of(symdmc.load(model), Question())))
        mine = ours(model, variant, limit)
        theirs: dict[str, Run] = {}
        if planner is not None:
            theirs[PLAIN] = symk(planner, variant, folder, limit, preprocess=False)
            theirs[PREPROCESSED] = symk(planner, variant, folder, limit, preprocess=True)
    best = min((run for run in theirs.values() if run.finished), key=lambda run: run.seconds, default=None)
    return {
        "variant": variant,
        "height": height,
        "answer": mine.answer,
        OURS: mine.shown(limit),
        **{name: run.shown(limit) for name, run in theirs.items()},
        "SymK / symdmc": round(best.seconds / mine.seconds, 2) if best and mine.finished else None,
        "symdmc, processor": round(mine.processor_seconds, 2),
        "SymK, processor": round(best.processor_seconds, 2) if best else None,
        **{f"{tool}, published": seconds.get(height) for tool, seconds in PUBLISHED[variant].items()},
        "agrees": agree(height, variant, mine, list(theirs.values())),
    }


def agree(height: int, variant: str, mine: Run, theirs: Sequence[Run]) -> bool:
    """Whether every answer given is the known one."""
    if variant == "faulty":
        return all(run.answer == 8 * height + 12 for run in (mine, *theirs) if run.finished)
    known = STATES.get(height)
    counted = mine.answer is None or known is None or known in (str(mine.answer), f"{mine.answer:.1e}")
    return counted and all(run.answer is None for run in theirs)


def main() -> int:
    """Measure, print a table for each variant, keep the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--symk", type=Path, metavar="PATH", help="the planner, or the environment with up-symk in it")
    parser.add_argument("--heights", type=int, nargs="+", default=HEIGHTS, help="of the tree (default: 2 to 6)")
    parser.add_argument("--limit-seconds", type=float, default=60.0, help="for each run (default: 60)")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    chosen = parser.parse_args()
    planner = None if chosen.symk is None else planner_in(chosen.symk)
    rows: list[Row] = []
    for variant, title in (("faulty", "Shortest error trace, seconds"), ("correct", "All states, seconds")):
        for height in chosen.heights:
            rows.append(measure(height, variant, planner, chosen.limit_seconds))
            print(f"{variant} {height}: {rows[-1]['symdmc']} s", file=sys.stderr, flush=True)
            if chosen.keep:
                write_results(chosen.keep, rows, limit_seconds=chosen.limit_seconds)
        print(f"{title}\n\n{table([row for row in rows if row['variant'] == variant], COLUMNS)}\n")
    return 0 if all(row["agrees"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
