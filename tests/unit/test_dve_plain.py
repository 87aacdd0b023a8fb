"""Plain transitions are read without the grammar, with the same result, or else the same complaints."""

from __future__ import annotations

import random
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from benchmarks.reading import SHAPES
from symdmc.errors import ModelError
from symdmc.model.parsing.syntax import parse_with
from symdmc.model.system import System
from symdmc.reader import dve
from symdmc.reader.dve_plain import plain_runs

MODEL = """\
const byte N = 3; const int T[2] = {1, 2};
byte x, y[4]; int z = -2;
channel c; channel {byte} q[2];
process P {
  byte own[2], x;
  state a, b, d; commit b; init a;
  assert b: x < 3 and own[0] == 0;
  trans
    a -> b { guard x < N and y[x] != own[1], z > -3; effect x = x + 1, y[T[1] - 1] = (x * 2) % 5; },
    -> d { },
    b -> a { sync c!x; effect x = 0; } // a comment
    a -> d { guard !(x == 2 || y[x & 3] >= 2 && ~z < -1); } ,
    d -> a { effect own[own[0] % 2] = - -x - -3 << 1, z = -2147483648; }
    /* another -> one { } */
    a -> a { guard x ? y[0] : true; },
    a -> a { guard not x imply false or Q.w; effect Q->k = x; };
}
process Q {
  byte k;
  state w;
  init w;
  trans w -> w { guard P.a; effect k = P->x + k; }, w -> w { sync c?k; }, w -> w { guard (((k))) == 3; };
}
system async;
"""
PIECES: tuple[str, ...] = (
    "x",
    "-",
    " ",
    ";",
    ",",
    "}",
    "{",
    "a",
    "P.a",
    "->",
    "(",
    ")",
    "]",
    "[0]",
    "=",
    "==",
    "9",
    "not ",
    "\n",
    "/*",
    "//",
)
PIECES = (
    *PIECES,
    "guard",
    "effect",
    "sync",
    "trans",
    "? 1 :",
    "and",
    "0x",
    "\x01",
    "99999999999",
    "N",
    "T",
    "true",
    "\u0663",
    "&&",
)


def _outcome(text: str) -> tuple[object, ...]:
    """The system with all its places, or the complaints."""
    try:
        system = dve.read_dve(text, name="m", file="m.dve")
    except ModelError as error:
        return (type(error), *error.complaints)
    return system, *_places(system)


def _places(system: System) -> Iterator[object]:
    for process in system.processes:
        yield process.span
        yield from (place.span for place in process.locations)
        yield from (edge.span for edge in process.edges)
    yield from (variable.span for variable in system.variables)
    yield from (named.span for named in system.properties)


def _by_grammar(text: str) -> tuple[object, ...]:
    with patch.object(dve, "plain_runs", lambda text: None):
        return _outcome(text)


def test_the_plain_transitions_are_found() -> None:
    plain = plain_runs(MODEL)
    assert plain is not None
    assert [len(run) for run in plain.runs.values()] == [2, 2, 1, 1, 1]
    assert len(plain.text) == len(MODEL)
    assert plain.text.count("\n") == MODEL.count("\n")
    assert isinstance(_outcome(MODEL)[0], System)


@pytest.mark.parametrize("text", [MODEL, *(shape.text(300, 1) for shape in SHAPES.values())], ids=["all", *SHAPES])
def test_plain_transitions_are_what_the_grammar_says(text: str) -> None:
    with patch.object(dve, "parse_with", wraps=parse_with) as parsed:
        outcome = _outcome(text)
    assert parsed.call_count == 1
    assert outcome == _by_grammar(text)


@pytest.mark.parametrize("seed", range(8))
def test_damaged_models_get_the_complaints_of_the_grammar(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        text = MODEL
        for _ in range(chance.randrange(1, 3)):
            place = chance.randrange(MODEL.index("trans"), len(text))
            text = text[:place] + chance.choice((*PIECES, "")) + text[place + chance.choice((0, 0, 1, 1, 2, 5)) :]
        assert _outcome(text) == _by_grammar(text), text


@pytest.mark.parametrize(
    "guard",
    [
        "(" * 150 + "x" + ")" * 150,
        "(" * 197 + "x" + ")" * 197,
        "(" * 199 + "x" + ")" * 199,
        "y[" * 199 + "x" + "]" * 199,
    ]
    + [f" {operator} ".join("x" * count) for operator in "+-" for count in (16, 17, 200, 201)]
    + [" + ".join(["(x + 1)"] * count) for count in (8, 9)]
    + ["y[" + " * ".join("x" * 17) + "]", " or ".join([" && ".join(["x"] * 20)] * 20)]
    + ["-" * 199 + "x", "-" * 200 + "x", "x < 2147483648", "x < -2147483648", "x < -2147483649", f"x < {'0' * 101}1"],
)
def test_bounds_of_expressions_are_the_same(guard: str) -> None:
    text = MODEL.replace("x < N", guard)
    assert _outcome(text) == _by_grammar(text)
