"""pred:refine: predicates that forbid the shortest spurious traces [HSRKP07, section 5]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from symdmc.model.trace import Trace
from symdmc.outcome import SearchResult, Verdict
from symdmc.selection.predicates.options import PredicateSelection
from symdmc.selection.predicates.refinement import RefinementOptions, refined, told
from symdmc.selection.selection import Reason, Report, Selection, silent
from symdmc.spelling.parameters import MANY, Between
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinedPredicates(PredicateSelection):
    """Predicates that forbid the shortest spurious traces, from those of the error condition on; in parts.

    r: how often the predicates of a part may be refined
    stop: when traces fail to become longer, with the predicates before that (paper), or only when r is reached (never)
    traces: forbid all shortest traces that are found, or one
    broaden: forbid traces to abstract states this near to the error, as if they were errors, where that is enough
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = (
        *("pred:refine", "pred:refine,b=2,r=2", "pred:refine,b=all,r=4,stop=never,traces=one"),
        *(
            "pred:refine,b=all,r=5,stop=never,broaden=2",
            "pred:refine,b=all,r=3,stop=never,kind=cartesian,complete=false",
        ),
    )

    b: str = "3"
    r: Annotated[int, Between(0, MANY)] = 4
    stop: Literal["paper", "never"] = "paper"
    traces: Literal["all", "one"] = "all"
    broaden: Annotated[int, Between(0, MANY)] = 0

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The predicates of each part, and the answer if one was met."""
        options = RefinementOptions(
            iterations=self.r,
            every_trace=self.traces == "all",
            until_it_stays=self.stop == "paper",
            kind=self.kind,
            perimeter=self.broaden,
        )
        found = refined(task, most=self.most_processes, options=options, report=report)
        return Selection(
            name="pred:refine",
            patterns=(),
            reasons=tuple(Reason(variable=str(each), kept=True, why=why) for each, why in found.why.items()),
            steps=(*map(told, found.iterations), *found.endings),
            predicates=found.predicates,
            answer=None if found.answer is None else _answer(task, found.answer),
        )


def _answer(task: Task, trace: Trace) -> SearchResult:
    return SearchResult(
        verdict=Verdict.ERROR,
        reason="an error state is reachable",
        property=task.error.name,
        trace=trace,
        shortest=True,
        lower_bound=trace.length,
        search="pred:refine",
        h_initial=trace.length,
    )
