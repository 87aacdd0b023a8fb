"""Enumerations in DVE texts: named constants, and types of variables."""

from __future__ import annotations

import pytest

from symdmc.errors import ModelError
from symdmc.model.expressions import Literal
from symdmc.model.fingerprint import fingerprint
from symdmc.model.named_state import NamedState
from symdmc.model.semantics import Semantics
from symdmc.model.system import BYTE, SHORT, System, Variable
from symdmc.reader.dve import read_dve
from symdmc.report.traces import changes_text, state_text

IDLE = "process Idle { state q; init q; }"


def read(text: str) -> System:
    return read_dve(f"{text} {IDLE} system async;", name="sample", file="sample.dve")


def constants(system: System) -> dict[str, int]:
    return {each.name: each.initial[0][0] for each in system.variables if each.constant}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("enum { idle };", {"idle": 0}),
        ("enum { idle, busy, done };", {"idle": 0, "busy": 1, "done": 2}),
        ("enum { idle, busy = 4, done, };", {"idle": 0, "busy": 4, "done": 5}),
        ("enum { low = -2, middle, same = low };", {"low": -2, "middle": -1, "same": -2}),
        ("const byte N = 3; enum { last = N - 1, N2 };", {"N": 3, "last": 2, "N2": 3}),
    ],
)
def test_the_constants_of_an_enumeration_count_on(text: str, values: dict[str, int]) -> None:
    assert constants(read(text)) == values


def test_a_constant_is_what_it_is_written_out_as() -> None:
    assert read("enum phase { idle, far = 300, below = -1 };") == read(
        "const byte idle = 0; const int far = 300; const int below = -1;"
    )


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("enum phase { idle, busy }; enum phase p;", Variable(name="p", type=BYTE)),
        ("enum phase { idle, busy }; enum phase p = busy;", Variable(name="p", type=BYTE, initial=((1,),))),
        ("enum phase { idle, busy = 256 }; enum phase p;", Variable(name="p", type=SHORT)),
        ("enum phase { busy = 255, idle = -1 }; enum phase p;", Variable(name="p", type=SHORT)),
        ("enum phase { idle = -1, busy }; enum phase p;", Variable(name="p", type=SHORT)),
        (
            "enum phase { idle, busy }; enum phase p[2] = { busy };",
            Variable(name="p", type=BYTE, size=2, initial=((1,), (0,))),
        ),
        (
            "enum phase { idle, busy }; const enum phase p = busy;",
            Variable(name="p", type=BYTE, initial=((1,),), constant=True),
        ),
    ],
)
def test_a_variable_of_an_enumeration_has_the_smallest_type_that_holds_it(text: str, variable: Variable) -> None:
    assert read(text).variables[-1] == variable


def test_an_enumeration_is_a_type_of_what_channels_pass() -> None:
    assert read("enum far { a = 999 }; channel {byte, enum far} c;").channels[0].types == (BYTE, SHORT)


def test_a_process_has_enumerations_of_its_own_that_hide_the_shared_ones() -> None:
    system = read(
        """
        enum phase { idle, busy };
        process P {
          enum phase { high = 300, busy };
          enum phase p = busy;
          state s; init s;
          trans s -> s { guard p == busy and idle == 0; sync c!high; effect p = high; };
        }
        process Q { enum phase q; state s; init s; trans s -> s { guard busy == P->busy; sync c?q; }; }
        channel c;
        """
    )
    types = {each.name: each.type for each in system.variables if not each.constant}
    assert types == {"P->p": SHORT, "Q->q": BYTE}
    one, other = (process.edges[0] for process in system.processes[:2])
    assert str(one.guard) == "P->p == 301 and 0 == 0"
    assert one.assignments[0].value == Literal(300)
    assert str(other.guard) == "1 == 301"


