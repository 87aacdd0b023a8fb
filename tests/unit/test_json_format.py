"""Systems as JSON: what is written, and what is said about files that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symdmc.errors import ModelError, SourceSpan
from symdmc.model.builder import Builder
from symdmc.model.files.json_format import read_json_file, system_from_json, system_to_json
from symdmc.model.system import System


def example() -> System:
    m = Builder("example")
    m.integer("turn", 0, 1, initial={0, 1})
    m.clock("t")
    m.channel("c", values=1)
    p = m.process("P", initial="idle")
    p.integer("x", 0, 3)
    p.location("busy", committed=True, invariant="x < 3")
    p.edge("idle", "busy", guard="turn == 0", sync="c!x + 1", do="x = 2, turn = 1", cost=0)
    q = m.process("Q", initial="idle")
    q.integer("y", 0, 9)
    q.edge("idle", "idle", sync="c?y")
    m.property("end", "P.busy")
    return m.build()


def faults(data: object) -> list[str]:
    with pytest.raises(ModelError) as caught:
        system_from_json(data, file="m.json")
    return [str(complaint) for complaint in caught.value.complaints]


def test_expressions_are_texts_and_defaults_are_left_out() -> None:
    document = system_to_json(example(), spans=False)
    assert document["schema"] == "symdmc-model/1"
    processes = document["processes"]
    assert isinstance(processes, list)
    assert processes[0] == {
        "name": "P",
        "initial": ["idle"],
        "locations": [{"name": "idle"}, {"name": "busy", "committed": True, "invariant": "P->x < 3"}],
        "edges": [
            {
                "source": "idle",
                "target": "busy",
                "guard": "turn == 0",
                "sync": "c!P->x + 1",
                "assignments": ["P->x = 2", "turn = 1"],
                "cost": 0,
            }
        ],
    }


def test_source_positions_and_notes_survive() -> None:
    system = example()
    again = system_from_json(json.loads(json.dumps(system_to_json(system))))
    assert again == system
    span = again.processes[0].edges[0].span
    assert isinstance(span, SourceSpan)
    assert span == system.processes[0].edges[0].span
    assert again.variables[0].span == system.variables[0].span


def test_an_edge_may_leave_out_all_it_does_not_need() -> None:
    data = {
        "schema": "symdmc-model/1",
        "name": "tiny",
        "processes": [
            {
                "name": "P",
                "initial": ["s"],
                "locations": [{"name": "s"}],
                "edges": [{"source": "s", "target": "s"}],
            }
        ],
    }
    m = Builder("tiny")
    m.process("P", initial="s").edge("s", "s")
    assert system_from_json(data) == m.build()


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("schema",), "other/1", "m.json: $: the key 'schema' says \"other/1\"; this version of symdmc reads"),
        (("name",), 3, "m.json: $.name: 3 stands where a string is expected"),
        (("name",), None, "m.json: $.name: null stands where a string is expected"),
        (("processes",), {}, "m.json: $.processes: an object stands where a list is expected"),
        (("processes", 0), "P", 'm.json: $.processes[0]: "P" stands where an object is expected'),
        (("variables", 0, "low"), "x" * 50, 'm.json: $.variables[0].low: "xxxxx'),
        (("variables", 0, "low"), True, "m.json: $.variables[0].low: true stands where an integer is expected"),
        (("variables", 0, "high"), 1.5, "m.json: $.variables[0].high: 1.5 stands where an integer is expected"),
        (("variables", 0, "constant"), 0, "m.json: $.variables[0].constant: 0 stands where true or false is expected"),
        (
            ("variables", 0, "inital"),
            0,
            "$.variables[0].inital: key 'inital' is not known here; did you mean 'initial'?",
        ),
        (("channels", 0, "kind"), "bus", "'rendezvous', 'broadcast', 'buffered' or 'lockstep' is expected"),
        (("rules", "commitment"), "some", "$.rules.commitment: \"some\" stands where 'all' or 'any' is expected"),
        (
            ("processes", 0, "edges", 0, "guard"),
            "trun",
            "$.processes[0].edges[0].guard: unknown name 'trun' at column 1",
        ),
        (("processes", 0, "edges", 0, "guard"), "", "$.processes[0].edges[0].guard: the text ends too early"),
        (("processes", 0, "edges", 0, "sync"), "d!", "$.processes[0].edges[0].sync: unknown channel 'd'"),
        (("processes", 0, "edges", 0, "assignments", 1), "1", "$.processes[0].edges[0].assignments[1]: unexpected '1'"),
        (("processes", 0, "edges", 0, "at"), "here", "$.processes[0].edges[0].at: 'here' is not a place"),
        (("properties", 0, "error"), "P.end", "$.properties[0].error: process 'P' has no location 'end'"),
    ],
)
def test_one_line_with_a_path_says_what_is_wrong(path: tuple[str | int, ...], value: object, fault: str) -> None:
    document = json.loads(json.dumps(system_to_json(example())))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    (line, *_) = faults(document)
    assert fault in line
    assert "\n" not in line


def test_missing_keys_are_all_named() -> None:
    document = json.loads(json.dumps(system_to_json(example())))
    del document["processes"][0]["edges"][0]["source"]
    del document["variables"][0]["low"]
    del document["name"]
    assert faults(document) == [
        "m.json: $: key 'name' is missing; add it",
        "m.json: $.variables[0]: key 'low' is missing; add it",
        "m.json: $.processes[0].edges[0]: key 'source' is missing; add it",
    ]


@pytest.mark.parametrize("data", [3, None, [], "text"])
def test_what_is_no_object_is_no_model(data: object) -> None:
    (line,) = faults(data)
    assert "stands where an object is expected" in line


def test_a_well_formed_document_is_validated_too() -> None:
    document = json.loads(json.dumps(system_to_json(example(), spans=False)))
    document["processes"][0]["edges"][0]["cost"] = 5
    document["variables"][0]["initial"] = [7]
    assert faults(document) == [
        "m.json: variable 'turn' starts with 7, outside 0..1; choose an initial value inside the range",
        "m.json: edge idle -> busy of 'P' costs 5; costs are 0 or 1",
    ]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"{", "is not JSON"),
        (b'{"a": 1, "a": 2}', "an object has the key 'a' twice"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_unreadable_files_get_one_line(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        read_json_file(path)
    (complaint,) = caught.value.complaints
    assert fault in complaint.what
    assert str(complaint).startswith(str(path))


def test_a_folder_and_a_missing_file_get_one_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(ModelError, match="cannot be read"):
            read_json_file(path)


def test_a_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(system_to_json(example())), encoding="utf-8")
    assert read_json_file(path) == example()
