"""Spellings of heuristics for tests: every entry of the registries is in at least one of them."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import reject

from symdmc.abstraction.predicates.given import predicates_given
from symdmc.checking.guidance import Guidance
from symdmc.errors import ModelError
from symdmc.task.task import Task, VariableKind

SPELLINGS = (
    *("blind", "fsm-max", "fsm-sum", "formula", "blocked", "user:3", "pdb,keep=*", "pdb,keep=*,perimeter=1"),
    *("hL", "hU", "hL,joint=false", "pdb:coi:1", "pdb:russian-doll", "pdb:dpr", "pdb:dpr,inner=fsm"),
    *("pdb:systematic:2", "pdb:sampled,samples=20,databases=5", "pdb:cegar"),
    *("pred:syntax", "pred:syntax,b=1,kind=cartesian", "pred:syntax,b=all,kind=exact,complete=false"),
    *("pred:syntax,b=1,combine=partition", "pred:syntax,b=1,kind=cartesian,combine=partition"),
    *(
        "pred:syntax,b=1,combine=sum",
        "pred:refine",
        "pred:refine,b=2,r=2",
        "pred:refine,b=all,r=4,stop=never,traces=one",
        "pred:refine,b=all,r=5,stop=never,broaden=2",
    ),
    *("pred:refine,b=all,r=3,stop=never,kind=cartesian,complete=false",),
    *("merge:4", "merge:20,order=definition,buckets=high", "aa,shrink=bisimulation"),
    *("domain:refine", "domain:refine,rounds=1,added=1"),
    *("domain:auto", "domain:auto,small=0,keep=*", "pred:given", "pred:given,complete=true,perimeter=1"),
    *("pred:given,kind=exact", "pred:given,keep=*", "pred:given,kind=cartesian", "pred:given,combine=partition"),
)
"""Of all heuristics that any task can have."""
SELECTED = tuple(text for text in SPELLINGS if text.startswith("pdb:"))
NEEDS_A_TRACE = ("fsm-trail", "hamming")
TOGETHER = (("fsm-max", "blind"), ("fsm-sum", "pdb,keep=*"), ("domain:auto", "pred:given", "hL"))
"""Several at once."""


def guidance_for(task: Task, *texts: str, combine: str = "max") -> Guidance:
    """What guides a search by these spellings, with predicates over the task where one of them asks for predicates.

    A property test gives up a task over which there is no predicate.
    """
    wanted = any(text.startswith("pred:given") for text in texts)
    predicates = _predicates(task) if wanted else []
    if wanted and not predicates:
        reject()
    return Guidance(heuristics=texts, combine=combine, predicates=tuple(predicates))


def _predicates(task: Task) -> list[str]:
    """Of each process a location, of the first integers a comparison and one with each other; those that can be given.

    Not those are that hold always or never, or that say the same as one before.
    """
    places = [each for each in task.variables if each.kind is VariableKind.LOCATION]
    fixed = {each.name for each in task.system.variables if each.constant}
    numbers = [each for each in task.variables if each.kind in (VariableKind.INTEGER, VariableKind.CELL)]
    integers = [each.name for each in numbers if each.name.split("[")[0] not in fixed][:2]
    asked = [*(f"{each.name}.{each.value_names[-1]}" for each in places), *(f"{name} >= 1" for name in integers)]
    if len(integers) == 2:
        asked.append(f"{integers[0]} + 1 > {integers[1]}")
    found: list[str] = []
    for text in asked:
        with suppress(ModelError):
            predicates_given(task, [*found, text])
            found.append(text)
    return found
