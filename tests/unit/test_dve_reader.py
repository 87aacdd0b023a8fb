"""DVE texts to systems, and what is said about texts that are not DVE."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest

from symdmc.errors import ModelError, SourceSpan, UnsupportedFeature
from symdmc.model.expressions import TRUE, Binary, Cell, Literal, Ref
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ask
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import (
    ASSERTION_PROPERTY,
    BYTE,
    DVE_RULES,
    SHORT,
    Assignment,
    Channel,
    ChannelKind,
    Direction,
    Edge,
    Location,
    Process,
    Synchronisation,
    System,
    Variable,
)
from symdmc.reader.dve import NOTE_ACCEPT, read_dve, read_dve_file
from symdmc.reader.dve_declarations import UNCUT
from tests.benchmarks_at_hand import BENCHMARKS, CHECKOUT, beem_model, beem_models, requires_benchmarks

IDLE = "process Idle { state q; init q; }"


def read(text: str) -> System:
    return read_dve(text, name="sample", file="sample.dve")


def declarations(text: str) -> System:
    return read(f"{text} {IDLE} system async;")


def edges(text: str, declared: str = "byte x, y; channel c;") -> tuple[Edge, ...]:
    """The edges of a process with locations p and q and the given transitions."""
    return read(f"{declared} process P {{ state p, q; init p; trans {text}; }} system async;").processes[0].edges


def complaints(text: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        read(text)
    return [str(complaint) for complaint in caught.value.complaints]


def reachable(system: System) -> set[State]:
    semantics = Semantics(system)
    seen = set(semantics.initial_states())
    pending = list(seen)
    while pending:
        for step in semantics.steps(pending.pop()):
            if step.successor not in seen:
                seen.add(step.successor)
                pending.append(step.successor)
    return seen


def test_a_whole_model_is_read() -> None:
    system = read(
        """
        // two processes take turns
        const byte N = 2;
        byte turn = N - 1, seen[N];
        channel {byte, int} hand[0];
        process P {
          int own = -1;
          state idle, busy;
          init idle;
          trans idle -> busy { guard turn == N and Q.wait; sync hand!{turn, own}; effect seen[0] = 1, own = own + 1; },
                busy -> idle {};
        }
        process Q { byte got; state wait; init wait; trans wait -> wait { sync hand?{got, seen[1]}; }; }
        system async;
        """
    )
    guard = parse_expression("turn == 2 and Q.wait", Scope.of(system))
    assert system == System(
        name="sample",
        rules=DVE_RULES,
        variables=(
            Variable(name="N", type=BYTE, initial=((2,),), constant=True),
            Variable(name="turn", type=BYTE, initial=((1,),)),
            Variable(name="seen", type=BYTE, size=2, initial=((0,), (0,))),
            Variable(name="P->own", type=SHORT, initial=((-1,),)),
            Variable(name="Q->got", type=BYTE),
        ),
        channels=(Channel(name="hand", types=(BYTE, SHORT)),),
        processes=(
            Process(
                name="P",
                initial=("idle",),
                locations=(Location(name="idle"), Location(name="busy")),
                edges=(
                    Edge(
                        source="idle",
                        target="busy",
                        guard=guard,
                        sync=Synchronisation(
                            channel="hand", direction=Direction.SEND, values=(Ref("turn"), Ref("P->own"))
                        ),
                        assignments=(
                            Assignment(Cell("seen", Literal(0)), Literal(1)),
                            Assignment(Ref("P->own"), Binary("+", Ref("P->own"), Literal(1))),
                        ),
                    ),
                    Edge(source="busy", target="idle"),
                ),
            ),
            Process(
                name="Q",
                initial=("wait",),
                locations=(Location(name="wait"),),
                edges=(
                    Edge(
                        source="wait",
                        target="wait",
                        sync=Synchronisation(
                            channel="hand",
                            direction=Direction.RECEIVE,
                            targets=(Ref("Q->got"), Cell("seen", Literal(1))),
                        ),
                    ),
                ),
            ),
        ),
    )
    assert system.notes == ()


def test_everything_knows_where_it_stands() -> None:
    system = read(
        "byte x;\nchannel c;\nprocess P {\n state a,\n  b; init a; trans a -> b {},\n -> a {}; }\nsystem async;"
    )
    process = system.processes[0]
    assert system.variables[0].span == SourceSpan("sample.dve", 1, 6)
    assert system.channels[0].span == SourceSpan("sample.dve", 2, 9)
    assert process.span == SourceSpan("sample.dve", 3, 9)
    assert [place.span for place in process.locations] == [
        SourceSpan("sample.dve", 4, 8),
        SourceSpan("sample.dve", 5, 3),
    ]
    assert [edge.span for edge in process.edges] == [SourceSpan("sample.dve", 5, 20), SourceSpan("sample.dve", 6, 2)]


@pytest.mark.parametrize(
    ("text", "initial"),
    [
        ("byte x;", ((0,),)),
        ("byte x = 3;", ((3,),)),
        ("byte x = 257;", ((1,),)),
        ("byte x = -1;", ((255,),)),
        ("int x = 40000;", ((-25536,),)),
        ("byte x[3] = {1, 2};", ((1,), (2,), (0,))),
        ("const byte N = 2; byte x[N + 1] = {N, N * N, 1};", ((2,), (4,), (1,))),
        ("const byte t[2] = {5, 6}; byte x = t[1] - 1;", ((5,),)),
        ("byte x = true;", ((1,),)),
    ],
)
def test_a_variable_starts_with_its_constant_cut_to_its_type(text: str, initial: tuple[tuple[int, ...], ...]) -> None:
    assert declarations(text).variable_named["x"].initial == initial


def test_values_beyond_the_last_cell_are_left_out_with_a_note() -> None:
    system = declarations("byte x[2] = {1, 2, 3};")
    assert system.variables[0].initial == ((1,), (2,))
    assert system.notes == ("Array x has 2 cells but 3 initial values: those left over are not used.",)


def test_a_local_constant_is_known_in_its_process_only() -> None:
    local = "byte x; process P { const int K = 300; byte a[K - 298]; state p; init p; trans p -> p { guard x < K; }; }"
    system = read(f"{local} system async;")
    assert system.variable_named["P->a"].size == 2
    assert str(system.processes[0].edges[0].guard) == "x < 300"
    other = "process Q { state q; init q; trans q -> q { guard K; }; }"
    (found,) = complaints(f"{local} {other} system async;")
    assert found.endswith("unknown name 'K'; did you mean 'P->K'?")


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("channel c;", Channel(name="c")),
        ("channel {byte, int} c[3];", Channel(name="c", kind=ChannelKind.BUFFERED, types=(BYTE, SHORT), capacity=3)),
        ("channel {byte} c[0];", Channel(name="c", types=(BYTE,))),
        ("const byte N = 2; channel c[N];", Channel(name="c", kind=ChannelKind.BUFFERED, capacity=2)),
    ],
)
def test_channels_are_read(text: str, channel: Channel) -> None:
    assert declarations(text).channels == (channel,)


def test_an_untyped_channel_passes_what_it_is_used_with() -> None:
    use = "process P { byte x; state p; init p; trans p -> p { sync c!{1, x}; }, p -> p { sync d?x; }; }"
    system = read(f"channel c, d[2], e; {use} system async;")
    assert [channel.types for channel in system.channels] == [(UNCUT, UNCUT), (UNCUT,), ()]
    assert system.channels[1].buffer()[1].name == "d->item"


def test_a_transition_without_source_repeats_the_last_one() -> None:
    found = edges("p -> q {}, -> p {}, q -> p {}, -> q {}")
    assert [(edge.source, edge.target) for edge in found] == [("p", "q"), ("p", "p"), ("q", "p"), ("q", "q")]


def test_the_clauses_of_a_transition_stand_in_any_order() -> None:
    one, other = edges(
        "p -> q { guard x == 1; sync c!; effect y = 1; }, p -> q { effect y = 1; sync c!; guard x == 1; }"
    )
    assert one == other


def test_several_guards_must_all_hold() -> None:
    (edge,) = edges("p -> q { guard x == 1, y == 2; }")
    assert str(edge.guard) == "x == 1 and y == 2"


def test_commas_between_transitions_and_the_last_semicolon_may_be_missing() -> None:
    system = read("process P { state p; init p; trans p -> p {} p -> p {} } system async;")
    assert len(system.processes[0].edges) == 2


def test_committed_locations_are_marked() -> None:
    system = read("process P { state p, q, r; init p; commit q, r; } system async;")
    assert [place.committed for place in system.processes[0].locations] == [False, True, True]


def test_processes_may_name_what_is_declared_later() -> None:
    system = read(
        "process P { state p; init p; trans p -> p { guard Q.q and Q->x == 1 and Q.x == 2; }; }"
        "process Q { byte x; state q; init q; } system async;"
    )
    assert str(system.processes[0].edges[0].guard) == "Q.q and Q->x == 1 and Q->x == 2"


def test_assertions_make_one_named_property() -> None:
    system = read(
        "byte x; process P { byte y; state p, q; init p; assert p: x == 1, q: y < 2 or x; }"
        "process Q { state r; init r; assert r: P.p; } system async;"
    )
    (named,) = system.properties
    assert named.name == ASSERTION_PROPERTY
    assert str(named.error) == "P.p and not (x == 1) or P.q and not (P->y < 2 or x) or Q.r and not P.p"
    assert ask(system).expression == named.error


def test_accepting_locations_are_read_and_noted() -> None:
    for accept in (
        "p, q",
        "buchi p",
        "genbuchi (p), (p, q)",
        "muller (), (q)",
        "rabin (p; q), (; p)",
        "streett (p, q;)",
    ):
        system = read(f"process P {{ state p, q; init p; accept {accept}; }} system async;")
        assert system.notes == (NOTE_ACCEPT,)


def test_a_property_process_is_left_out_with_a_note() -> None:
    watch = "process Watch { state s; init s; accept s; trans s -> s { guard Idle.q; }; }"
    system = read(f"{IDLE} {watch} system async property Watch;")
    assert [process.name for process in system.processes] == ["Idle"]
    assert system.notes == (
        "Process Watch observes runs for a temporal property and is left out: symdmc looks for error states.",
    )


def test_a_guard_of_one_is_no_guard() -> None:
    assert edges("p -> q { guard 1; }")[0].guard == TRUE


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"{IDLE} system sync;", "sample.dve:1:42: synchronous systems are not supported; only 'system async' is"),
        (
            "process P { state p; init p; trans p => { p:1, p:2 }; } system async;",
            "sample.dve:1:36: probabilistic transitions are not supported; use '->'",
        ),
    ],
)
def test_what_is_right_but_unsupported_says_so(text: str, what: str) -> None:
    with pytest.raises(UnsupportedFeature) as caught:
        read(text)
    assert str(caught.value) == what
    assert caught.value.exit_code == 31


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("byte x; byte x;", "1:14: variable 'x' is declared twice; rename or remove one of them"),
        ("channel c, c;", "1:12: channel 'c' is declared twice; rename or remove one of them"),
        ("channel Idle;", "1:23: 'Idle' is declared twice; rename or remove one of them"),
        ("byte Idle;", "1:20: 'Idle' is declared twice; rename or remove one of them"),
        ("byte guard;", "1:6: 'guard' is a word of the language; choose another name"),
        ("byte x[0];", "1:6: 'x' has the size 0; choose one in 1..65536"),
        ("byte x[70000];", "1:6: 'x' has the size 70000; choose one in 1..65536"),
        ("channel c[-1];", "1:9: 'c' has the size -1; choose one in 0..65536"),
        ("byte x = 1 / 0;", "1:6: the declaration of 'x' has no value: division by zero; mend the expression"),
        ("byte x; byte y = x;", "1:14: the declaration of 'y' depends on x; use only constants declared before it"),
        ("byte x = N;", "1:10: unknown name 'N'; declare it first"),
        ("byte x = {1};", "1:6: 'x' is not an array; write one value without braces"),
        ("byte x[2] = 1;", "1:6: 'x' is an array; write the values of its cells in braces"),
        (
            "const byte t[1]; byte x = t[1];",
            "1:23: the declaration of 'x' has no value: index 1 of t is outside 0..0; mend the expression",
        ),
    ],
)
def test_a_wrong_declaration_gets_place_fault_and_remedy(text: str, complaint: str) -> None:
    assert complaints(f"{text} {IDLE} system async;") == [f"sample.dve:{complaint}"]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("state p, q; init p, @q;", "process 'P' has more than one initial location; name only one"),
        ("state p; init @r;", "process 'P' has no location 'r'; declare it with 'state'"),
        ("state first; init @frist;", "process 'P' has no location 'frist'; did you mean 'first'?"),
        ("state p, @p; init p;", "location 'p' is declared twice; remove one of them"),
        ("state p; init p; commit @pp;", "process 'P' has no location 'pp'; did you mean 'p'?"),
        ("state p; init p; accept @pp;", "process 'P' has no location 'pp'; did you mean 'p'?"),
        ("state p; init p; assert @pp: 1;", "process 'P' has no location 'pp'; did you mean 'p'?"),
        ("state p; init p; trans p -> @pp {};", "process 'P' has no location 'pp'; did you mean 'p'?"),
        ("state p; init p; trans @-> p {};", "the first transition has no source; name one before '->'"),
        ("state p; init p; trans p -> p { guard 1; @guard 2; };", "a second 'guard' in one transition; join them"),
        ("state p; init p; trans p -> p { sync @cc!; };", "unknown channel 'cc'; did you mean 'c'?"),
        (
            "state p; init p; trans p -> p { effect @N = 1; };",
            "'N' is a constant and cannot be changed; declare it without 'const'",
        ),
        (
            "state p; init p; trans p -> p { sync c?@N; };",
            "'N' is a constant and cannot be changed; declare it without 'const'",
        ),
        (
            "state p; init p; trans p -> p { sync c!1; }, -> p { sync @c!; };",
            "channel 'c' passes 1 value, not 0; use it with 1 value",
        ),
        ("byte x; int @x; state p; init p;", "variable 'P->x' is declared twice; rename or remove one of them"),
    ],
)
def test_a_wrong_process_gets_place_fault_and_remedy(body: str, complaint: str) -> None:
    """The sign @ marks the place of the fault."""
    before, _, after = body.partition("@")
    found = complaints(f"const byte N = 1; channel c; process P {{\n{before}{after} }} system async;")
    assert found == [f"sample.dve:2:{len(before) + 1}: {complaint}"]


def test_a_process_needs_locations_and_an_initial_one() -> None:
    assert complaints("process P {} system async;") == [
        "sample.dve:1:9: process 'P' has no location; declare some with 'state'",
        "sample.dve:1:9: process 'P' has no initial location; name it with 'init'",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"proces P {{ }} {IDLE}", "1:1: unexpected 'proces'; did you mean 'process'?"),
        ("process P { stat s; }", "1:13: unexpected 'stat'; did you mean 'state'?"),
        ("byte a b;", "1:8: unexpected 'b'; expected ',', ';', '=' or '['"),
        ("byte x = ;", "1:10: unexpected ';'; expected a value or '{'"),
        ("process P { trans p -> q { guard x = 1; }; }", "1:36: unexpected '='; '==' compares"),
        ("process P { trans p -> q { sync c; }; }", "1:34: unexpected ';'; expected '!', '?' or '['"),
        ("process P { trans p -> q { x = 1; }; }", "1:28: unexpected 'x'; expected 'effect', 'guard', 'sync' or '}'"),
        (
            f"{IDLE}\n",
            "1:34: the text ends too early; expected 'byte', 'channel', 'const', 'int', 'process', 'system' "
            "or 'template'",
        ),
        (f"{IDLE} system async", "1:47: the text ends too early; expected ';' or 'property'"),
        (f"{IDLE} system async; byte x;", "1:49: unexpected 'byte'; expected the end"),
        ("byte x; /* never", "1:9: this comment is never closed; end it with '*/'"),
        ("byte x = $;", "1:10: unexpected '$'; expected a value or '{'"),
        ("byte x; system async;", "1:16: the model has no process to run; add at least one"),
        (
            f"{IDLE} system async property Idel;",
            "1:57: the property 'Idel' is not a process of this model; did you mean 'Idle'?",
        ),
    ],
)
def test_a_wrong_text_gets_place_fault_and_remedy(text: str, complaint: str) -> None:
    assert complaints(text) == [f"sample.dve:{complaint}"]


def test_all_faults_are_reported_in_the_order_of_the_text() -> None:
    found = complaints(
        "byte x, x;\n"
        "process P { state p, p; init q;\n"
        "trans p -> p { guard foo == 1; effect x = bar, x[1] = 2; };\n"
        "assert r: baz; }\n"
        "system async property Q;"
    )
    lines = [int(complaint.split(":")[1]) for complaint in found]
    assert lines == [1, 2, 2, 3, 3, 3, 4, 4, 5]


def test_a_deeply_nested_guard_is_refused_with_a_complaint() -> None:
    deep = "(" * 3000 + "1" + ")" * 3000
    (found,) = complaints(f"process P {{ state p; init p; trans p -> p {{ guard {deep}; }}; }} system async;")
    assert "levels" in found


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "cannot be read: No such file"),
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\x7fELF\0\1", "is not a text file"),
    ],
)
def test_an_unreadable_file_gets_one_line(tmp_path: Path, content: bytes | None, fault: str) -> None:
    path = tmp_path / "model.dve"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        read_dve_file(path)
    assert str(caught.value).startswith(f"{path}: {fault}")
    assert len(caught.value.complaints) == 1


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        read_dve_file(tmp_path)


def test_a_file_names_its_model_and_may_have_comments_in_any_encoding(tmp_path: Path) -> None:
    path = tmp_path / "ring.dve"
    path.write_bytes(f"// p\xf8\xedklad\r\n{IDLE}\r\nsystem async;\r\n".encode("latin-1"))
    assert read_dve_file(path).name == "ring"


@requires_benchmarks
@pytest.mark.slow
def test_every_beem_model_is_read_in_time_and_its_questions_are_understood() -> None:
    with (BENCHMARKS / "beem" / "properties.csv").open() as file:
        questions = [(row["model"], row["error_condition"]) for row in csv.DictReader(file, delimiter=";")]
    assert len(questions) > 100
    models = beem_models()
    assert len(models) == 207
    read(f"{IDLE} system async;")  # builds the grammar
    for path in models:
        start = time.process_time()
        system = read_dve_file(path)
        assert time.process_time() - start < 2.0, path.name
        asked = [error for model, error in questions if model == path.stem]
        assert [ask(system, error=error).name for error in asked] == asked


@requires_benchmarks
@pytest.mark.parametrize(("model", "states"), [("needham.1", 497), ("phils.3", 729), ("anderson.2", 1459)])
def test_the_reachable_states_are_those_published(model: str, states: int) -> None:
    """needham.1 tells `and` over `or` from one level for both, anderson.2 has too many initial values."""
    assert len(reachable(read_dve_file(beem_model(model)))) == states


def test_the_model_in_the_documentation_is_a_model() -> None:
    page = (CHECKOUT / "docs" / "dve.md").read_text(encoding="utf-8")
    lines = page.partition("## ")[0].splitlines()
    system = read("\n".join(line for line in lines if line.startswith("    ") or not line)[1:])
    assert [process.name for process in system.processes] == ["P", "Q"]
