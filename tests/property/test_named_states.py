"""Traces by name, on random systems, against the numbers and texts that they stand for."""

from __future__ import annotations

from hypothesis import given, settings

from symdmc.api.traces import Trace
from symdmc.model.fingerprint import fingerprint
from symdmc.model.named_state import NamedState
from symdmc.model.question import ErrorCondition
from symdmc.model.state import Step
from symdmc.model.steps import changes, named_values
from symdmc.model.system import System
from symdmc.model.trace import Trace as BareTrace
from tests.oracle import explore
from tests.strategies import systems_with_error


def walks(system: System, error: ErrorCondition) -> list[BareTrace]:
    """A walk from each initial state, along the last step of every state, up to six steps."""
    space = explore(system)
    found = []
    for state in space.initial[:2]:
        steps, at = list[Step](), state
        while len(steps) < 6 and space.steps.get(at):
            steps.append(space.steps[at][-1])
            at = steps[-1].successor
        walk = BareTrace(fingerprint=fingerprint(system), property=error.name, initial=state, steps=tuple(steps))
        found.append(walk)
    return found


def cells(state: NamedState) -> dict[str, object]:
    """Every process, variable and cell of an array by name, without the buffers."""
    found: dict[str, object] = {}
    for name, value in state.items():
        part = state.system.parts[name]
        if part.cells:
            found |= zip(part.cells, value, strict=True)
        elif not part.is_buffer:
            found[name] = value
    return found


@settings(max_examples=60, deadline=None)
@given(systems_with_error(costs=True))
def test_names_stand_for_what_the_model_stores(asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    buffers = {part.name for channel in system.channels for part in channel.buffer()}
    for bare in walks(system, error):
        for state, named in zip(bare.states, Trace.of(bare, system).states, strict=True):
            raw = dict(named_values(state, system))
            assert cells(named) == {name: raw[name] for name in raw if name.partition("[")[0] not in buffers}
            for channel in system.channels:
                if channel.buffer():
                    filled = range(int(raw[channel.length_name]))
                    items = [[raw[f"{channel.item_name(k)}[{i}]"] for k in range(len(channel.types))] for i in filled]
                    held = named.get(f"{channel.name}->buffer", named[channel.name])
                    assert held == [item[0] if len(item) == 1 else tuple(item) for item in items]


@settings(max_examples=60, deadline=None)
@given(systems_with_error(costs=True))
def test_steps_say_what_files_say(asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    for bare in walks(system, error):
        trace = Trace.of(bare, system)
        assert trace == bare
        document = trace.to_json()
        written = document["steps"]
        assert isinstance(written, list)
        assert len(trace) == len(written)
        for step, said, raw, before in zip(trace, written, bare.steps, bare.states, strict=False):
            assert (step.label, step.channel, list(step.passed), step.cost) == tuple(
                said[key] for key in ("label", "channel", "passed", "cost")
            )
            assert [(edge.process, edge.source, edge.target) for edge in step.edges] == [
                (edge["process"], edge["source"], edge["target"]) for edge in said["edges"]
            ]
            assert bool(step.changes) == bool(changes(before, raw.successor, system))
            assert all(was != now for _, was, now in step.changes)
