"""A* with pattern databases on the BEEM properties: verdicts, shortest lengths, and how many states it expands.

    python -m benchmarks.directed --keep directed              every property of the models of at most a million states
    python -m benchmarks.directed --models 'needham*,brp.1'    some of them
    python -m benchmarks.directed --kinds error,near           with some kinds of patterns
    python -m benchmarks.directed --keep directed --again      what the kept run has no answer for

Each property is asked once for each kind of pattern in KINDS, in a process that has no other property. An answer agrees
when it has the expected verdict and the length that breadth-first search found (`benchmarks/results/beem.json`), and
when A* has not expanded more states than lie no deeper than that length, nor any state twice. Every trace is replayed.
The seconds are those of one answer, database and search; those of the first kind have the value analysis too. Exit code
1 when an answer differs or a run crashes; an answer that is missing comes with the cause.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import symdmc
from benchmarks.beem import BEEM, jobs
from benchmarks.records import Row, fits, in_children, table
from benchmarks.symbolic import Asked, agreement, asked, gather, guarded, kept_rows, verdict_of
from symdmc.checking.checks import bare_task_of, check_task, task_of
from symdmc.checking.request import CheckOptions, Question, check_request
from symdmc.heuristics.estimates.database_request import Combination
from symdmc.outcome import SearchResult, Verdict
from symdmc.running.run import Limits, Run
from symdmc.search.explicit.explicit import search
from symdmc.task.interaction import cone_of_influence, error_variables, footprint
from symdmc.task.task import Task

NEAR = 8
"""How many variables a pattern has at most besides those of the error condition ..."""
MOST_WAYS = 1 << 18
"""... as long as there are no more ways than this to give them values ..."""
MOST_VALUES = 256
"""... and none has more values than this: counters take as many rounds."""
MOST_STATES = 1_000_000
COLUMNS = (
    *("property", "pattern", "variables", "expected", "verdict", "expected_length", "length", "h_initial"),
    *("expanded", "states_to_depth", "reopened", "seconds", "agrees", "cause"),
)


@dataclass(frozen=True)
class Kind:
    """How many databases there are, and how many variables each has at most besides those of the error condition."""

    name: str
    databases: int = 1
    besides: int = 0
    combine: Combination = "max"
    process: int | None = None
    """Keep this process only, of all those that some transition moves; those that few transitions move come first."""


KINDS = (
    Kind("error"),
    Kind("near", besides=NEAR),
    Kind("one", process=0),
    Kind("other", process=1),
    Kind("max", databases=2, besides=NEAR),
    Kind("sum", databases=2, besides=NEAR, combine="sum"),
)


def patterns(task: Task, kind: Kind) -> list[tuple[int, ...]]:
    """The variables of each database: those of the error condition, and the nearest that no database has as yet.

    Near is in the cone of influence, then in the order of the task. Constants are left out, and so is what has too many
    values by itself or with the others.
    """
    if kind.process is not None:
        return [(moving(task)[kind.process],)]
    asked_for, domains = error_variables(task), task.analysis.domains
    distance = cone_of_influence(task, asked_for)
    others = [n for n in range(len(domains)) if n not in asked_for and 1 < domains[n].count <= MOST_VALUES]
    others.sort(key=lambda n: (distance.get(n, len(domains)), n))
    found = []
    for _ in range(kind.databases):
        added: list[int] = []
        for number in others:
            ways = prod(domains[n].count for n in (*added, number))
            if len(added) < kind.besides and ways <= MOST_WAYS:
                added.append(number)
        others = [n for n in others if n not in added]
        found.append(tuple(sorted((*asked_for, *added))))
    return found


def moving(task: Task) -> list[int]:
    """The processes that some transition moves, those that few transitions move first."""
    moves = Counter(number for transition in task.transitions for number in footprint(task, transition).writes)
    processes = [number for number in task.layout.process.values() if moves[number]]
    return sorted(processes, key=lambda number: (moves[number], number))


def guidance(task: Task, kind: Kind) -> CheckOptions:
    """What A* is given."""
    spelled = (",".join(task.variables[n].name for n in pattern) for pattern in patterns(task, kind))
    return CheckOptions(heuristic="pdb", pattern=tuple(spelled), combine=kind.combine)


def states_to_depth(system: symdmc.System, depth: int) -> int:
    """How many states breadth-first search meets no deeper than this, whatever is an error state."""
    return search(bare_task_of(system), bound=depth).stored


@dataclass(frozen=True)
class Work:
    """A property, and the kinds of patterns to ask it with."""

    question: Asked
    kinds: tuple[Kind, ...]


def todo(questions: Sequence[Asked], kinds: Sequence[Kind], before: Sequence[Row]) -> list[Work]:
    """Every property with the kinds for which there is no row that agrees."""
    settled = {(row["property"], row["pattern"]) for row in before if row["agrees"]}
    found = (Work(q, tuple(kind for kind in kinds if (q.name, kind.name) not in settled)) for q in questions)
    return [work for work in found if work.kinds]


def answer(allowed: Limits, work: Work) -> list[Row]:
    """One property with some kinds of patterns, each under the limits."""
    question = work.question
    system = symdmc.load(str(question.job.path))
    task = task_of(system, Question(error=question.condition))
    most = None if question.length is None else states_to_depth(system, question.length)
    rows = []
    for kind in work.kinds:
        if kind.process is not None and kind.process >= len(moving(task)):
            continue  # there is no such process
        row: Row = {
            "property": question.name,
            "pattern": kind.name,
            "expected": expected(question),
            "expected_length": question.length,
            "states_to_depth": most,
        }
        rows.append(row | guarded(allowed, partial(_answered, question, task, kind, most)))
    return rows


def expected(question: Asked) -> str:
    """The published answer."""
    return next(answer for name, _, answer in question.job.properties if name == question.name)


def _answered(question: Asked, task: Task, kind: Kind, most: int | None, run: Run) -> Row:
    result = check_task(task, check_request(**guidance(task, kind)), run)
    return {
        "kept": [list(pattern) for pattern in result.patterns or ()],
        "variables": "+".join(str(len(pattern)) for pattern in result.patterns or ()),
        "verdict": verdict_of(result),
        "length": result.length,
        "h_initial": result.h_initial,
        "expanded": result.explored,
        "reopened": result.reopened,
        "build_seconds": result.preprocessing_seconds,
        "agrees": agrees(question, most, result),
        "cause": None if result.stop is None else result.reason,
    }


def agrees(question: Asked, most: int | None, result: SearchResult) -> bool | None:
    """Whether verdict, length and expanded states are as they must be; None where there is no answer."""
    if result.verdict is Verdict.UNKNOWN:
        return agreement(question, result)
    is_expected = expected(question) in (verdict_of(result), "unknown")
    is_lean = not result.reopened and (most is None or result.explored <= most)
    return bool(agreement(question, result)) and is_expected and is_lean


def summary(rows: Sequence[Row]) -> str:
    """How many answers agree, by kind, and what share of the states up to the error was expanded."""
    lines = []
    properties = {row["property"] for row in rows}
    for kind in KINDS:
        made = [row for row in rows if row["pattern"] == kind.name]
        agree, differ = ([row["agrees"] for row in made].count(value) for value in (True, False))
        faulty = [row for row in made if row["agrees"] and row["states_to_depth"] is not None]
        share = sum(row["expanded"] for row in faulty) / max(1, sum(row["states_to_depth"] for row in faulty))
        lines.append(
            f"{kind.name}: of {len(made)} properties {agree} agree, {differ} differ, {len(made) - agree - differ} have "
            f"no answer; in {len(faulty)} with an error {100 * share:.1f} % of the states up to its depth expanded"
        )
    return "\n".join([*lines, f"{_twice(rows)} of {len(properties)} properties agree with at least two patterns"])


def _twice(rows: Sequence[Row]) -> int:
    """How many properties have answers that agree with different patterns."""
    agreeing = {(row["property"], str(row["kept"])) for row in rows if row["agrees"]}
    return sum(count > 1 for count in Counter(name for name, _ in agreeing).values())


def main() -> int:
    """Run, print the table and the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--limit", type=int, default=MOST_STATES, help="most published states (default: 1 million)")
    parser.add_argument("--limit-seconds", type=float, default=20.0, help="for each answer (default: 20)")
    parser.add_argument("--memory-limit", type=int, metavar="MB", help="for each (default: nearly all there is)")
    parser.add_argument("--models", default="*", help="only models whose name fits, such as 'needham*,brp.1'")
    parser.add_argument("--kinds", default="*", help="only kinds of patterns whose name fits, such as 'error,near'")
    parser.add_argument("--workers", type=int, default=1, help="properties at a time (default: 1)")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    parser.add_argument("--again", action="store_true", help="with --keep: only what the kept run has no answer for")
    chosen = parser.parse_args()
    if chosen.again and chosen.keep is None:
        parser.error("--again needs --keep NAME, the run to go on with")
    if not BEEM.is_dir():
        print(f"no models at {BEEM}; set SYMDMC_BENCHMARKS to the folder that has them", file=sys.stderr)
        return 1
    before = kept_rows(chosen.keep) if chosen.again else []
    kinds = [kind for kind in KINDS if fits(kind.name, chosen.kinds)]
    questions = asked(chosen.limit, chosen.models)
    if not questions or not kinds:
        names = ", ".join(kind.name for kind in KINDS)
        print(f"nothing fits: properties.csv has the models, the kinds are {names}", file=sys.stderr)
        return 1
    wanted = {name for job in jobs(chosen.limit, chosen.models) for name, _, _ in job.properties}
    for name in sorted(wanted - {question.name for question in questions}):
        print(f"{name} is left out: beem.json has no answer to it", file=sys.stderr)
    allowed = Limits(seconds=chosen.limit_seconds, memory_mb=chosen.memory_limit)
    work = in_children(partial(answer, allowed), todo(questions, kinds, before), chosen.workers)
    rows = gather(work, chosen.keep, before, limit_seconds=chosen.limit_seconds)
    print(table(rows, COLUMNS), summary(rows), sep="\n\n")
    return 1 if any(row["agrees"] is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
