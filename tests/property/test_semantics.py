"""Looking only for the steps that are asked for finds the same ones as listing them all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symdmc.model.semantics import Semantics
from symdmc.model.system import System
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
