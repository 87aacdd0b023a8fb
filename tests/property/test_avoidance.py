"""Whether an error could have been avoided, against brute force."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from symdmc.model.question import ErrorCondition
from symdmc.model.state import State, Step
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.search.avoidance import Avoidance, Fate, avoidance
from tests import oracle
from tests.strategies import systems_with_error

Asked = tuple[System, ErrorCondition]


def doomed(space: oracle.StateSpace, error: ErrorCondition) -> set[State]:
    """The states from which every maximal path meets an error state: the least fixpoint."""
    lost = space.error_states(error)
    while True:
        more = {
            state
            for state, steps in space.steps.items()
            if state not in lost and steps and all(step.successor in lost for step in steps)
        }
        if not more:
            return lost
        lost |= more


def error_trace(space: oracle.StateSpace, error: ErrorCondition, choice: int) -> Trace | None:
    """A walk to an error state; which one, the choice decides."""
    distance = space.distances(error)
    starts = [state for state in space.initial if state in distance]
    if not starts:
        return None
    state = initial = starts[choice % len(starts)]
    steps: list[Step] = []
    errors = space.error_states(error)
    while state not in errors:
        ways = [step for step in space.steps[state] if step.successor in distance]
        nearer = [step for step in ways if distance[step.successor] + step.cost == distance[state]]
        chosen = ways if choice % 3 == 0 and len(steps) < 4 else nearer
        steps.append(chosen[choice % len(chosen)])
        state = steps[-1].successor
        if len(steps) > 60:  # steps without a cost may go round
            return None
    return Trace(fingerprint="", property="", initial=initial, steps=tuple(steps), error=error)


def found(asked: Asked, choice: int, budget: int) -> tuple[Avoidance, Trace, oracle.StateSpace]:
    system, error = asked
    space = oracle.explore(system)
    trace = error_trace(space, error, choice)
    assume(trace is not None)
    assert trace is not None
    answer = avoidance(system, trace, error, budget=budget)
    assert answer is not None
    return answer, trace, space


def safe_places(trace: Trace, space: oracle.StateSpace, error: ErrorCondition, before: int) -> list[int]:
    distance = space.distances(error)
    return [
        place
        for place in range(before)
        if any(step.successor not in distance for step in space.steps[trace.states[place]])
    ]


@given(asked=systems_with_error(costs=True), choice=st.integers(0, 50))
def test_with_budget_enough_both_answers_are_exact(asked: Asked, choice: int) -> None:
    answer, trace, space = found(asked, choice, 100_000)
    lost = doomed(space, asked[1])
    assert answer.error_after == len(trace.steps)
    assert answer.lost_after == next(i for i, state in enumerate(trace.states) if state in lost)
    assert (answer.escape is None) == (answer.lost_after == 0)
    safe = safe_places(trace, space, asked[1], answer.lost_after)
    assert answer.other_step_at == (safe[-1] if safe else None)
    assert all(other.fate is not Fate.UNKNOWN for other in answer.other_steps)
    if safe:
        distance, place = space.distances(asked[1]), safe[-1]
        others = [each.successor for each in space.steps[trace.states[place]]]
        others = [each for each in others if each != trace.states[place + 1]]
        fates = [Fate.ERROR if each in distance else Fate.SAFE for each in others]
        assert [other.fate for other in answer.other_steps] == fates


@given(asked=systems_with_error(costs=True), choice=st.integers(0, 50), budget=st.integers(1, 12))
def test_a_small_budget_leaves_things_unknown_and_makes_nothing_wrong(asked: Asked, choice: int, budget: int) -> None:
    answer, trace, space = found(asked, choice, budget)
    lost = doomed(space, asked[1])
    assert trace.states[answer.lost_after] in lost
    if answer.escape is not None:
        assert trace.states[answer.lost_after - 1] not in lost
    assert answer.lost_visits <= budget
    assert answer.other_visits <= budget
    safe = safe_places(trace, space, asked[1], answer.lost_after)
    if answer.other_step_at is not None:
        assert answer.other_step_at in safe
        assert any(other.fate is Fate.SAFE for other in answer.other_steps)
    else:
        assert not safe or answer.other_steps, "what is not found must be told as unknown"


@given(asked=systems_with_error(costs=True), choice=st.integers(0, 50))
def test_dead_ends_of_a_heuristic_are_believed_and_named(asked: Asked, choice: int) -> None:
    system, error = asked
    space = oracle.explore(system)
    trace = error_trace(space, error, choice)
    assume(trace is not None)
    assert trace is not None
    distance = space.distances(error)
    answer = avoidance(
        system, trace, error, budget=1, dead_end=lambda state: None if state in distance else "the oracle"
    )
    assert answer is not None
    safe = safe_places(trace, space, error, answer.lost_after)
    assert answer.other_step_at == (safe[-1] if safe else None)
    named = [other for other in answer.other_steps if other.fate is Fate.SAFE]
    assert all(other.proof == "it leads to a dead end of the oracle" for other in named)
