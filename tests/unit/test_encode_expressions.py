"""Expressions and transitions as diagrams agree with the reference semantics, whichever way they are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.encode import expressions as module
from symdmc.encode.diagrams import Diagrams, Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator, TruthStates, ValueDiagrams
from symdmc.encode.order.orders import variable_order
from symdmc.encode.relation import parts as parts_module
from symdmc.encode.relation.part import ConjunctivePart
from symdmc.encode.relation.parts import PartBuilder
from symdmc.encode.relation.relation import Relation
from symdmc.encode.tables.conditions import from_table
from symdmc.encode.tables.words import Word
from symdmc.errors import UnsupportedFeature
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.builder import Builder
from symdmc.model.expressions import (
    FALSE,
    TRUE,
    Binary,
    Conditional,
    Expr,
    Literal,
    Ref,
    conjunction,
    disjunction,
    negation,
)
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.task import compile_task
from tests import oracle
from tests.strategies import expressions, systems

NOTHING = ErrorCondition(name="nothing")
NAMES = ("p", "q", "r")
HUGE = 1 << 62
WAYS: dict[str, dict[str, int | range]] = {
    "maps": {"MOST_PAIRS": HUGE, "MOST_COMPARED": HUGE, "MOST_LISTED": HUGE, "LEAST_COSTLY": HUGE},
    "words": {"MOST_PAIRS": 0, "MOST_COMPARED": 0, "MOST_LISTED": 0, "FEW_BITS": 0, "LEAST_COSTLY": HUGE},
    "tables": {"TABULATED_ROWS": range(1 << 14), "LEAST_COSTLY": 0},
    "mixed": {
        "MOST_PAIRS": 4,
        "MOST_COMPARED": 4,
        "MOST_LISTED": 2,
        "FEW_BITS": 2,
        "TABULATED_ROWS": range(64),
        "LEAST_COSTLY": 1,
    },
}
"""Limits that force one way to compute."""


@contextmanager
def _forced(way: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in WAYS[way].items():
            patch.setattr(module, name, limit)
        yield


def _encoding(system: System, backend: str = "cudd") -> Encoding:
    task = compile_task(system, NOTHING)
    return Encoding(task, variable_order(task, "local").variables, backend=backend)


def _booleans(count: int, backend: str) -> Encoding:
    m = Builder("booleans")
    for name in NAMES[:count]:
        m.boolean(name, initial=[(0, 1)])
    m.process("P", initial="a").edge("a", "a")
    return _encoding(m.build(), backend)


# All Boolean functions


def _tables(count: int) -> Iterator[tuple[bool, ...]]:
    return product((False, True), repeat=1 << count)


def _disjunctive(table: Sequence[bool], names: Sequence[str]) -> Expr:
    rows = product((False, True), repeat=len(names))
    terms = [
        conjunction(*(Ref(n) if bit else negation(Ref(n)) for n, bit in zip(names, row, strict=True)))
        for row, value in zip(rows, table, strict=True)
        if value
    ]
    return disjunction(*terms)


def _decided(table: Sequence[bool], names: Sequence[str]) -> Expr:
    """Nested conditionals."""
    if not names:
        return TRUE if table[0] else FALSE
    half = len(table) // 2
    return Conditional(Ref(names[0]), _decided(table[half:], names[1:]), _decided(table[:half], names[1:]))


def _implied(table: Sequence[bool], names: Sequence[str]) -> Expr:
    """A name implies one half and its negation the other."""
    if not names:
        return TRUE if table[0] else FALSE
    half = len(table) // 2
    high, low = _implied(table[half:], names[1:]), _implied(table[:half], names[1:])
    return Binary("and", Binary("imply", Ref(names[0]), high), Binary("imply", negation(Ref(names[0])), low))


def _counted(table: Sequence[bool], names: Sequence[str]) -> Expr:
    """The bits of the index make a number, which is looked up in the bits of a constant."""
    index: Expr = Literal(0)
    for name in names:
        index = Binary("+", Binary("*", index, Literal(2)), Ref(name))
    constant = sum(value << place for place, value in enumerate(table))
    return Binary("==", Binary("&", Binary(">>", Literal(constant), index), Literal(1)), Literal(1))


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_every_boolean_function_of_up_to_three_variables(count: int, way: str, backend: str) -> None:
    encoding = _booleans(count, backend)
    d, names = encoding.diagrams, NAMES[:count]
    rows = [encoding.state((0, *(int(bit) for bit in row))) for row in product((False, True), repeat=count)]
    for table in _tables(count):
        expected = d.any_of(node for node, value in zip(rows, table, strict=True) if value)
        with _forced(way):
            for form in (_disjunctive, _decided, _implied, _counted):
                assert Translator(encoding).truth(form(table, names), {}) == TruthStates(expected, d.false)


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
@pytest.mark.parametrize("bits", [(), ("a",), ("b", "a"), ("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")])
def test_every_table_of_up_to_three_bits_becomes_its_diagram(bits: tuple[str, ...], backend: str) -> None:
    d = Diagrams(["a", "b", "c"], backend=backend)
    rows = [dict(zip(bits, row, strict=True)) for row in product((False, True), repeat=len(bits))]
    cubes = [d.cube(row) if row else d.true for row in rows]
    for table in _tables(len(bits)):
        expected = d.any_of(cube for cube, value in zip(cubes, table, strict=True) if value)
        assert from_table(d, bits, np.array(table)) == expected


# Random expressions


def _sets(encoding: Encoding, valued: ValueDiagrams) -> dict[int, Node]:
    """The values of an expression with the states in which it has them, codes without a value left out."""
    d, words = encoding.diagrams, Translator(encoding).words
    fine = d.without(encoding.valid, valued.fault)
    if isinstance(valued.values, Word):
        found = words.values(valued.values, fine, HUGE)
        assert found is not None
        return found
    assert d.without(fine, d.any_of(valued.values.values())) == d.false
    return {v: both for v, node in sorted(valued.values.items()) if (both := d.both(fine, node)) != d.false}


@settings(max_examples=60)
@given(data=st.data())
def test_every_way_to_compute_gives_the_values_of_the_reference_semantics(data: st.DataObject) -> None:
    system = data.draw(systems())
    expression = data.draw(expressions(system))
    encoding = _encoding(system)
    d = encoding.diagrams
    found = {}
    for way in WAYS:
        with _forced(way):
            valued, truth = Translator(encoding).value(expression, {}), Translator(encoding).truth(expression, {})
        assert d.both(truth.holds, truth.fault) == d.false
        faults = d.both(valued.fault, encoding.valid)
        assert d.both(truth.fault, encoding.valid) == faults
        found[way] = (_sets(encoding, valued), faults, d.both(truth.holds, encoding.valid))
    assert all(found[way] == found["maps"] for way in WAYS)
    values, faults, holds = found["maps"]
    space = oracle.explore(system)
    for state in islice(space.steps, 30):
        node = encoding.state(encoding.task.values(state))
        try:
            value = space.semantics.evaluate(expression, state)
        except ArithmeticFault:
            assert d.without(node, faults) == d.false
            continue
        assert d.without(node, values[value]) == d.false
        assert (d.without(node, holds) == d.false) == (value != 0)


@settings(max_examples=30)
@given(data=st.data())
def test_known_values_restrict_what_is_translated_and_nothing_else(data: st.DataObject) -> None:
    system = data.draw(systems())
    expression = data.draw(expressions(system))
    encoding = _encoding(system)
    d = encoding.diagrams
    known = {
        number: sorted(data.draw(st.sets(st.integers(0, len(encoding.variables[number].values) - 1), min_size=1)))
        for number in range(len(system.processes), len(encoding.order))
    }
    box = encoding.valid
    for number, codes in known.items():
        box = d.both(box, encoding.any_code(number, codes))
    whole = Translator(encoding).truth(expression, {})
    for way in WAYS:
        with _forced(way):
            part = Translator(encoding, known).truth(expression, {})
        assert d.both(part.holds, box) == d.both(whole.holds, box)
        assert d.both(part.fault, box) == d.both(whole.fault, box)


# Transitions


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("most", "nodes"), [(0, 0), (0, 2_000), (32, 2_000)], ids=["factors", "relations", "constants"]
)
@settings(max_examples=12)
@given(system=systems())
def test_steps_are_the_same_whichever_way_they_are_computed(way: str, most: int, nodes: int, system: System) -> None:
    encoding = _encoding(system)
    d = encoding.diagrams
    with _forced("maps"):
        plain = Relation(encoding)
    with _forced(way), pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts_module, "MOST_CONSTANTS", most)
        patch.setattr(parts_module, "MOST_CASES", most)
        patch.setattr(parts_module, "MOST_RELATION", nodes)
        other = Relation(encoding, merge_limit=100)
    conjunctive = any(isinstance(part, ConjunctivePart) for part in other.parts)
    event(f"factors: {conjunctive}")
    assert nodes == 0 or not conjunctive
    space = oracle.explore(system)
    sample = [encoding.state(encoding.task.values(state)) for state in islice(space.steps, 25)]
    for states in (*sample, encoding.valid):
        after = [d.any_of(r.image(states, part) for part in r.parts) for r in (plain, other)]
        before = [d.any_of(r.preimage(states, part) for part in r.parts) for r in (plain, other)]
        assert after[0] == after[1]
        assert d.both(before[0], encoding.valid) == d.both(before[1], encoding.valid)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=30)
@given(system=systems())
def test_the_states_that_fault_are_those_of_the_reference_semantics(way: str, system: System) -> None:
    encoding = _encoding(system)
    d = encoding.diagrams
    with _forced(way):
        builder = PartBuilder(encoding, {}, encoding.kept)
        faults = d.any_of(builder.faults(transition) for transition in encoding.task.transitions)
    assert d.without(faults, encoding.valid) == d.false
    space = oracle.explore(system)
    for state in islice(space.steps, 100):
        node = encoding.state(encoding.task.values(state))
        assert (d.without(node, faults) == d.false) == (state in space.faulting)


def test_an_invariant_that_faults_after_a_step_is_a_fault_of_the_step() -> None:
    m = Builder("late")
    m.integer("x", 0, 3, initial=3)
    p = m.process("P", initial="a")
    p.location("b", invariant="6 / x > 1")
    p.edge("a", "a", guard="x > 0", do="x = x - 1")
    p.edge("a", "b")
    encoding = _encoding(m.build())
    builder = PartBuilder(encoding, {}, encoding.kept)
    faults = encoding.diagrams.any_of(builder.faults(t) for t in encoding.task.transitions)
    assert faults == encoding.state((0, 0))


# Wide variables


def _wide(update: str) -> System:
    m = Builder("wide")
    m.short("x", initial=300)
    m.short("y", initial=-7)
    p = m.process("P", initial="a")
    p.edge("a", "a", do="y = y * 7 + 3")
    p.edge("a", "a", guard="x > y", do=update)
    return m.build()


@pytest.mark.parametrize("update", ["x = x + y", "x = x * 5 - y", "x = y & 255", "x = x > y ? x : y", "x = y / 3"])
def test_steps_of_wide_variables_are_those_of_the_reference_semantics(update: str) -> None:
    system = _wide(update)
    relation = Relation(_encoding(system))
    encoding, d = relation.encoding, relation.diagrams
    semantics = encoding.task.semantics
    level = list(semantics.initial_states())
    for _ in range(4):
        states = d.any_of(encoding.state(encoding.task.values(state)) for state in level)
        level = list(dict.fromkeys(step.successor for state in level for step in semantics.steps(state)))
        after = d.any_of(relation.image(states, part) for part in relation.parts)
        assert after == d.any_of(encoding.state(encoding.task.values(state)) for state in level)
        before = d.any_of(relation.preimage(after, part) for part in relation.parts)
        assert d.without(states, before) == d.false


def test_wide_variables_that_are_added_have_small_relations() -> None:
    relation = Relation(_encoding(_wide("x = x + y")))
    assert max(relation.diagrams.size(part.relation) for part in relation.parts) < 1000


def test_variables_of_a_thousand_values_with_gaps_are_wide_too() -> None:
    m = Builder("gaps")
    m.integer("x", 0, 9000, initial=[tuple(range(0, 9000, 7))])
    m.integer("y", 0, 9000, initial=[tuple(range(1, 8000, 3))])
    m.process("P", initial="a").edge("a", "b", guard="x + y == 8990 and y % 10 == 3", do="x = y")
    relation = Relation(_encoding(m.build()))
    encoding, d = relation.encoding, relation.diagrams
    after = d.any_of(relation.image(relation.initial(), part) for part in relation.parts)
    pairs = [(x, y) for x in range(0, 9000, 7) for y in range(1, 8000, 3) if x + y == 8990 and y % 10 == 3]
    assert after == d.any_of(encoding.state((1, y, y)) for _, y in pairs)
    assert encoding.count(after) == len(pairs) > 20


def test_a_cell_of_a_wide_array_is_found_by_a_wide_index() -> None:
    m = Builder("cells")
    m.short("a", size=3, initial=[5, -300, 7])
    m.short("i")
    p = m.process("P", initial="s")
    p.edge("s", "s", do="i = i + 1")
    p.edge("s", "s", do="a[i] = a[i] + a[0] * 3")
    system = m.build()
    relation = Relation(_encoding(system))
    encoding, d = relation.encoding, relation.diagrams
    semantics = encoding.task.semantics
    faulty = d.any_of(PartBuilder(encoding, {}, encoding.kept).faults(t) for t in encoding.task.transitions)
    level = list(semantics.initial_states())
    for _ in range(5):
        nodes = [encoding.state(encoding.task.values(state)) for state in level]
        for node, state in zip(nodes, level, strict=True):
            assert (d.without(node, faulty) == d.false) == (len(semantics.steps(state)) < 2)
        level = list(dict.fromkeys(step.successor for state in level for step in semantics.steps(state)))
        after = d.any_of(relation.image(node, part) for node in nodes for part in relation.parts)
        assert after == d.any_of(encoding.state(encoding.task.values(state)) for state in level)


def test_a_product_of_two_wide_variables_is_refused_not_approximated() -> None:
    with pytest.raises(UnsupportedFeature, match="use neither the symbolic engine nor heuristics with databases"):
        Relation(_encoding(_wide("x = x * y")))


@pytest.mark.parametrize("most", [1, 32])
def test_a_receiver_that_may_stay_out_stores_only_where_it_takes_part(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a transition has too many cases to be divided by its conditions; and then no step is lost."""
    monkeypatch.setattr(parts_module, "MOST_CASES", most)
    m = Builder("optional")
    m.integer("i", 0, 3, initial=[range(4)])
    m.integer("y", 0, 1, initial=[range(2)])
    m.integer("a", 0, 1, size=3)
    m.broadcast("c")
    m.process("P", initial="a").edge("a", "b", sync="c!")
    m.process("Q", initial="a").edge("a", "a", sync="c?", guard="y == 1", do="a[i] = 1")
    task = compile_task(m.build(), ErrorCondition(name="nothing"))
    relation = Relation(Encoding(task, variable_order(task, "local", 0).variables))
    encoding, d = relation.encoding, relation.diagrams
    found = oracle.explore(task.system).steps
    assert len(found) == 15  # 8 initial states, and one step from each of them but one
    for state, steps in found.items():
        before = encoding.state(task.values(state))
        after = d.any_of(encoding.state(task.values(step.successor)) for step in steps)
        assert d.any_of(relation.image(before, part) for part in relation.parts) == after
