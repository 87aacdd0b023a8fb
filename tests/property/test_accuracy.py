"""True distances are those of the oracle, and the measures of accuracy are those of the definitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import task_of
from symdmc.checking.request import Question
from symdmc.errors import InternalError
from symdmc.experiment.accuracy import Accuracy, measure
from symdmc.experiment.distances import Distances, TooManyStates, distances_of, explored_distances
from symdmc.heuristics.blind import Blind
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.task import compile_task
from tests.oracle import StateSpace, explore
from tests.strategies import systems

PLENTY = 1_000_000


def costs_from_initial(space: StateSpace) -> dict[State, int]:
    """The cost of a cheapest path from an initial state, by relaxing every step until nothing changes."""
    cost = dict.fromkeys(space.initial, 0)
    changed = True
    while changed:
        changed = False
        for state, steps in space.steps.items():
            for step in steps:
                if state in cost and cost[state] + step.cost < cost.get(step.successor, PLENTY):
                    cost[step.successor] = cost[state] + step.cost
                    changed = True
    return cost


@settings(max_examples=25, deadline=None)
@given(data=st.data(), system=systems(costs=True))
def test_distances_are_those_of_the_oracle(data: st.DataObject, system: System) -> None:
    asked = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    asked += [ErrorCondition(name="deadlock", deadlock=True), ErrorCondition(name="fault", fault=True)]
    error = data.draw(st.sampled_from(asked))
    task = compile_task(system, error)
    found, estimates = explored_distances(task, Blind(task), most_states=PLENTY)
    space = explore(system)
    distance, cost = space.distances(error), costs_from_initial(space)
    expected = [(cost[state], distance.get(state), Blind(task).estimate(task.values(state))) for state in space.steps]
    pairs = zip(found.from_initial, found.to_error, estimates, strict=True)
    assert sorted(pairs, key=str) == sorted(expected, key=str)
    assert found.initial == space.shortest(error)
    assert found.starts == len(space.initial)
    assert measure(found, found.to_error) == _perfect(found)
    _require_definitions(measure(found, estimates), found, estimates)


def _perfect(found: Distances) -> Accuracy:
    """What the distances themselves are as a heuristic."""
    measured = measure(found, found.to_error)
    assert measured.is_sufficient
    assert (measured.overestimates, measured.recognised) == (0, measured.dead_ends)
    assert not measured.mean_relative_error
    return measured


def _require_definitions(measured: Accuracy, found: Distances, estimates: tuple[int | None, ...]) -> None:
    """Definition 6, word by word, with infinity for what is not there."""
    infinite = float("inf")
    h, d = ([infinite if value is None else value for value in values] for values in (estimates, found.to_error))
    length = infinite if found.initial is None else found.initial
    relevant = [k for k, cost in enumerate(found.from_initial) if h[k] + cost <= length]
    assert measured.relevant == len(relevant)
    assert measured.is_sufficient == all(h[k] == d[k] for k in relevant)
    assert measured.overestimates == 0  # the blind heuristic is admissible
    assert measured.states == len(d) == measured.dead_ends + sum(each < infinite for each in d)


def test_steps_without_cost_lead_to_states_at_the_same_distance() -> None:
    found = distances_of([[(0, 1), (1, 2)], [(1, 2)], [(0, 3)], [], [(1, 0)]], 1, [3])
    assert found.to_error == (1, 1, 0, 0, 2)
    assert found.initial == 1


LINE = distances_of([[(1, 1)], [(1, 2), (1, 3)], [], []], 1, [2])
"""Two steps to the error, and a dead end beside it."""


def test_the_relative_error_is_the_mean_over_states_at_the_same_distance() -> None:
    measured = measure(LINE, (1, 1, 0, 5))
    assert measured.by_distance == ((1, 1, 0.0), (2, 1, 50.0))
    assert measured.mean_relative_error == 25.0
    assert (measured.distance_initial, measured.estimate_initial) == (2, 1)
    assert (measured.relevant, measured.exact) == (3, 2)
    assert not measured.is_sufficient


def test_a_wrong_estimate_beyond_the_reach_of_astar_does_not_matter() -> None:
    assert LINE.from_initial == (0, 1, 2, 2)
    assert measure(LINE, (2, 1, 0, 1)).is_sufficient
    assert not measure(LINE, (2, 1, 0, 0)).is_sufficient


def test_estimates_that_are_too_large_are_counted() -> None:
    measured = measure(LINE, (4, 1, 0, None))
    assert (measured.overestimates, measured.recognised, measured.dead_ends) == (1, 1, 1)
    assert measured.by_distance[1] == (2, 1, 100.0)


def test_a_dead_end_that_is_none_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="distance 1"):
        measure(LINE, (2, None, 0, None))


def test_the_budget_of_states_is_kept() -> None:
    task = task_of("hanoi:disks=3,variant=plain", Question())
    with pytest.raises(TooManyStates, match="more than 26"):
        explored_distances(task, Blind(task), most_states=26)
    found, _ = explored_distances(task, Blind(task), most_states=27)
    assert found.initial == 7
