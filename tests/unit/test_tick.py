"""Digital clocks: marked integers that the tick lets grow, at no cost."""

from __future__ import annotations

import pytest

import symdmc
from symdmc.checking.checks import task_for
from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.files.json_format import system_from_json, system_to_json
from symdmc.model.fingerprint import fingerprint
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.report.description.document import show_document
from tests.oracle import explore


def lamp(*, invariant: str = "true", urgent: bool = False, committed: bool = False) -> System:
    """A lamp that may be switched on and goes off after 3 units of time."""
    m = Builder("lamp")
    m.digital_clock("x", 4)
    p = m.process("Lamp", initial="off")
    p.location("on", invariant=invariant, urgent=urgent, committed=committed)
    p.edge("off", "on", do="x = 0")
    p.edge("on", "off", guard="x >= 3")
    m.tick()
    m.property("on_for_long", "Lamp.on and x >= 3")
    return m.build()


def times(system: System) -> dict[str, set[int]]:
    """For each location of the first process the values that the first variable takes there."""
    found: dict[str, set[int]] = {}
    for state in explore(system).steps:
        found.setdefault(state.locations[0], set()).add(state.values[0][0])
    return found


def test_time_passes_everywhere_up_to_the_bound() -> None:
    assert times(lamp()) == {"off": {0, 1, 2, 3, 4}, "on": {0, 1, 2, 3, 4}}


def test_an_invariant_stops_the_tick() -> None:
    assert times(lamp(invariant="x <= 3"))["on"] == {0, 1, 2, 3}


def test_time_stands_still_at_urgent_and_committed_locations() -> None:
    assert times(lamp(urgent=True))["on"] == {0}
    assert times(lamp(committed=True))["on"] == {0}


def test_ticks_cost_nothing() -> None:
    result = symdmc.check(lamp())
    assert (result.verdict, result.length) == (Verdict.ERROR, 1)
    assert result.trace is not None
    assert len(result.trace.steps) == 4


def test_all_clocks_grow_together_wherever_they_are_declared() -> None:
    m = Builder("three")
    m.tick("Clockwork")
    p = m.process("P", initial="here")
    p.digital_clock("local", 2)
    p.edge("here", "here", guard="Clockwork.passes and pair[1] >= 3", do="local = 0")
    m.digital_clock("pair", 3, size=2, initial=[0, 1])
    m.integer("other", 0, 3)
    system = m.build()
    assert {state.values for state in explore(system).steps} >= {
        ((0,), (0, 1), (0,)),
        ((1,), (1, 2), (0,)),
        ((2,), (2, 3), (0,)),
        ((2,), (3, 3), (0,)),
    }
    assert system.processes[-1].name == "Clockwork"
    assert [variable.digital_clock for variable in task_for(system, error="other == 3").variables] == (
        [False, False, True, True, True, False]
    )


def test_a_digital_clock_is_written_to_json_and_described() -> None:
    system = lamp()
    assert system_from_json(system_to_json(system)) == system
    assert "digital clock 0..4 x = 0" in system.text()
    variables = show_document("lamp", task_for(system))["variables"]
    assert isinstance(variables, list)
    assert [entry["declared"] for entry in variables if entry["digital_clock"]] == ["digital clock 0..4"]


def test_only_the_mark_of_a_digital_clock_changes_the_fingerprint() -> None:
    def counter(*, clock: bool) -> System:
        m = Builder("counter")
        if clock:
            m.digital_clock("x", 4)
        else:
            m.integer("x", 0, 4)
        m.process("P", initial="here")
        return m.build()

    assert fingerprint(counter(clock=True)) != fingerprint(counter(clock=False))
    assert "digital_clock" not in str(system_to_json(counter(clock=False)))


@pytest.mark.parametrize("change", [{"low": -1}, {"wraps": True}, {"constant": True}])
def test_a_digital_clock_counts_up_from_0(change: dict[str, object]) -> None:
    variable = {"name": "x", "low": 0, "high": 3, "initial": [0], "digital_clock": True, **change}
    process = {"name": "P", "initial": ["here"], "locations": [{"name": "here"}], "edges": []}
    document = {"schema": "symdmc-model/1", "name": "m", "variables": [variable], "processes": [process]}
    with pytest.raises(ModelError, match="digital clock 'x' is constant, wraps around or does not begin at 0"):
        system_from_json(document)
