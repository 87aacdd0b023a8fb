"""pred:syntax: predicates read off the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.selection.predicates.options import PredicateSelection
from symdmc.selection.predicates.parts import shared_out
from symdmc.selection.selection import Report, Selection, silent
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxPredicates(PredicateSelection):
    """Predicates read off the model: locations, guards, invariants, the error condition; in parts of few processes.

    Source: [HSRKP07, section 4].
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = (
        *("pred:syntax", "pred:syntax,b=1,kind=cartesian", "pred:syntax,b=all,kind=exact,complete=false"),
        *("pred:syntax,b=1,combine=partition", "pred:syntax,b=1,kind=cartesian,combine=partition"),
        "pred:syntax,b=1,combine=sum",
    )

    b: str = "2"

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The predicates of each part."""
        report("reading predicates")
        return shared_out(task, "pred:syntax", predicates_of_syntax(task), self.most_processes)