def test_the_words_of_extensions_remain_names() -> None:
    system = read_dve(
        """
        byte enum, template;
        channel end;
        process P {
          byte end;
          state enum, template, end;
          init enum;
          trans
            enum -> template { sync end!enum; }
            end -> enum { sync end?end; }
            enum -> end { guard P.enum ? template : enum; }
            template -> enum { effect enum = template, template = end; };
        }
        system async;
        """,
        name="sample",
        file="sample.dve",
    )
    assert [each.name for each in system.variables] == ["enum", "template", "P->end"]
    assert [(edge.source, edge.target) for edge in system.processes[0].edges] == [
        ("enum", "template"),
        ("end", "enum"),
        ("enum", "end"),
        ("template", "enum"),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("enum { a, b, a };", "1:14: variable 'a' is declared twice; rename or remove one of them"),
        ("enum e { a }; enum f { a };", "1:24: variable 'a' is declared twice; rename or remove one of them"),
        ("byte a; enum { a };", "1:16: variable 'a' is declared twice; rename or remove one of them"),
        ("enum e { a }; enum e { b };", "1:20: enumeration 'e' is declared twice; rename or remove one of them"),
        ("enum phase { a }; enum phse p;", "1:24: there is no enumeration 'phse'; did you mean 'phase'?"),
        (
            "enum phase p;",
            "1:6: there is no enumeration 'phase'; declare it before, as in 'enum NAME { FIRST, SECOND };'",
        ),
        ("enum { a = x };", "1:12: unknown name 'x'; declare it first"),
        (
            "byte x; enum { a = x };",
            "1:16: the declaration of 'a' depends on x; use only constants declared before it",
        ),
        ("enum { a = 40000 };", "1:8: 'a' is 40000, outside -32768..32767; choose another value"),
        ("enum { a = 32767, b };", "1:19: 'b' is 32768, outside -32768..32767; choose another value"),
        ("enum { a = 1 / 0 };", "1:8: the declaration of 'a' has no value: division by zero; mend the expression"),
        ("enum { state };", "1:8: 'state' is a word of the language; choose another name"),
        ("enum { };", "1:8: unexpected '}'; expected a name"),
        ("enum phase { idle } p;", "1:21: unexpected 'p'; expected ';'"),
        ("enum { Idle };", "1:24: 'Idle' is declared twice; rename or remove one of them"),
    ],
)
def test_a_wrong_enumeration_gets_place_fault_and_remedy(text: str, complaint: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text)
    assert [str(each) for each in caught.value.complaints] == [f"sample.dve:{complaint}"]


def test_a_constant_cannot_be_assigned() -> None:
    with pytest.raises(ModelError, match="'a' is a constant and cannot be changed"):
        read("enum { a }; process P { state s; init s; trans s -> s { effect a = 1; }; }")


def test_values_are_shown_by_name_where_a_person_reads_them() -> None:
    system = read(
        """
        enum phase { calm, alarm = 3, panic = 3 };
        enum phase now = alarm, before[2] = { calm, alarm };
        process P { state s; init s; trans
          s -> s { guard now == alarm; effect before[0] = alarm, now = calm; },
          s -> s { guard now == calm; effect before[1] = 7, now = before[0]; };
        }
        """
    )
    semantics = Semantics(system)
    first = next(semantics.initial_states())
    (step,) = semantics.steps(first)
    (then,) = semantics.steps(step.successor)
    assert state_text(first, system) == "P.s Idle.q; now = alarm, before = [calm, alarm]"
    assert changes_text(first, step, system) == "now: alarm -> calm, before[0]: calm -> alarm"
    assert changes_text(step.successor, then, system) == "now: calm -> alarm, before[1]: alarm -> 7"
    assert NamedState.of(first, system)["before"] == [0, 3]


def test_names_of_values_take_no_part_in_what_a_system_is() -> None:
    named, plain = (read(text) for text in ("enum e { a, b }; enum e x;", "const byte a = 0, b = 1; byte x;"))
    assert named == plain
    assert fingerprint(named) == fingerprint(plain)
