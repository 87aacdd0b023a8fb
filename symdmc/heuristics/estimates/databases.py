"""Pattern databases as a heuristic: their maximum, or their sum where no step is counted twice."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.errors import Code, Complaint, ModelError
from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.lookup.tables import MAX, SUM
from symdmc.patterndb.database import PatternDatabase
from symdmc.spelling.speech import BUILD_DATABASE
from symdmc.task.interaction import footprint
from symdmc.task.task import Task


def database_heuristic(task: Task, databases: Sequence[PatternDatabase], combination: str = MAX) -> TableHeuristic:
    """The heuristic of some databases of the task. Admissible and consistent.

    A state is a dead end if any database says so. A sum is refused with ModelError if a transition is counted in
    several databases with more than it costs.
    """
    if combination == SUM:
        _require_partition(task, databases)
    return TableHeuristic(
        name="pdb",
        tables=tuple(database.table for database in databases),
        combination=combination,
        admissible=True,
        consistent=True,
    )


def require_own(task: Task, databases: Sequence[PatternDatabase]) -> None:
    """Raise ModelError unless all databases were made for the task."""
    for database in databases:
        if database.fingerprint != task.fingerprint:
            what = f"the pattern database of {', '.join(database.pattern)} belongs to another model or error condition"
            raise ModelError(Complaint(Code.OTHER_MODEL, what, str(BUILD_DATABASE)))


def plain_sum(databases: Sequence[PatternDatabase]) -> TableHeuristic:
    """The sum of what some databases say, each with all costs [HSRKP07, section 3.3]. Dead ends are dead ends.

    A step that several of them count is counted several times, so it is neither admissible nor consistent.
    """
    alone = len(databases) <= 1
    tables = tuple(database.table for database in databases)
    return TableHeuristic(name="pred", tables=tables, combination=SUM, admissible=alone, consistent=alone)


def counted_costs(task: Task, database: PatternDatabase) -> list[int]:
    """What each transition can add to a distance in the database: nothing if it changes no variable of the pattern.

    Of a derived variable those count that it depends on.
    """
    plain = frozenset(database.values.keys() - database.definitions.keys())
    pattern = plain.union(*(task.layout.basis(each) for each in database.definitions.values()))
    costs = database.costs or tuple(transition.cost for transition in task.transitions)
    return [
        0 if footprint(task, transition).writes.isdisjoint(pattern) else cost
        for transition, cost in zip(task.transitions, costs, strict=True)
    ]


def _require_partition(task: Task, databases: Sequence[PatternDatabase]) -> None:
    counted = [counted_costs(task, database) for database in databases]
    for number, transition in enumerate(task.transitions):
        total = sum(costs[number] for costs in counted)
        if total > transition.cost:
            what = f"the sum would count {transition.label!r} {total} times, but it costs {transition.cost}"
            raise ModelError(
                Complaint(Code.COSTS_NOT_SHARED, what, "partition the costs, or combine the databases by max")
            )
