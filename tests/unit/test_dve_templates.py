"""Templates in DVE texts: the processes they make, and what is said about wrong ones."""

from __future__ import annotations

import re
import time

import pytest

from symdmc import check
from symdmc.errors import ModelError
from symdmc.model.sizes import MOST_COPIED
from symdmc.model.system import SHORT, System
from symdmc.model.validation import validate
from symdmc.outcome import Verdict
from symdmc.reader.dve import read_dve
from tests.benchmarks_at_hand import CHECKOUT

IDLE = "process Idle { byte x; state q; init q; }"
SENDING = "template T(byte id, channel c) { state s; init s; trans s -> s { sync c!id; }; }"
WATCHING = "template W(process p) { state s; init s; trans s -> s { guard p.q and p->x == 0; }; }"


def read(text: str) -> System:
    return read_dve(f"{text} {IDLE} system async;", name="sample", file="sample.dve")


def complaints(text: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        read(text)
    return [str(complaint) for complaint in caught.value.complaints]


RING = """
const byte N = 3;
enum role { relaxed, active = 5 };
channel pass[N][0];
byte seen[N];
template Node(byte id, channel in, channel out, process left, enum role start) {
  enum { fresh, used };
  byte count = id * 2;
  enum role mine = start;
  state idle, holding;
  init idle;
  assert holding: mine == active or id < N;
  trans
    idle -> holding { sync in?mine; effect seen[id] = used, count = in_use; },
    holding -> idle { guard left.idle and left->count != 77; sync out!id + 1; };
}
process P[N] = Node(i, pass[i], pass[(i + 1) % N], P[(i + N - 1) % N], i == 0 ? active : relaxed);
const byte in_use = 9;
process Starter { state s, t; init s; trans s -> t { sync pass[N - N]!active; }; }
system async;
"""


def node(k: int) -> str:
    return f"""
        process P_{k} {{
          const byte id = {k}; const byte start = {5 if k == 0 else 0}; const byte fresh = 0; const byte used = 1;
          byte count = {2 * k}, mine = start;
          state idle, holding;
          init idle;
          assert holding: mine == active or id < N;
          trans
            idle -> holding {{ sync pass_{k}?mine; effect seen[id] = used, count = in_use; }},
            holding -> idle {{
              guard P_{(k + 2) % 3}.idle and P_{(k + 2) % 3}->count != 77; sync pass_{(k + 1) % 3}!id + 1;
            }};
        }}
    """


def test_a_ring_of_processes_is_what_it_is_written_out_as() -> None:
    plain = f"""
        const byte N = 3; const byte relaxed = 0, active = 5; byte seen[N];
        channel pass_0, pass_1, pass_2;
        {"".join(map(node, range(3)))}
        const byte in_use = 9;
        process Starter {{ state s, t; init s; trans s -> t {{ sync pass_0!active; }}; }}
        system async;
    """
    assert read_dve(RING, name="ring", file="a.dve") == read_dve(plain, name="ring", file="b.dve")


def test_one_process_of_a_template_has_the_name_it_is_given() -> None:
    system = read(f"channel d; {SENDING} process A = T(2, d);")
    assert [process.name for process in system.processes] == ["A", "Idle"]
    assert system == read("channel d; process A { const byte id = 2; state s; init s; trans s -> s { sync d!id; }; }")


def test_templates_and_processes_can_be_declared_in_any_order() -> None:
    one = read(f"process A[2] = T(i, d); {SENDING} channel d;")
    assert [process.name for process in one.processes] == ["A_0", "A_1", "Idle"]
    assert [str(process.edges[0].sync) for process in one.processes[:2]] == ["d!0", "d!1"]


def test_a_template_without_parameters_makes_equal_processes() -> None:
    system = read("template T() { byte x; state s; init s; trans s -> s { effect x = x + 1; }; } process A[2] = T();")
    assert [str(process.edges[0].assignments[0]) for process in system.processes[:2]] == [
        "A_0->x = A_0->x + 1",
        "A_1->x = A_1->x + 1",
    ]


def test_the_index_hides_a_constant_of_its_name_and_is_none_elsewhere() -> None:
    assert [
        each.initial[0][0]
        for each in read(
            f"const byte i = 7; channel d; process A[2] = T(i, d); process B = T(i, d); {SENDING}"
        ).variables
        if each.name.endswith("->id")
    ] == [0, 1, 7]
    (complaint,) = complaints(f"channel d; process B = T(i, d); {SENDING}")
    assert complaint == "sample.dve:1:26: unknown name 'i', in process 'B'; declare it first"


def test_a_parameter_may_be_another_process() -> None:
    system = read(f"{WATCHING} process A = W(Idle); process B[2] = W(Idle);")
    assert {str(process.edges[0].guard) for process in system.processes[:3]} == {"Idle.q and Idle->x == 0"}


def test_a_buffered_channel_that_is_a_parameter_can_be_looked_into() -> None:
    system = read(
        "channel {int} d[2][3]; process A = T(d[1]);"
        "template T(channel c) { byte x; state s; init s;"
        " trans s -> s { guard c->length > 1; effect x = c->item[0]; }, s -> s { guard c->length == 0; sync c!1; }; }"
    )
    one, other = system.processes[0].edges
    assert (str(one.guard), str(one.assignments[0].value)) == ("d_1->length > 1", "d_1->item[0]")
    assert (str(other.guard), str(other.sync)) == ("d_1->length == 0", "d_1!1")
    assert [(channel.name, channel.capacity, channel.types) for channel in system.channels] == [
        ("d_0", 3, (SHORT,)),
        ("d_1", 3, (SHORT,)),
    ]


def test_untyped_channels_that_are_declared_together_pass_equally_many_values() -> None:
    system = read(
        "channel d[3][0], e[2]; process A = T(d[1], e); process B { state s; init s; trans s -> s { sync e!1; }; }"
        "template T(channel c, channel e) { byte x; state s; init s;"
        " trans s -> s { sync c!{1, 2}; }, s -> s { sync e?x; }; }"
    )
    assert {channel.name: len(channel.types) for channel in system.channels} == {"d_0": 2, "d_1": 2, "d_2": 2, "e": 1}


def test_a_template_may_observe_runs_and_is_left_out() -> None:
    text = f"channel d; {SENDING} process A = T(1, d); {IDLE} system async property A;"
    assert [process.name for process in read_dve(text, name="m", file="m.dve").processes] == ["Idle"]


def test_a_template_that_is_not_used_is_noted() -> None:
    assert read(f"{SENDING}").notes == (
        "sample.dve:1:10: template 'T' is not used; of its text only the grammar is checked.",
    )
    assert not read(f"channel d; {SENDING} process A = T(1, d);").notes


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("process A = U(1);", "1:13: there is no template 'U'; declare it, as in 'template NAME() { ... }'"),
        (
            "process A = Waiter(); template Water() { state s; init s; }",
            "1:13: there is no template 'Waiter'; did you mean 'Water'?",
        ),
        (
            "template W() { state s; init s; } process A = Idle();",
            "1:47: there is no template 'Idle'; declare it, as in 'template NAME() { ... }'",
        ),
        (f"process A = W(); {WATCHING}", "1:9: template 'W' takes 1 argument, not 0; give one for each parameter"),
        (f"process A = T(1); {SENDING}", "1:9: template 'T' takes 2 arguments, not 1; give one for each parameter"),
        (
            f"process A = T(1, d); {SENDING}",
            "1:18: the argument for 'c', 'd', is no channel, in process 'A'; declare it",
        ),
        (
            f"process A = T(1, 3 + 4); channel d; {SENDING}",
            "1:18: the argument for 'c' is no channel, in process 'A'; name a channel, "
            "or one of several with an index, as in c[i]",
        ),
        (
            f"process A[9] = T(70 * i, d); channel d; {SENDING}",
            "1:18: 280 does not fit into the parameter 'id', which holds 0..255, in process 'A_4'; "
            "choose another argument or type",
        ),
        (
            f"byte x; process A = T(x, d); channel d; {SENDING}",
            "1:23: the argument for 'id' depends on x, in process 'A'; use only constants declared before it",
        ),
        (
            f"process A[3] = T(1 / (1 - i), d); channel d; {SENDING}",
            "1:18: the argument for 'id' has no value: division by zero, in process 'A_1'; mend the expression",
        ),
        (f"process A[0] = T(i, d); channel d; {SENDING}", "1:9: 'A' has the size 0; choose one in 1..65536"),
        (f"process A[-1] = T(i, d); channel d; {SENDING}", "1:9: 'A' has the size -1; choose one in 1..65536"),
        (f"process A[70000] = T(i, d); channel d; {SENDING}", "1:9: 'A' has the size 70000; choose one in 1..65536"),
        (
            f"process A[4] = T(i, d[i]); channel d[3][0]; {SENDING}",
            "1:21: there is no d[3], in process 'A_3'; the index is in 0..2",
        ),
        (
            f"process A[4] = T(i, d); channel d[3][0]; {SENDING}",
            "1:21: the argument for 'c', 'd', is no channel, in process 'A_0'; choose one of them, as in d[i]",
        ),
        (
            f"process A = T(1, d[0]); channel d; {SENDING}",
            "1:18: 'd' is not declared with an index, in process 'A'; 'channel d[N][0]' declares several; a single "
            "size is that of a buffer",
        ),
        ("channel d[0][0];", "1:9: 'd' has the size 0; choose one in 1..65536"),
        ("channel d[3][70000];", "1:9: 'd' has the size 70000; choose one in 0..65536"),
        ("channel d[2][0]; channel d_0;", "1:26: channel 'd_0' is declared twice; rename or remove one of them"),
        (
            "template W() { state s; init s; } process A[2] = W(); process A_1 = W();",
            "1:63: 'A_1' is declared twice; rename or remove one of them",
        ),
        (
            "template W() { state s; init s; } process Idle = W();",
            "1:63: 'Idle' is declared twice; rename or remove one of them",
        ),
        (
            "template W() { state s; init s; } template W() { state s; init s; } process A = W();",
            "1:44: template 'W' is declared twice; rename or remove one of them",
        ),
        (
            "template W(byte a, channel a) { state s; init s; }",
            "1:28: template 'W' has two parameters 'a'; rename or remove one of them",
        ),
        ("template W(byte state) { state s; init s; }", "1:17: 'state' is a word of the language; choose another name"),
        (
            "template W(byte a) { byte a; state s; init s; } process A[2] = W(i);",
            "1:27: variable 'A_0->a' is declared twice, in process 'A_0'; rename or remove one of them",
        ),
        (
            "template W() { state s; init s; trans s -> t { }; } process A[2] = W();",
            "1:44: process 'A_0' has no location 't'; declare it with 'state'",
        ),
        (
            f"process A[3] = W(d); channel d; {WATCHING}",
            "1:18: the argument for 'p', 'd', is no process, in process 'A_0'; declare it",
        ),
        (
            f"process A[3] = W(A[i]); {WATCHING}",
            f"1:{25 + WATCHING.index('q and')}: process 'A_0' has no location 'q'; known: s",
        ),
        ("template W { state s; }", "1:12: unexpected '{'; expected '('"),
        (
            "template W() { process P { } }",
            "1:16: unexpected 'process'; expected 'accept', 'assert', 'byte', 'commit', 'const', 'init', 'int', "
            "'state', 'trans' or '}'",
        ),
        ("process A[2] { state s; init s; }", "1:14: unexpected '{'; expected '='"),
    ],
)
def test_a_wrong_use_gets_place_fault_and_remedy(text: str, complaint: str) -> None:
    assert f"sample.dve:{complaint}" in complaints(text)


