"""Systems as plain DVE: the text, and what the language cannot say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from symdmc.errors import UnsupportedFeature
from symdmc.model.builder import Builder
from symdmc.model.expressions import Ref
from symdmc.model.system import DVE_RULES, Commitment, Range, Rules, System, UpdateOrder
from symdmc.reader.dve import read_dve, read_dve_file
from symdmc.reader.dve_writing import dve_text
from tests.benchmarks_at_hand import CHECKOUT, beem_models, requires_benchmarks

MODEL = """\
enum { low = -3, middle };
const byte T[3] = {1, 2};
byte x, z[4];
int y = middle * 100;
channel {byte, int} c; channel plain; channel two; channel b[2]; channel {int} t[3];
template Worker(byte id, channel out) {
  byte own = 7;
  int x[2] = {id, 3};
  state idle, busy, done;
  init idle;
  commit busy;
  end done, idle;
  assert busy: own < 9 and not (id == 4), done: false;
  assert busy: x[0] > low;
  trans
    idle -> busy { guard own < 3, y != low; sync out!{own, -1}; effect own = T[own] - -2, x[1] = ~x[0]; },
    -> done { sync plain?; },
    busy -> idle { guard W_1->own ? W_1.idle : -own == -(3); sync c?{x[0], own}; },
    done -> done { };
}
process W[2] = Worker(i, c);
process Other { byte k; state s; init s; trans s -> s { sync plain!; }, s -> s { sync two?{k, x}; },
  s -> s { sync two!{1, b->item[0]}; effect x = k, z[k] = b->length; }, s -> s { sync b!k; }, s -> s { sync t?k; }; }
system async;
"""

PLAIN = """\
const int low = -3;
const int middle = -2;
const byte T[3] = {1, 2};
byte x = 0;
byte z[4];
int y = -200;
channel {byte, int} c;
channel plain;
channel two;
channel b[2];
channel {int} t[3];

