"""Heuristics of a user's own on random systems, wrong and right ones: no answer is wrong, no right one is blamed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc import NamedState, heuristic
from symdmc.checking.checks import check_task
from symdmc.checking.request import check_request
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.outcome import SearchResult, Verdict
from tests import oracle
from tests.property.test_heuristics import drawn_task
from tests.strategies import systems

SEARCHES = ("astar", "wastar:2", "idastar", "greedy", "ehc")
KINDS = ("any", "admissible", "exact")

Table = Mapping[State, "int | None"]


def _table(kind: str, random: Random, space: oracle.StateSpace, distance: Mapping[State, int]) -> Table:
    """Estimates for all reachable states: the distances, numbers up to them, or anything."""
    table: dict[State, int | None] = {}
    for state in sorted(space.steps, key=repr):
        exact = distance.get(state)
        guess = None if random.random() < 0.2 else random.randrange(8)
        if kind == "any":
            table[state] = guess
        elif kind == "exact" or exact is None:
            table[state] = exact if kind == "exact" else guess
        else:
            table[state] = random.randint(0, exact)
    return table


def _broken(table: Table, space: oracle.StateSpace, distance: Mapping[State, int]) -> bool:
    """Whether some estimate is larger than the distance, or a dead end is none, or a step makes it drop too much."""
    infinite = 1 << 70
    estimate = {state: infinite if h is None else h for state, h in table.items()}
    return any(estimate[state] > exact for state, exact in distance.items()) or any(
        estimate[state] > step.cost + estimate[step.successor] for state in space.steps for step in space.steps[state]
    )


@settings(max_examples=100)
@given(data=st.data(), system=systems(costs=True))
def test_no_answer_is_wrong_whatever_a_function_says(data: st.DataObject, system: System) -> None:
    task = drawn_task(data, system)
    space = oracle.explore(system)
    distance, shortest = space.distances(task.error), space.shortest(task.error)
    kind, search = data.draw(st.sampled_from(KINDS)), data.draw(st.sampled_from(SEARCHES))
    admissible, consistent = data.draw(st.sampled_from([(True, True), (True, False), (False, True), (False, False)]))
    table = _table(kind, data.draw(st.randoms(use_true_random=False)), space, distance)

    @heuristic(name="own", admissible=admissible, consistent=consistent)
    def own(state: NamedState) -> int | None:
        return table[State(state.locations, state.values)]

    result = check_task(task, check_request(heuristic=own, search=search))
    event(f"{kind}, {result.verdict.value}, {'told' if _told(result) else 'silent'}")
    assert (result.verdict is Verdict.SAFE) == (shortest is None)
    assert (result.verdict is Verdict.ERROR) == (shortest is not None)
    _require_honest(result, admissible=admissible, broken=_broken(table, space, distance))
    if kind != "any" and shortest is not None:
        assert result.lower_bound is not None
        assert result.lower_bound <= shortest
        assert not result.shortest or result.length == shortest
        if admissible and not consistent:
            assert result.shortest == (search in ("astar", "idastar"))


def _told(result: SearchResult) -> bool:
    return any("nothing it declares is trusted" in each for each in result.remarks)


def _require_honest(result: SearchResult, *, admissible: bool, broken: bool) -> None:
    """Nothing rests on a declaration without a word, and nobody is blamed who is right."""
    told = _told(result)
    assert not told or broken
    assert not (told and (result.shortest or result.lower_bound))
    if result.shortest or result.lower_bound:
        assert admissible
        assert any("rests on what 'own' declares" in each for each in result.remarks)
