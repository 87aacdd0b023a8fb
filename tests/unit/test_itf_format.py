"""The Informal Trace Format: what is refused, where, and in which words."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from symdmc.errors import EvidenceRefused, ModelError
from symdmc.model.builder import Builder
from symdmc.model.files.itf_format import itf_text, trace_from_itf
from symdmc.model.files.trace_format import read_trace, write_trace
from symdmc.model.fingerprint import fingerprint
from symdmc.model.simulation import random_walk
from symdmc.model.system import System


def counter() -> System:
    m = Builder("counter")
    m.integer("x", 0, 3)
    m.integer("a", 0, 9, size=2)
    up = m.process("Up", initial="low")
    up.edge("low", "low", guard="x < 1", do="x = x + 1, a[x] = 7")
    up.edge("low", "high", guard="x == 1")
    return m.build()


def seen(*states: dict[str, Any], names: tuple[str, ...] = ("Up", "x"), **rest: object) -> dict[str, Any]:
    return {"vars": list(names), "states": list(states), **rest}


FIRST = {"Up": "low", "x": 0}
BAD: list[tuple[dict[str, Any], str]] = [
    (seen(FIRST, loop=0), r"\$\.loop: the trace goes on in a loop, which is not read; remove 'loop'"),
    (seen(), r"\$\.states: a trace needs a state"),
    ({"states": [FIRST]}, r"\$: key 'vars' is missing"),
    (seen(FIRST, names=("Upp", "x")), r"vars\[0\]: there is no process or variable 'Upp'; did you mean 'Up'\?"),
    (seen({"Up": "low"}), r"states\[0\]: variable 'x' has no value; every state gives a value to all 'vars'"),
    (seen({**FIRST, "a": [0, 0]}), r"states\[0\]\.a: 'a' is not among the 'vars'"),
    (seen({"Up": "lo", "x": 0}), r"states\[0\]\.Up: process 'Up' has no location 'lo'; did you mean 'low'\?"),
    (seen({"Up": 3, "x": 0}), r"states\[0\]\.Up: 3 stands where a string is expected"),
    (seen({"Up": {"tag": "low", "value": 1}, "x": 0}), r"states\[0\]\.Up: an object stands where a string"),
    (seen({"Up": "low", "x": 4}), r"states\[0\]\.x: 4 is no value of x; its values are 0\.\.3"),
    (seen({"Up": "low", "x": "0"}), r'states\[0\]\.x: "0" stands where an integer is expected'),
    (seen({"Up": "low", "x": 0.5}), r"states\[0\]\.x: 0\.5 stands where an integer"),
    (seen({"Up": "low", "x": {"#set": [0]}}), r"states\[0\]\.x: an object stands where an integer"),
    (seen({"Up": "low", "x": {"#bigint": "0x1"}}), r"states\[0\]\.x\.#bigint: is no integer"),
    (seen({"Up": "low", "x": {"#bigint": "1" * 1001}}), r"states\[0\]\.x\.#bigint: is no integer; .* 1,000 digits"),
    (seen({"a": [0]}, names=("a",)), r"states\[0\]\.a: 1 cells are given, the array has 2"),
    (seen({"a": {"#set": []}}, names=("a",)), r"states\[0\]\.a: an object stands where a list"),
    (seen({"a": {"#map": [[0]]}}, names=("a",)), r"states\[0\]\.a\.#map\[0\]: a pair of a map has two parts"),
    (seen({"a": {"#map": [[2, 0]]}}, names=("a",)), r"2 is no cell of the array; cells are counted from 0 to 1"),
    (seen({"a": {"#map": [[1, 0], [1, 0]]}}, names=("a",)), r"#map\[1\]\[0\]: the map has 1 twice"),
    (
        {"vars": ["x"], "states": [{"x": 0}], "#meta": {"symdmc": {}}},
        r"\$\.#meta\.symdmc: key 'fingerprint' is missing",
    ),
]


@pytest.mark.parametrize(("data", "told"), BAD, ids=range(len(BAD)))
def test_a_bad_file_is_refused_with_its_place(data: dict[str, Any], told: str) -> None:
    with pytest.raises(ModelError, match=told) as refusal:
        trace_from_itf(data, counter(), file="t.itf.json")
    assert str(refusal.value).startswith("t.itf.json: $")


REFUSED: list[tuple[dict[str, Any], str]] = [
    (seen({"Up": "high", "x": 0}), r"states\[0\]: no initial state is like this: Up does not start at high"),
    (seen({"Up": "low", "x": 1}), r"states\[0\]: no initial state is like this: x does not start with 1"),
    (
        seen(FIRST, {"Up": "low", "x": 2}),
        r"states\[1\]: no step leads here from the state before; 'Up: low -> low' comes nearest, "
        r"but x is 1 after it, not 2",
    ),
    (
        seen(*({"Up": "low", "x": x} for x in range(2)), {"Up": "high", "x": 1}, {"Up": "high", "x": 1}),
        r"states\[3\]: no step leads here from the state before: no step exists there",
    ),
]


@pytest.mark.parametrize(("data", "told"), REFUSED, ids=range(len(REFUSED)))
def test_states_that_no_path_has_are_refused_with_the_reason(data: dict[str, Any], told: str) -> None:
    with pytest.raises(EvidenceRefused, match=told):
        trace_from_itf(data, counter())


def test_other_programs_may_add_what_is_no_variable() -> None:
    states = [{"#meta": {"index": n}, "x": n, "a[1]": 7 * n, "mbt::actionTaken": "step"} for n in range(2)]
    states[0]["a"] = {"#map": [[0, False]]}
    data = {"#meta": {"source": "c.qnt"}, "params": ["a"], "vars": ["x", "a[1]", "mbt::actionTaken"], "states": states}
    trace = trace_from_itf(data, counter())
    assert (trace.length, trace.error, trace.final.values) == (1, None, ((1,), (0, 7)))


def test_the_name_of_the_file_decides_what_is_written_and_its_content_what_is_read(tmp_path: Path) -> None:
    system = counter()
    trace = random_walk(system, 4, 0).trace()
    assert trace is not None
    for name in ("trace.json", "trace.itf.json"):
        write_trace(tmp_path / name, trace, system)
        assert read_trace(tmp_path / name, system) == trace
        (tmp_path / name).rename(tmp_path / "other")
        assert read_trace(tmp_path / "other", system) == trace
    written = json.loads(itf_text(trace, system))
    assert written["states"][1] == {
        "#meta": {"index": 1, "step": "Up: low -> low"},
        "Up": "low",
        "x": 1,
        "a": [0, 7],
    }


def test_a_trace_of_another_model_is_refused() -> None:
    trace = random_walk(counter(), 4, 0).trace()
    assert trace is not None
    data = json.loads(itf_text(trace, counter()))
    other = Builder("other")
    other.process("P", initial="s").edge("s", "s")
    with pytest.raises(ModelError, match="there is no process or variable"):
        trace_from_itf(data, other.build())
    data["#meta"]["symdmc"]["fingerprint"] = "0" * 32
    with pytest.raises(EvidenceRefused, match="the trace belongs to another model"):
        trace_from_itf(data, counter())


def test_whatever_stands_in_a_file_is_read_or_refused_in_a_few_lines() -> None:
    system, chance = counter(), random.Random(1)
    values: list[Any] = [
        None,
        True,
        -1,
        2**70,
        0.5,
        "x",
        "",
        [],
        [[]],
        {},
        {"#map": [[]]},
        {"#tup": 1},
        {"#bigint": []},
    ]
    values += [{"#map": {"a": 1}}, {"tag": 1, "value": {}}, {"#set": [1]}, {"#meta": 1}, [0, 0], {"#map": [[[], 0]]}]
    good = seen(
        {**FIRST, "a": [0, 0]}, {"Up": "low", "x": 1, "a": [0, 7]}, names=("Up", "x", "a"), params=[], loop=None
    )
    good["#meta"] = {"symdmc": {"fingerprint": fingerprint(system), "property": "p", "error": None}}
    lengths, refusals = set(), []
    for _ in range(400):
        data = json.loads(json.dumps(good))
        for _ in range(chance.randrange(3)):
            _change(data, values, chance)
        try:
            lengths.add(trace_from_itf(data, system).length)
        except (ModelError, EvidenceRefused) as refusal:
            refusals.append(str(refusal).splitlines())
    assert 1 in lengths
    assert all(len(lines) < 12 for lines in refusals)
    assert all(line.startswith("<json>: $") or "fingerprint" in line for lines in refusals for line in lines)


def _change(data: Any, values: list[Any], chance: random.Random) -> None:
    """Put one of the values somewhere inside of a JSON value."""
    places: list[tuple[Any, Any]] = []
    pending = [data]
    while pending:
        value = pending.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value))
        places += [(value, key) for key in keys]
        pending += [value[key] for key in keys if isinstance(value[key], dict | list)]
    if places:
        inside, key = chance.choice(places)
        inside[key] = chance.choice(values)


def test_a_first_state_that_an_invariant_excludes_is_refused() -> None:
    m = Builder("invariant")
    m.integer("x", 0, 1, initial=(0, 1))
    process = m.process("P", initial="s")
    process.location("s", invariant="x == 0")
    process.edge("s", "s")
    system = m.build()
    with pytest.raises(EvidenceRefused, match=r"states\[0\]: no initial state is like this: the invariants exclude it"):
        trace_from_itf({"vars": ["x"], "states": [{"x": 1}]}, system)
    assert trace_from_itf({"vars": ["P"], "states": [{"P": "s"}]}, system).initial.values == ((0,),)
