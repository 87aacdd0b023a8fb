"""A long chain of one associative operator is grouped in halves, and means what it means grouped to the left."""

from __future__ import annotations

from functools import partial, reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.errors import ModelError
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.builder import Builder
from symdmc.model.expressions import (
    ASSOCIATIVE,
    BINARY_PRECEDENCE,
    LONG_CHAIN,
    Binary,
    Cell,
    Expr,
    Literal,
    Ref,
    Unary,
    balanced,
    children,
    conjunction,
    disjunction,
    is_deeper,
    walk,
)
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ask
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import Assignment, System
from symdmc.reader.dve import read_dve


def _system() -> System:
    m = Builder("names")
    for name in ("x", "y"):
        m.integer(name, -(2**31), 2**31 - 1)
    m.byte("a", size=2, initial=[1, 0])
    m.process("P", initial="p")
    return m.build()


SYSTEM = _system()
SCOPE = Scope.of(SYSTEM)
ORDER = [variable.name for variable in SYSTEM.storage]
MANY = 3_000
DEEP = 50_000

leaves: st.SearchStrategy[Expr] = st.one_of(
    st.sampled_from((0, 1, -3, 2**31 - 1)).map(Literal),
    st.sampled_from((Ref("x"), Ref("y"), Unary("not", Ref("x")), Cell("a", Ref("y")))),
    st.sampled_from((Binary("/", Literal(1), Ref("x")), Binary("-", Ref("x"), Ref("y")))),
)


@st.composite
def trees(draw: st.DrawFn) -> Expr:
    """Many parts joined by few operators, in whatever shape."""
    operators = draw(st.lists(st.sampled_from(sorted(BINARY_PRECEDENCE)), min_size=1, max_size=2))
    parts = draw(st.lists(leaves, min_size=LONG_CHAIN - 2, max_size=3 * LONG_CHAIN))
    while len(parts) > 1:
        place = draw(st.integers(0, len(parts) - 2))
        run = draw(st.integers(2, len(parts)))
        parts[place : place + run] = [reduce(partial(Binary, draw(st.sampled_from(operators))), parts[place:][:run])]
    return parts[0]


def _value(expression: Expr, state: State) -> int | str:
    try:
        return Semantics(SYSTEM).evaluate(expression, state)
    except ArithmeticFault as fault:
        return str(fault)


@settings(deadline=None)  # the first example builds the grammar
@given(trees(), st.tuples(*[st.sampled_from((0, 1, 2, -1, 65537, 2**31 - 1))] * 2))
def test_grouping_in_halves_changes_no_value_and_no_fault(expression: Expr, values: tuple[int, int]) -> None:
    state = State(("p",), ((values[0],), (values[1],), (1, 0)))
    assert _value(balanced(expression), state) == _value(expression, state)


@settings(deadline=None)  # the first example builds the grammar
@given(trees())
def test_an_expression_of_many_parts_reads_back_grouped_in_halves(expression: Expr) -> None:
    assert parse_expression(str(expression), SCOPE) == balanced(expression)
    assert balanced(balanced(expression)) == balanced(expression)
    assert str(balanced(expression)) == str(expression)


@pytest.mark.parametrize(
    ("operator", "count"),
    [*((each, count) for each in sorted(ASSOCIATIVE) for count in (LONG_CHAIN, LONG_CHAIN + 1)), ("and", MANY)],
)
def test_a_flat_chain_is_read_and_printed_flat(operator: str, count: int) -> None:
    text = f" {operator} ".join(["x", *["not y"] * (count - 1)])
    expression = parse_expression(text, SCOPE)
    assert str(expression) == text
    assert not is_deeper(expression, max(LONG_CHAIN, count.bit_length()) + 2)
    assert Semantics(SYSTEM).evaluate(expression, State(("p",), ((1,), (0,), (1, 0)))) == {
        "+": count,
        "^": count % 2,
    }.get(operator, 1)


@pytest.mark.parametrize("build", [conjunction, disjunction])
def test_what_is_joined_in_python_is_not_deep(build: partial[Expr]) -> None:
    assert not is_deeper(build(*[Ref("x")] * DEEP), DEEP.bit_length() + 1)


def _chain_to(side: str, count: int = MANY) -> Expr:
    """x + x + ... grouped wholly to one side, as a loop in Python makes it."""
    chain: Expr = Ref("x")
    for _ in range(count):
        chain = Binary("+", chain, Ref("x")) if side == "left" else Binary("+", Ref("x"), chain)
    return chain


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_chain_of_any_length_is_grouped_and_printed(side: str) -> None:
    chain = _chain_to(side, DEEP)
    assert str(chain) == " + ".join(["x"] * (DEEP + 1))
    assert not is_deeper(balanced(chain), DEEP.bit_length() + 1)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_chain_made_in_python_is_no_deeper_than_one_that_is_read(side: str) -> None:
    chain = _chain_to(side)
    condition = ask(SYSTEM, error=chain).expression
    assert str(condition) == " + ".join(["x"] * (MANY + 1))
    m = Builder("chain")
    m.byte("x")
    m.process("P", initial="p").edge("p", "p", guard=chain, do=[Assignment(Ref("x"), chain)])
    (edge,) = m.build().processes[0].edges
    assert edge.guard == edge.assignments[0].value == condition


def test_what_is_nested_deeply_in_python_is_refused_in_one_line() -> None:
    nested: Expr = Ref("x")
    for _ in range(DEEP):
        nested = Unary("not", nested)
    with pytest.raises(
        ModelError, match="the error condition has more than 200 levels; break it into several"
    ) as caught:
        ask(SYSTEM, error=nested)
    assert len(caught.value.complaints) == 1
    m = Builder("nested")
    m.byte("x")
    m.process("P", initial="p").edge("p", "p", guard=nested)
    with pytest.raises(ModelError, match="guard: the expression has more than 200 levels") as caught:
        m.build()
    assert len(caught.value.complaints) == 1


def test_a_long_chain_in_a_dve_model_is_read_by_the_grammar_and_without_it() -> None:
    chain = " and ".join(["x < 5"] * 2_000)
    text = "byte x; process P { state p; init p; trans p -> p { guard %s; effect x = x + 1; }; } system async;"
    plain, commented = (read_dve(text % each, name="m", file="m.dve") for each in (chain, f"/* */ {chain} ? 1 : 0"))
    (guard,) = (edge.guard for edge in plain.processes[0].edges)
    assert str(guard) == chain
    assert children(commented.processes[0].edges[0].guard)[0] == guard
    assert sum(part == Ref("x") for part in walk(guard)) == 2_000
