"""Automatic abstractions on the BEEM properties and on the arbiter tree: what `check --heuristic` answers with them.

    python -m benchmarks.selections --heuristic pdb:dpr --keep selections          every property up to a million states
    python -m benchmarks.selections --heuristic pred:syntax --models 'brp*,gear.1' some of them
    python -m benchmarks.selections --heuristic pdb:cegar --trees 6 9              arbiter trees of these heights
    python -m benchmarks.selections --heuristic pdb:dpr --keep selections --again  what the kept run has no answer for

A heuristic is spelled as for `check`. Each question is asked in a process of its own, and answered as the command
answers it: patterns or predicates are chosen, their databases are built, A* searches. An answer agrees when
it has the verdict and the length of breadth-first search (`benchmarks/results/beem.json`); every trace is replayed.
`seconds` has the whole job, `making` what it took until the search began, `processor` what it took of the processor,
children included. Exit code 1 when an answer differs or a run crashes.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import symdmc
from benchmarks.beem import BEEM
from benchmarks.records import Row, in_children, table
from benchmarks.symbolic import asked, gather, guarded, kept_rows, verdict_of
from symdmc.checking.checks import check_task, task_of
from symdmc.checking.request import Question, check_request
from symdmc.errors import ModelError
from symdmc.outcome import SearchResult, Verdict
from symdmc.running.run import Limits, Run

MOST_STATES = 1_000_000
COLUMNS = (
    *(
        "property",
        "heuristic",
        "variables",
        "expected",
        "verdict",
        "expected_length",
        "length",
        "h_initial",
        "expanded",
    ),
    *("making", "searching", "seconds", "processor", "agrees", "cause"),
)


@dataclass(frozen=True)
class Asked:
    """A question with the answer that is known."""

    name: str
    model: str
    parameters: Mapping[str, int | bool]
    condition: str | None
    verdict: str
    length: int | None


def beem_questions(limit: int, models: str) -> list[Asked]:
    """The properties of BEEM whose answer is known, those of small models first."""
    return [
        Asked(each.name, str(each.job.path), {}, each.condition, each.verdict, each.length)
        for each in asked(limit, models)
    ]


def tree_questions(heights: Sequence[int]) -> list[Asked]:
    """Faulty and correct arbiter trees."""
    found = []
    for height in heights:
        faulty = {"height": height, "faulty": True}
        found.append(Asked(f"tree {height} faulty", "arbiter_tree", faulty, None, "reachable", 8 * height + 12))
        correct = {"height": height, "faulty": False}
        found.append(Asked(f"tree {height} correct", "arbiter_tree", correct, None, "safe", None))
    return found


def answer(allowed: Limits, name: str, question: Asked) -> list[Row]:
    """One question with one heuristic, under the limits."""
    row: Row = {
        "property": question.name,
        "heuristic": name,
        "expected": question.verdict,
        "expected_length": question.length,
    }
    row |= guarded(allowed, partial(_answered, question, name))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return [row | {"processor": round(sum(each.ru_utime + each.ru_stime for each in used), 2)}]


def _answered(question: Asked, name: str, run: Run) -> Row:
    system = symdmc.load(question.model, **question.parameters)
    task = task_of(system, Question(error=question.condition))
    result = check_task(task, check_request(heuristic=name), run)
    chosen = result.selections
    return {
        "kept": [pattern for report in chosen for pattern in report.patterns],
        "variables": "+".join(str(len(pattern)) for report in chosen for pattern in report.patterns),
        "steps": [step for report in chosen for step in report.steps],
        "verdict": verdict_of(result),
        "length": result.length,
        "shortest": result.shortest,
        "h_initial": result.h_initial,
        "expanded": result.explored,
        "making": result.preprocessing_seconds,
        "searching": round(result.seconds - result.preprocessing_seconds, 2),
        "agrees": _agrees(question, result),
        "cause": None if result.stop is None else result.reason,
    }


def _agrees(question: Asked, result: SearchResult) -> bool | None:
    """Whether verdict and length are the known ones, or more than that where it is not said to be shortest."""
    if result.verdict is Verdict.UNKNOWN:
        return False if question.length is not None and (result.lower_bound or 0) > question.length else None
    if result.trace is not None and question.length is not None and not result.shortest:
        return question.verdict == "reachable" and result.trace.length >= question.length
    return verdict_of(result) == question.verdict and result.length == question.length


def summary(rows: Sequence[Row], limit: float) -> str:
    """How many answers agree."""
    verdicts = [row["agrees"] for row in rows]
    agree, differ = verdicts.count(True), verdicts.count(False)
    settled = sum(row["agrees"] is True and row.get("expanded") == 0 for row in rows)
    return (
        f"of {len(rows)} questions {agree} agree within {limit:g} s ({100 * agree / max(1, len(rows)):.1f} %), "
        f"{differ} differ, {len(rows) - agree - differ} have no answer; {settled} are answered without any state"
    )


def main() -> int:
    """Run, print the table and the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--heuristic", default="pdb:cegar", help="spelled as for check (default: pdb:cegar)")
    parser.add_argument("--trees", type=int, nargs="+", help="arbiter trees of these heights instead of BEEM")
    parser.add_argument("--limit", type=int, default=MOST_STATES, help="most published states (default: 1 million)")
    parser.add_argument("--limit-seconds", type=float, default=30.0, help="for each answer (default: 30)")
    parser.add_argument("--models", default="*", help="only models whose name fits, such as 'needham*,brp.1'")
    parser.add_argument("--workers", type=int, default=1, help="questions at a time (default: 1)")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    parser.add_argument("--again", action="store_true", help="with --keep: only what the kept run has no answer for")
    chosen = parser.parse_args()
    try:
        check_request(heuristic=chosen.heuristic)
    except ModelError as error:
        parser.error(str(error))
    if chosen.again and chosen.keep is None:
        parser.error("--again needs --keep NAME, the run to go on with")
    if not chosen.trees and not BEEM.is_dir():
        print(f"no models at {BEEM}; set SYMDMC_BENCHMARKS to the folder that has them", file=sys.stderr)
        return 1
    before = kept_rows(chosen.keep) if chosen.again else []
    settled = {(row["property"], row["heuristic"]) for row in before if row["agrees"]}
    questions = tree_questions(chosen.trees) if chosen.trees else beem_questions(chosen.limit, chosen.models)
    todo = [question for question in questions if (question.name, chosen.heuristic) not in settled]
    allowed = Limits(seconds=chosen.limit_seconds)
    work = in_children(partial(answer, allowed, chosen.heuristic), todo, chosen.workers)
    rows = gather(work, chosen.keep, before, limit_seconds=chosen.limit_seconds)
    own = [row for row in rows if row["heuristic"] == chosen.heuristic]
    print(table(own, COLUMNS), summary(own, chosen.limit_seconds), sep="\n\n")
    return 1 if any(row["agrees"] is False for row in own) else 0


if __name__ == "__main__":
    sys.exit(main())
