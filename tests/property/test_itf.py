"""Traces in ITF: what is written is read back, and what others write is a path of the model, if there is one."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from symdmc.errors import EvidenceRefused, ModelError
from symdmc.evidence.replay import replay
from symdmc.model import observations
from symdmc.model.builder import Builder
from symdmc.model.files.itf_format import is_itf, itf_text, trace_from_itf
from symdmc.model.question import ErrorCondition, ask
from symdmc.model.semantics import Semantics
from symdmc.model.simulation import random_walk
from symdmc.model.state import State
from symdmc.model.steps import named_values
from symdmc.model.system import System
from symdmc.model.trace import Trace
from tests.oracle import explore
from tests.strategies import SEEDS, systems_with_error


def walk(system: System, seed: int) -> Trace | None:
    return random_walk(system, 6, seed).trace()


def document(trace: Trace, system: System) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(itf_text(trace, system))
    assert is_itf(loaded)
    return loaded


def seen_in_part(trace: Trace, system: System, chance: random.Random) -> dict[str, Any]:
    """The document as a program writes it that knows only some variables, with all integers as big ones."""

    def spelled(value: Any) -> Any:
        match value:
            case int():
                return {"#bigint": str(value)}
            case list():
                pairs = [[place, spelled(each)] for place, each in enumerate(value)]
                return {"#map": pairs} if chance.random() < 0.5 else {"#tup": [spelled(each) for each in value]}
        return value

    whole = document(trace, system)
    names = [name for name in whole["vars"] if chance.random() < 0.5]
    states = [{name: spelled(state[name]) for name in names} for state in whole["states"]]
    return {"vars": names, "states": states}


def fits(state: State, seen: dict[str, Any], system: System) -> bool:
    """By the values of cells, each with its name."""
    known = dict(named_values(state, system))
    for name, value in seen.items():
        cells = value if isinstance(value, dict) and "#bigint" not in value else {"#tup": [value]}
        listed = [pair[1] for pair in cells["#map"]] if "#map" in cells else cells["#tup"]
        variable = system.variable_named.get(name)
        names = [name] if variable is None or variable.size is None else [f"{name}[{k}]" for k in range(variable.size)]
        numbers = [int(each["#bigint"]) if isinstance(each, dict) else each for each in listed]
        if [known[each] for each in names] != numbers:
            return False
    return True


@settings(max_examples=150, deadline=None)
@given(systems_with_error(costs=True), SEEDS)
def test_a_trace_that_is_written_is_read_back_with_its_states(asked: tuple[System, ErrorCondition], seed: int) -> None:
    system, _ = asked
    trace = walk(system, seed)
    if trace is None:
        return
    read = trace_from_itf(document(trace, system), system)
    replay(system, read, None)
    assert read.states == trace.states
    assert (read.property, read.error, read.fingerprint) == (trace.property, trace.error, trace.fingerprint)
    semantics = Semantics(system)
    cheapest = [min(step.cost for step in semantics.steps_between(*pair)) for pair in pairwise(trace.states)]
    assert [step.cost for step in read.steps] == cheapest


@settings(max_examples=200, deadline=None)
@given(systems_with_error(costs=True), SEEDS)
def test_states_known_in_part_are_read_as_a_path_that_fits_if_there_is_one(
    asked: tuple[System, ErrorCondition], seed: int
) -> None:
    system, error = asked
    chance, trace = random.Random(seed), walk(system, seed)
    if trace is None:
        return
    seen = seen_in_part(trace, system, chance)
    if chance.random() < 0.5:  # most often no path has these states
        chance.shuffle(seen["states"])
    space = explore(system)
    layer = {state for state in space.initial if fits(state, seen["states"][0], system)}
    for entry in seen["states"][1:]:
        after = {step.successor for state in layer for step in space.steps[state]}
        layer = {state for state in after if fits(state, entry, system)}
    if not layer:
        with pytest.raises(EvidenceRefused, match=r"\$\.states\[\d\]"):
            trace_from_itf(seen, system, error)
        return
    read = trace_from_itf(seen, system, error)
    replay(system, read, error if layer & space.error_states(error) else None)
    assert all(fits(state, entry, system) for state, entry in zip(read.states, seen["states"], strict=True))
    if layer == {trace.final} and read.initial == trace.initial:
        assert read.length <= trace.length


def test_the_last_state_is_an_error_state_where_there_is_a_choice() -> None:
    m = Builder("choice")
    m.integer("x", 0, 3)
    process = m.process("P", initial="s")
    for value in (3, 1, 2):
        process.edge("s", "t", do=f"x = {value}")
    system = m.build()
    seen = {"vars": ["P"], "states": [{"P": "s"}, {"P": {"tag": "t", "value": {"#tup": []}}}]}
    for value in (1, 2, 3):
        read = trace_from_itf(seen, system, ask(system, error=f"x == {value}"))
        assert read.final.values == ((value,),)
        replay(system, read, ask(system, error=f"x == {value}"))


def test_too_many_states_that_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observations, "MOST_CANDIDATES", 5)
    m = Builder("many")
    m.integer("x", 0, 9, initial=range(10))
    m.process("P", initial="s").edge("s", "s")
    system = m.build()
    with pytest.raises(ModelError, match=r"states\[0\]: more than 5 states fit the values that are given"):
        trace_from_itf({"vars": ["P"], "states": [{"P": "s"}]}, system)
    assert trace_from_itf({"vars": ["x"], "states": [{"x": 4}, {"x": 4}]}, system).length == 1
    few = Builder("few")
    few.integer("x", 0, 9)
    process = few.process("P", initial="s")
    for value in range(4):
        process.edge("s", "s", do=f"x = {value}")
    entries = {"vars": ["P"], "states": [{"P": "s"}] * 4}
    with pytest.raises(ModelError, match=r"states\[2\]: more than 5"):
        trace_from_itf(entries, few.build())
