"""Looking for the steps that are asked for, or for those of each transition, finds the same as listing them all."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.system import System
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import systems


@given(system=systems(costs=True), data=st.data())
def test_steps_between_two_states_are_those_of_all_steps_that_lead_there(system: System, data: st.DataObject) -> None:
    semantics = Semantics(system)
    reached = sorted(oracle.explore(system).steps, key=repr)
    for before in reached[:5]:
        steps = semantics.steps(before)
        for after in (data.draw(st.sampled_from(reached)), *(step.successor for step in steps)):
            assert semantics.steps_between(before, after) == [step for step in steps if step.successor == after]


@given(system=systems(costs=True))
def test_moves_of_the_edges_asked_for_are_those_of_all_moves(system: System) -> None:
    semantics = Semantics(system)
    for before in sorted(oracle.explore(system).steps, key=repr)[:5]:
        moves = list(semantics.moves(before))
        for move in moves:
            asked = semantics.moves(before, lambda edges, own=move.edges: edges == own)  # type: ignore[misc]
            assert [each for each in asked if each.edges == move.edges] == [
                each for each in moves if each.edges == move.edges
            ]


@given(system=systems(costs=True))
def test_every_step_is_one_of_exactly_one_transition_and_costs_what_that_costs(system: System) -> None:
    task = compile_task(system, ErrorCondition(name="nothing"))
    for before, steps in islice(oracle.explore(system).steps.items(), 20):
        own = [(each, step) for each in task.transitions for step in task.steps_of(each, before)]
        assert all(transition.cost == step.cost for transition, step in own)
        assert sorted(map(repr, steps)) == sorted(repr(step) for _, step in own)
