"""Values of a wrong kind given from Python are refused, where they would be read as something else."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from symdmc.api.checking import check, explore
from symdmc.errors import ModelError
from symdmc.model.builder import Builder, ProcessBuilder
from symdmc.model.system import System


def _counter() -> System:
    m = Builder("m")
    m.byte("x")
    m.process("P", initial="s").edge("s", "s", guard="x < 5", do="x = x + 1")
    return m.build()


@pytest.mark.parametrize("error", [b"x == 300", bytearray(b"x"), [1], [b"x"], 3, True, {"x == 3": 1}.values])
def test_an_error_condition_is_a_text(error: Any) -> None:
    with pytest.raises(ModelError, match="the argument error is"):
        check(_counter(), error=error)


@pytest.mark.parametrize("limit", [-1, math.nan, -0.5, "5", True, b"5"])
@pytest.mark.parametrize("name", ["time_limit", "memory_limit"])
def test_limits_are_amounts(name: str, limit: Any) -> None:
    for run in (
        lambda **given: check(_counter(), error="x == 3", **given),
        lambda **given: explore(_counter(), **given),
    ):
        with pytest.raises(ModelError, match=f"the argument {name} is"):
            run(**{name: limit})


@pytest.mark.parametrize(
    "options",
    [
        {"node_limit": -1, "engine": "symbolic"},
        {"merge_limit": -1, "engine": "symbolic"},
        {"merge_limit": 1.5, "engine": "symbolic"},
        {"seed": "a", "search": "rdfs"},
        {"seed": 1.5, "engine": "symbolic"},
        {"perimeter": 1.5, "heuristic": "pdb:coi"},
        {"perimeter": -1, "heuristic": "pdb:coi"},
        {"perimeter": "a", "heuristic": "pdb:coi"},
        {"deadlock": "no"},
        {"fault": 1},
        {"sift": 3, "engine": "symbolic"},
        {"count_layers": "x", "engine": "symbolic"},
        {"complete": "no", "heuristic": "pdb:coi"},
        {"certify": "no"},
        {"engine": None},
        {"search": 3},
        {"direction": 3, "engine": "symbolic"},
        {"property": 3},
        {"progress": 3},
    ],
    ids=str,
)
def test_options_of_a_wrong_kind_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ModelError):
        check(_counter(), **{"error": "x == 3", **options})


def test_a_model_is_a_path_or_a_system() -> None:
    wrong: Any
    for wrong in (None, 3, b"f.dve"):
        with pytest.raises(ModelError, match="the argument model is"):
            check(wrong, error="x == 3")


Declare = Callable[[Any, Any], object]

WRONG: dict[str, Declare] = {
    "a bound that is no integer": lambda m, p: m.integer("y", 0, 3.5),
    "a bound that is a text": lambda m, p: m.integer("y", "a", 3),
    "a bound that is true": lambda m, p: m.integer("y", False, True),
    "a variable without a name": lambda m, p: m.integer(None, 0, 3),
    "a variable of a number": lambda m, p: p.integer(3, 0, 3),
    "a size that is a text": lambda m, p: m.byte("y", size="a"),
    "a size that is true": lambda m, p: m.byte("y", size=True),
    "an initial value between two": lambda m, p: m.byte("y", initial=1.5),
    "an initial text": lambda m, p: m.byte("y", initial="a"),
    "initial values between two": lambda m, p: m.byte("y", size=1, initial=[1.5]),
    "a text for wraps": lambda m, p: m.integer("y", 0, 3, wraps="no"),
    "a constant text": lambda m, p: m.constant("k", "a"),
    "a constant between two": lambda m, p: m.constant("k", 1.5),
    "fewer values than none": lambda m, p: m.channel("c", values=-1),
    "values of no range": lambda m, p: m.channel("c", values=[3]),
    "a text for values": lambda m, p: m.channel("c", values="a"),
    "half a place in a buffer": lambda m, p: m.buffered("c", capacity=2.5),
    "a text for urgent": lambda m, p: m.channel("c", urgent="no"),
    "a label of a number": lambda m, p: m.lockstep(3),
    "a clock of a number": lambda m, p: m.clock(3),
    "a tick of a number": lambda m, p: m.tick(3),
    "half a bound of a clock": lambda m, p: m.digital_clock("y", 2.5),
    "a property of a number": lambda m, p: m.property(3, "P.s"),
    "a property of nothing": lambda m, p: m.property("p", None),
    "a guard that is a number": lambda m, p: p.edge("s", "t", guard=3),
    "a guard that is a function": lambda m, p: p.edge("s", "t", guard=lambda: 1),
    "a synchronisation that is a number": lambda m, p: p.edge("s", "t", sync=3),
    "an effect that is a number": lambda m, p: p.edge("s", "t", do=3),
    "an effect that is a table": lambda m, p: p.edge("s", "t", do={"x": 1}),
    "effects that are texts": lambda m, p: p.edge("s", "t", do=["x = 1"]),
    "an edge from nowhere": lambda m, p: p.edge(None, "t"),
    "a cost that is a text": lambda m, p: p.edge("s", "t", cost="1"),
    "a cost that is a fraction": lambda m, p: p.edge("s", "t", cost=1.0),
    "a location of a number": lambda m, p: p.location(3),
    "a text for committed": lambda m, p: p.location("u", committed="no"),
    "an invariant that is a number": lambda m, p: p.location("u", invariant=3),
    "a process of a number": lambda m, p: m.process(3, "s"),
    "a start at a number": lambda m, p: m.process("Q", 3),
    "starts at numbers": lambda m, p: m.process("Q", [3]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_builder_refuses_values_of_a_wrong_kind_where_they_are_given(name: str) -> None:
    m = Builder("m")
    p: ProcessBuilder = m.process("P", initial="s")
    with pytest.raises(ModelError) as refused:
        WRONG[name](m, p)
    (complaint,) = refused.value.complaints
    assert "test_wrong_kinds.py" in str(complaint.where)
    assert complaint.remedy.startswith("give ")


def test_a_builder_has_a_name_and_rules() -> None:
    wrong: Any
    for wrong in ((None,), (3,), ("m", 3)):
        with pytest.raises(ModelError):
            Builder(*wrong)