@pytest.mark.parametrize(
    ("sync", "complaint"),
    [
        ("d[2]!", "there is no d[2]; the index is in 0..1"),
        ("d!", "'d' is not one channel; choose one, as in d[0]"),
        (
            "e[1]?",
            "'e' is not declared with an index; 'channel e[N][0]' declares several; a single size is that of a buffer",
        ),
        ("d[x]!", "the index of 'd' depends on P->x; use only constants declared before it"),
    ],
)
def test_a_wrong_index_of_a_channel_is_one_complaint(sync: str, complaint: str) -> None:
    process = f"process P {{ byte x; state s; init s; trans s -> s {{ sync {sync}; }}; }}"
    (found,) = complaints(f"channel d[2][0], e; {process}")
    assert found.split(": ", 1)[1] == complaint


@pytest.mark.parametrize(
    ("parameter", "complaint"),
    [
        ("d", "'d' is not declared with an index, in process 'A'; declare several of it, or remove the index"),
        ("d_1", "'d_1' is a parameter here, in process 'A'; rename the parameter"),
    ],
)
def test_a_parameter_is_never_taken_for_one_of_several_channels(parameter: str, complaint: str) -> None:
    template = f"template T(channel {parameter}) {{ state s; init s; trans s -> s {{ sync d[1]!; }}; }}"
    (found,) = complaints(f"channel d[2][0], e; {template} process A = T(e);")
    assert found.split(": ", 1)[1] == complaint


