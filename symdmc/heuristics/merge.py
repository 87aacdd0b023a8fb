"""merge: distances in an abstraction made by composing and shrinking components, the estimate of [DFP09]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

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
from symdmc.errors import Code, Complaint, ModelError
from symdmc.heuristics.estimates.tables import TableHeuristic
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.lookup.tree import TreeTable
from symdmc.spelling.parameters import MANY, Between
from symdmc.task.task import Task

SMALLEST_BOUND = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(HeuristicOptions):
    """Distances in an abstraction made by composing and shrinking; admissible and consistent.

    bound: most states of a part that is composed further
    order: which parts are composed next: those that meet closest to the error, or the first two
    buckets: refine states close to the error first, or those far away
    shrink: keep distances as far as the bound permits, or everything, without a bound
    """

    ARGUMENT: ClassVar[str | None] = "bound"
    EXAMPLES: ClassVar[tuple[str, ...]] = (
        *("merge:4", "merge:20,order=definition,buckets=high", "aa,shrink=bisimulation"),
    )

    bound: Annotated[int, Between(SMALLEST_BOUND, MANY)] = 50
    order: Literal["ranking", "definition"] = "ranking"
    buckets: Literal["low", "high"] = "low"
    shrink: Literal["distance", "bisimulation"] = "distance"

    def make(self, making: Making) -> Made:
        """The heuristic."""

        def told(phase: str) -> None:
            making.run.checkpoint()
            making.run.say(phase)

        making.task.analyse(making.run.checkpoint)
        order, buckets, shrink = self.order, self.buckets, self.shrink
        made = merge_heuristic(making.task, self.bound, order=order, buckets=buckets, shrink=shrink, report=told)
        return Made(heuristic=made)


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
        raise ModelError(
            Complaint(
                Code.WRONG_OPTION_VALUE, f"the bound {bound} of merge is too small", f"give {SMALLEST_BOUND} or more"
            )
        )
    for name, value, known in (("order", order, ORDERS), ("buckets", buckets, BUCKETS), ("shrink", shrink, SHRINKINGS)):
        if value not in known:
            raise ModelError(
                Complaint(Code.UNKNOWN_OPTION_VALUE, f"merge has no {name} {value!r}", f"choose {' or '.join(known)}")
            )
    options = MergeOptions(bound=bound, order=order, buckets=buckets, shrink=shrink)
    tree = abstract_system(task, options, report)
    tables = () if tree is None else (TreeTable(tree),)
    return TableHeuristic(name="merge", tables=tables, admissible=True, consistent=True)
