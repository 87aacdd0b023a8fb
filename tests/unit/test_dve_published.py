"""What published DVE models contain and our description of the language would not let them."""

from __future__ import annotations

import pytest

from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.expressions import Binary, Cell, Literal
from symdmc.model.system import System
from symdmc.model.validation import validate
from symdmc.reader.dve import read_dve

MODEL = "byte x, a[2] = {1, 2}; channel {byte} c[1]; process P { state p; init p; trans p -> p { %s }; } system async;"


def _read(clauses: str, text: str = MODEL) -> System:
    return read_dve(text % clauses, name="m", file="m.dve")


def test_an_array_without_an_index_means_its_first_cell() -> None:
    system = _read("guard a == 1; sync c!a; effect x = a + a[1];")
    (edge,) = system.processes[0].edges
    assert edge.guard == Binary("==", Cell("a", Literal(0)), Literal(1))
    assert edge.sync is not None
    assert edge.sync.values == (Cell("a", Literal(0)),)
    assert edge.assignments[0].value == Binary("+", Cell("a", Literal(0)), Cell("a", Literal(1)))
    (note,) = system.notes
    assert note == "m.dve:1:95: array 'a' stands without an index where a value is expected; its first cell is meant."


def test_an_array_without_an_index_is_read_without_synchronisation_too() -> None:
    assert _read("guard a == 1;").processes == _read("guard a[0] == 1;").processes


def test_an_array_is_not_assigned_without_an_index() -> None:
    with pytest.raises(ModelError, match="'a' is an array; choose a cell, as in a\\[0\\]"):
        _read("effect a = 1;")


@pytest.mark.parametrize(
    ("clauses", "warnings"),
    [
        ("effect x = 255;", []),
        ("effect x = 300;", ["m.dve:1:80: 300 does not fit into 'x', which holds 0..255; 44 is stored"]),
        ("effect x = -1, x = -1;", ["m.dve:1:80: -1 does not fit into 'x', which holds 0..255; 255 is stored"]),
        ("effect a[x] = 256;", ["m.dve:1:80: 256 does not fit into 'a', which holds 0..255; 0 is stored"]),
        ("sync c!256;", ["m.dve:1:80: 256 does not fit into 'c->item', which holds 0..255; 0 is stored"]),
    ],
)
def test_a_constant_that_does_not_fit_is_warned_about(clauses: str, warnings: list[str]) -> None:
    found = [str(warning) for warning in validate(_read(clauses)).warnings]
    assert [each for each in found if "does not fit" in each] == warnings


def test_a_constant_outside_a_range_is_a_step_that_faults() -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    m.process("P", initial="p").edge("p", "p", do="x = 4")
    (warning,) = validate(m.build()).warnings
    assert (warning.what, warning.remedy) == ("4 does not fit into 'x', which holds 0..3", "the step faults")


def test_an_initial_value_that_does_not_fit_is_noted() -> None:
    system = read_dve("byte x = 257; process P { state p; init p; } system async;", name="m", file="m.dve")
    assert system.variables[0].initial == ((1,),)
    assert system.notes == ("x starts with 257, which is outside 0..255: 1 is stored.",)
