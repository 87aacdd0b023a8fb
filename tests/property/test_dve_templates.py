"""A text with templates and enumerations means what it means written out by hand."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.fuzz.drawing import drawn
from campaigns.fuzz.texts import dve_text as drafted
from symdmc.model.system import System
from symdmc.reader.dve import read_dve
from symdmc.reader.dve_writing import dve_text

FIRST, SECOND = 1, 4
"""The constants of the enumeration."""
VALUES = ("i", "{n} - i", "2 * i + 1", "(i + {n} - 1) % {n}", "first", "second + i", "i == 0 ? second : first")
PARTNERS = ("i", "(i + 1) % {n}", "({n} - 1) - i", "0")
GUARDS = ("x < {k}", "{p}.a and {k} == 1", "{p}->x == {k} + first", "{c}->length < 2", "own[{k} % 2] != second")
SYNCS = ("{c}!{k}", "{c}?x", "{c}?own[{k} & 1]", "{c}!x + {k}")
EFFECTS = ("x = {k}", "x = x + {k}, own[0] = {p}->x", "own[1] = {c}->item[0] * {k}")


def read(text: str) -> System:
    return read_dve(text, name="drawn", file="drawn.dve")


@st.composite
def pairs_of_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A text with a template for n processes, and the same written out."""
    n = draw(st.integers(1, 4))
    value, channel, process = (draw(st.sampled_from(each)).format(n=n) for each in (VALUES, PARTNERS, PARTNERS))
    lines = [
        f"{draw(st.sampled_from(('a -> b', 'b -> a', 'a -> a', '-> b')))} {{ "
        + (f"guard {draw(st.sampled_from(GUARDS))}; " if draw(st.booleans()) else "")
        + (f"sync {draw(st.sampled_from(SYNCS))}; " if draw(st.booleans()) else "")
        + (f"effect {draw(st.sampled_from(EFFECTS))}; " if draw(st.booleans()) else "")
        + "}"
        for _ in range(draw(st.integers(1, 4)))
    ]
    lines[0] = lines[0].replace("-> b {", "a -> b {") if lines[0].startswith("->") else lines[0]
    asserted = draw(st.sampled_from(GUARDS))
    body = (
        "byte x = {k}, own[2] = {1, {k}}; state a, b; init a; assert b: "
        + asserted
        + "; trans "
        + ", ".join(lines)
        + "; }\n"
    )

    def given_names(text: str, k: str, c: str, p: str) -> str:
        return text.replace("{k}", k).replace("{c}", c).replace("{p}", p)

    short = (
        f"enum {{ first = {FIRST}, second = {SECOND} }}; channel {{byte}} c[{n}][2];\n"
        f"template T(byte value, channel line, process other) {{ {given_names(body, 'value', 'line', 'other')}"
        f"process P[{n}] = T({value}, c[{channel}], P[{process}]);\nsystem async;"
    )
    out = [f"const byte first = {FIRST}, second = {SECOND};"]
    out += [f"channel {{byte}} c_{k}[2];" for k in range(n)]
    for i in range(n):
        known = {"i": i, "first": FIRST, "second": SECOND}
        number = SECOND if "?" in value and i == 0 else FIRST if "?" in value else eval(value, dict(known))
        line, other = (f"{name}_{eval(text, dict(known))}" for name, text in (("c", channel), ("P", process)))
        out.append(f"process P_{i} {{ const byte value = {number}; {given_names(body, str(number), line, other)}")
    return short, "\n".join((*out, "system async;"))


@given(texts=pairs_of_texts())
@settings(max_examples=150)
def test_a_template_means_what_it_means_written_out(texts: tuple[str, str]) -> None:
    short, out = texts
    assert read(short) == read(out)


@given(texts=pairs_of_texts())
@settings(max_examples=50)
def test_what_is_made_from_a_template_comes_back_from_plain_text(texts: tuple[str, str]) -> None:
    system = read(texts[0])
    assert read(dve_text(system)) == system


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_random_systems_come_back_from_plain_text(seed: int) -> None:
    random = Random(seed)
    drafts = (drawn(random)[1] for _ in range(4))
    for draft in drafts:
        if draft.dve:
            system = read(drafted(draft))
            assert read(dve_text(system)) == system