def test_a_fault_of_a_template_is_told_for_one_of_its_processes() -> None:
    found = complaints(
        "channel d; process A[200] = T(i, d);"
        "template T(byte id, channel c) { state s; init s; trans s -> s { guard zz; sync cc!; effect id = 1; }; }"
    )
    assert [each.split("; ")[0].split(": ", 1)[1] for each in found] == [
        "unknown name 'zz', in process 'A_0'",
        "unknown channel 'cc', in process 'A_0'",
        "'A_0->id' is a constant and cannot be changed, in process 'A_0'",
    ]


def test_notes_and_warnings_of_a_template_are_told_for_one_of_its_processes() -> None:
    system = read(
        "template T(int id) { byte x = 256 + id; byte a[2]; state s, lost; init s;"
        " trans s -> s { guard a == 1; effect x = 300; }; } process A[50] = T(i);"
    )
    assert [re.sub(r"^\S+:\d+: ", "", note) for note in system.notes] == [
        "A_0->x starts with 256, which is outside 0..255: 0 is stored.",
        "array 'A_0->a' stands without an index where a value is expected; its first cell is meant.",
    ]
    assert [each.what for each in validate(system).warnings] == [
        "no path of edges leads to location 'lost' of process 'A_0'",
        "300 does not fit into 'A_0->x', which holds 0..255",
    ]


