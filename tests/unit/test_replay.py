"""The judge of traces: what holds passes, and every mutant is refused with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings

from symdmc.errors import EvidenceRefused
from symdmc.evidence.replay import replay
from symdmc.model.builder import Builder
from symdmc.model.expressions import At
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import State, Step
from symdmc.model.system import System
from symdmc.model.trace import Trace
from tests.oracle import explore
from tests.strategies import systems

END = ErrorCondition(name="end", expression=At("P", "end"))


def counter() -> System:
    m = Builder("counter")
    m.integer("x", 0, 3)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 2", do="x = x + 1")
    p.edge("s", "end", guard="x == 2", cost=0)
    p.edge("s", "s", guard="x == 2", do="x = 1 / (x - 2)")
    return m.build()


def path(system: System, *edges: int) -> Trace:
    semantics = Semantics(system)
    (state,) = semantics.initial_states()
    steps: list[Step] = []
    for edge in edges:
        before = steps[-1].successor if steps else state
        steps.append(next(step for step in semantics.steps(before) if step.edges == ((0, edge),)))
    return Trace(fingerprint=fingerprint(system), property="end", initial=state, steps=tuple(steps), error=END)


def refusal(system: System, trace: Trace, error: ErrorCondition | None = END) -> str:
    with pytest.raises(EvidenceRefused) as caught:
        replay(system, trace, error)
    return str(caught.value)


def test_a_true_trace_passes() -> None:
    system = counter()
    trace = path(system, 0, 0, 1)
    replay(system, trace, END)
    assert (trace.length, len(trace.steps)) == (2, 3)


def test_a_path_without_a_claim_passes() -> None:
    system = counter()
    replay(system, path(system, 0), None)
    replay(system, path(system), None)


def test_deadlock_and_fault_are_looked_for_in_the_last_state() -> None:
    system = counter()
    deadlock = ErrorCondition(name="deadlock", deadlock=True)
    fault = ErrorCondition(name="fault", fault=True)
    replay(system, path(system, 0, 0, 1), deadlock)
    replay(system, path(system, 0, 0), fault)
    assert "no error state of 'deadlock'" in refusal(system, path(system, 0, 0), deadlock)
    assert "no error state of 'fault'" in refusal(system, path(system, 0, 0, 1), fault)


def test_one_of_several_conditions_is_enough() -> None:
    system = counter()
    several = ErrorCondition(name="several", expression=At("P", "end"), deadlock=True, fault=True)
    replay(system, path(system, 0, 0), several)
    replay(system, path(system, 0, 0, 1), several)
    assert "no error state" in refusal(system, path(system, 0), several)


def test_a_trace_of_another_model_is_refused_naming_both() -> None:
    system = counter()
    other = replace(path(system, 0, 0, 1), fingerprint="0" * 32)
    message = refusal(system, other)
    assert "0" * 32 in message
    assert fingerprint(system) in message


def test_a_wrong_first_state_is_refused() -> None:
    system = counter()
    trace = path(system, 0, 0, 1)
    assert "does not start in an initial state" in refusal(system, replace(trace, initial=State(("s",), ((1,),))))
    assert "does not start in an initial state" in refusal(system, replace(trace, initial=State((), ())))


@pytest.mark.parametrize(
    ("number", "change", "reason"),
    [
        (0, {"edges": ((0, 1),)}, "step 1 of 3: no such step exists"),
        (0, {"edges": ((5, 5),)}, "step 1 of 3: no such step exists"),
        (1, {"cost": 0}, "step 2 of 3: the step costs 1, not 0"),
        (2, {"cost": 1}, "step 3 of 3: the step costs 0, not 1"),
        (0, {"successor": State(("s",), ((2,),))}, "step 1 of 3: the step leads elsewhere: x is 1 after it, not 2"),
        (0, {"successor": State(("s", "s"), ((2,),))}, "step 1 of 3: the step leads elsewhere: the state given has"),
        (2, {"edges": ((0, 2),)}, "step 3 of 3: the step faults: division by zero"),
    ],
)
def test_a_wrong_step_is_refused_with_its_number(number: int, change: dict[str, object], reason: str) -> None:
    system = counter()
    trace = path(system, 0, 0, 1)
    steps = list(trace.steps)
    steps[number] = replace(steps[number], **change)  # type: ignore[arg-type]
    assert refusal(system, replace(trace, steps=tuple(steps))).startswith(reason)


def test_a_trace_that_stops_early_is_refused() -> None:
    system = counter()
    assert refusal(system, path(system, 0, 0)) == "the last state (after step 2) is no error state of 'end'"


@settings(max_examples=100, deadline=None)
@given(systems(costs=True))
def test_replay_agrees_with_the_oracle_about_every_end(system: System) -> None:
    space = explore(system)
    for state in space.initial[:1]:
        trace = Trace(fingerprint=fingerprint(system), property="walk", initial=state, steps=())
        for error in (ErrorCondition(name="deadlock", deadlock=True), ErrorCondition(name="fault", fault=True)):
            wrong = space.error_states(error)
            for walk in [trace, *(replace(trace, steps=(step,)) for step in space.steps[state])]:
                if walk.final in wrong:
                    replay(system, walk, error)
                else:
                    assert "no error state" in refusal(system, walk, error)


@settings(max_examples=100, deadline=None)
@given(systems(costs=True))
def test_every_change_of_a_step_is_refused(system: System) -> None:
    semantics = Semantics(system)
    for state in list(semantics.initial_states())[:1]:
        for step in semantics.steps(state)[:3]:
            trace = Trace(fingerprint=fingerprint(system), property="walk", initial=state, steps=(step,))
            for mutant in mutants(step):
                assert refusal(system, replace(trace, steps=(mutant,)), None).startswith("step 1 of 1")


def mutants(step: Step) -> Iterator[Step]:
    """The step with another cost, and with each single location or cell after it changed."""
    yield replace(step, cost=1 - step.cost)
    locations, values = step.successor.locations, step.successor.values
    for i in range(len(locations)):
        yield replace(step, successor=State((*locations[:i], "elsewhere", *locations[i + 1 :]), values))
    for i, cells in enumerate(values):
        changed = (cells[0] + 1, *cells[1:])
        yield replace(step, successor=State(locations, (*values[:i], changed, *values[i + 1 :])))
