"""Lockstep labels as products of factors have the same steps as the parts of their transitions."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.relation import lockstep
from symdmc.encode.relation.lockstep import LockstepPart, products
from symdmc.encode.relation.part import Part
from symdmc.encode.relation.relation import Relation
from symdmc.encode.sets.images import Images
from symdmc.model.builder import Builder
from symdmc.model.expressions import Cell, Ref, walk
from symdmc.model.question import ErrorCondition
from symdmc.model.system import Assignment, ChannelKind, Commitment, Edge, Rules, System
from symdmc.search.symbolic.options import DIRECTIONS, SymbolicOptions
from symdmc.search.symbolic.symbolic import explore, search
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import systems, systems_with_error

NOTHING = ErrorCondition(name="nothing")
LOCKSTEP = [ChannelKind.LOCKSTEP]


def _encoding(system: System, backend: str = "cudd") -> Encoding:
    task = compile_task(system, NOTHING)
    return Encoding(task, variable_order(task, "local").variables, backend=backend)


def _relation(encoding: Encoding, *, least_teams: int, learns: bool = False) -> Relation:
    with patch.object(lockstep, "LEAST_TEAMS", least_teams):
        return Relation(encoding, learns=learns)


def _locksteps(relation: Relation) -> list[LockstepPart]:
    return [part for part in relation.parts if isinstance(part, LockstepPart)]


def _after(relation: Relation, states: Node, cost: int) -> Node:
    return Images(relation).after(states, cost)


def _before(relation: Relation, states: Node, cost: int) -> Node:
    """Without codes that stand for no value, which preimages may contain."""
    return relation.diagrams.both(Images(relation).before(states, cost), relation.encoding.valid)


def _assert_agree(factored: Relation, plain: Relation, states: Node) -> None:
    for cost in (0, 1):
        assert _after(factored, states, cost) == _after(plain, states, cost)
        assert _before(factored, states, cost) == _before(plain, states, cost)
    assert factored.stuck(states) == plain.stuck(states)


def _apart(system: System) -> System:
    """The system without most of the updates that interfere: each process keeps those over variables of its own."""
    count = len(system.processes)
    owner = {variable.name: place % count for place, variable in enumerate(system.storage)}

    def own(assignment: Assignment, number: int) -> bool:
        parts = (*walk(assignment.target), *walk(assignment.value))
        names = {part.name if isinstance(part, Ref) else part.array for part in parts if isinstance(part, Ref | Cell)}
        return all(owner[name] == number for name in names)

    def thinned(edge: Edge, number: int) -> Edge:
        kept = tuple(each for each in edge.assignments if edge.sync is None or own(each, number))
        return replace(edge, assignments=kept)

    processes = (
        replace(process, edges=tuple(thinned(edge, number) for edge in process.edges))
        for number, process in enumerate(system.processes)
    )
    return replace(system, processes=tuple(processes))


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
@settings(max_examples=40)
@given(system=systems(kinds=LOCKSTEP, costs=True) | systems(kinds=LOCKSTEP).map(_apart))
def test_factors_have_the_steps_of_the_transitions(backend: str, system: System) -> None:
    encoding = _encoding(system, backend)
    factored, plain = _relation(encoding, least_teams=1), _relation(encoding, least_teams=10**9)
    assert not _locksteps(plain)
    reachable = [encoding.state(encoding.task.values(state)) for state in islice(oracle.explore(system).steps, 15)]
    d = encoding.diagrams
    for states in (*reachable, d.any_of(reachable), d.any_of(reachable[::2]), encoding.valid):
        _assert_agree(factored, plain, states)
    assert factored.of_transitions() == plain.of_transitions()


@settings(max_examples=30)
@given(system=systems(kinds=LOCKSTEP).map(_apart))
def test_factors_are_built_again_when_values_are_learned(system: System) -> None:
    encoding = _encoding(system)
    factored = _relation(encoding, least_teams=1, learns=True)
    plain = _relation(encoding, least_teams=10**9, learns=True)
    d, states = encoding.diagrams, plain.initial()
    for _ in range(6):
        factored.learn(states)
        plain.learn(states)
        after = d.any_of(_after(plain, states, cost) for cost in (0, 1))
        assert d.any_of(_after(factored, states, cost) for cost in (0, 1)) == after
        states = d.either(states, after)


def test_a_counter_in_lockstep_learns_all_its_values() -> None:
    system = Builder("counting")
    system.lockstep("go")
    for name in ("P", "Q", "R"):
        process = system.process(name, "a")
        process.integer("x", low=0, high=30)
        process.edge("a", "a", sync="go", guard="x < 30", do="x = x + 1" if name == "P" else ())
        process.edge("a", "b", sync="go")
    relation = Relation(_encoding(system.build()), learns=True)
    assert len(_locksteps(relation)) == 1
    assert explore(relation.encoding.task).states == len(oracle.explore(relation.encoding.task.system).steps)


@pytest.mark.parametrize("direction", DIRECTIONS)
@settings(max_examples=25)
@given(question=systems_with_error(kinds=LOCKSTEP, costs=True))
def test_searches_over_factors_find_the_shortest_length(
    direction: str, question: tuple[System, ErrorCondition]
) -> None:
    system, error = question
    with patch.object(lockstep, "LEAST_TEAMS", 1):
        found = search(compile_task(system, error), SymbolicOptions(direction=direction))
    assert found.length == oracle.explore(system).shortest(error)


def _choosing(processes: int, choices: int, *, rules: Rules = Rules(), committed: bool = False) -> Builder:
    """Each process chooses a place and a value in lockstep with all others, and returns on its own."""
    system = Builder("choosing", rules)
    system.lockstep("go")
    for number in range(processes):
        process = system.process(f"P{number}", "home")
        process.integer("x", low=0, high=choices)
        for k in range(choices):
            process.edge("home", f"away{k}", sync="go", guard=f"x != {k + 1}", do=f"x = {k + 1}")
            process.edge(f"away{k}", "home")
        if committed:
            process.location("away0", committed=True)
    return system


def _restless(processes: int, choices: int) -> System:
    """The same, but each process has one edge with the label in every place, so that teams cannot be ranked."""
    system = Builder("restless")
    system.lockstep("go")
    for number in range(processes):
        process = system.process(f"P{number}", "s0")
        for k in range(choices):
            process.edge(f"s{k}", f"s{(k + 1) % choices}", sync="go")
        process.edge("s0", "s1")
    return system.build()


def test_a_thousand_teams_are_one_part_with_a_factor_for_each_process() -> None:
    relation = Relation(_encoding(_restless(5, 4)))
    (part,) = _locksteps(relation)
    assert part.label == "go"
    assert len(part.factors) == 5
    assert explore(relation.encoding.task).states == 4**5


def test_every_bit_is_quantified_once_and_the_first_as_early_as_can_be() -> None:
    relation = Relation(_encoding(_choosing(4, 3).build()))
    (part,) = _locksteps(relation)
    spent = [bit for factor in part.factors for bit in factor.spent]
    assert len(spent) == len(set(spent))
    assert set(spent) == relation.encoding.bits_of(part.writes).current
    assert all(factor.spent == relation.encoding.bits_of(factor.writes).current for factor in part.factors)


@pytest.mark.parametrize("commitment", Commitment)
def test_commitment_is_a_factor_of_its_own(commitment: Commitment) -> None:
    system = _choosing(3, 2, rules=Rules(commitment=commitment), committed=True).build()
    encoding = _encoding(system)
    relation = _relation(encoding, least_teams=8)
    (part,) = _locksteps(relation)
    assert [factor.writes for factor in part.factors].count(()) == 1
    _assert_agree(relation, _relation(encoding, least_teams=10**9), encoding.valid)


def test_a_guard_that_faults_forbids_the_rivals_of_its_edge() -> None:
    system = Builder("faulting")
    system.lockstep("go")
    system.integer("n", low=0, high=1)
    for name in ("P", "Q", "R"):
        process = system.process(name, "a")
        process.edge("a", "b", sync="go")
        process.edge("a", "c", sync="go", guard="2 / n == 2" if name == "Q" else "n == n")
        process.edge("b", "a")
        process.edge("c", "a")
    system.process("S", "s").edge("s", "t", do="n = 1")
    encoding = _encoding(system.build())
    relation = _relation(encoding, least_teams=8)
    (part,) = _locksteps(relation)
    assert relation.image(relation.initial(), part) == encoding.diagrams.false
    _assert_agree(relation, _relation(encoding, least_teams=10**9), encoding.valid)


@pytest.mark.parametrize(
    ("first", "second"),
    [("n = 1", "n = 2"), ("n = 1", "m = n"), ("m = n", "n = 2"), ("n = 1", "c[n] = 1"), ("c[m] = 1", "m = c[2]")],
)
def test_labels_whose_updates_interfere_stay_with_their_transitions(first: str, second: str) -> None:
    system = Builder("interfering")
    system.lockstep("go")
    system.integer("n", low=0, high=2)
    system.integer("m", low=0, high=2)
    system.integer("c", low=0, high=2, size=3)
    for name, update in (("P", first), ("Q", second)):
        process = system.process(name, "a")
        for k in range(4):
            process.edge("a", f"b{k}", sync="go", do=update if k == 3 else ())
    assert not list(products(compile_task(system.build(), NOTHING)))


def test_labels_whose_teams_differ_in_cost_stay_with_their_transitions() -> None:
    def system(cost_of_other: int) -> System:
        made = Builder("costly")
        made.lockstep("go")
        for name in ("P", "Q"):
            process = made.process(name, "a")
            for k in range(4):
                process.edge("a", f"b{k}", sync="go", cost=k % 2 if name == "P" else cost_of_other)
        return made.build()

    assert not list(products(compile_task(system(0), NOTHING)))
    assert [product.cost for product in products(compile_task(system(1), NOTHING))] == [1]


def test_labels_with_few_teams_stay_with_their_transitions() -> None:
    assert not list(products(compile_task(_choosing(2, 2).build(), NOTHING)))
    assert list(products(compile_task(_choosing(3, 2).build(), NOTHING)))


def test_a_product_that_blows_up_is_split_into_the_parts_of_its_transitions(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = Relation(_encoding(_choosing(3, 2).build()))
    (part,) = _locksteps(relation)
    expected = relation.image(relation.encoding.valid, part)
    whole = Relation.image

    def outgrown(self: Relation, states: Node, each: Part) -> Node:
        if isinstance(each, LockstepPart):
            raise DiagramLimit("too large")
        return whole(self, states, each)

    monkeypatch.setattr(Relation, "image", outgrown)
    images = Images(relation)
    assert images.after_part(relation.encoding.valid, part) == expected
    assert images.splits == 1