process W_0 {
  const byte id = 0;
  byte own = 7;
  int x[2] = {0, 3};
  state idle, busy, done;
  init idle;
  commit busy;
  end idle, done;  // an extension of symdmc
  assert busy: own < 9 and not (0 == 4);
  assert done: 0;
  assert busy: x[0] > -3;
  trans
    idle -> busy { guard own < 3 and y != -3; sync c!{own, -1}; effect own = T[own] - -2, x[1] = ~x[0]; },
    idle -> done { sync plain?; },
    busy -> idle { guard W_1->own ? W_1.idle : -own == -(3); sync c?{x[0], own}; },
    done -> done { };
}
"""


def written(text: str) -> System:
    return read_dve(text, name="m", file="m.dve")


def test_templates_and_enumerations_are_written_out() -> None:
    text = dve_text(written(MODEL))
    assert text.startswith(PLAIN)
    assert "template" not in text
    assert "enum" not in text
    assert text.endswith("}\n\nsystem async;\n")


def test_what_is_written_is_read_as_the_same_system() -> None:
    system = written(MODEL)
    assert written(dve_text(system)) == system


def test_a_written_text_is_written_again_as_it_is() -> None:
    text = dve_text(written(MODEL))
    assert dve_text(written(text)) == text


@pytest.mark.parametrize("path", sorted((CHECKOUT / "examples").glob("*.dve")), ids=lambda path: path.stem)
def test_examples_come_back(path: Path) -> None:
    system = read_dve_file(path)
    assert read_dve(dve_text(system), name=system.name, file="again.dve") == system


@requires_benchmarks
def test_published_models_come_back() -> None:
    paths = [path for path in beem_models() if path.stat().st_size < 20_000]
    assert len(paths) > 50
    for path in paths[::7]:
        system = read_dve_file(path)
        assert read_dve(dve_text(system), name=system.name, file="again.dve") == system


def _clockwork(m: Builder) -> None:
    m.digital_clock("t", 3)


def _several(m: Builder) -> None:
    m.byte("x", initial=[(0, 1)])


def _hidden(m: Builder) -> None:
    m.byte("x")
    process = m.process("Q", initial="q")
    process.byte("x")
    process.edge("q", "q", guard="x == 0")


def _shared_behind_own(m: Builder) -> None:
    m.byte("x")
    process = m.process("Q", initial="q")
    process.byte("x")
    process.edge("q", "q", guard=Ref("x"))


CASES: list[tuple[Callable[[Builder], object], str]] = [
    (lambda m: m.integer("x", 0, 3), "'x' holds 0..3; make it a byte or a short"),
    (_clockwork, "'t' is a digital clock; make it a byte or a short"),
    (_several, "'x' has several initial values; choose one"),
    (lambda m: m.broadcast("c"), "'c' is a broadcast channel; use another kind"),
    (lambda m: m.lockstep("c"), "'c' is a lockstep channel; use another kind"),
    (lambda m: m.channel("c", urgent=True), "'c' is urgent; use commitment"),
    (
        lambda m: m.buffered("c", capacity=2, values=[(0, 3)]),
        "the buffer of 'c' holds 0..3; use bytes and shorts",
    ),
    (lambda m: m.property("p", "P.p"), "'p' is a property; leave it out, and ask for its condition"),
    (
        lambda m: m.property("assert", "P.p"),
        "'P.p' is an error; an assertion belongs to a location; leave it out, and ask for it as a condition",
    ),
    (lambda m: m.byte("state"), "something is called 'state', a word of the language; rename it"),
    (lambda m: m.process("guard", initial="p"), "something is called 'guard', a word of the language; rename it"),
    (lambda m: m.process("Q", initial="commit"), "something is called 'commit', a word of the language; rename it"),
    (lambda m: m.process("Q", initial=["a", "b"]), "process 'Q' starts at one of several locations; choose one"),
    (lambda m: m.process("Q", initial="q").location("q", urgent=True), "Q.q is urgent; use commitment and guards"),
    (
        lambda m: m.process("Q", initial="q").location("q", invariant="P.p"),
        "Q.q has an invariant; use commitment and guards",
    ),
    (lambda m: m.process("Q", initial="q").edge("q", "q", cost=0), "edge q -> q costs 0; leave the cost out"),
    (_shared_behind_own, "process 'Q' means the shared 'x', not its own one; rename one of them"),
]


@pytest.mark.parametrize(("declare", "complaint"), CASES)
def test_what_dve_cannot_say_is_refused(declare: Callable[[Builder], object], complaint: str) -> None:
    m = Builder("m", DVE_RULES)
    m.process("P", initial="p")
    declare(m)
    with pytest.raises(UnsupportedFeature) as refused:
        dve_text(m.build())
    (found,) = refused.value.complaints
    assert str(found).partition("DVE cannot say that ")[2] == complaint


def test_a_name_that_means_the_own_variable_is_written() -> None:
    m = Builder("m", DVE_RULES)
    _hidden(m)
    assert "guard x == 0;" in dve_text(m.build())


def test_other_rules_are_refused_where_they_matter() -> None:
    m = Builder("m", Rules(Commitment.ANY, UpdateOrder.SENDER_FIRST))
    process = m.process("P", initial="p")
    assert "process P {" in dve_text(m.build())
    process.location("p", committed=True)
    m.channel("c")
    with pytest.raises(UnsupportedFeature) as refused:
        dve_text(m.build())
    assert [each.what for each in refused.value.complaints] == [
        "DVE cannot say that one committed participant is enough for a step",
        "DVE cannot say that the sender's assignments run first",
    ]


def test_a_rendezvous_of_other_values_is_written_without_types() -> None:
    m = Builder("m", DVE_RULES)
    m.channel("c", values=[Range(0, 3)])
    m.process("P", initial="p").edge("p", "p", sync="c!1")
    assert "\nchannel c;\n" in f"\n{dve_text(m.build())}"
