"""The components that the tables have, for tests: their examples, and what some of these need to be made."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import reject

from symdmc.abstraction.predicates.given import predicates_given
from symdmc.checking.preparing import prepared, selected
from symdmc.checking.request import CheckOptions, check_request
from symdmc.errors import ModelError
from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.running.run import Run
from symdmc.search import SEARCHES
from symdmc.search.directed.options import DirectedSearch
from symdmc.selection import SELECTIONS
from symdmc.task.task import Task, VariableKind

OWN = {name: component for name, component in HEURISTICS.items() if HEURISTICS.home(name) == name}
"""The heuristics, without other names for them."""
READING_TRACES = {text: each for each in OWN.values() if each.READS_TRACE for text in each.EXAMPLES}
SELECTED = tuple(text for each in SELECTIONS.values() for text in each.EXAMPLES)
SPELLINGS = (*(text for each in OWN.values() if not each.READS_TRACE for text in each.EXAMPLES), *SELECTED)
"""Of all heuristics that any task can have."""
TOGETHER = (("fsm-max", "blind"), ("fsm-sum", "pdb,keep=*"), ("domain:auto", "pred:given", "hL"))
"""Several at once."""
UNDIRECTED = tuple(text for each in SEARCHES.values() if not each.IS_DIRECTED for text in each.EXAMPLES)
STRATEGIES = tuple(text for each in SEARCHES.values() if each.IS_DIRECTED for text in each.EXAMPLES)
"""All directed searches."""


def strategy_named(text: str) -> DirectedSearch:
    """The directed search that is spelled."""
    found = SEARCHES.read(text)
    assert isinstance(found, DirectedSearch)
    return found


def heuristic_for(task: Task, *texts: str) -> TaskHeuristic:
    """The heuristic that is spelled."""
    request, run = check_request(**options_for(task, *texts)), Run()
    return prepared(request, task, run, selected(request, task, run)).made.heuristic


def options_for(task: Task, *texts: str) -> CheckOptions:
    """The options of a check by these heuristics, with predicates over the task where one of them asks for predicates.

    A property test gives up a task over which there is no predicate.
    """
    if not any(HEURISTICS.read(text).TAKES_PREDICATES for text in texts):
        return {"heuristic": texts}
    predicates = _predicates(task)
    if not predicates:
        reject()
    return {"heuristic": texts, "predicate": tuple(predicates)}


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
