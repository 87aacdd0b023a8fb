"""What heuristics promise: admissible, consistent, dead ends are dead; tables say what the reference says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.checking import names
from symdmc.checking.derived import DOMAIN_SELECTIONS
from symdmc.checking.heuristics import HEURISTICS, heuristic_of, recipes_of
from symdmc.checking.making import Making
from symdmc.checking.predicates import PREDICATE_SELECTIONS
from symdmc.checking.selections import SELECTIONS
from symdmc.heuristics.fsm import hamming_heuristic, trail_heuristic
from symdmc.heuristics.heuristic import Heuristic
from symdmc.lookup.tables import DEAD_END, codes_of
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.packed.packing import pack_domains
from symdmc.running.run import Run
from symdmc.spelling.spelled import spelled
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.spellings import NEEDS_A_TRACE, SELECTED, SPELLINGS, TOGETHER, guidance_for
from tests.strategies import systems


def heuristic(task: Task, *texts: str) -> Heuristic:
    """The heuristic that is spelled."""
    guidance = guidance_for(task, *texts)
    return heuristic_of(Making(task, guidance, Run()), recipes_of(guidance))


def drawn_task(data: st.DataObject, system: System) -> Task:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    asked += [ErrorCondition(name="deadlock", deadlock=True), ErrorCondition(name="fault", fault=True)]
    return compile_task(system, data.draw(st.sampled_from(asked)))


def test_every_entry_of_the_registries_is_tested() -> None:
    assert tuple(HEURISTICS) == names.HEURISTICS
    assert tuple(SELECTIONS) == names.SELECTIONS
    assert {spelled(text, raw=names.RAW_ARGUMENTS).name for text in SPELLINGS} | set(NEEDS_A_TRACE) == set(HEURISTICS)
    chosen = {spelled(text).argument for text in SELECTED}
    assert {spelled(text).name for text in chosen if text is not None} == set(SELECTIONS)
    assert tuple(DOMAIN_SELECTIONS) == names.DOMAIN_SELECTIONS
    assert {f"domain:{name}" for name in DOMAIN_SELECTIONS} <= set(SPELLINGS)
    assert tuple(PREDICATE_SELECTIONS) == names.PREDICATE_SOURCES
    assert {f"pred:{name}" for name in names.PREDICATE_SOURCES} <= set(SPELLINGS)


@pytest.mark.parametrize("texts", [*((text,) for text in SPELLINGS), *TOGETHER], ids="+".join)
@settings(max_examples=12)
@given(data=st.data(), system=systems(costs=True))
def test_estimates_are_what_they_promise_to_be(texts: tuple[str, ...], data: st.DataObject, system: System) -> None:
    task = drawn_task(data, system)
    made = heuristic(task, *texts)
    space = oracle.explore(system)
    _require_promises(made, task, space)


@pytest.mark.parametrize("name", NEEDS_A_TRACE)
@settings(max_examples=12)
@given(data=st.data(), system=systems(costs=True))
def test_estimates_toward_a_state_call_nothing_a_dead_end(name: str, data: st.DataObject, system: System) -> None:
    task = drawn_task(data, system)
    space = oracle.explore(system)
    if not space.steps:
        return
    final = data.draw(st.sampled_from(sorted(space.steps, key=repr)))
    made = (trail_heuristic if name == "fsm-trail" else hamming_heuristic)(task, final)
    assert not made.admissible
    _require_promises(made, task, space)
    estimates = {state: made.estimate(task.values(state)) for state in space.steps}
    assert estimates[final] == 0
    assert None not in estimates.values()


def _require_promises(made: Heuristic, task: Task, space: oracle.StateSpace) -> None:
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


def _require_equal_tables(made: Heuristic, task: Task, space: oracle.StateSpace, estimates: list[int | None]) -> None:
    """The compiled look-up says what the reference says, but for the floor."""
    if made.groups is None or not space.steps or made.floor > 0:
        return
    packing = pack_domains(task.analysis.domains)
    rows = np.array([packing.pack(task.values(state)) for state in space.steps], dtype=np.int64)
    expected = [DEAD_END if estimate is None else estimate for estimate in estimates]
    assert codes_of(made.groups, rows.reshape(-1, packing.words), packing).tolist() == expected
