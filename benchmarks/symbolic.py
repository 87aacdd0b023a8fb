"""The symbolic engine on the BEEM models: exact counts under a time limit, or verdicts against explicit search.

    python -m benchmarks.symbolic --limit-seconds 120 --keep symbolic      all counted models, chained images
    python -m benchmarks.symbolic --models 'phils*,brp.1'                  some of them
    python -m benchmarks.symbolic --keep symbolic --again 60               what the kept run missed or took longer for
    python -m benchmarks.symbolic --properties --keep symbolic_properties  every property, in all three directions

Each model or property runs in a process of its own, the small models first, and its seconds are those of the whole
job: reading the model, value analysis, order, images, counting. What is kept is written after every job, so that an
interrupted run loses nothing. A model that is missed comes with the cause.

Properties are compared with what explicit breadth-first search found (`benchmarks/results/beem.json`): verdict,
shortest length, and a lower bound where the search was cut off. Every trace is replayed. Exit code 1 when a count is
not the published one, when an answer differs, or when a run crashes.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import symdmc
from benchmarks.beem import BEEM, Job, jobs
from benchmarks.records import RESULTS, Row, fits, in_children, table, write_results
from symdmc.checking.checks import bare_task_of, task_of
from symdmc.checking.request import Question
from symdmc.errors import UnsupportedFeature
from symdmc.evidence.replay import replay
from symdmc.outcome import Exploration, Layer, SearchResult
from symdmc.running.run import Limits, Run, peak_memory_mb
from symdmc.search.symbolic.options import DIRECTIONS, SymbolicOptions
from symdmc.search.symbolic.symbolic import explore, search

MARKS = (60.0, 120.0)
"""The seconds within which models are said to be counted."""
EVERY_SIZE = 10**30
COLUMNS = ("model", "published", "states", "seconds", "rounds", "peak_nodes", "memory_mb", "agrees", "cause")
PROPERTY_COLUMNS = (
    *("property", "direction", "expected", "verdict", "expected_length", "length", "lower_bound"),
    *("seconds", "peak_nodes", "agrees", "cause"),
)


# ---- counting


def count(allowed: Limits, job: Job) -> list[Row]:
    """Count the states of one model."""
    row: Row = {"model": job.model, "published": job.states}
    return [row | guarded(allowed, lambda run: _counted(job, run))]


def _counted(job: Job, run: Run) -> Row:
    task = bare_task_of(symdmc.load(str(job.path)))
    found = explore(task, SymbolicOptions(count_layers=False), run=run)
    return {
        "states": found.states,
        "rounds": len(found.layers or ()),
        "peak_nodes": found.peak_nodes,
        "agrees": None if found.states is None else found.states == job.states,
        "cause": _cause(found),
    }


def guarded(allowed: Limits, work: Callable[[Run], Row]) -> Row:
    """What the work finds, or why it ended, with seconds and memory: nothing that goes wrong may end the whole run."""
    run = Run(allowed)
    try:
        row = work(run)
    except UnsupportedFeature as refusal:
        row = {"agrees": None, "cause": f"refused: {refusal}"}
    except Exception as error:
        row = {"agrees": False, "cause": f"crashed: {type(error).__name__}: {error}"}
    return row | {"seconds": round(run.seconds, 2), "memory_mb": _memory_mb()}


def _memory_mb() -> float:
    """The most memory of this process or of the child in which the diagrams were."""
    return max(peak_memory_mb(), round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1))


def _cause(found: Exploration | SearchResult) -> str | None:
    """Why the answer is missing: the phase, and how large the last set was; None where there is an answer."""
    if found.stop is None:
        return None
    if found.order is None:
        return f"{found.stop.value} in value analysis"
    return f"{found.reason}{_size(found.layers or ())}"


def _size(layers: Sequence[Layer]) -> str:
    """Of the last set that was found; where there was none, the search had not begun."""
    return f", {layers[-1].nodes:,} nodes in {layers[-1].seconds:,.1f} s" if layers else ", before the first image"


def counting_summary(rows: Sequence[Row], limit: float) -> str:
    """How many models were counted exactly, within the limit and each smaller mark."""
    todo = len(rows)
    exact = [row["seconds"] for row in rows if row["agrees"]]
    within = [
        f"{fast} within {mark:g} s ({100 * fast / todo:.1f} %)"
        for mark in (*(mark for mark in MARKS if mark < limit), limit)
        for fast in [sum(seconds <= mark for seconds in exact)]
    ]
    wrong = sum(row["agrees"] is False for row in rows)
    return f"of {todo} models counted exactly: {', '.join(within)}; {wrong} wrong, {todo - len(exact)} missed"


# ---- properties


@dataclass(frozen=True)
class Asked:
    """One property of a model with the answer of explicit search."""

    job: Job
    name: str
    condition: str
    verdict: str
    length: int | None


def asked(limit: int, pattern: str) -> list[Asked]:
    """The properties that explicit search has decided, those of small models first."""
    known = {row["property"]: row for row in _explicit_rows() if row["verdict"] in ("safe", "reachable")}
    return [
        Asked(job, name, condition, known[name]["verdict"], known[name]["length"])
        for job in jobs(limit, "*")
        for name, condition, _ in job.properties
        if name in known and (fits(name, pattern) or fits(job.model, pattern))
    ]


def _explicit_rows() -> list[Row]:
    rows: list[Row] = json.loads((RESULTS / "beem.json").read_text())["rows"]
    return [row for row in rows if "property" in row]


def answer(allowed: Limits, question: Asked) -> list[Row]:
    """One property in all directions, each under the limits."""
    rows = []
    for direction in DIRECTIONS:
        row: Row = {
            "property": question.name,
            "direction": direction,
            "expected": question.verdict,
            "expected_length": question.length,
        }
        rows.append(row | guarded(allowed, partial(_answered, question, direction)))
    return rows


def _answered(question: Asked, direction: str, run: Run) -> Row:
    system = symdmc.load(str(question.job.path))
    task = task_of(system, Question(error=question.condition))
    result = search(task, SymbolicOptions(direction=direction, count_layers=False), run=run)
    if result.trace is not None:
        replay(system, result.trace, task.error)
    return {
        "verdict": verdict_of(result),
        "length": result.length,
        "lower_bound": result.lower_bound,
        "peak_nodes": result.peak_nodes,
        "agrees": agreement(question, result),
        "cause": _cause(result),
    }


def verdict_of(result: SearchResult) -> str:
    """The verdict in the words of the published answers."""
    return {"error": "reachable"}.get(result.verdict.value, result.verdict.value)


def agreement(question: Asked, result: SearchResult) -> bool | None:
    """Whether the result says what explicit search did; None where it says nothing that could be wrong."""
    if result.verdict is not symdmc.Verdict.UNKNOWN:
        return verdict_of(result) == question.verdict and result.length == question.length
    too_high = question.length is not None and (result.lower_bound or 0) > question.length
    return False if too_high else None


def property_summary(rows: Sequence[Row]) -> str:
    """How many answers agree in each direction."""
    parts = []
    for direction in DIRECTIONS:
        answers = [row["agrees"] for row in rows if row["direction"] == direction]
        agree, differ = answers.count(True), answers.count(False)
        parts.append(f"{direction} {agree} of {len(answers)} agree, {differ} differ")
    return "; ".join(parts)


# ---- the command


def name_of(row: Row) -> str:
    """What a row is of: a model, or a property answered in one way, which is a direction or a pattern."""
    if "model" in row:
        return str(row["model"])
    way = next(row[key] for key in ("direction", "heuristic", "pattern") if row.get(key))
    return f"{row['property']} {way}"


def gather(made: Iterable[list[Row]], keep: str | None, before: Sequence[Row], **facts: Any) -> list[Row]:
    """All rows, each shown when it is there, and kept at once; a new row takes the place of one in `before`."""
    rows = {name_of(row): row for row in before}
    for some in made:
        for row in some:
            rows[name_of(row)] = row
            remark = row["cause"] or ("DIFFERS" if row["agrees"] is False else "")
            print(f"{len(rows):4} {name_of(row)} {row['seconds']:.1f} s {remark}", file=sys.stderr, flush=True)
        if keep:
            write_results(keep, list(rows.values()), **facts)
    return list(rows.values())


def kept_rows(name: str) -> list[Row]:
    """The rows of an earlier run, none if there was no such run."""
    path = RESULTS / f"{name}.json"
    rows: list[Row] = json.loads(path.read_text())["rows"] if path.is_file() else []
    return rows


def not_settled(names: Iterable[str], before: Sequence[Row], seconds: float) -> set[str]:
    """The models or properties of which some row is missing, without an answer, or took longer."""
    quick: dict[str, int] = Counter()
    for row in before:
        quick[row["model"] if "model" in row else row["property"]] += bool(row["agrees"]) and row["seconds"] <= seconds
    wanted = len(DIRECTIONS) if any("direction" in row for row in before) else 1
    return {name for name in names if quick[name] < wanted}


def main() -> int:
    """Run, print the table and the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--limit-seconds", type=float, default=60.0, help="for each model or answer (default: 60)")
    parser.add_argument("--memory-limit", type=int, metavar="MB", help="for each (default: nearly all there is)")
    parser.add_argument(
        "--models", default="*", help="only models whose name fits, such as 'needham*' or 'needham*,brp.1'"
    )
    parser.add_argument("--properties", action="store_true", help="compare answers instead of counting")
    parser.add_argument("--limit", type=int, default=EVERY_SIZE, help="most published states (default: any number)")
    parser.add_argument("--workers", type=int, default=1, help="jobs at a time (default: 1)")
    parser.add_argument("--keep", metavar="NAME", help="write benchmarks/results/NAME.json")
    parser.add_argument(
        "--again",
        type=float,
        metavar="SECONDS",
        help="with --keep: only what the kept run missed or took longer for; the other rows stay",
    )
    chosen = parser.parse_args()
    if chosen.again is not None and chosen.keep is None:
        parser.error("--again needs --keep NAME, the run to go on with")
    if not BEEM.is_dir():
        print(f"no models at {BEEM}; set SYMDMC_BENCHMARKS to the folder that has them", file=sys.stderr)
        return 1
    allowed = Limits(seconds=chosen.limit_seconds, memory_mb=chosen.memory_limit)
    before = kept_rows(chosen.keep) if chosen.again is not None else []
    if chosen.properties:
        questions = asked(chosen.limit, chosen.models)
        todo = not_settled((question.name for question in questions), before, chosen.again or 0.0)
        work = in_children(
            partial(answer, allowed), [question for question in questions if question.name in todo], chosen.workers
        )
    else:
        models = jobs(chosen.limit, chosen.models)
        todo = not_settled((job.model for job in models), before, chosen.again or 0.0)
        work = in_children(partial(count, allowed), [job for job in models if job.model in todo], chosen.workers)
    rows = gather(work, chosen.keep, before, limit_seconds=chosen.limit_seconds)
    if not rows:
        print("nothing fits: state_counts.csv and properties.csv have the names", file=sys.stderr)
        return 1
    shown = PROPERTY_COLUMNS if chosen.properties else COLUMNS
    summary = property_summary(rows) if chosen.properties else counting_summary(rows, chosen.limit_seconds)
    print(table(rows, shown), summary, sep="\n\n")
    return 1 if any(row["agrees"] is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
