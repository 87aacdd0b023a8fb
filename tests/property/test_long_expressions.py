"""What is found out once about an expression is what the plain definitions say, for whatever domains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import assert_never
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from symdmc.model.builder import Builder
from symdmc.model.expressions import At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary, children
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.task import compile_task
from symdmc.task.task import Layout
from symdmc.task.values.analysis import _Known, analyse_values
from symdmc.task.values.intervals import Interval, IntervalProgram, bounds
from symdmc.task.values.rows import Reads, plain_support
from tests.property.test_expression_round_trip import larger
from tests.strategies import systems


def _layout() -> Layout:
    m = Builder("names")
    for name in ("x", "_y1"):
        m.byte(name)
    m.byte("a", size=2)
    m.buffered("buffer", capacity=2, values=1)
    p = m.process("P", initial="x")
    p.edge("x", "critical")
    for name in ("x", "notable"):
        p.byte(name)
    p.byte("a", size=3)
    m.process("Q", initial="idle")
    return compile_task(m.build(), ErrorCondition(name="nothing")).layout


LAYOUT = _layout()
LEAVES: st.SearchStrategy[Expr] = st.one_of(
    st.integers(-(2**31), 2**31 - 1).map(Literal),
    st.integers(-3, 3).map(Literal),
    st.sampled_from([Ref(name) for name, cells in LAYOUT.cells.items() if cells == 1]),
    st.sampled_from([At(*place) for place in LAYOUT.location]),
)
EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=30)
INTERVALS = st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**20)).map(
    lambda pair: (pair[0], min(pair[0] + pair[1], 2**31 - 1))
)


def _plain_bounds(expression: Expr, bounds_of: Callable[[Ref | Cell | At], Interval]) -> Interval:
    """The bounds by recursion over the parts, each operator by the bounds of one that has only two operands."""
    match expression:
        case Literal(value):
            return value, value
        case Ref() | Cell() | At():
            return bounds_of(expression)
        case Unary(operator, operand):
            inner = _plain_bounds(operand, bounds_of)
            return bounds(Unary(operator, Ref("x")), lambda _: inner)
        case Binary(operator, left, right):
            sides = {Ref("x"): _plain_bounds(left, bounds_of), Ref("_y1"): _plain_bounds(right, bounds_of)}
            return bounds(Binary(operator, Ref("x"), Ref("_y1")), lambda leaf: sides[leaf])  # type: ignore[index]
        case Conditional(_, then, otherwise):
            yes, no = _plain_bounds(then, bounds_of), _plain_bounds(otherwise, bounds_of)
            return min(yes[0], no[0]), max(yes[1], no[1])
        case _:
            assert_never(expression)


def _plain_support(expression: Expr) -> frozenset[int]:
    match expression:
        case Cell(_, Literal()):
            return LAYOUT.support(expression)
        case Cell(_, index):
            return _plain_support(index)
        case _ if not children(expression):
            return LAYOUT.support(expression)
        case _:
            return frozenset().union(*map(_plain_support, children(expression)))


@given(expression=EXPRESSIONS, drawn=st.lists(st.lists(INTERVALS, min_size=5, max_size=5), min_size=1, max_size=3))
def test_bounds_that_are_kept_are_those_of_the_plain_computation(expression: Expr, drawn: list[list[Interval]]) -> None:
    program = IntervalProgram(expression)
    for intervals in drawn + drawn[:1] + drawn:

        def bounds_of(leaf: Ref | Cell | At, intervals: list[Interval] = intervals) -> Interval:
            return intervals[len(str(leaf)) % 5]

        assert program.bounds(bounds_of) == _plain_bounds(expression, bounds_of)


@given(expression=EXPRESSIONS)
def test_supports_found_in_one_walk_are_those_of_the_plain_computation(expression: Expr) -> None:
    reads = Reads.of(LAYOUT, expression)
    assert reads.plain == plain_support(LAYOUT, expression) == _plain_support(expression)
    assert reads.all(LAYOUT) == LAYOUT.support(expression)


def _twins(system: System) -> System:
    """The system with every process twice, so that many transitions do the same between other locations."""
    twins = (replace(each, name=f"{each.name}_twin") for each in system.processes)
    own = (each for each in system.variables if "->" in each.name)
    copies = (replace(each, name=each.name.replace("->", "_twin->", 1)) for each in own)
    return replace(system, processes=(*system.processes, *twins), variables=(*system.variables, *copies), properties=())


@given(system=systems())
def test_what_is_kept_for_transitions_that_do_the_same_changes_no_domain(system: System) -> None:
    task = compile_task(_twins(system), ErrorCondition(name="nothing"))
    kept, numbers = analyse_values(task), count()
    with patch.object(_Known, "shape", lambda self, guard, updates: next(numbers)):
        alone = analyse_values(task)
    assert (kept.possible, kept.faultless) == (alone.possible, alone.faultless)
    for one, other in zip(kept.domains, alone.domains, strict=True):
        assert one.contains(other)
        assert other.contains(one)
