"""Sequence diagrams in Mermaid: who talks to whom, in which order."""

from __future__ import annotations

import html
import re

from hypothesis import given, settings

from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.simulation import random_walk
from symdmc.model.steps import passed_values, step_channel, step_label
from symdmc.model.system import Range, System
from symdmc.model.trace import Trace
from symdmc.report.pictures.sequence import to_mermaid
from tests.strategies import SEEDS, systems_with_error

LINE = re.compile(
    r"  (?:%% .*"
    r"|participant (?P<declared>[pc]\d+) as [^#;\n]+"
    r"|Note over (?P<one>[pc]\d+)(?:,(?P<other>[pc]\d+))?: (?P<note>(?:[^#;\n<]|#\w+;)+)"
    r"|(?P<source>[pc]\d+)(?:->>|-\)|-x)(?P<target>[pc]\d+): (?P<message>(?:[^#;\n<]|#\w+;)+))"
)


def told(text: str) -> str:
    """A text as a page shows it."""
    return html.unescape(re.sub(r"#(\d+);", r"&#\1;", re.sub(r"#([a-z]+);", r"&\1;", text)))


def network() -> System:
    m = Builder("network")
    m.integer("got", 0, 9)
    m.channel("c", values=1)
    m.broadcast("b")
    m.lockstep("go")
    m.buffered("q", capacity=1, values=[Range(0, 9)])
    one, two, three = (m.process(name, initial="l0") for name in ("One", "Two", "Three"))
    m.process("Idle", initial="l0")
    one.edge("l0", "l1", sync="c!3")
    two.edge("l0", "l1", sync="c?got")
    one.edge("l1", "l2", sync="b!")
    two.edge("l1", "l2", sync="b?")
    three.edge("l0", "l2", sync="b?")
    one.edge("l2", "l3", sync="b!")
    one.edge("l3", "l4", sync="q!5")
    two.edge("l2", "l4", sync="q?got")
    for process in (one, two):
        process.edge("l4", "l5", sync="go")
    three.edge("l2", "l5", guard="got == 5", do="got = 0")
    m.property("ended", "One.l5 and got < 3")
    return m.build()


def test_every_kind_of_step_is_drawn() -> None:
    walk = random_walk(network(), 20, 0).trace()
    assert walk is not None
    text = to_mermaid(walk, network())
    expected = """\
sequenceDiagram
  %% network: simulation
  participant p0 as One
  participant p1 as Two
  participant p2 as Three
  participant c3 as q (buffer)
  Note over p0,c3: first state: One.l0 Two.l0 Three.l0#59; all variables 0
  p0->>p1: 1. c(3)
  Note over p0,p1: One: l0 -> l1, Two: l0 -> l1, got: 0 -> 3
  p0->>p1: 2. b
  p0->>p2: 2. b
  Note over p0,p2: One: l1 -> l2, Two: l1 -> l2, Three: l0 -> l2
  p0-xp0: 3. b
  Note over p0: One: l2 -> l3
  p0-)c3: 4. q(5)
  Note over p0: One: l3 -> l4, q: [] -> [5]
  c3->>p1: 5. q(5)
  Note over p1: Two: l2 -> l4, got: 3 -> 5, q: [5] -> []
  Note over p2: 6. l2 -> l5 (got: 5 -> 0)
  Note over p0,p1: 7. go: One Two
  Note over p0,p1: One: l4 -> l5, Two: l4 -> l5
"""
    assert text == expected


@settings(max_examples=80, deadline=None)
@given(systems_with_error(), SEEDS)
def test_every_line_means_something_and_every_step_is_there(asked: tuple[System, ErrorCondition], seed: int) -> None:
    system, error = asked
    simulation = random_walk(system, 6, seed)
    walk = simulation.trace()
    if walk is None:
        return
    trace = Trace(
        fingerprint=walk.fingerprint, property=error.name, initial=walk.initial, steps=walk.steps, error=error
    )
    first, *lines = to_mermaid(trace, system).splitlines()
    assert first == "sequenceDiagram"
    found = [match.groupdict() for line in lines if (match := LINE.fullmatch(line)) is not None]
    assert len(found) == len(lines)
    declared = [each["declared"] for each in found if each["declared"]]
    assert len(set(declared)) == len(declared)
    used = {each[key] for each in found for key in ("one", "other", "source", "target")} - {None}
    assert used <= set(declared)
    said = [told(each["note"] or each["message"] or "") for each in found]
    states = trace.states
    for number, step in enumerate(trace.steps, start=1):
        label = step_label(step, system, passed_values(step, simulation.semantics, states[number - 1]))
        mine = [text for text in said if text.startswith(f"{number}. ")]
        if step_channel(step, system) is None:
            assert mine[0].startswith(f"{number}. {label.partition(': ')[2]}")
        else:
            assert mine[0] in (f"{number}. {label}", f"{number}. {label.partition(': ')[0]}")
            assert len(mine) == max(1, len(step.edges) - 1) or mine == [f"{number}. {label}"]
    assert f"error state: {error.name}" in said


def test_nobody_moves_in_a_trace_of_one_state() -> None:
    walk = random_walk(network(), 0, 0).trace()
    assert walk is not None
    assert to_mermaid(walk, network()).splitlines()[2:] == ["  participant p0 as One", "  Note over p0: first state"]
