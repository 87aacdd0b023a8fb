"""The claims of value pairs: they hold in every reachable state, are closed under steps, and tell something."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings

from symdmc.encode import value_pairs
from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.order import variable_order
from symdmc.encode.relation import Relation
from symdmc.encode.value_pairs import ValuePairs, reachable_pairs
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.registry.models import load
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import systems

NOTHING = ErrorCondition(name="nothing")

PRECISIONS: dict[str, Mapping[str, int]] = {
    "default": {},
    "weakened parts": {"MOST_PRODUCTS": 2},
    "sets, not tuples": {"MOST_TUPLES": 1},
    "only close pairs": {"MOST_FACTS": 0},
    "small pairs": {"MOST_PAIRS": 6},
    "single values": {"MOST_PAIRS": 0, "MOST_TUPLES": 1},
    "some variables too wide": {"MOST_VALUES": 2, "MOST_PRODUCTS": 6},
    "all variables too wide": {"MOST_VALUES": 1},
}


def _related(system: System, backend: str = "cudd") -> Relation:
    task = compile_task(system, NOTHING)
    return Relation(Encoding(task, variable_order(task).variables, backend=backend))


def _pairs(relation: Relation, **settings: int) -> ValuePairs:
    return reachable_pairs(
        relation.encoding, relation.parts, relation.initial(), invariant=relation.invariant, **settings
    )


def _restricted(relation: Relation) -> Node:
    return _pairs(relation).restrict(relation.diagrams, relation.diagrams.true)


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


@pytest.mark.parametrize("precision", PRECISIONS)
@settings(max_examples=40)
@given(system=systems(costs=True))
def test_what_the_pairs_leave_is_closed_under_steps_at_every_precision(precision: str, system: System) -> None:
    relation = _related(system)
    d = relation.diagrams
    with pytest.MonkeyPatch.context() as patch:
        for name, value in PRECISIONS[precision].items():
            patch.setattr(value_pairs, name, value)
        states = _restricted(relation)
    assert d.without(relation.initial(), states) == d.false
    for part in relation.parts:
        assert d.without(relation.image(states, part), states) == d.false


@settings(max_examples=15)
@given(system=systems())
def test_both_kinds_of_diagrams_leave_the_same_states(system: System) -> None:
    counts = []
    for backend in ("cudd", "autoref"):
        relation = _related(system, backend)
        pairs = _pairs(relation)
        left = pairs.restrict(relation.diagrams, relation.diagrams.true)
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
        patch.setattr(value_pairs, "MOST_PAIRS", 0)
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


def test_without_enough_budget_there_are_no_constraints() -> None:
    relation = _related(load("arbiter_tree:height=2,faulty=false"))
    d = relation.diagrams
    whole = _pairs(relation)
    cut = _pairs(relation, budget=whole.steps - 1)
    assert whole.finished
    assert whole.constraints
    assert not cut.finished
    assert cut.constraints == ()
    assert cut.restrict(d, d.true) == cut.care(d, 1) == relation.encoding.valid
    assert _pairs(relation, budget=whole.steps).constraints == whole.constraints


def test_care_takes_the_constraints_that_fit() -> None:
    relation = _related(load("arbiter_tree:height=3,faulty=false"))
    d, pairs = relation.diagrams, _pairs(relation)
    everything = pairs.restrict(d, d.true)
    most = d.size(pairs.valid) + 60
    some = pairs.care(d, most)
    assert pairs.care(d, d.size(everything) * 10) == everything
    assert d.size(some) <= most < d.size(everything)
    assert d.without(everything, some) == d.false
    assert d.without(pairs.valid, some) != d.false


def test_care_never_excludes_what_the_constraints_permit_together() -> None:
    relation = _related(load("hanoi:disks=3"))
    d, pairs = relation.diagrams, _pairs(relation)
    everything = pairs.restrict(d, d.true)
    for most in (1, 10, 100):
        assert d.without(everything, pairs.care(d, most)) == d.false
