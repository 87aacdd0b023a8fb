"""What is said along traces agrees with the definitions: why an edge is not taken, and what expressions are worth."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import Expr, conjuncts
from symdmc.model.semantics import Semantics
from symdmc.model.simulation import random_walk
from symdmc.model.state import State
from symdmc.model.steps import passed_values, step_label
from symdmc.model.system import ChannelKind, System
from symdmc.model.watching import watch
from symdmc.model.why_not import edges_that_wait, explained, why_not
from tests import oracle
from tests.strategies import expressions, systems


@given(system=systems(costs=True))
def test_an_edge_has_obstacles_exactly_where_no_step_takes_it(system: System) -> None:
    semantics = Semantics(system)
    edges = [(i, n) for i, process in enumerate(system.processes) for n in range(len(process.edges))]
    for state, steps in islice(oracle.explore(system).steps.items(), 12):
        taken = {ref for step in steps for ref in step.edges}
        for ref in edges:
            found = explained(semantics, state, ref)
            assert bool(found.steps) == (ref in taken) != bool(found.obstacles), found
        here = [ref for ref in edges if semantics.edge(ref).source == state.locations[ref[0]]]
        assert edges_that_wait(semantics, state) == [ref for ref in here if ref not in taken]


@given(system=systems(costs=True))
def test_each_obstacle_of_an_edge_is_one_by_the_definitions(system: System) -> None:
    semantics = Semantics(system)
    for state in islice(oracle.explore(system).steps, 8):
        for i, process in enumerate(system.processes):
            for n, edge in enumerate(process.edges):
                kinds = [obstacle.kind for obstacle in explained(semantics, state, (i, n)).obstacles]
                if kinds:
                    assert ("location" in kinds) == (state.locations[i] != edge.source)
                    assert kinds.count("guard") == _false_parts(semantics, state, edge.guard)
                    assert "buffer" not in kinds or (
                        edge.sync is not None and system.channel_named[edge.sync.channel].kind is ChannelKind.BUFFERED
                    )


def _false_parts(semantics: Semantics, state: State, guard: Expr) -> int:
    """How many parts of a guard are false, up to one that faults before any of them."""
    count = 0
    for part in conjuncts(guard):
        try:
            count += semantics.evaluate(part, state) == 0
        except ArithmeticFault:
            if not count:
                return 0
    return count


@given(system=systems(costs=True), seed=st.integers(0, 9))
def test_the_label_of_a_step_names_edges_that_can_be_taken(system: System, seed: int) -> None:
    walk = random_walk(system, 5, seed)
    trace = walk.trace()
    if trace is None:
        return
    for before, step in zip(trace.states, trace.steps, strict=False):
        label = step_label(step, system, passed_values(step, walk.semantics, before))
        assert any(label in each.steps for each in why_not(system, before, label)), label


@given(system=systems(costs=True), data=st.data())
def test_a_watched_expression_has_in_each_state_the_value_it_has_there(system: System, data: st.DataObject) -> None:
    trace = random_walk(system, 6, 1).trace()
    if trace is None:
        return
    semantics, expression = Semantics(system), data.draw(expressions(system))
    (column,) = watch(system, trace, str(expression))
    assert column.values == tuple(_value(semantics, expression, state) for state in trace.states)


def _value(semantics: Semantics, expression: Expr, state: State) -> int | str:
    try:
        return semantics.evaluate(expression, state)
    except ArithmeticFault as fault:
        return f"fault: {fault}"
