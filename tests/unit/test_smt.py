"""Expressions and steps as z3 sees them, against the reference semantics."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, product
from typing import Any, TypeAlias

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.evidence.smt.steps import Attempt, StepEncoder, transitions
from symdmc.evidence.smt.terms import Evaluator, Slot, SmtLayout, Term, number
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.builder import Builder
from symdmc.model.expressions import Expr
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.system import BYTE, SHORT, Range, System
from tests.oracle import explore
from tests.strategies import expressions, systems

Key: TypeAlias = tuple[Any, ...]
"""What all steps of one transition have in common."""


def states_of(system: System, seed: int, count: int) -> list[State]:
    """Some reachable states and as many others, drawn over the declared ranges."""
    choose = random.Random(seed)
    reachable = list(islice(explore(system).steps, 50))
    drawn = [
        State(
            tuple(choose.choice(process.locations).name for process in system.processes),
            tuple(
                tuple(each[0] for each in variable.initial)
                if variable.constant
                else tuple(choose.randint(variable.type.low, variable.type.high) for _ in range(variable.cells))
                for variable in system.storage
            ),
        )
        for _ in range(count)
    ]
    return [*choose.sample(reachable, min(count, len(reachable))), *drawn]


class Ground:
    """TermCompiler in one state."""

    def __init__(self, layout: SmtLayout, state: State) -> None:
        at = [layout.places[i][place] for i, place in enumerate(state.locations)]
        numbers = [*at, *(value for cells in state.values for value in cells)]
        self.layout = layout
        self.pairs = [
            (term, slot.value(value))
            for term, slot, value in zip(layout.current, layout.slots, numbers, strict=True)
            if slot.fixed is None
        ]

    def __call__(self, term: Term, chosen: tuple[tuple[Term, Term], ...] = ()) -> Term:
        return z3.simplify(z3.substitute(term, *self.pairs, *chosen))

    def state(self, attempt: Attempt, chosen: tuple[tuple[Term, Term], ...]) -> State:
        slots = self.layout.slots
        after = (slot.integer(self(term, chosen)) for slot, term in zip(slots, attempt.after, strict=True))
        return self.layout.state(list(after))


def choices(attempt: Attempt) -> Iterator[tuple[tuple[Term, Term], ...]]:
    picks = list(attempt.picks.values())
    for values in product((False, True), repeat=len(picks)):
        yield tuple((pick, z3.BoolVal(value)) for pick, value in zip(picks, values, strict=True))


def key_of_attempt(attempt: Attempt, system: System) -> Key:
    joining = attempt.transition.joining
    if joining:
        sync = system.processes[joining[0][0]].edges[joining[0][1]].sync
        assert sync is not None
        return ("label", sync.channel)
    return attempt.transition.edges


def key_of_move(move: Step | Fault, system: System) -> Key:
    process, edge = move.edges[0]
    sync = system.processes[process].edges[edge].sync
    if sync is None:
        return move.edges
    match system.channel_named[sync.channel].kind.value:
        case "lockstep":
            return ("label", sync.channel)
        case "broadcast":
            return move.edges[:1]
        case _:
            return move.edges


@settings(max_examples=60, deadline=None)
@given(systems(), st.data())
def test_expressions_have_the_values_and_faults_of_the_reference(system: System, data: st.DataObject) -> None:
    semantics, layout = Semantics(system), SmtLayout(system)
    expression: Expr = data.draw(expressions(system, depth=3))
    valued = Evaluator(layout, layout.current).evaluate(expression)
    for state in states_of(system, data.draw(st.integers(0, 1000)), 3):
        ground = Ground(layout, state)
        try:
            expected = semantics.evaluate(expression, state)
        except ArithmeticFault:
            assert z3.is_true(ground(valued.fault))
        else:
            assert z3.is_false(ground(valued.fault))
            assert ground(number(valued.term)).as_signed_long() == expected


@settings(max_examples=60, deadline=None)
@given(systems(), st.integers(0, 1000))
def test_steps_and_faults_are_those_of_the_reference(system: System, seed: int) -> None:
    semantics, layout = Semantics(system), SmtLayout(system)
    steps = StepEncoder(layout)
    attempts = [steps.attempt(transition) for transition in transitions(system)]
    for state in states_of(system, seed, 3):
        ground = Ground(layout, state)
        moves = list(semantics.moves(state))
        expected = {(key_of_move(move, system), move.successor) for move in moves if isinstance(move, Step)}
        faulting = {key_of_move(move, system) for move in moves if isinstance(move, Fault)}
        found, faulty = set(), set()
        for attempt in attempts:
            key = key_of_attempt(attempt, system)
            for chosen in choices(attempt):
                if z3.is_true(ground(attempt.enabled, chosen)):
                    found.add((key, ground.state(attempt, chosen)))
                if z3.is_true(ground(attempt.fault, chosen)):
                    faulty.add(key)
        assert found == expected
        assert faulty == faulting


@pytest.mark.parametrize("range", [BYTE, SHORT, Range(0, 0), Range(-5, -2), Range(3, 9), Range(-3, 3, True)], ids=str)
@pytest.mark.parametrize("value", [0, 1, 5, -5, 255, 256, -32769, 2**31 - 1, -(2**31)])
def test_storing_cuts_or_faults_as_declared(range: Range, value: int) -> None:
    slot = Slot("x", range)
    stored, fault = slot.stored(z3.BitVecVal(value, 32))
    try:
        expected = range.store(value)
    except ArithmeticFault:
        assert z3.is_true(z3.simplify(fault))
    else:
        assert z3.is_false(z3.simplify(fault))
        assert slot.integer(z3.simplify(stored)) == expected


def test_a_broadcast_is_one_transition_however_many_listen() -> None:
    m = Builder("radio")
    m.broadcast("tick")
    m.process("P", initial="s").edge("s", "s", sync="tick!")
    for i in range(20):
        listener = m.process(f"L{i}", initial="s")
        listener.edge("s", "t", sync="tick?")
        listener.edge("s", "u", sync="tick?")
    system = m.build()
    (transition,) = transitions(system)
    layout = SmtLayout(system)
    attempt = StepEncoder(layout).attempt(transition)
    assert len(attempt.picks) == 40
    assert attempt.writes == frozenset(range(21)) - {0}


def test_the_ranges_leave_exactly_the_declared_values() -> None:
    m = Builder("ranges")
    m.integer("x", -3, 2)
    m.process("P", initial="a").edge("a", "b")
    layout = SmtLayout(m.build())
    solver = z3.Solver()
    solver.add(*layout.ranges())
    seen = set()
    while solver.check() == z3.sat:
        model = solver.model()
        state = layout.decoded(model)
        seen.add(state)
        solver.add(z3.Or(*(term != model.eval(term, model_completion=True) for term in layout.current)))
    assert seen == {State((place,), ((x,),)) for place in "ab" for x in range(-3, 3)}
