"""Writing and reading back loses nothing: systems, expressions, traces."""

from __future__ import annotations

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.evidence.replay import replay
from symdmc.model.files.json_format import system_from_json, system_to_json
from symdmc.model.files.trace_format import trace_from_json, trace_to_json
from symdmc.model.fingerprint import fingerprint
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.state import Step
from symdmc.model.system import System
from symdmc.model.trace import Trace
from tests.strategies import expressions, systems, systems_with_error


@settings(max_examples=200, deadline=None)
@given(systems(costs=True))
def test_a_system_is_read_back_exactly(system: System) -> None:
    document = json.loads(json.dumps(system_to_json(system)))
    assert system_from_json(document) == system
    assert system_to_json(system_from_json(document)) == document


@settings(max_examples=200, deadline=None)
@given(st.data(), systems())
def test_the_text_of_an_expression_is_read_back_exactly(data: st.DataObject, system: System) -> None:
    expression = data.draw(expressions(system, depth=4))
    assert parse_expression(str(expression), Scope.of(system)) == expression


@settings(max_examples=100, deadline=None)
@given(systems_with_error(costs=True), st.integers(0, 2**24 - 1))
def test_a_random_walk_is_read_back_exactly_and_replays(asked: tuple[System, ErrorCondition], seed: int) -> None:
    system, error = asked
    trace = _random_walk(system, error, seed)
    if trace is None:
        return
    again = trace_from_json(json.loads(json.dumps(trace_to_json(trace, system))), system)
    assert again == trace
    replay(system, again, None)


def _random_walk(system: System, error: ErrorCondition, seed: int) -> Trace | None:
    semantics, chance = Semantics(system), random.Random(seed)
    initial = list(semantics.initial_states())
    if not initial:
        return None
    state = first = chance.choice(initial)
    steps: list[Step] = []
    while len(steps) < 10 and (possible := semantics.steps(state)):
        steps.append(chance.choice(possible))
        state = steps[-1].successor
    return Trace(fingerprint=fingerprint(system), property=error.name, initial=first, steps=tuple(steps), error=error)
