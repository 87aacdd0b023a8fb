"""The states of diagrams listed, and sets of packed states, against brute force."""

from __future__ import annotations

import random
from collections import Counter
from math import prod

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from symdmc.evidence.certificate import Diagram
from symdmc.evidence.smt.arrays import TermCompiler
from symdmc.evidence.smt.diagrams import DiagramTerms
from symdmc.evidence.smt.terms import SmtLayout
from symdmc.evidence.visiting import state_rows
from symdmc.evidence.visiting.listing import listed_states
from symdmc.evidence.visiting.membership import Membership
from symdmc.evidence.visiting.state_rows import StatePacking, StateRows, StateSet
from symdmc.model.builder import Builder
from symdmc.model.expressions import Literal
from symdmc.model.question import ask
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import System
from tests.certificates import all_states, boxes_of, diagram_of, satisfies
from tests.strategies import systems


def states_in(rows: StateRows) -> Counter[State]:
    return Counter(rows.state(row) for row in range(len(rows)))


def listing(system: System, diagrams: list[Diagram], most: int) -> StateRows | None:
    layout = SmtLayout(system)
    drawn = [DiagramTerms(diagram, layout) for diagram in diagrams]
    return listed_states(drawn, StatePacking(layout), TermCompiler(layout), most)


@settings(max_examples=60, deadline=None)
@given(systems(), st.integers(0, 2**16))
def test_the_states_listed_are_those_that_satisfy_all_diagrams(system: System, seed: int) -> None:
    ranges = [variable.type.high - variable.type.low + 1 for variable in system.storage]
    sizes = (size**variable.cells for size, variable in zip(ranges, system.storage, strict=True))
    assume(prod(sizes) * prod(len(process.locations) for process in system.processes) <= 600)
    choose, space = random.Random(seed), all_states(system)
    one, other = (choose.sample(space, choose.randint(1, min(len(space), 60))) for _ in range(2))
    diagrams = boxes_of(other, system)
    if not any(variable.constant for variable in system.storage):  # of which the atoms read nothing
        sets = [one, [*one[: len(one) // 2], *other]]
        diagrams += [diagram_of(states, system) for states in sets[: choose.randint(1, 2)]]
    choose.shuffle(diagrams)
    semantics = Semantics(system)
    expected = [state for state in space if all(satisfies(semantics, each, state) for each in diagrams)]
    found = listing(system, diagrams, len(space))
    assert found is not None
    assert states_in(found) == Counter(expected)
    event(f"empty: {not expected}")
    layout = SmtLayout(system)
    drawn = [DiagramTerms(diagram, layout) for diagram in diagrams]
    holds = Membership(drawn, TermCompiler(layout)).holds(StatePacking(layout).pack(space))
    assert holds.tolist() == [state in set(expected) for state in space]


def grid(low: int = 0, high: int = 9) -> System:
    m = Builder("grid")
    for name in ("x", "y", "z"):
        m.integer(name, low, high)
    m.process("P", initial="s")
    return m.build()


def chain_of(system: System, *conditions: str) -> Diagram:
    """The states where all conditions hold, tested in this order."""
    atoms = tuple(ask(system, error=condition).expression for condition in conditions)
    nodes = [(len(atoms) - 1, 0, 1)]
    for atom in reversed(range(len(atoms) - 1)):
        nodes.append((atom, 0, len(nodes) + 1))
    return Diagram(atoms=atoms, nodes=tuple(nodes), root=len(nodes) + 1)


def test_what_no_diagram_tests_is_free() -> None:
    system = grid()
    found = listing(system, [chain_of(system, "x == 3 or x > 7", "z < 2")], 1000)
    assert found is not None
    assert len(found) == 3 * 10 * 2
    everything = listing(system, [], 1000)
    assert everything is not None
    assert len(states_in(everything)) == 1000
    nothing = listing(system, [Diagram(atoms=(), nodes=(), root=0)], 1000)
    assert nothing is not None
    assert len(nothing) == 0


def test_more_states_than_allowed_are_not_listed() -> None:
    system = grid()
    diagram = chain_of(system, "x == 3", "z < 2")
    assert listing(system, [diagram], 20) is not None
    assert listing(system, [diagram], 19) is None
    assert listing(grid(-(2**31), 2**31 - 1), [diagram], 10**6) is None


def test_a_huge_product_is_counted_and_not_listed() -> None:
    m = Builder("huge")
    for k in range(300):
        m.integer(f"x{k}", 0, 99)
    m.process("P", initial="s")
    system = m.build()
    assert listing(system, [chain_of(system, "x0 == 3", "x1 == 4")], 10**9) is None


@pytest.mark.parametrize(
    "conditions", [("x == y", "z < 2"), ("x > 3", "y > 3", "x < 7"), ("1 == 1", "x > 3", "y > 3")], ids=str
)
def test_diagrams_of_another_shape_are_not_listed_but_may_stand_beside_one_that_is(conditions: tuple[str, ...]) -> None:
    system = grid()
    other = chain_of(system, *conditions)
    assert listing(system, [other], 10**6) is None
    diagrams = [other, chain_of(system, "x > 4", "y > 3", "z == 1")]
    found = listing(system, diagrams, 10**6)
    assert found is not None
    semantics = Semantics(system)
    expected = (state for state in all_states(system) if all(satisfies(semantics, each, state) for each in diagrams))
    assert states_in(found) == Counter(expected)


def test_atoms_that_the_root_does_not_lead_to_do_not_count() -> None:
    system = grid()
    used = chain_of(system, "x == 3")
    both = ask(system, error="x == y").expression
    padded = Diagram(atoms=(*used.atoms, both, Literal(1)), nodes=((1, 0, 1), (2, 0, 1), (0, 0, 1)), root=4)
    found = listing(system, [padded], 1000)
    assert found is not None
    assert states_in(found) == Counter(state for state in all_states(system) if state.values[0] == (3,))


def wide_rows(seed: int, count: int) -> tuple[System, list[State]]:
    """States of three words."""
    m = Builder("wide")
    m.integer("a", -300, 40000, size=9)
    m.constant("c", 7)
    m.process("P", initial="s").edge("s", "t")
    choose = random.Random(seed)
    cells = [tuple(choose.choice((-300, 7, 40000)) for _ in range(9)) for _ in range(count)]
    return m.build(), [State((choose.choice("st"),), (each, (7,))) for each in cells]


def test_a_set_has_the_states_it_was_made_of_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    system, states = wide_rows(1, 3000)
    packing = StatePacking(SmtLayout(system))
    assert packing.words == 3
    own, others = states[:2000], states[2000:]
    found = StateSet(packing.pack([*own, *own[:50]]))
    assert len(found) == len(set(own))
    assert found.contains(packing.pack(own)).all()
    assert found.contains(packing.pack(others)).tolist() == [state in set(own) for state in others]
    assert not StateSet(packing.pack([])).contains(packing.pack(others)).any()

    scrambled = StateSet._keys

    def weak(self: StateSet, rows: StateRows) -> state_rows.Int64s:
        return scrambled(self, rows) if self._salt > 1 else np.zeros(len(rows), dtype=np.int64)

    monkeypatch.setattr(StateSet, "_keys", weak)
    again = StateSet(packing.pack(own))
    assert again.contains(packing.pack(others)).tolist() == [state in set(own) for state in others]
