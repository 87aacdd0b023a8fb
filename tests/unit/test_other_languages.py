"""Spellings of other languages are answered with the right one."""

from __future__ import annotations

import pytest

from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.parsing.parser import parse_assignments
from symdmc.model.question import ask
from symdmc.model.scope import Scope
from symdmc.model.system import System
from symdmc.reader.dve import read_dve

MODEL = "byte x; process P {{ state p, q; init p; {0} }} system async;"


def _system() -> System:
    m = Builder("m")
    m.byte("x")
    m.byte("y")
    m.process("P", initial="p")
    return m.build()


SYSTEM = _system()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x == 1 -> y == 2", "1:9: unexpected '>'; an implication is written 'imply'"),
        ("x == 1 => y == 2", "1:8: unexpected '='; an implication is written 'imply'"),
        ("x == 1 <-> y == 2", "1:10: unexpected '>'; '==' compares truth values"),
        ("x -> y", "1:1: 'x' is a variable, not a process; '.' and '->' stand behind a process; an implication is"),
        ("[] x == 1", "1:1: unexpected '['; no temporal operators are read; for '[] p' and 'AG p' ask for 'not (p)'"),
        ("A[] x == 1", "1:3: unexpected ']'; no temporal operators are read"),
        ("AG x == 1", "1:4: unexpected 'x'; no temporal operators are read"),
        ("G(x == 1)", "1:2: unexpected '('; no temporal operators are read"),
        ("<> x == 1", "1:1: unexpected '<'; no temporal operators are read"),
        ("not (<> x == 1)", "1:6: unexpected '<'; no temporal operators are read"),
        ("x <> 1", "1:4: unexpected '>'; '!=' compares"),
        ("x == 1 U y == 2", "1:8: unexpected 'U'; no temporal operators are read"),
        ("x++ == 3", "1:3: unexpected '+'; an assignment is written 'x = x + 1'"),
        ("x += 1", "1:4: unexpected '='; an assignment is written 'x = x + ...'"),
        ("x = 1", "1:3: unexpected '='; '==' compares"),
        ("x === 1", "1:5: unexpected '='; '==' and '!=' compare"),
        ("x =< 1", "1:3: unexpected '='; write '<='"),
        ("x ** 2 == 4", "1:4: unexpected '*'; there is no operator for powers; multiply"),
        ("x xor y", "1:3: unexpected 'xor'; '!=' compares truth values, and '^' is the exclusive or of bits"),
        ("NOT x", "1:5: unexpected 'x'; 'not', 'and', 'or', 'true' and 'false' are written in small letters"),
        ("x == TRUE", "1:6: unknown name 'TRUE'; write 'true'"),
    ],
)
def test_a_question_in_another_language(text: str, complaint: str) -> None:
    with pytest.raises(ModelError) as caught:
        ask(SYSTEM, error=text)
    assert str(caught.value.complaints[0]).startswith(f"<error>:{complaint}")


@pytest.mark.parametrize("text", ["x == 1 && !(y == 2 || P.p)", "x--1 == 2", "x - -y == 0"])
def test_what_is_read_is_not_complained_about(text: str) -> None:
    assert ask(SYSTEM, error=text).name == text


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("x++", "an assignment is written 'x = x + 1'"),
        ("x--", "an assignment is written 'x = x - 1'"),
        ("x -= 2", "an assignment is written 'x = x - ...'"),
        ("x := 2", "'=' assigns"),
        ("x == 2", "expected '='"),
    ],
)
def test_assignments_in_another_language(text: str, remedy: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_assignments(text, Scope.of(SYSTEM))
    assert [complaint.remedy for complaint in caught.value.complaints] == [remedy]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("bool b; " + MODEL.format(""), "1:1: unexpected 'bool'; the types are 'byte' and 'int'; a byte holds 0 and 1"),
        (
            MODEL.format("boolean b;"),
            "1:41: unexpected 'boolean'; the types are 'byte' and 'int'; a byte holds 0 and 1",
        ),
        (MODEL.format("short b;"), "1:41: unexpected 'short'; the types are 'byte' and 'int'"),
        (MODEL.format("trans; p -> q {};"), "1:46: unexpected ';'; the edges stand between 'trans' and ';'"),
        (
            MODEL.format("trans p -> q {}; q -> p {};"),
            "1:58: unexpected 'q'; the edges behind 'trans' are joined by ','; ';' ends them",
        ),
        (
            MODEL.format("trans p -> q { effect x = 1; x = 2; };"),
            "1:70: unexpected 'x'; the assignments of an effect are joined by ','",
        ),
        (MODEL.format("trans p -> q { guard x = 1; };"), "1:64: unexpected '='; '==' compares"),
        (
            MODEL.format("trans p -> q { guard x == 1 -> x; };"),
            "1:70: unexpected '>'; an implication is written 'imply'",
        ),
        (MODEL.format("trans p -> ;"), "1:52: unexpected ';'; expected a name"),
        (MODEL.format("init p trans p -> q {};"), "1:48: unexpected 'trans'; expected ',' or ';'"),
    ],
)
def test_a_model_in_another_language(text: str, complaint: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_dve(text, name="m", file="m.dve")
    assert [str(each) for each in caught.value.complaints] == [f"m.dve:{complaint}"]