@pytest.mark.parametrize(("number", "verdict"), [("(3 * i + 1) % N", Verdict.SAFE), ("i % 2", Verdict.ERROR)])
def test_the_election_has_one_leader_if_all_numbers_differ(number: str, verdict: Verdict) -> None:
    text = (CHECKOUT / "examples" / "election.dve").read_text(encoding="utf-8")
    assert "Node((3 * i + 1) % N, " in text
    system = read_dve(text.replace("Node((3 * i + 1) % N, ", f"Node({number}, "), name="election", file="election.dve")
    assert not system.notes
    assert not validate(system).warnings
    assert check(system).verdict is verdict


def test_the_time_of_reading_grows_with_the_number_of_processes() -> None:
    def seconds(count: int) -> float:
        text = (
            RING.replace("const byte N = 3", f"const int N = {count}").replace("byte id", "int id").replace("* 2", "")
        )
        begin = time.process_time()
        system = read_dve(text.replace("byte count", "int count"), name="ring", file="ring.dve")
        assert len(system.processes) == count + 1
        return time.process_time() - begin

    seconds(10)
    assert seconds(2_000) < 20 * seconds(250)


def test_of_processes_and_channels_that_are_miscounted_nothing_more_is_said() -> None:
    text = f"channel d[N - 3][0]; process A[N - 5] = T(i, d[i]); process B = W(A[1]); {SENDING} {WATCHING}"
    assert complaints(f"const byte N = 2; {text}") == [
        "sample.dve:1:27: 'd' has the size -1; choose one in 1..65536",
        "sample.dve:1:48: 'A' has the size -3; choose one in 1..65536",
    ]


def test_copies_altogether_are_bounded() -> None:
    many = " ".join(f"process A{k}[60000] = W();" for k in range(30))
    (complaint,) = complaints(f"template W() {{ state s; init s; }} {many}")
    assert f"the model would grow by more than {MOST_COPIED:,} letters; make fewer" in complaint


def test_channels_altogether_are_bounded() -> None:
    many = " ".join(f"channel c{k}[60000][0];" for k in range(30))
    (complaint,) = complaints(many)
    assert f"the model would grow by more than {MOST_COPIED:,} letters; make fewer" in complaint
