"""The claims of value pairs: they hold in every reachable state, are closed under steps, and tell something."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import event, given, settings

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.encode.relation import lockstep
from symdmc.encode.relation.lockstep import LockstepPart
from symdmc.encode.relation.part import Part
from symdmc.encode.relation.relation import Relation
from symdmc.encode.value_pairs import fixpoint as value_pairs_fixpoint
from symdmc.encode.value_pairs import pairs as value_pairs
from symdmc.encode.value_pairs import steps as value_pairs_steps
from symdmc.encode.value_pairs.pairs import ValuePairs, reachable_pairs
from symdmc.encode.value_pairs.products import PairPrecision
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import ChannelKind, System
from symdmc.reader.load import load
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import systems

NOTHING = ErrorCondition(name="nothing")

PATCHES: dict[str, Mapping[str, object]] = {
    "default": {},
    "weakened parts": {"value_pairs.pairs.PRECISIONS": (PairPrecision(256, 2),)},
    "only close pairs": {"value_pairs.pairs.PRECISIONS": (PairPrecision(256, 512, close=True),)},
    "small pairs": {"value_pairs.fixpoint.MOST_PAIRS": 6},
    "guards only": {"value_pairs.steps.MOST_NODES": 0},
    "single values": {"value_pairs.fixpoint.MOST_PAIRS": 0},
    "some variables too wide": {"value_pairs.pairs.PRECISIONS": (PairPrecision(2, 6),)},
    "all variables too wide": {"value_pairs.pairs.PRECISIONS": (PairPrecision(1, 6),)},
}


def _related(system: System, backend: str = "cudd", merge_limit: int = 0) -> Relation:
    task = compile_task(system, NOTHING)
    return Relation(Encoding(task, variable_order(task).variables, backend=backend), merge_limit=merge_limit)


def _assert_closed(relation: Relation, states: Node) -> None:
    d = relation.diagrams
    assert d.without(relation.initial(), states) == d.false
    for part in relation.parts:
        assert d.without(relation.image(states, part), states) == d.false


def _pairs(relation: Relation, **settings: int) -> ValuePairs:
    return reachable_pairs(
        relation.encoding, relation.parts, relation.initial(), invariant=relation.invariant, **settings
    )


def _all_of(pairs: ValuePairs, relation: Relation) -> Node:
    """The states that satisfy all constraints."""
    states = pairs.valid
    for star in pairs.joined_constraints:
        states = relation.diagrams.both(states, star)
    return states


def _restricted(relation: Relation) -> Node:
    return _all_of(_pairs(relation), relation)


def _is_possible(relation: Relation, **values: int) -> bool:
    """Whether the pairs leave a state in which variables, named with _ for ->, have some values."""
    encoding, d = relation.encoding, relation.diagrams
    names = {variable.name.replace("->", "_"): n for n, variable in enumerate(encoding.task.variables)}
    states = _restricted(relation)
    for name, value in values.items():
        states = d.both(states, encoding.value_cube(names[name], value))
    return bool(states != d.false)


@settings(max_examples=60)
@given(system=systems(costs=True))
def test_every_reachable_state_satisfies_every_constraint(system: System) -> None:
    relation = _related(system)
    encoding, d = relation.encoding, relation.diagrams
    reachable = d.any_of(encoding.state(encoding.task.values(state)) for state in oracle.explore(system).steps)
    pairs = _pairs(relation)
    assert pairs.finished
    for constraint in (pairs.valid, *pairs.constraints):
        assert d.without(reachable, constraint) == d.false


@pytest.mark.parametrize("precision", PATCHES)
@settings(max_examples=25)
@given(system=systems(costs=True))
def test_what_the_pairs_leave_is_closed_under_steps_at_every_precision(precision: str, system: System) -> None:
    relation = _related(system)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in PATCHES[precision].items():
            patch.setattr(f"symdmc.encode.{name}", value)
        states = _restricted(relation)
    _assert_closed(relation, states)


@settings(max_examples=15)
@given(system=systems(costs=True))
def test_the_pairs_are_the_same_after_sifting(system: System) -> None:
    fixed, sifted = _related(system), _related(system)
    sifted.encoding.sift()
    sifted.diagrams.bdd.reorder()
    event(f"order changed: {sifted.encoding.order_now() != fixed.encoding.order_now()}")
    states = _restricted(sifted)
    _assert_closed(sifted, states)
    assert sifted.encoding.count(states) == fixed.encoding.count(_restricted(fixed))


@pytest.mark.parametrize("most_nodes", [0, 20_000])
@settings(max_examples=20)
@given(system=systems())
def test_what_the_pairs_leave_is_closed_under_merged_parts(most_nodes: int, system: System) -> None:
    relation = _related(system, merge_limit=1000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pairs_steps, "MOST_NODES", most_nodes)
        states = _restricted(relation)
    _assert_closed(relation, states)


@pytest.mark.parametrize("precision", [PairPrecision(256, 512), PairPrecision(256, 3), PairPrecision(3, 3, close=True)])
@settings(max_examples=70)
@given(system=systems(kinds=[ChannelKind.LOCKSTEP]))
def test_what_the_pairs_leave_is_closed_under_lockstep_products(precision: PairPrecision, system: System) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lockstep, "LEAST_TEAMS", 1)
        relation = _related(system)
        patch.setattr(value_pairs, "PRECISIONS", (precision,))
        states = _restricted(relation)
    event(f"{sum(isinstance(part, LockstepPart) for part in relation.parts)} products")
    _assert_closed(relation, states)


@pytest.mark.parametrize("most_products", [512, 4])
def test_lockstep_products_keep_processes_together(most_products: int) -> None:
    m = Builder("together")
    m.lockstep("tick")
    for name in ("P", "Q", "R"):
        p = m.process(name, initial="a")
        p.location("b")
        p.edge("a", "b", sync="tick")
        p.edge("b", "a", sync="tick")
    relation = _related(m.build())
    assert [type(part) for part in relation.parts] == [LockstepPart]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pairs, "PRECISIONS", (PairPrecision(256, most_products),))
        states = _restricted(relation)
    _assert_closed(relation, states)
    assert (relation.encoding.count(states) == 2) == (most_products == 512)


@settings(max_examples=15)
@given(system=systems())
def test_both_kinds_of_diagrams_leave_the_same_states(system: System) -> None:
    counts = []
    for backend in ("cudd", "autoref"):
        relation = _related(system, backend)
        pairs = _pairs(relation)
        left = _all_of(pairs, relation)
        counts.append((relation.encoding.count(left), len(pairs.constraints)))
    assert counts[0] == counts[1]


def test_a_lock_excludes_two_processes_in_the_critical_section() -> None:
    m = Builder("lock")
    m.boolean("lock")
    for name in ("P", "Q"):
        p = m.process(name, initial="out")
        p.location("cs")
        p.edge("out", "cs", guard="lock == 0", do="lock = 1")
        p.edge("cs", "out", do="lock = 0")
    relation = _related(m.build())
    assert not _is_possible(relation, P=1, Q=1)
    assert not _is_possible(relation, P=1, lock=0)
    assert _is_possible(relation, P=0, Q=1)
    assert relation.encoding.count(_restricted(relation)) == 4  # (out, out, 1) is excluded by no pair


def test_pairs_tell_what_single_values_cannot() -> None:
    m = Builder("rendezvous")
    m.channel("go")
    for name, sync in (("P", "go!"), ("Q", "go?")):
        p = m.process(name, initial="a")
        p.location("b")
        p.edge("a", "b", sync=sync)
        p.edge("b", "a", sync=sync)
    relation = _related(m.build())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pairs_fixpoint, "MOST_PAIRS", 0)
        assert _pairs(relation).constraints == ()
    assert relation.encoding.count(_restricted(relation)) == 2


def test_a_value_that_no_pair_permits_is_excluded() -> None:
    m = Builder("never")
    m.integer("x", 0, 2)
    p = m.process("P", initial="a")
    p.location("b")
    p.location("c")
    p.edge("a", "b", guard="x == 0", do="x = 1")
    p.edge("b", "a", guard="x == 1", do="x = 0")
    p.edge("b", "c", guard="x == 0", do="x = 2")
    relation = _related(m.build())
    assert not _is_possible(relation, P=2)
    assert not _is_possible(relation, x=2)
    assert _is_possible(relation, P=1, x=1)


def test_the_invariant_counts_where_steps_end() -> None:
    m = Builder("invariant")
    m.integer("x", 0, 3)
    p = m.process("P", initial="a")
    p.location("b", invariant="x <= 1")
    p.edge("a", "a", guard="x < 3", do="x = x + 1")
    p.edge("a", "b")
    relation = _related(m.build())
    assert _is_possible(relation, P=1, x=1)
    assert not _is_possible(relation, P=1, x=2)
    assert _is_possible(relation, P=0, x=3)


def test_a_step_that_must_leave_the_invariant_stores_nothing() -> None:
    m = Builder("forbidden")
    m.integer("x", 0, 3)
    m.boolean("z")
    p = m.process("P", initial="a")
    p.location("b", invariant="x <= 1")
    p.edge("a", "a", guard="x < 3", do="x = x + 1")
    p.edge("a", "b", do="x = 2, z = 1")
    p.edge("a", "b")
    relation = _related(m.build())
    assert _is_possible(relation, P=1, z=0)
    assert not _is_possible(relation, z=1)


def test_a_counter_of_many_values_is_paired_with_locations() -> None:
    m = Builder("counter")
    m.integer("x", 0, 200)
    p = m.process("P", initial="a")
    p.location("b")
    p.edge("a", "a", guard="x < 200", do="x = x + 1")
    p.edge("a", "b", guard="x > 150")
    relation = _related(m.build())
    assert not _is_possible(relation, P=1, x=150)
    assert _is_possible(relation, P=1, x=151)


def test_pairs_leave_little_more_than_the_reachable_states_of_a_tree() -> None:
    relation = _related(load("arbiter_tree:height=3,faulty=false"))
    reachable = 180_224
    assert reachable <= relation.encoding.count(_restricted(relation)) <= 1.3 * reachable


def test_steps_are_taken_again_when_variables_they_know_nothing_of_get_new_values() -> None:
    m = Builder("late")
    m.integer("v", 0, 3)
    m.boolean("u")
    m.integer("w", 0, 2)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="v == 1", do="u = 1")
    p.edge("a", "a", guard="u == 0 and w < 2", do="w = w + 1")
    p.edge("a", "a", guard="v < 3", do="v = v + 1")
    relation = _related(m.build())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pairs_fixpoint, "MOST_PAIRS", 6)  # u and w are paired, v is with neither
        assert _is_possible(relation, u=1, w=2)


def test_a_weakened_part_still_knows_the_single_values_it_starts_from() -> None:
    m = Builder("weakened")
    m.integer("y", 0, 3)
    m.integer("x", 0, 4)
    p = m.process("P", initial="a")
    p.location("b")
    p.location("c")
    p.edge("a", "b", do="x = 1")
    p.edge("b", "b", guard="x < 4", do="x = x + 1")
    p.edge("a", "c", guard="x > 0 and x == y")
    m.process("Q", initial="a").edge("a", "a", guard="y < 3", do="y = y + 1")
    relation = _related(m.build())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pairs, "PRECISIONS", (PairPrecision(256, 2),))
        assert not _is_possible(relation, P=2)
        assert _is_possible(relation, P=1, x=4)


def test_a_part_that_says_nothing_of_what_it_writes_may_store_anything() -> None:
    m = Builder("anything")
    m.integer("x", 0, 2)
    m.process("P", initial="a").edge("a", "a", guard="x < 2", do="x = x + 1")
    relation = _related(m.build())
    encoding, d = relation.encoding, relation.diagrams
    number = encoding.order[0]
    part = Part(guard=d.true, writes=(number,), cost=1, relation=d.true)
    assert reachable_pairs(encoding, [part], relation.initial()).constraints == ()
    alone = reachable_pairs(encoding, [], relation.initial())
    assert _all_of(alone, relation) == relation.initial()


def test_a_part_with_a_large_relation_may_store_anything() -> None:
    m = Builder("large")
    m.integer("x", 0, 50)
    m.boolean("z")
    p = m.process("P", initial="a")
    p.location("b")
    p.edge("a", "a", guard="x < 50", do="x = x + 1")
    p.edge("a", "b", guard="x == 50", do="x = 0")
    p.edge("b", "b", guard="x == 1", do="z = 1")
    relation = _related(m.build())
    assert not _is_possible(relation, z=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pairs_steps, "MOST_NODES", 0)
        assert _is_possible(relation, z=1)


def test_without_enough_budget_there_are_no_constraints() -> None:
    relation = _related(load("arbiter_tree:height=2,faulty=false"))
    d = relation.diagrams
    cut = _pairs(relation, budget=100)
    assert (cut.finished, cut.constraints) == (False, ())
    assert _all_of(cut, relation) == cut.care(d, 1) == relation.encoding.valid


def test_what_the_budget_cannot_pay_for_is_tried_with_less_precision() -> None:
    m = Builder("counter")
    m.integer("x", 0, 200)
    m.boolean("lock")
    p = m.process("P", initial="out")
    p.location("in")
    p.edge("out", "in", guard="x > 150", do="lock = 1")
    p.edge("in", "out", do="lock = 0")
    p.edge("out", "out", guard="x < 200", do="x = x + 1")
    relation = _related(m.build())
    whole = _pairs(relation)
    less = _pairs(relation, budget=whole.steps)  # the first precision may use half of it only
    assert whole.finished
    assert less.finished
    assert 0 < len(less.constraints) < len(whole.constraints)


def test_care_takes_all_constraints_that_fit_one_after_the_other() -> None:
    relation = _related(load("arbiter_tree:height=3,faulty=false"))
    d, pairs = relation.diagrams, _pairs(relation)
    everything = _all_of(pairs, relation)
    most = d.size(pairs.valid) + 200
    kept, fitting = pairs.valid, ""
    for constraint in pairs.constraints:
        tighter = d.both(kept, constraint)
        if tighter != kept:
            fitting += "y" if d.size(tighter) <= most else "n"
            kept = tighter if fitting[-1] == "y" else kept
    assert "ny" in fitting
    assert pairs.care(d, most) == kept
    assert pairs.care(d, d.size(everything) * 10) == everything


def test_care_never_excludes_what_the_constraints_permit_together() -> None:
    relation = _related(load("hanoi:disks=3"))
    d, pairs = relation.diagrams, _pairs(relation)
    everything = _all_of(pairs, relation)
    for most in (1, 10, 100):
        assert d.without(everything, pairs.care(d, most)) == d.false
