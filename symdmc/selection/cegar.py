"""Refinement by counterexamples with whole variables: those that forbid the shortest abstract error traces are kept."""

from __future__ import annotations

from collections.abc import Callable

from symdmc.encode.encoding import MOST_VALUES
from symdmc.selection.refinement.precision import Distinction
from symdmc.selection.refinement.refinement import Budget, RefinementStart, refined
from symdmc.selection.selection import Selection
from symdmc.task.task import Task


def selection_cegar(
    task: Task,
    *,
    rounds: int = 100,
    added: int = 8,
    states: int = 2_000,
    inserted_states: int = 2_000,
    values: int = 256,
    work: int = 200_000_000,
    attempt_work: int = 32_000_000,
    database_work: int = 40_000_000,
    effort: int = 1_200_000_000,
    memory_bytes: int | None = None,
    report: Callable[[str], None] = lambda words: None,
) -> Selection:
    """One pattern that proves the error unreachable, or that has a real error trace among its shortest ones.

    It starts with the variables of the error condition. A real trace is the answer, and a shortest one. When the budget
    ends refinement, the pattern so far is returned, and a trace found by inserting steps, if any, is the answer, which
    need not be a shortest one.

    rounds: how often the pattern may grow
    added: most variables that one round adds
    states: concrete states that follow the abstract traces in one round
    inserted_states: the same at the end, with steps inserted that change no kept variable; 0: do not try
    values: variables with more values than this are not added
    work: most nodes of the state sets before and after images, in all rounds
    attempt_work: the same for one pattern in one way; a quarter of it after each pattern that took more
    database_work: the same for making sure that the database can be built, where refinement ends early
    effort: most work of all operations on diagrams, for either, as `encode.diagrams.WorkLeft` counts
    """
    budget = Budget(
        rounds=rounds,
        added=added,
        states=states,
        inserted_states=inserted_states,
        values=min(values, MOST_VALUES),
        work=work,
        attempt_work=attempt_work,
        database_work=database_work,
        effort=effort,
        memory_bytes=memory_bytes,
    )
    return refined(task, RefinementStart(name="cegar", distinctions=_start(task), splits=False), budget, report)


def _start(task: Task) -> tuple[Distinction, ...]:
    """The variables of the error condition, those with the most values last."""
    domains = task.analysis.domains
    asked_for = task.layout.support(task.error.expression)
    start = [number for number in asked_for if 1 < domains[number].count <= MOST_VALUES]
    return tuple(Distinction(number) for number in sorted(start, key=lambda number: (domains[number].count, number)))
