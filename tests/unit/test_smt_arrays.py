"""TermCompiler evaluated over arrays, against z3 and the reference semantics."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.evidence.smt.arrays import TermCompiler, UnknownTerm
from symdmc.evidence.smt.terms import Evaluator, SmtLayout, Term, number
from symdmc.evidence.visiting.state_rows import StatePacking
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.builder import Builder
from symdmc.model.semantics import Semantics
from symdmc.model.system import System
from tests.strategies import expressions, systems
from tests.unit.test_smt import states_of


def pair() -> SmtLayout:
    """Two slots of five bits, s1 and s2, after the location of a process."""
    m = Builder("pair")
    m.integer("x", 0, 31)
    m.integer("y", -16, 15)
    m.process("P", initial="s")
    return SmtLayout(m.build())


BINARY: dict[str, Callable[[Term, Term], Term]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "sdiv": lambda x, y: x / y,
    "srem": z3.SRem,
    "smod": lambda x, y: x % y,
    "udiv": z3.UDiv,
    "urem": z3.URem,
    "shl": lambda x, y: x << y,
    "ashr": lambda x, y: x >> y,
    "lshr": z3.LShR,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "neg": lambda x, y: -x,
    "not": lambda x, y: ~x,
    "concat": z3.Concat,
    "extract": lambda x, y: z3.Extract(3, 1, x),
    "zero extension": lambda x, y: z3.ZeroExt(7, x),
    "sign extension": lambda x, y: z3.SignExt(7, y),
    "choice": lambda x, y: z3.If(x == y, x + 1, y),
    "slt": lambda x, y: x < y,
    "sle": lambda x, y: x <= y,
    "sgt": lambda x, y: x > y,
    "sge": lambda x, y: x >= y,
    "ult": z3.ULT,
    "ule": z3.ULE,
    "ugt": z3.UGT,
    "uge": z3.UGE,
    "equal": lambda x, y: x == y,
    "distinct": lambda x, y: z3.Distinct(x, y, x + y),
    "implies": lambda x, y: z3.Implies(x < y, y == 3),
    "exclusive": lambda x, y: z3.Xor(x < y, y == 3),
    "both": lambda x, y: z3.And(x < y, z3.Or(y == 3, x == 1, z3.BoolVal(False)), z3.BoolVal(True)),
    "neither": lambda x, y: z3.Not(x < y),
    "the same truth": lambda x, y: (x < y) == (y == 3),
}


@pytest.mark.parametrize("simplify", [False, True])
@pytest.mark.parametrize("name", BINARY)
def test_every_operator_means_what_it_means_to_z3(name: str, simplify: bool) -> None:
    layout = pair()
    x, y = layout.current[1:]
    term = z3.simplify(BINARY[name](x, y)) if simplify else BINARY[name](x, y)
    values = np.array(list(product(range(32), repeat=2)))
    columns = {1: values[:, 0], 2: values[:, 1]}
    (found,) = TermCompiler(layout).program([term]).run(columns.__getitem__)
    chosen = random.Random(name).sample(range(len(values)), 60) + [32 * k for k in range(32)]
    for row in chosen:
        a, b = values[row].tolist()
        exact: Any = z3.simplify(z3.substitute(term, (x, z3.BitVecVal(a, 5)), (y, z3.BitVecVal(b, 5))))
        assert int(np.broadcast_to(found, len(values))[row]) == (
            int(z3.is_true(exact)) if z3.is_bool(exact) else exact.as_long()
        )


@settings(max_examples=60, deadline=None)
@given(systems(), st.data())
def test_expressions_have_the_values_and_faults_of_the_reference(system: System, data: st.DataObject) -> None:
    semantics, layout = Semantics(system), SmtLayout(system)
    expression = data.draw(expressions(system, depth=3))
    valued = Evaluator(layout, layout.current).evaluate(expression)
    states = states_of(system, data.draw(st.integers(0, 1000)), 3)
    rows = StatePacking(layout).pack(states)
    assert [rows.state(row) for row in range(len(rows))] == states
    program = TermCompiler(layout).program([valued.fault, number(valued.term)])
    faults, values = (np.broadcast_to(each, len(rows)) for each in program.run(rows.column))
    for state, fault, value in zip(states, faults.tolist(), values.tolist(), strict=True):
        try:
            expected = semantics.evaluate(expression, state)
        except ArithmeticFault:
            assert fault
        else:
            assert (fault, value) == (False, expected & 0xFFFF_FFFF)


def test_booleans_with_a_name_are_as_chosen() -> None:
    layout = pair()
    term = z3.And(z3.Bool("pick 0 1"), layout.current[1] == 3)
    program = TermCompiler(layout).program([term])
    columns = {1: np.array([2, 3])}
    assert program.run(columns.__getitem__, {"pick 0 1": True})[0].tolist() == [False, True]
    assert program.run(columns.__getitem__, {"pick 0 1": False})[0].tolist() == [False, False]


def test_what_is_not_known_is_said() -> None:
    layout = pair()
    wide = z3.SignExt(90, layout.current[1])
    function = z3.Function("f", z3.BitVecSort(5), z3.BoolSort())
    for term in (wide == wide + 1, function(layout.current[1]), z3.RepeatBitVec(2, layout.current[1]) == 3):
        with pytest.raises(UnknownTerm):
            TermCompiler(layout).program([term])
