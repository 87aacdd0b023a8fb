"""How many states A* expands a second, and what share that is of breadth-first search on the same model.

    python -m benchmarks.astar_speed                     three BEEM models and the arbiter tree
    python -m benchmarks.astar_speed --keep NAME         write benchmarks/results/NAME.json too
    python -m benchmarks.astar_speed bakery.5.prop1      some of them; a family stands for its error condition

Each model runs in a process of its own, with properties that hold, so that both searches visit everything (of large
models the first states). The two take turns; a share is that of one turn, and the table has the median. Counted is the
time of the processor in the search loops: the databases, value analysis, compilation and the machine code of the task
are there before. The estimates are those of the kinds of patterns in `benchmarks.directed`, with complete databases:
the variables of the error condition, alone (`error`) and with their neighbours (`near`); and `blind`, for which every
state but an error state is one step away.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sized
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean, median

import symdmc
from benchmarks.beem import BEEM
from benchmarks.directed import KINDS, patterns
from benchmarks.records import Row, in_children, table, write_results
from symdmc.checking.checks import task_of
from symdmc.checking.request import Question
from symdmc.heuristics.blind import Blind
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.kernel.loops.store import StateStore
from symdmc.kernel.machine.compiler import compile_program
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.running.run import Run
from symdmc.search.directed.best_first_compiled import BestFirstWalk
from symdmc.search.directed.rules import ASTAR
from symdmc.search.explicit.compiled import CompiledWalk
from symdmc.task.task import Task

QUESTIONS = (
    "bakery.5.prop1",
    "leader_filters.5.prop1",
    "needham.4.prop2",
    "arbiter_tree:height=3,faulty=false",
    "arbiter_tree:height=4,faulty=false",
)
ESTIMATES = ("blind", "error", "near")
ROUNDS = 5
MOST_EXPANSIONS = 4_000_000
ROOM = 2 << 30
"""Bytes for the states of one search."""
LEAST_SECONDS = 0.5
"""Of processor time in one turn: short searches are repeated."""
COLUMNS = (
    *("question", "estimate", "nodes", "expanded", "generated", "dead_ends"),
    *("bfs/s", "astar/s", "share", "least", "most"),
)


def measure(name: str) -> list[Row]:
    """One question with every estimate."""
    task = task_named(name)
    task.analyse(Run().checkpoint)
    heuristics = {spelled: heuristic_named(task, spelled) for spelled in ESTIMATES}
    searches: dict[str, Search] = {"bfs": partial(breadth_first, task)}
    for spelled, heuristic in heuristics.items():
        searches[spelled] = partial(a_star, task, heuristic)
    turns = [{spelled: turn(search) for spelled, search in searches.items()} for _ in range(ROUNDS)]
    return [row(name, spelled, nodes(heuristics[spelled]), turns) for spelled in ESTIMATES]


@dataclass(frozen=True)
class Turn:
    """What one search did, and how long it took, on average."""

    expanded: int
    generated: int
    dead_ends: int
    seconds: float

    @property
    def rate(self) -> float:
        """Expanded states a second."""
        return self.expanded / self.seconds


Search = Callable[[], Turn]


def task_named(name: str) -> Task:
    """A property of a BEEM model, or the error condition of a family."""
    with (BEEM / "properties.csv").open(newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            if row["property"] == name:
                system = symdmc.load(str(BEEM / "models" / f"{row['model']}.dve"))
                return task_of(system, Question(error=row["error_condition"]))
    return task_of(symdmc.load(name), Question())


def heuristic_named(task: Task, spelled: str) -> TaskHeuristic:
    """No estimate, or complete databases with the patterns of that kind."""
    if spelled == "blind":
        return Blind(task)
    kind = next(kind for kind in KINDS if kind.name == spelled)
    built = [build_database(task, pattern, BuildOptions(complete=True)) for pattern in patterns(task, kind)]
    return database_heuristic(task, built, kind.combine)


def nodes(heuristic: TaskHeuristic) -> int:
    """Of all its tables."""
    return sum(len(table) for group in heuristic.groups or () for table in group.tables if isinstance(table, Sized))


def breadth_first(task: Task) -> Turn:
    """One search that tests every state for the error condition."""
    program, run = compile_program(task), Run()
    walk = CompiledWalk(task, program, StateStore.reserve(program.packing.words, ROOM, 2 * program.most_successors))
    walk.start(run)
    return timed(walk, run)


def a_star(task: Task, heuristic: TaskHeuristic) -> Turn:
    """One search directed by a heuristic."""
    program, run = compile_program(task), Run()
    store = StateStore.reserve(program.packing.words, ROOM, 2 * program.most_successors)
    walk = BestFirstWalk(task, program, store, heuristic, ASTAR)
    walk.start(run)
    return timed(walk, run)


def timed(walk: CompiledWalk, run: Run) -> Turn:
    """What the search does in its loops."""
    walk.use_native_code()
    began = time.process_time()
    walk.go(run, MOST_EXPANSIONS)
    seconds = time.process_time() - began
    if walk.stop is not None or walk.path_to_error() is not None:
        raise RuntimeError("the search ended early")
    dead_ends = walk.dead_ends if isinstance(walk, BestFirstWalk) else 0
    return Turn(walk.expanded, walk.generated, dead_ends, seconds)


def turn(search: Search) -> Turn:
    """The mean of as many searches as take long enough."""
    done = [search()]
    while sum(each.seconds for each in done) < LEAST_SECONDS:
        done.append(search())
    return replace(done[0], seconds=mean(each.seconds for each in done))


def row(name: str, spelled: str, nodes: int, turns: list[dict[str, Turn]]) -> Row:
    """The figures of one estimate."""
    shares = [turn[spelled].rate / turn["bfs"].rate for turn in turns]
    last = turns[-1][spelled]
    return {
        "question": name,
        "estimate": spelled,
        "nodes": nodes,
        "expanded": last.expanded,
        "generated": last.generated,
        "dead_ends": last.dead_ends,
        "bfs_expanded": turns[-1]["bfs"].expanded,
        "bfs/s": round(median(turn["bfs"].rate for turn in turns)),
        "astar/s": round(median(turn[spelled].rate for turn in turns)),
        "share": round(median(shares), 3),
        "least": round(min(shares), 3),
        "most": round(max(shares), 3),
    }


def main() -> int:
    """Measure, print the table, keep the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("questions", nargs="*", default=QUESTIONS, help="BEEM properties or families")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    chosen = parser.parse_args()
    rows = [row for made in in_children(measure, chosen.questions, 1) for row in made]
    print(table(rows, COLUMNS))
    if chosen.keep:
        write_results(chosen.keep, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
