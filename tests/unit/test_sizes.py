"""Whatever is too large is refused in one line, by every way to make a model, before it is made."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symdmc.api.checking import check
from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.files.json_format import system_from_json
from symdmc.model.sizes import MOST_ALTOGETHER, MOST_CELLS, MOST_CHOICES, MOST_PASSED
from symdmc.model.system import Channel, ChannelKind, Location, Process, Range, System, Variable
from symdmc.reader.dve import read_dve
from symdmc.reader.load import load

HUGE = 10**9
BIT = {"low": 0, "high": 1}
BYTES = 100 << 20


def _json(**members: Any) -> object:
    process = {"name": "P", "initial": ["s"], "locations": [{"name": "s"}], "edges": []}
    return {"schema": "symdmc-model/1", "name": "m", "processes": [process], **members}


def _channel(**members: Any) -> object:
    return _json(channels=[{"name": "c", "kind": "buffered", "values": [BIT], **members}])


def _variable(**members: Any) -> object:
    return _json(variables=[{"name": "x", **BIT, **members}])


def _dve(declarations: str) -> System:
    return read_dve(f"{declarations} process P {{ state s; init s; }} system async;", name="m", file="m.dve")


def _built(declare: Callable[[Builder], object]) -> System:
    m = Builder("m")
    m.process("P", initial="s")
    declare(m)
    return m.build()


def _arrays(count: int) -> Callable[[Builder], None]:
    """Declares that many of the largest arrays."""

    def declare(m: Builder) -> None:
        for k in range(count):
            m.byte(f"x{k}", size=MOST_CELLS)

    return declare


def _by_hand(**parts: Any) -> object:
    process = Process(name="P", initial=("s",), locations=(Location(name="s"),), edges=())
    return check(System(name="m", processes=(process,), **parts), error="P.s")


BUFFER = Channel(name="c", kind=ChannelKind.BUFFERED, types=(Range(0, 1),), capacity=HUGE)
TOO_LARGE: dict[str, tuple[Callable[[], object], str]] = {
    "a buffer in JSON": (lambda: system_from_json(_channel(capacity=HUGE)), "room for 1000000000 items"),
    "a buffer in Python": (lambda: _built(lambda m: m.buffered("c", capacity=HUGE, values=1)), "room for"),
    "a buffer in DVE": (lambda: _dve(f"channel {{byte}} c[{HUGE}];"), "'c' has the size 1000000000"),
    "a buffer by hand": (lambda: _by_hand(channels=(BUFFER,)), "room for 1000000000 items"),
    "an array in JSON": (lambda: system_from_json(_variable(size=HUGE, initial=[0])), "has 1000000000 cells"),
    "an array in Python": (lambda: _built(lambda m: m.byte("x", size=HUGE)), "array 'x' has 1000000000 cells"),
    "an array in DVE": (lambda: _dve(f"byte x[{HUGE}];"), "'x' has the size 1000000000"),
    "an array by hand": (
        lambda: _by_hand(variables=(Variable(name="x", type=Range(0, 1), size=HUGE),)),
        "has 1000000000 cells",
    ),
    "values of a cell in JSON": (
        lambda: system_from_json(_variable(initial=[[0] * (MOST_CHOICES + 1)])),
        "a cell with 65537 initial values",
    ),
    "values of a cell in Python": (
        lambda: _built(lambda m: m.integer("x", 0, HUGE, initial=range(HUGE))),
        "a cell with 1000000000 initial values",
    ),
    "values of all cells in Python": (
        lambda: _built(lambda m: m.integer("x", 0, MOST_CHOICES, initial=range(MOST_CHOICES), size=MOST_CELLS)),
        "the model has more than 1,048,576 cells",
    ),
    "values passed in JSON": (
        lambda: system_from_json(_channel(values=[BIT] * (MOST_PASSED + 1), capacity=1)),
        "passes 1025 values",
    ),
    "values passed in Python": (lambda: _built(lambda m: m.channel("c", values=HUGE)), "passes 1000000000 values"),
    "items and values of a buffer": (
        lambda: system_from_json(_channel(values=[BIT] * MOST_PASSED, capacity=MOST_CELLS)),
        "with channel 'c' the model has more than 1,048,576 cells",
    ),
    "many arrays in DVE": (
        lambda: _dve("".join(f"byte x{k}[65536];" for k in range(500))),
        "with variable 'x16' the model has more than 1,048,576 cells",
    ),
    "many arrays in Python": (
        lambda: _built(_arrays(500)),
        "with variable 'x16' the model has more than 1,048,576 cells",
    ),
    "many buffers in DVE": (
        lambda: _dve("".join(f"channel {{byte}} c{k}[65536];" for k in range(500))),
        "with channel 'c16' the model has more than 1,048,576 cells",
    ),
    "a number of very many digits": (
        lambda: _built(lambda m: m.byte("x", size=10**100_000)),
        "has about 10^100000 cells",
    ),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_large_is_refused_before_it_is_made(name: str) -> None:
    make, words = TOO_LARGE[name]
    tracemalloc.start()
    try:
        with pytest.raises(ModelError) as refused:
            make()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    (complaint,) = refused.value.complaints
    assert words in complaint.what
    assert complaint.where is not None
    assert peak < BYTES


def test_a_family_cannot_be_too_large_either(tmp_path: Path) -> None:
    family = tmp_path / "large.py"
    family.write_text(
        "from symdmc import Builder\n\n\n"
        "def build(n: int = 10**9):\n"
        "    m = Builder('large')\n"
        "    m.process('P', initial='s')\n"
        "    m.byte('x', size=n)\n"
        "    return m.build()\n"
    )
    with pytest.raises(ModelError, match=r"large.py:7:1: array 'x' has 1000000000 cells; 65,536 is the most"):
        load(str(family))


def test_what_is_just_not_too_large_is_accepted() -> None:
    system = _built(_arrays(MOST_ALTOGETHER // MOST_CELLS))
    assert sum(variable.cells for variable in system.storage) == MOST_ALTOGETHER
    buffer = _channel(capacity=MOST_CELLS)
    assert system_from_json(json.loads(json.dumps(buffer))).channels[0].capacity == MOST_CELLS
    assert _dve("byte x[65536]; channel {byte} c[65536];").variables[0].cells == MOST_CELLS
