"""Where an expression has a value; of several conditions that are asked for, none hides another by a fault."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import symdmc
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.definedness import any_of, defined
from symdmc.model.expressions import Binary, Cell, Expr, Literal
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.reader.dve import read_dve
from tests import oracle
from tests.strategies import systems


def expressions(system: System) -> list[Expr]:
    """All that a system evaluates, and divisions, cells and combinations made of it."""
    found = [edge.guard for process in system.processes for edge in process.edges]
    found += [update.value for process in system.processes for edge in process.edges for update in edge.assignments]
    arrays = [variable for variable in system.variables if variable.size is not None]
    return [*found, *(Cell(array.name, each) for array in arrays for each in found)]


def value(semantics: Semantics, expression: Expr, state: State) -> int | None:
    try:
        return semantics.evaluate(expression, state)
    except ArithmeticFault:
        return None


def combined(parts: list[Expr]) -> Iterator[Expr]:
    left, right = parts
    for operator in ("/", "%", "and", "or", "imply", "+"):
        yield Binary(operator, left, right)


@settings(max_examples=60, deadline=None)
@given(system=systems(), data=st.data())
def test_it_is_defined_exactly_where_it_does_not_fault(system: System, data: st.DataObject) -> None:
    semantics = Semantics(system)
    chosen = st.sampled_from([*expressions(system), Literal(0), Literal(1)])
    drawn = [data.draw(chosen) for _ in range(2)]
    together = [*drawn, *combined(drawn)]
    together += [*combined(together[-2:]), *combined(together[2:4])]
    for state in list(oracle.explore(system).steps)[:40]:
        values = {each: value(semantics, each, state) for each in together}
        event(f"faults: {None in values.values()}")
        for each, found in values.items():
            assert semantics.evaluate(defined(each, system), state) == (found is not None)
        assert semantics.holds(any_of(together, system), state) == any(each for each in values.values())


def dividing() -> symdmc.Builder:
    m = symdmc.Builder("dividing")
    m.integer("x", 0, 3)
    m.integer("a", 0, 3, size=2)
    m.process("P", initial="s").edge("s", "s", guard="x < 3", do="x = x + 1")
    return m


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
@pytest.mark.parametrize("hiding", ["1 / x == 5", "a[x - 1] == 4", "x == 7 or a[x + 2] == 1"])
def test_a_condition_that_faults_hides_no_other_one(hiding: str, engine: str) -> None:
    for asked in ((hiding, "x == 0"), ("x == 0", hiding), (hiding, hiding, "x == 0")):
        found = symdmc.check(dividing(), error=asked, engine=engine)  # type: ignore[arg-type]
        assert (found.verdict.value, found.length) == ("error", 0)
    safe = symdmc.check(dividing(), error=(hiding, "x == 4"), engine=engine, certify=True)  # type: ignore[arg-type]
    assert safe.verdict.value == "safe"
    assert safe.certificate is not None
    assert symdmc.certify(dividing(), safe.certificate).is_safe
    assert symdmc.certify(dividing(), safe.certificate, error=(hiding, "x == 4")).is_safe


def test_an_assertion_that_faults_hides_no_other_one() -> None:
    text = """
        byte x = 0;
        process A { state s; init s; assert s: 6 / x == 2; trans s -> s { guard x == 9; }; }
        process B { state s; init s; assert s: x == 1; trans s -> s { guard x == 9; }; }
        system async;
    """
    for order in (text, text.replace("process A", "process Z")):
        assert symdmc.check(read_dve(order, name="two", file="two.dve"), assertions=True).length == 0
