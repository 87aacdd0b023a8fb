"""The claims of cartesian abstraction: never more than the distance, whatever entailment leaves undecided."""

from __future__ import annotations

import random
from collections.abc import Iterable

from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.abstraction.cartesian.cartesian import CartesianLimits, cartesian_abstraction
from symdmc.abstraction.cartesian.cubes import CartesianAbstraction, Cube, predicate_bits
from symdmc.abstraction.cartesian.preimages import Preimages
from symdmc.abstraction.cartesian.set_trie import SetTrie
from symdmc.abstraction.entailment.claims import Knowledge
from symdmc.abstraction.entailment.entailment import Entailment, LayerName
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.strategies import systems_with_error
from tests.timed_strategies import timed_systems

FEW = CartesianLimits(cubes=300)


class Forgetful(Entailment):
    """Entailment that leaves some questions undecided, at random."""

    def __init__(self, task: Task, seed: int, percent: int) -> None:
        super().__init__(task)
        self._random, self._percent = random.Random(seed), percent

    def _forgets(self) -> bool:
        return self._random.randrange(100) < self._percent

    def decide_known(self, knowledge: Knowledge, number: int) -> bool | None:
        return None if self._forgets() else super().decide_known(knowledge, number)

    def decide_values(self, number: int, left: int) -> bool | None:
        return None if self._forgets() else super().decide_values(number, left)

    def is_known_impossible(self, knowledge: Knowledge) -> bool:
        return not self._forgets() and super().is_known_impossible(knowledge)


def _some(data: st.DataObject, task: Task) -> list[Predicate]:
    """Some of the predicates of the syntax."""
    found = [each.predicate for each in predicates_of_syntax(task)]
    kept = data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    return [each for each, keep in zip(found, kept, strict=True) if keep] if data.draw(st.booleans()) else found


def _check(task: Task, abstraction: CartesianAbstraction) -> None:
    """Admissible, consistent, and a dead end has no path to the error."""
    space = oracle.explore(task.system)
    distances = space.distances(task.error)
    estimates: dict[State, int | None] = {state: abstraction.estimate(task, state) for state in space.steps}
    for state, steps in space.steps.items():
        estimate = estimates[state]
        if state in distances:
            assert estimate is not None
            assert estimate <= distances[state]
        for step in steps:
            after = estimates[step.successor]
            if after is not None:
                assert estimate is not None
                assert estimate <= step.cost + after
    _report(distances.values(), estimates.values())


def _report(distances: Iterable[int], estimates: Iterable[int | None]) -> None:
    event(f"largest estimate {min(3, max((each for each in estimates if each is not None), default=0))}")
    event(f"largest distance {min(3, max(distances, default=0))}")


@settings(max_examples=150)
@given(data=st.data(), asked=systems_with_error(costs=True))
def test_the_estimate_is_admissible_and_consistent(data: st.DataObject, asked: tuple[System, ErrorCondition]) -> None:
    task = compile_task(*asked)
    abstraction = cartesian_abstraction(task, _some(data, task), limits=FEW)
    event("complete" if abstraction.complete else "partial")
    _check(task, abstraction)


@settings(max_examples=100)
@given(data=st.data(), asked=timed_systems())
def test_the_estimate_is_admissible_and_consistent_where_time_passes(
    data: st.DataObject, asked: tuple[System, ErrorCondition]
) -> None:
    task = compile_task(*asked)
    _check(task, cartesian_abstraction(task, _some(data, task), limits=FEW))


@settings(max_examples=100)
@given(
    data=st.data(),
    asked=st.one_of(systems_with_error(costs=True), timed_systems()),
    seed=st.integers(0, 1000),
    percent=st.sampled_from([5, 30, 80]),
)
def test_undecided_answers_break_neither(
    data: st.DataObject, asked: tuple[System, ErrorCondition], seed: int, percent: int
) -> None:
    task = compile_task(*asked)
    _check(task, cartesian_abstraction(task, _some(data, task), Forgetful(task, seed, percent), FEW))


@settings(max_examples=50)
@given(
    data=st.data(),
    asked=systems_with_error(),
    layers=st.sets(st.sampled_from(LayerName)).map(frozenset),
)
def test_the_estimate_is_admissible_whichever_layers_are_on(
    data: st.DataObject, asked: tuple[System, ErrorCondition], layers: frozenset[LayerName]
) -> None:
    task = compile_task(*asked)
    _check(task, cartesian_abstraction(task, _some(data, task), Entailment(task, layers=layers), FEW))


@settings(max_examples=100)
@given(data=st.data(), asked=st.one_of(systems_with_error(costs=True), timed_systems()))
def test_more_predicates_never_lower_the_estimate(data: st.DataObject, asked: tuple[System, ErrorCondition]) -> None:
    task = compile_task(*asked)
    every = [each.predicate for each in predicates_of_syntax(task)]
    some = [each for each in every if data.draw(st.booleans())]
    small, large = (cartesian_abstraction(task, each, limits=FEW) for each in (some, every))
    if not (small.complete and large.complete):
        return
    for state in oracle.explore(task.system).steps:
        lower, upper = small.estimate(task, state), large.estimate(task, state)
        assert upper is None or (lower is not None and lower <= upper)


@settings(max_examples=200)
@given(asked=st.one_of(systems_with_error(costs=True), timed_systems()), seed=st.integers(0, 1000))
def test_every_step_into_a_cube_starts_in_the_cube_or_in_one_of_its_preimages(
    asked: tuple[System, ErrorCondition], seed: int
) -> None:
    task = compile_task(*asked)
    choose = random.Random(seed)
    predicates = [each.predicate for each in predicates_of_syntax(task)]
    preimages = Preimages(task, predicates, Entailment(task))
    steps = [(state, step) for state, steps in oracle.explore(task.system).steps.items() for step in steps]
    for state, step in choose.sample(steps, min(20, len(steps))):
        before, after = (predicate_bits(task, predicates, each) for each in (state, step.successor))
        known = choose.getrandbits(len(predicates)) | choose.getrandbits(len(predicates)) if predicates else 0
        cube = Cube(after & known, ~after & known)
        found = [each for over, each in preimages.of(cube) if over.cost == step.cost]
        event("left out" if cube.matches(before) else "regressed")
        assert cube.matches(before) or any(each.matches(before) for each in found)


@settings(max_examples=60)
@given(data=st.data(), asked=st.one_of(systems_with_error(costs=True), timed_systems()), cut=st.integers(0, 30))
def test_a_partial_abstraction_has_the_first_layers_of_the_complete_one(
    data: st.DataObject, asked: tuple[System, ErrorCondition], cut: int
) -> None:
    task = compile_task(*asked)
    predicates = _some(data, task)
    whole = cartesian_abstraction(task, predicates, limits=FEW)
    part = cartesian_abstraction(task, predicates, limits=CartesianLimits(cubes=cut))
    assert part.layers == whole.layers[: len(part.layers)]
    assert part.complete <= whole.complete
    _check(task, part)


@given(
    sets=st.lists(st.tuples(st.integers(0, 255), st.integers(0, 5)), max_size=30),
    asked=st.integers(0, 255),
    most=st.integers(0, 5),
)
def test_a_set_trie_finds_what_brute_force_finds(sets: list[tuple[int, int]], asked: int, most: int) -> None:
    trie = SetTrie()
    for elements, distance in sets:
        trie.add(elements, distance)
    matching = [distance for elements, distance in sets if not elements & ~asked]
    assert trie.smallest(asked) == min(matching, default=None)
    assert trie.has_subset(asked, most) is any(distance <= most for distance in matching)
    assert len(trie) == len({elements for elements, _ in sets})
