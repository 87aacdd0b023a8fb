"""Merged values against every pattern: explored states of A* over the size of the database.

    python -m benchmarks.domains                               the air conditioner with two users
    python -m benchmarks.domains air_conditioning:n=3          any model of few variables

The classes are those that `domain:refine` finds. The patterns are all those with some variable of the error condition:
without one a database estimates nothing. Size is the number of abstract states that are forward reachable, and the
number of nodes of the look-up table. Databases are complete. The table has the classes, the patterns that no smaller
one beats, and what it takes a pattern to explore as few states as the classes do.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from symdmc.checking.checks import task_of
from symdmc.checking.request import Question
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.patterndb.build import BuildOptions, build_database
from symdmc.patterndb.contents import contents_of
from symdmc.search.directed.directed import search
from symdmc.selection.domain_refine import RefinedClasses
from symdmc.task import Task
from symdmc.task.derived import extended


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A database and what A* explores with it."""

    kept: tuple[str, ...]
    states: int
    nodes: int
    h_initial: int | None
    explored: int


def measured(task: Task, richer: Task, pattern: Sequence[int]) -> Measured:
    """The complete database of a pattern of the task or of a richer one, and the search with it."""
    database = build_database(richer, pattern, BuildOptions(complete=True))
    result = search(task, database_heuristic(task, [database]))
    return Measured(
        kept=database.pattern,
        states=contents_of(database).inside,
        nodes=len(database.table),
        h_initial=database.h_initial,
        explored=result.explored,
    )


def patterns_of(task: Task) -> Iterator[tuple[int, ...]]:
    """All patterns of variables with several values, some of them in the error condition."""
    domains = task.analysis.domains
    numbers = [number for number in range(len(task.variables)) if domains[number].count > 1]
    asked = task.layout.support(task.error.expression)
    chosen = chain.from_iterable(combinations(numbers, size) for size in range(1, len(numbers) + 1))
    return (pattern for pattern in chosen if not asked.isdisjoint(pattern))


def unbeaten(found: Iterable[Measured]) -> list[Measured]:
    """By growing size those that explore fewer states than all smaller ones."""
    kept: list[Measured] = []
    for each in sorted(found, key=lambda each: (each.states, each.explored, each.kept)):
        if not kept or each.explored < kept[-1].explored:
            kept.append(each)
    return kept


def lines(task: Task) -> Iterator[str]:
    """The table, as Markdown."""
    chosen = RefinedClasses().select(task)
    (pattern,) = chosen.patterns
    classes = measured(task, extended(task, chosen.definitions), pattern)
    found = [measured(task, task, each) for each in patterns_of(task)]
    yield "| kept | abstract states | table nodes | h(s0) | explored |"
    yield "|---|---:|---:|---:|---:|"
    yield from map(_line, (classes, *unbeaten(found)))
    for size in ("states", "nodes"):
        within = [each.explored for each in found if getattr(each, size) <= getattr(classes, size)]
        enough = [getattr(each, size) for each in found if each.explored <= classes.explored]
        yield (
            f"\nBy {size}: {len(within)} of {len(found)} patterns are no larger than the classes, and explore "
            f"{min(within, default=None)} states at least; the smallest that explores as few as the classes "
            f"has {min(enough, default=None)}."
        )


def _line(each: Measured) -> str:
    return f"| {', '.join(each.kept)} | {each.states:,} | {each.nodes:,} | {each.h_initial} | {each.explored:,} |"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("models", nargs="*", default=["air_conditioning:n=2"], help="which models")
    for model in parser.parse_args().models:
        print(f"## {model}\n")
        for line in lines(task_of(model, Question())):
            print(line, flush=True)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
