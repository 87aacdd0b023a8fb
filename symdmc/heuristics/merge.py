"""Distances in an abstraction made by composing and shrinking components: the estimate of [DFP09]."""

from __future__ import annotations

from collections.abc import Callable

from symdmc.abstraction.merging.abstract_system import (
    DISTANCE,
    ORDERS,
    RANKING,
    SHRINKINGS,
    MergeOptions,
    abstract_system,
    no_report,
)
from symdmc.abstraction.merging.shrinking import BUCKETS, LOW
from symdmc.errors import Complaint, ModelError
from symdmc.heuristics.tables import TableHeuristic
from symdmc.lookup.tree import TreeTable
from symdmc.task.task import Task

SMALLEST_BOUND = 2


def merge_heuristic(
    task: Task,
    bound: int,
    *,
    order: str = RANKING,
    buckets: str = LOW,
    shrink: str = DISTANCE,
    report: Callable[[str], None] = no_report,
) -> TableHeuristic:
    """The heuristic of the merged abstraction with at most `bound` states in a part. Admissible and consistent.

    It is 0 everywhere, and knows no dead ends, where deadlocks or faults are errors. `report` is told what is done, and
    may raise to end it. Raises ModelError for a bound below 2 or an unknown option.
    """
    if bound < SMALLEST_BOUND:
        raise ModelError(Complaint(f"the bound {bound} of merge is too small", f"give {SMALLEST_BOUND} or more"))
    for name, value, known in (("order", order, ORDERS), ("buckets", buckets, BUCKETS), ("shrink", shrink, SHRINKINGS)):
        if value not in known:
            raise ModelError(Complaint(f"merge has no {name} {value!r}", f"choose {' or '.join(known)}"))
    options = MergeOptions(bound=bound, order=order, buckets=buckets, shrink=shrink)
    tree = abstract_system(task, options, report)
    tables = () if tree is None else (TreeTable(tree),)
    return TableHeuristic(name="merge", tables=tables, admissible=True, consistent=True)
