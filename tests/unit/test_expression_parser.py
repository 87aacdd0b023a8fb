"""What texts mean, and what is said about texts that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from symdmc.errors import Complaint, ModelError, SourceSpan
from symdmc.model.expressions import FALSE, MOST_LEVELS, TRUE, At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary
from symdmc.model.parsing import syntax
from symdmc.model.parsing.parser import parse_assignments, parse_expression, parse_synchronisation
from symdmc.model.parsing.syntax import GRAMMARS, build_grammar
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.system import (
    BYTE,
    Assignment,
    Channel,
    ChannelKind,
    Direction,
    Location,
    Process,
    Synchronisation,
    System,
    Variable,
)
from symdmc.user_cache import cache_folder

SYSTEM = System(
    name="sample",
    processes=(
        Process(name="P", initial=("idle",), locations=(Location(name="idle"), Location(name="critical")), edges=()),
        Process(name="Q", initial=("wait",), locations=(Location(name="wait"),), edges=()),
    ),
    variables=(
        Variable(name="x", type=BYTE),
        Variable(name="y", type=BYTE),
        Variable(name="cells", type=BYTE, size=3, initial=((0,),) * 3),
        Variable(name="N", type=BYTE, initial=((7,),), constant=True),
        Variable(name="P->x", type=BYTE),
        Variable(name="P->counter", type=BYTE),
        Variable(name="P->own", type=BYTE, size=2, initial=((0,),) * 2),
        Variable(name="Q->wait", type=BYTE),
    ),
    channels=(
        Channel(name="plain"),
        Channel(name="pair", types=(BYTE, BYTE)),
        Channel(name="queue", kind=ChannelKind.BUFFERED, types=(BYTE,), capacity=2),
        Channel(name="label", kind=ChannelKind.LOCKSTEP),
    ),
)
SCOPE = Scope.of(SYSTEM)
X, Y = Ref("x"), Ref("y")


def read(text: str, process: str | None = None) -> Expr:
    return parse_expression(text, SCOPE.within(process))


def complaints(text: str, process: str | None = None) -> list[str]:
    with pytest.raises(ModelError) as caught:
        read(text, process)
    return [str(complaint) for complaint in caught.value.complaints]


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("1 + 2 * 3 - 4", "(1 + (2 * 3)) - 4"),
        ("x - 1 - 2", "(x - 1) - 2"),
        ("x | y ^ 1 & 2", "x | (y ^ (1 & 2))"),
        ("x & 1 == 0", "x & (1 == 0)"),
        ("x == y < 1", "x == (y < 1)"),
        ("x << 1 + 2 >> 3", "(x << (1 + 2)) >> 3"),
        ("x or y and 1", "x or (y and 1)"),
        ("x and y or 1", "(x and y) or 1"),
        ("x or y imply 1 or 2", "(x or y) imply (1 or 2)"),
        ("1 imply 0 imply 0", "(1 imply 0) imply 0"),
        ("not x == y", "(not x) == y"),
        ("-x * y", "(-x) * y"),
        ("x ? 1 : y ? 2 : 3", "x ? 1 : (y ? 2 : 3)"),
        ("x or y ? 1 : 2 + 3", "(x or y) ? 1 : (2 + 3)"),
    ],
)
def test_operators_group_as_in_c(text: str, grouped: str) -> None:
    assert read(text) == read(grouped)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x && y", Binary("and", X, Y)),
        ("x || y", Binary("or", X, Y)),
        ("!x", Unary("not", X)),
        ("~x", Unary("~", X)),
        ("true", TRUE),
        ("false", FALSE),
        ("-3", Literal(-3)),
        ("-(3)", Unary("-", Literal(3))),
        ("- -3", Unary("-", Literal(-3))),
        ("x--3", Binary("-", X, Literal(-3))),
        ("-2147483648", Literal(-(2**31))),
        ("007", Literal(7)),
        ("N", Literal(7)),
        ("-N", Unary("-", Literal(7))),
        ("P.critical", At("P", "critical")),
        ("P->counter", Ref("P->counter")),
        ("P.counter", Ref("P->counter")),
        ("P->own[x]", Cell("P->own", X)),
        ("P.own[0]", Cell("P->own", Literal(0))),
        ("Q.wait", At("Q", "wait")),
        ("Q->wait", Ref("Q->wait")),
        ("cells[cells[1]]", Cell("cells", Cell("cells", Literal(1)))),
        ("queue->length", Ref("queue->length")),
        ("queue->item[0]", Cell("queue->item", Literal(0))),
        ("x ? y : 1", Conditional(X, Y, Literal(1))),
        ("x // the first\n + /* and\n the second */ y", Binary("+", X, Y)),
    ],
)
def test_a_text_means_an_expression(text: str, meaning: Expr) -> None:
    assert read(text) == meaning


def test_own_names_hide_shared_ones() -> None:
    assert read("x", "P") == Ref("P->x")
    assert read("x", "Q") == Ref("x")
    assert read("y", "P") == Ref("y")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("xx", "<expression>:1:1: unknown name 'xx'; did you mean 'x'?"),
        ("n", "<expression>:1:1: unknown name 'n'; did you mean 'N'?"),
        ("zzz", "<expression>:1:1: unknown name 'zzz'; known: N, cells, x, y"),
        ("counter", "<expression>:1:1: unknown name 'counter'; did you mean 'P->counter'?"),
        ("1 + cells", "<expression>:1:5: 'cells' is an array; choose a cell, as in cells[0]"),
        ("x[0]", "<expression>:1:1: 'x' is not an array; remove the index"),
        ("plain", "<expression>:1:1: 'plain' is a channel, not a variable; name a variable"),
        ("queue", "<expression>:1:1: 'queue' is a channel, not a variable; queue->length is the number of its items"),
        ("P", "<expression>:1:1: 'P' is a process, not a variable; name a location, as in P.LOCATION"),
        ("P.critcal", "<expression>:1:3: process 'P' has no location 'critcal'; did you mean 'critical'?"),
        ("P->countr", "<expression>:1:4: process 'P' has no variable 'countr'; did you mean 'counter'?"),
        ("P->idle", "<expression>:1:4: 'idle' is a location of P, not a variable; write P.idle"),
        ("R.idle", "<expression>:1:1: unknown process 'R'; known: P, Q, label, pair, plain, queue"),
        (
            "plain->length",
            "<expression>:1:8: channel 'plain' has no 'length'; only buffered channels can be looked into",
        ),
        ("queue->items[0]", "<expression>:1:8: channel 'queue' has no 'items'; did you mean 'item'?"),
        ("2147483648", "<expression>:1:1: this number does not fit into 32 bits; use at most 2147483647"),
        ("9" * 5000, "<expression>:1:1: this number does not fit into 32 bits; use at most 2147483647"),
    ],
)
def test_a_wrong_name_gets_place_fault_and_remedy(text: str, complaint: str) -> None:
    assert complaints(text) == [complaint]


def test_a_location_without_its_process_is_explained() -> None:
    assert complaints("idle", "P") == ["<expression>:1:1: 'idle' is a location, not a variable; write P.idle"]


def test_all_wrong_names_are_reported() -> None:
    assert len(complaints("foo + cells * P.nowhere - (bar ? 1 : x[2])")) == 5


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "<expression>:1:1: the text ends too early; expected a value"),
        ("x +", "<expression>:1:4: the text ends too early; expected a value"),
        ("(x", "<expression>:1:3: the text ends too early; expected ')'"),
        ("x = 1", "<expression>:1:3: unexpected '='; '==' compares"),
        ("x y", "<expression>:1:3: unexpected 'y'; expected an operator or the end"),
        ("x andx", "<expression>:1:3: unexpected 'andx'; did you mean 'and'?"),
        ("x\n+ @", "<expression>:2:3: unexpected '@'; expected a value"),
        ("P.", "<expression>:1:3: the text ends too early; expected a name"),
        ("x == 3, y", "<expression>:1:7: unexpected ','; expected the end"),
        ("x /* y", "<expression>:1:3: this comment is never closed; end it with '*/'"),
        ("x ? 1", "<expression>:1:6: the text ends too early; expected ':'"),
    ],
)
def test_a_syntax_error_says_what_was_expected(text: str, complaint: str) -> None:
    assert complaints(text) == [complaint]


def test_complaints_know_where_the_text_stands_in_its_file() -> None:
    with pytest.raises(ModelError) as caught:
        parse_expression("x +\n  foo", SCOPE, file="some.json", line=4, column=10)
    assert caught.value.complaints[0].where == SourceSpan("some.json", 5, 3)
    with pytest.raises(ModelError) as caught:
        parse_expression("foo", SCOPE, file="some.json", line=4, column=10)
    assert caught.value.complaints[0].where == SourceSpan("some.json", 4, 10)


@pytest.mark.parametrize(
    "text",
    ["(" * 5000 + "x" + ")" * 5000, "not " * 5000 + "x", "x - " * 5000 + "x", "cells[" * 5000 + "0" + "]" * 5000],
)
def test_deep_nesting_is_refused_with_a_complaint(text: str) -> None:
    (found,) = complaints(text)
    assert f"more than {MOST_LEVELS} levels" in found


DEEP = {
    **{sign: (f"{sign} ", "x") for sign in ("not", "-", "~", "!")},
    **{sign: (f"x {sign} ", "x") for sign in ("-", "/", "%", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "imply")},
    "cells": ("cells[N - 7] - ", "x"),
    "choice": ("x ? 1 : ", "x"),
    "number": ("-", "1"),
}


@pytest.mark.parametrize("repeated", DEEP.values(), ids=str)
def test_a_long_text_is_not_parsed_to_find_that_it_is_too_deep(
    monkeypatch: pytest.MonkeyPatch, repeated: tuple[str, str]
) -> None:
    one, last = repeated
    for beginning in ("x + ", "y * (", "x == y and ", "-"):
        for number in range(MOST_LEVELS - 6, MOST_LEVELS + 6):  # what is refused unparsed would be refused anyway
            text = beginning + number * one + last + beginning.count("(") * ")"
            if syntax._too_many_levels(text) is not None:
                assert f"more than {MOST_LEVELS} levels" in complaints(text)[0]
    monkeypatch.setattr(syntax, "_grammar", object)  # which parses nothing
    (found,) = complaints(20_000 * one + last)
    assert f":1:1: this expression has more than {MOST_LEVELS} levels" in found


@pytest.mark.parametrize(
    "text",
    [
        "x // " + "-" * 30_000,
        "/* " + "x - " * 30_000 + "*/ x",
        "x " + "+ x - y" * 9_000 + " == 1",
        "imply_x" + " == 1 and imply_x" * 2_000,
    ],
)
def test_long_texts_that_are_not_deep_are_not_taken_for_deep_ones(text: str) -> None:
    assert syntax._too_many_levels(text) is None


def test_deep_nesting_in_a_target_is_refused_with_a_complaint() -> None:
    with pytest.raises(ModelError, match="levels"):
        parse_assignments("cells[" * 5000 + "0" + "]" * 5000 + " = 1", SCOPE)


def test_a_chain_of_the_deepest_level_is_read() -> None:
    assert str(read(" - ".join(["x"] * MOST_LEVELS))).count("x") == MOST_LEVELS


def test_assignments_are_read_in_order() -> None:
    assert parse_assignments("x = y + 1, cells[x] = 2, P->x = 3", SCOPE) == (
        Assignment(X, Binary("+", Y, Literal(1))),
        Assignment(Cell("cells", X), Literal(2)),
        Assignment(Ref("P->x"), Literal(3)),
    )
    assert parse_assignments("x = 1", SCOPE.within("P")) == (Assignment(Ref("P->x"), Literal(1)),)
    assert parse_assignments("  ", SCOPE) == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("N = 1", "<assignments>:1:1: 'N' is a constant and cannot be changed; declare it without 'const'"),
        ("x = 1, cells = 2", "<assignments>:1:8: 'cells' is an array; choose a cell, as in cells[0]"),
        ("P.idle = 1", "<assignments>:1:3: a location cannot be assigned; take an edge to it"),
        ("z = 1", "<assignments>:1:1: unknown name 'z'; known: N, cells, x, y"),
        ("x == 1", "<assignments>:1:3: unexpected '=='; expected '='"),
        ("x = 1;", "<assignments>:1:6: unexpected ';'; expected an operator, ',' or the end"),
    ],
)
def test_a_wrong_assignment_gets_place_fault_and_remedy(text: str, complaint: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_assignments(text, SCOPE)
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("plain!", Synchronisation(channel="plain", direction=Direction.SEND)),
        ("plain ?", Synchronisation(channel="plain", direction=Direction.RECEIVE)),
        ("label", Synchronisation(channel="label", direction=Direction.JOIN)),
        ("queue!!x", Synchronisation(channel="queue", direction=Direction.SEND, values=(Unary("not", X),))),
        ("queue!{y}", Synchronisation(channel="queue", direction=Direction.SEND, values=(Y,))),
        ("queue!x ? 1 : 2", Synchronisation(channel="queue", direction=Direction.SEND, values=(read("x ? 1 : 2"),))),
        ("pair!{x, y + 1}", Synchronisation(channel="pair", direction=Direction.SEND, values=(X, read("y + 1")))),
        (
            "pair?{x, cells[0]}",
            Synchronisation(channel="pair", direction=Direction.RECEIVE, targets=(X, Cell("cells", FALSE))),
        ),
    ],
)
def test_a_text_means_a_synchronisation(text: str, meaning: Synchronisation) -> None:
    assert parse_synchronisation(text, SCOPE) == meaning


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("plan!", "<synchronisation>:1:1: unknown channel 'plan'; did you mean 'plain'?"),
        ("pair!x", "<synchronisation>:1:1: channel 'pair' passes 2 values, not 1; use it with 2 values"),
        ("queue?", "<synchronisation>:1:1: channel 'queue' passes 1 value, not 0; use it with 1 value"),
        ("queue?N", "<synchronisation>:1:7: 'N' is a constant and cannot be changed; declare it without 'const'"),
        ("queue?1", "<synchronisation>:1:7: unexpected '1'; expected a name, '{' or the end"),
    ],
)
def test_a_wrong_synchronisation_gets_place_fault_and_remedy(text: str, complaint: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_synchronisation(text, SCOPE)
    assert str(caught.value) == complaint


def test_a_channel_with_an_open_number_of_values_takes_any() -> None:
    scope = Scope(variables=SCOPE.variables, channels={"c": None})
    assert len(parse_synchronisation("c!{x, y, 1}", scope).values) == 3


def test_a_scope_can_be_built_from_declarations() -> None:
    scope = Scope.declaring(variables=SYSTEM.variables, locations=SCOPE.locations, channels=SYSTEM.channels)
    assert scope == SCOPE
    assert parse_expression("queue->length + P.own[0]", scope) == read("queue->length + P.own[0]")


def test_complaints_are_values() -> None:
    with pytest.raises(ModelError) as caught:
        read("foo + cells")
    where = [complaint.where for complaint in caught.value.complaints]
    assert where == [SourceSpan("<expression>", 1, 1), SourceSpan("<expression>", 1, 7)]
    assert all(isinstance(complaint, Complaint) for complaint in caught.value.complaints)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 % -2", 1),
        ("1 << 33", 2),
        ("-1 >> 1", -1),
        ("2147483647 + 1", -(2**31)),
        ("x & 1 == 0", 0),
        ("0 and 1 / 0", 0),
        ("1 or 1 / 0", 1),
        ("0 imply 1 / 0", 1),
        ("1 ? 2 : 1 / 0", 2),
        ("P.idle + P.critical", 1),
    ],
)
def test_an_expression_has_the_value_the_documentation_gives(text: str, value: int) -> None:
    semantics = Semantics(SYSTEM)
    (state,) = semantics.initial_states()
    assert semantics.evaluate(read(text), state) == value


def test_damaged_parser_tables_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDMC_CACHE", str(tmp_path))
    grammar = GRAMMARS / "expressions.lark"
    build_grammar(grammar, "expression")
    (kept,) = tmp_path.rglob("*.tables")
    good = kept.read_bytes()
    kept.write_bytes(good[: len(good) // 2])
    assert build_grammar(grammar, "expression").parse("x + 1").data == "operators"
    assert kept.stat().st_size > len(good) // 2


def test_a_cache_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMDMC_CACHE", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert cache_folder("grammars") == tmp_path / "symdmc" / "grammars"
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    assert cache_folder("grammars") is None
