"""Trace files: complete, readable, and refused as soon as one thing in them is not true."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from symdmc.errors import EvidenceRefused, ModelError
from symdmc.model.builder import Builder
from symdmc.model.expressions import At
from symdmc.model.files.trace_format import read_trace, trace_from_json, trace_to_json, write_trace
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import Step
from symdmc.model.steps import changes, passed_values, step_label
from symdmc.model.system import Range, System
from symdmc.model.trace import Trace


def network() -> System:
    m = Builder("network")
    m.integer("sum", 0, 9)
    m.integer("a", 0, 9, size=2)
    m.channel("req", values=2)
    m.buffered("q", capacity=2, values=[Range(0, 9)])
    m.broadcast("tick")
    m.lockstep("go")
    p = m.process("P", initial="s")
    p.edge("s", "t", sync="req!{sum + 3, 1}")
    p.edge("t", "u", sync="q!7")
    p.edge("u", "v", sync="tick!")
    p.edge("v", "w", do="sum = sum + 1", cost=0)
    p.edge("w", "x", sync="go")
    c = m.process("C", initial="s")
    c.edge("s", "t", sync="req?{sum, a[1]}")
    c.edge("t", "u", sync="q?sum")
    c.edge("u", "u", sync="tick?")
    c.edge("u", "v", sync="go")
    return m.build()


def run(system: System) -> Trace:
    """The path on which whoever can sends before anyone receives from the buffer."""
    semantics = Semantics(system)
    (state,) = semantics.initial_states()
    steps: list[Step] = []
    while possible := semantics.steps(steps[-1].successor if steps else state):
        steps.append(max(possible, key=lambda step: (len(step.edges), step.edges[0][0])))
    error = ErrorCondition(name="end", expression=At("P", "x"))
    return Trace(fingerprint=fingerprint(system), property="end", initial=state, steps=tuple(steps), error=error)


def test_the_file_has_labels_edges_and_only_what_changes() -> None:
    system = network()
    document = trace_to_json(run(system), system)
    steps = document.pop("steps")
    assert document == {
        "schema": "symdmc-trace/1",
        "model": "network",
        "fingerprint": fingerprint(system),
        "property": "end",
        "error": {"expression": "P.x", "deadlock": False, "fault": False},
        "length": 5,
        "transitions": 6,
        "initial": {"P": "s", "C": "s", "sum": 0, "a": [0, 0], "q->length": 0, "q->item": [0, 0]},
    }
    assert isinstance(steps, list)
    assert steps[0] == {
        "label": "req(3, 1): P! C?",
        "channel": "req",
        "passed": [3, 1],
        "cost": 1,
        "edges": [
            {"process": "P", "edge": 0, "source": "s", "target": "t"},
            {"process": "C", "edge": 0, "source": "s", "target": "t"},
        ],
        "changes": {"P": "t", "C": "t", "sum": 3, "a[1]": 1},
    }
    assert [step["label"] for step in steps[1:]] == [
        "q(7): P!",
        "q(7): C?",
        "tick: P! C?",
        "P: v -> w",
        "go: P C",
    ]
    assert [step["channel"] for step in steps[1:]] == ["q", "q", "tick", None, "go"]


def test_labels_show_passed_values_only_when_given() -> None:
    system = network()
    trace = run(system)
    assert step_label(trace.steps[0], system) == "req: P! C?"
    assert passed_values(trace.steps[0], Semantics(system), trace.initial) == (3, 1)
    assert passed_values(trace.steps[4], Semantics(system), trace.states[4]) == ()


def test_changes_name_cells_and_processes_with_old_and_new() -> None:
    system = network()
    trace = run(system)
    assert changes(trace.initial, trace.steps[0].successor, system) == [
        ("P", "s", "t"),
        ("C", "s", "t"),
        ("sum", 0, 3),
        ("a[1]", 0, 1),
    ]
    assert changes(trace.initial, trace.initial, system) == []


def test_a_file_is_read_back_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    system = network()
    path = tmp_path / "trace.json"
    path.write_text("old", encoding="utf-8")
    write_trace(path, run(system), system)
    assert read_trace(path, system) == run(system)
    assert os.listdir(tmp_path) == ["trace.json"]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = network()
    path = tmp_path / "trace.json"
    path.write_text("old", encoding="utf-8")

    def refuse(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ModelError, match="cannot be written: No space left on device"):
        write_trace(path, run(system), system)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["trace.json"]


def test_a_trace_without_a_claim_says_null() -> None:
    system = network()
    walk = run(system)
    plain = Trace(fingerprint=walk.fingerprint, property="walk", initial=walk.initial, steps=walk.steps)
    document = trace_to_json(plain, system)
    assert document["error"] is None
    assert trace_from_json(json.loads(json.dumps(document)), system) == plain


def test_a_renamed_model_still_reads_its_traces() -> None:
    system = network()
    document = trace_to_json(run(system), system) | {"model": "the name it had"}
    assert trace_from_json(json.loads(json.dumps(document)), system) == run(system)


def _set(*path: str | int, to: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("mutate", "refusal"),
    [
        (_set("fingerprint", to="0" * 32), "the trace belongs to another model: its fingerprint is 000"),
        (_set("length", to=4), "$.length is 4, but 5 follows from the steps"),
        (_set("length", to=True), "$.length is true, but 5 follows"),
        (_set("transitions", to=1), "$.transitions is 1, but 6 follows"),
        (_set("steps", 0, "label", to="nothing"), '$.steps[0].label is "nothing"'),
        (_set("steps", 0, "channel", to=None), '$.steps[0].channel is null, but "req" follows'),
        (_set("steps", 0, "passed", to=[3, 2]), "$.steps[0].passed[1] is 2, but 1 follows"),
        (_set("steps", 0, "edges", 0, "source", to="t"), '$.steps[0].edges[0].source is "t", but "s" follows'),
        (_set("steps", 0, "changes", "P", to="s"), "$.steps[0].changes is"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(mutate: Callable[[Any], None], refusal: str) -> None:
    system = network()
    document = json.loads(json.dumps(trace_to_json(run(system), system)))
    mutate(document)
    with pytest.raises(EvidenceRefused) as caught:
        trace_from_json(document, system, file="t.json")
    assert str(caught.value).startswith("t.json: ")
    assert refusal in str(caught.value)


@pytest.mark.parametrize(
    ("step", "edges", "refusal"),
    [
        (0, [("C", 0)], "nobody sends on req in this step"),
        (0, [("P", 0)], "nobody receives on req in this step"),
        (0, [("C", 0), ("P", 0)], "the sender on req does not stand first"),
        (0, [("P", 0), ("P", 1)], "P takes two edges"),
        (0, [("P", 0), ("C", 1)], "C does not use req along this edge"),
        (1, [("P", 1), ("C", 1)], "only one process at a time uses q, which is buffered"),
        (3, [("C", 2)], "nobody sends on tick in this step"),
        (4, [("P", 3), ("C", 2)], "P moves alone along this edge, but C moves too"),
        (5, [("C", 3)], "those who move by go are: P, C"),
    ],
)
def test_edges_that_never_make_one_step_are_refused(step: int, edges: list[tuple[str, int]], refusal: str) -> None:
    system = network()
    document = json.loads(json.dumps(trace_to_json(run(system), system)))
    document["steps"][step]["edges"] = [_edge(system, name, number) for name, number in edges]
    with pytest.raises(EvidenceRefused) as caught:
        trace_from_json(document, system, file="t.json")
    assert str(caught.value) == f"t.json: $.steps[{step}].edges: {refusal}"


def test_edges_of_no_kind_cause_anything_but_a_refusal() -> None:
    system = network()
    text = json.dumps(trace_to_json(run(system), system))
    every = [_edge(system, each.name, number) for each in system.processes for number in range(len(each.edges))]
    for step in range(6):
        for chosen in (*permutations(every, 1), *permutations(every, 2)):
            document = json.loads(text)
            if document["steps"][step]["edges"] == list(chosen):
                continue
            document["steps"][step]["edges"] = list(chosen)
            with pytest.raises(EvidenceRefused):
                trace_from_json(document, system)


def _edge(system: System, name: str, number: int) -> dict[str, object]:
    edge = system.process_named[name].edges[number]
    return {"process": name, "edge": number, "source": edge.source, "target": edge.target}


@pytest.mark.parametrize(
    ("mutate", "fault"),
    [
        (_set("schema", to="symdmc-model/1"), "$: the key 'schema' says \"symdmc-model/1\""),
        (_set("model", to=3), "$.model: 3 stands where a string is expected"),
        (_set("steps", to=None), "$.steps: null stands where a list is expected"),
        (_set("steps", 0, "cost", to="1"), '$.steps[0].cost: "1" stands where an integer is expected'),
        (_set("steps", 0, "edges", to=[]), "$.steps[0].edges: a step needs an edge"),
        (_set("steps", 0, "edges", 0, "process", to="Q"), "$.steps[0].edges[0]: there is no process 'Q'"),
        (_set("steps", 0, "edges", 0, "edge", to=9), "$.steps[0].edges[0]: process 'P' has no edge 9; it has 5"),
        (_set("steps", 0, "edges", 0, "edge", to=-1), "process 'P' has no edge -1"),
        (
            _set("steps", 0, "changes", "summ", to=1),
            "there is no process, variable or cell 'summ'; did you mean 'sum'?",
        ),
        (_set("steps", 0, "changes", "a[2]", to=1), "there is no process, variable or cell 'a[2]'"),
        (_set("initial", "a", to=[1]), "$.initial.a: 1 cells are given, the array has 2"),
        (_set("initial", "b", to=1), "$.initial.b: key 'b' is not known here"),
        (_set("error", "expression", to="P.y"), "$.error.expression: process 'P' has no location 'y'"),
        (_set("extra", to=1), "$.extra: key 'extra' is not known here"),
    ],
)
def test_a_malformed_file_gets_one_line_with_a_path(mutate: Callable[[Any], None], fault: str) -> None:
    system = network()
    document = json.loads(json.dumps(trace_to_json(run(system), system)))
    mutate(document)
    with pytest.raises(ModelError) as caught:
        trace_from_json(document, system, file="t.json")
    (complaint,) = caught.value.complaints
    assert fault in str(complaint)


@pytest.mark.parametrize("depth", [10, 500, 950, 970, 980, 985, 990, 995, 1000, 100_000])
def test_lists_in_lists_are_refused_however_deep(tmp_path: Path, depth: int) -> None:
    system, path = network(), tmp_path / "deep.json"
    text = json.dumps(trace_to_json(run(system), system))
    path.write_text(text.replace('"length": 5', f'"length": {"[" * depth}{"]" * depth}'), encoding="utf-8")
    with pytest.raises((ModelError, EvidenceRefused), match=r"deep\.json: "):
        read_trace(path, system)
