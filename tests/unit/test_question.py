"""Which states a question makes error states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from symdmc.errors import ModelError
from symdmc.model.expressions import FALSE, At, Binary, Expr, Literal, Ref, disjunction
from symdmc.model.question import Asked, ErrorCondition, ask, read_properties
from symdmc.model.system import ASSERTION_PROPERTY, BYTE, Location, Process, Property, System, Variable

X_IS_3 = Binary("==", Ref("x"), Literal(3))
X_IS_4 = Binary("==", Ref("x"), Literal(4))
AT_END = At("P", "end")
BARE = System(
    name="sample",
    processes=(Process(name="P", initial=("end",), locations=(Location(name="end"),), edges=()),),
    variables=(Variable(name="x", type=BYTE), Variable(name="P->y", type=BYTE)),
)


def with_properties(**errors: Expr) -> System:
    return replace(BARE, properties=tuple(Property(name=name, error=error) for name, error in errors.items()))


def complaints(system: System = BARE, **question: object) -> list[str]:
    with pytest.raises(ModelError) as caught:
        ask(system, **question)  # type: ignore[arg-type]  # any question at all
    return [str(complaint) for complaint in caught.value.complaints]


def write(folder: Path, text: str) -> Path:
    path = folder / "wanted.txt"
    path.write_text(text)
    return path


def test_an_error_expression_is_called_by_its_text() -> None:
    assert ask(BARE, error=" x==3 ") == ErrorCondition(name="x==3", expression=X_IS_3)


def test_several_errors_hold_when_any_holds() -> None:
    asked = ask(BARE, error=["x == 3", AT_END])
    assert asked == ErrorCondition(name="x == 3 or P.end", expression=Binary("or", X_IS_3, AT_END))


def test_all_kinds_of_questions_combine() -> None:
    system = with_properties(wanted=AT_END, assert_=FALSE, **{ASSERTION_PROPERTY: X_IS_4})
    asked = ask(system, error="x == 3", property="wanted", assertions=True, deadlock=True, fault=True)
    assert asked.name == "x == 3 or wanted or assert or deadlock or fault"
    assert asked.expression == disjunction(X_IS_3, AT_END, X_IS_4)
    assert asked.deadlock
    assert asked.fault


@pytest.mark.parametrize("error", ["fault", " fault ", ["fault"]])
def test_the_word_fault_asks_for_faults(error: Asked | list[Asked]) -> None:
    assert ask(BARE, error=error) == ErrorCondition(name="fault", fault=True)


def test_a_variable_called_fault_is_no_question_for_faults() -> None:
    system = replace(BARE, variables=(Variable(name="fault", type=BYTE),))
    assert ask(system, error="fault") == ErrorCondition(name="fault", expression=Ref("fault"))


def test_deadlock_alone_has_no_expression() -> None:
    assert ask(BARE, deadlock=True) == ErrorCondition(name="deadlock", deadlock=True)


def test_without_a_question_assertions_come_first() -> None:
    system = with_properties(other=X_IS_3, **{ASSERTION_PROPERTY: X_IS_4})
    assert ask(system) == ErrorCondition(name=ASSERTION_PROPERTY, expression=X_IS_4)


def test_without_a_question_the_only_property_is_meant() -> None:
    assert ask(with_properties(wanted=AT_END)) == ErrorCondition(name="wanted", expression=AT_END)


def test_without_a_question_several_properties_are_listed() -> None:
    assert complaints(with_properties(b=X_IS_3, a=AT_END, c=FALSE)) == [
        "model sample: nothing is asked and there are 3 properties: a, b and c; "
        "choose one with property='...', or use error='...' or deadlock=True"
    ]


def test_without_a_question_and_properties_the_options_are_named() -> None:
    assert complaints() == [
        "model sample: nothing is asked and the model has no property; ask with error='...' or deadlock=True"
    ]


def test_an_unknown_property_gets_the_nearest_name() -> None:
    assert complaints(with_properties(wanted=AT_END), property="wantd") == [
        "model sample: there is no property 'wantd'; did you mean 'wanted'?"
    ]
    assert complaints(property="wanted") == ["model sample: there is no property 'wanted'; ask with error='...'"]


def test_assertions_of_a_model_without_any_are_refused() -> None:
    assert complaints(assertions=True) == [
        "model sample: the model has no assertions; ask with error='...' or deadlock=True"
    ]


def test_all_faults_of_a_question_are_reported() -> None:
    found = complaints(error=["xx == 1", "x == ", At("P", "nowhere")], property="none", assertions=True)
    assert len(found) == 5
    assert found[:3] == [
        "<error>:1:1: unknown name 'xx'; did you mean 'x'?",
        "<error>:1:5: the text ends too early; expected a value",
        "<error>:1:3: process 'P' has no location 'nowhere'; known: end, y",
    ]


def test_a_file_adds_named_properties(tmp_path: Path) -> None:
    path = write(tmp_path, "# conditions\n\nfirst; x == 3  # three\n second ;P.end\n")
    assert ask(BARE, properties_file=path, property="second") == ErrorCondition(name="second", expression=AT_END)
    assert read_properties(path, BARE)["first"].error == X_IS_3


def test_the_only_property_of_a_file_is_meant_without_a_choice(tmp_path: Path) -> None:
    path = write(tmp_path, "first; x == 3\n")
    system = with_properties(wanted=AT_END, **{ASSERTION_PROPERTY: X_IS_4})
    assert ask(system, properties_file=path).name == "first"
    assert ask(system, properties_file=path, property="wanted").name == "wanted"


def test_a_property_of_the_file_hides_that_of_the_model(tmp_path: Path) -> None:
    path = write(tmp_path, "wanted; x == 3\n")
    assert ask(with_properties(wanted=AT_END), properties_file=path, property="wanted").expression == X_IS_3


def test_all_faults_of_a_file_are_reported_with_their_places(tmp_path: Path) -> None:
    path = write(tmp_path, "first; x == z\nsecond\n; x == 1\nfirst; x == 1\nthird;   x == 3 4\nfourth; \n")
    assert complaints(properties_file=path) == [
        f"{path}:1:13: unknown name 'z'; known: x",
        f"{path}:2:1: this line is not a property; write 'name; expression'",
        f"{path}:3:1: this line is not a property; write 'name; expression'",
        f"{path}:4:1: property 'first' is given twice; rename one of them",
        f"{path}:5:17: unexpected '4'; expected an operator or the end",
        f"{path}:6:1: this line is not a property; write 'name; expression'",
    ]


def test_a_file_without_properties_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "# nothing yet\n")
    assert complaints(properties_file=path) == [f"{path}: has no property; write lines 'name; expression'"]


@pytest.mark.parametrize(
    ("content", "fault"), [(None, "cannot be read: No such file"), (b"", "is empty"), (b"a\0b", "is not a text file")]
)
def test_an_unreadable_file_gets_one_line(tmp_path: Path, content: bytes | None, fault: str) -> None:
    path = tmp_path / "wanted.txt"
    if content is not None:
        path.write_bytes(content)
    (found,) = complaints(properties_file=path)
    assert found.startswith(f"{path}: {fault}")


def test_very_many_errors_can_be_asked_at_once() -> None:
    asked = ask(BARE, error=[f"x == {value}" for value in range(1000)])
    assert str(asked.expression).count("==") == 1000
