"""What heuristics promise: admissible, consistent, dead ends are dead; tables say what the reference says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.heuristics.estimates.known_trace import KnownTrace
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.lookup.tables import DEAD_END, codes_of
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.packed.packing import pack_domains
from symdmc.search import SEARCHES
from symdmc.selection import SELECTIONS
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.components import READING_TRACES, SPELLINGS, TOGETHER, heuristic_for
from tests.strategies import systems


def drawn_task(data: st.DataObject, system: System) -> Task:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    asked += [ErrorCondition(name="deadlock", deadlock=True), ErrorCondition(name="fault", fault=True)]
    asked += [ErrorCondition(name="here", deadlock=True, deadlock_where=each.error) for each in system.properties]
    return compile_task(system, data.draw(st.sampled_from(asked)))


@pytest.mark.parametrize("name", HEURISTICS)
def test_every_heuristic_has_examples_that_are_it(name: str) -> None:
    component = HEURISTICS[name]
    by_selections = [
        text for each, chosen in SELECTIONS.items() if each.startswith(f"{name}:") for text in chosen.EXAMPLES
    ]
    assert component.EXAMPLES or by_selections, f"{component.__name__} needs EXAMPLES: spellings for the random tests"
    read = [HEURISTICS.read(text) for text in (*component.EXAMPLES, *by_selections)]
    assert all(isinstance(each, component) for each in read)


@pytest.mark.parametrize("name", SELECTIONS)
def test_every_selection_has_examples_that_are_it(name: str) -> None:
    component = SELECTIONS[name]
    assert component.EXAMPLES, f"{component.__name__} needs EXAMPLES: spellings for the random tests"
    chosen = [HEURISTICS.read(text).selection(DatabaseRequest()) for text in component.EXAMPLES]
    assert {type(each) for each in chosen} == {component}


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_has_examples_that_are_it(name: str) -> None:
    component = SEARCHES[name]
    assert component.EXAMPLES, f"{component.__name__} needs EXAMPLES: spellings for the random tests"
    assert [SEARCHES.read(text).spelling for text in component.EXAMPLES] == list(component.EXAMPLES)
    assert {type(SEARCHES.read(text)) for text in component.EXAMPLES} == {component}


@pytest.mark.parametrize("texts", [*((text,) for text in SPELLINGS), *TOGETHER], ids="+".join)
@settings(max_examples=12)
@given(data=st.data(), system=systems(costs=True))
def test_estimates_are_what_they_promise_to_be(texts: tuple[str, ...], data: st.DataObject, system: System) -> None:
    task = drawn_task(data, system)
    made = heuristic_for(task, *texts)
    space = oracle.explore(system)
    _require_promises(made, task, space)


@pytest.mark.parametrize("text", READING_TRACES)
@settings(max_examples=12)
@given(data=st.data(), system=systems(costs=True))
def test_estimates_toward_a_state_call_nothing_a_dead_end(text: str, data: st.DataObject, system: System) -> None:
    task = drawn_task(data, system)
    space = oracle.explore(system)
    if not space.steps:
        return
    final = data.draw(st.sampled_from(sorted(space.steps, key=repr)))
    component = READING_TRACES[text]
    assert issubclass(component, KnownTrace)
    made = component.toward(task, final)
    assert not made.admissible
    _require_promises(made, task, space)
    estimates = {state: made.estimate(task.values(state)) for state in space.steps}
    assert estimates[final] == 0
    assert None not in estimates.values()


def _require_promises(made: TaskHeuristic, task: Task, space: oracle.StateSpace) -> None:
    distance = space.distances(task.error)
    estimates = {state: made.estimate(task.values(state)) for state in space.steps}
    event(f"dead ends: {None in estimates.values()}, admissible: {made.admissible}")
    for state, steps in space.steps.items():
        estimate = estimates[state]
        if estimate is None:
            assert state not in distance
            continue
        assert not made.admissible or estimate <= distance.get(state, estimate)
        for step in steps:
            after = estimates[step.successor]
            assert not made.consistent or after is None or estimate <= step.cost + after
    _require_equal_tables(made, task, space, list(estimates.values()))


def _require_equal_tables(
    made: TaskHeuristic, task: Task, space: oracle.StateSpace, estimates: list[int | None]
) -> None:
    """The compiled look-up says what the reference says, but for the floor."""
    if made.groups is None or not space.steps or made.floor > 0:
        return
    packing = pack_domains(task.analysis.domains)
    rows = np.array([packing.pack(task.values(state)) for state in space.steps], dtype=np.int64)
    expected = [DEAD_END if estimate is None else estimate for estimate in estimates]
    assert codes_of(made.groups, rows.reshape(-1, packing.words), packing).tolist() == expected
