"""`deadlock` and `fault` in the expression of a question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symdmc
from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.error_states import is_error_state
from symdmc.model.expressions import FALSE, TRUE, Binary, Conditional, Expr, Literal, Ref, Unary
from symdmc.model.files.condition_format import condition_from_json, condition_to_json
from symdmc.model.files.json_format import system_from_json, system_to_json
from symdmc.model.files.json_reading import JsonDocument, JsonNode
from symdmc.model.question import ErrorCondition, ask, condition_of
from symdmc.model.question_words import misplaced_word
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.simulation import Simulation
from symdmc.model.state import State
from symdmc.model.system import System
from symdmc.reader.dve import read_dve


def _system(**named: str) -> System:
    """A and B both end at `done`, or B in `lost`; x counts the moves of B."""
    m = Builder("ends")
    m.integer("x", 0, 2)
    m.process("A", initial="work").edge("work", "done")
    b = m.process("B", initial="work")
    b.edge("work", "done", do="x = 1")
    b.edge("work", "lost", do="x = 2")
    for name, error in named.items():
        m.property(name, error)
    return m.build()


SYSTEM = _system()
NOT_DONE = "not (A.done and B.done)"


@pytest.mark.parametrize(
    ("text", "expression", "deadlock", "where", "fault"),
    [
        ("deadlock", "0", True, "1", False),
        ("fault", "0", False, "1", True),
        (f"deadlock and {NOT_DONE}", "0", True, NOT_DONE, False),
        (f"{NOT_DONE} and deadlock", "0", True, NOT_DONE, False),
        ("x == 1 or deadlock", "x == 1", True, "1", False),
        ("deadlock and x == 2 or x == 1 or fault", "x == 1", True, "x == 2 or x == 1", True),
        ("x == 1 imply deadlock", "not (x == 1)", True, "1", False),
        ("not not deadlock", "0", True, "1", False),
        ("x == 1 ? deadlock : x == 2", "x == 1 ? 0 : x == 2", True, "x == 1 ? 1 : x == 2", False),
        ("4 / x == 2 and deadlock", "4 / x == 2 and 0", True, "4 / x == 2", False),
    ],
)
def test_a_question_is_taken_apart(text: str, expression: str, deadlock: bool, where: str, fault: bool) -> None:
    found = ask(SYSTEM, error=text)
    assert (str(found.expression), str(found.deadlock_where)) == (expression, where)
    assert (found.deadlock, found.fault) == (deadlock, fault)


@pytest.mark.parametrize(
    "text", ["not deadlock", "deadlock == 1", "deadlock imply x == 1", "deadlock + x", "deadlock ? x : 1", "-deadlock"]
)
def test_a_negated_deadlock_is_refused(text: str) -> None:
    with pytest.raises(ModelError, match="'deadlock' is negated or compared; join it to other conditions with 'and'"):
        ask(SYSTEM, error=text)
    with pytest.raises(ModelError, match="property 'p': 'deadlock' is negated or compared"):
        _system(p=text)


@pytest.mark.parametrize("text", ["fault and x == 1", "not fault", "x == 1 and (fault or x == 2)"])
def test_a_fault_that_is_no_alternative_is_refused(text: str) -> None:
    with pytest.raises(ModelError, match="'fault' is only joined to other conditions by 'or'; ask for it alone"):
        ask(SYSTEM, error=text)


def test_a_variable_of_that_name_has_precedence() -> None:
    m = Builder("named")
    m.boolean("deadlock")
    m.process("P", initial="p")
    found = ask(m.build(), error="not deadlock")
    assert (str(found.expression), found.deadlock) == ("not deadlock", False)


conditions: st.SearchStrategy[Expr] = st.recursive(
    st.sampled_from(
        (Ref("deadlock"), Binary("==", Ref("x"), Literal(1)), Binary(">", Ref("x"), Literal(0)), TRUE, FALSE)
    ),
    lambda part: st.one_of(
        st.builds(Binary, st.sampled_from(("and", "or", "imply")), part, part),
        st.builds(Unary, st.just("not"), part),
        st.builds(Conditional, part, part, part),
    ),
    max_leaves=8,
)


def _means(expression: Expr, stuck: int, state: State) -> int:
    """The value of the expression, with the word read as it is."""
    match expression:
        case Ref("deadlock"):
            return stuck
        case Unary(_, operand):
            return int(not _means(operand, stuck, state))
        case Binary("and" | "or" | "imply" as operator, left, right):
            one, other = _means(left, stuck, state), _means(right, stuck, state)
            return int(bool({"and": one and other, "or": one or other, "imply": not one or other}[operator]))
        case Conditional(condition, then, otherwise):
            return _means(then if _means(condition, stuck, state) else otherwise, stuck, state)
        case _:
            return Semantics(SYSTEM).evaluate(expression, state)


@settings(deadline=None)
@given(conditions)
def test_the_parts_mean_what_the_question_says(expression: Expr) -> None:
    if misplaced_word(expression, {"deadlock"}) is not None:
        return
    error, semantics = condition_of("q", expression, SYSTEM), Semantics(SYSTEM)
    for at in ("work", "done"):
        for value in (0, 1):
            state = State((at, "done"), ((value,),))
            stuck = int(not semantics.steps(state))
            assert is_error_state(semantics, state, error) == bool(_means(expression, stuck, state))


@pytest.mark.parametrize("way", [{}, {"engine": "symbolic"}, {"heuristic": "pdb:cegar"}, {"heuristic": "hL"}], ids=str)
def test_only_the_deadlocks_that_are_asked_for_are_errors(way: dict[str, str]) -> None:
    found = symdmc.check(SYSTEM, error=f"deadlock and {NOT_DONE}", **way)  # type: ignore[arg-type]
    assert found.length == 2
    assert found.trace is not None
    assert found.trace.final.locations == ("done", "lost")
    safe = symdmc.check(SYSTEM, error="deadlock and x == 0", certify=True, **way)  # type: ignore[arg-type]
    assert safe.verdict is symdmc.Verdict.SAFE
    assert safe.certificate is not None


def test_conditions_are_written_and_read() -> None:
    error = ask(SYSTEM, error=f"deadlock and {NOT_DONE}")
    written = condition_to_json(error)
    assert written["deadlock_where"] == NOT_DONE
    assert condition_from_json(JsonNode(written, JsonDocument("m")), error.name, Scope.of(SYSTEM)) == error
    plain = ErrorCondition(name="deadlock", deadlock=True)
    assert condition_to_json(plain) == {"expression": "0", "deadlock": True, "fault": False}


def test_a_property_of_a_model_may_speak_of_deadlocks(tmp_path: Path) -> None:
    system = _system(stuck=f"deadlock and {NOT_DONE}")
    where = ask(SYSTEM, error=NOT_DONE).expression
    assert ask(system) == ErrorCondition(name="stuck", deadlock=True, deadlock_where=where)
    assert system_from_json(system_to_json(system), "m.json") == system
    walk = Simulation(system)
    for at, value, errors in (("lost", 2, ["stuck"]), ("done", 1, [])):
        walk.start(State(("done", at), ((value,),)))
        assert walk.errors() == errors
    (tmp_path / "file").write_text("stuck; deadlock and x == 2\n", encoding="utf-8")
    assert symdmc.check(SYSTEM, properties_file=tmp_path / "file").length == 2


def _with_ends(*places: str) -> System:
    processes = (
        replace(each, locations=tuple(replace(place, valid_end=place.name in places) for place in each.locations))
        for each in SYSTEM.processes
    )
    return replace(SYSTEM, processes=tuple(processes))


@pytest.mark.parametrize(
    ("places", "where"),
    [
        (("done",), NOT_DONE),
        (("done", "lost"), "not (A.done and (B.done or B.lost))"),
        (("lost",), "1"),
        ((), "1"),
    ],
)
def test_a_deadlock_at_valid_ends_is_none(places: tuple[str, ...], where: str) -> None:
    system = _with_ends(*places)
    found = ask(system, deadlock=True)
    assert (found.deadlock, str(found.deadlock_where)) == (True, where)
    assert ask(system, error="deadlock") == found
    both = "x == 2" if where == "1" else f"{where} and x == 2"
    assert str(ask(system, error="deadlock and x == 2").deadlock_where) == both
    assert system_from_json(system_to_json(system), "m.json") == system
    assert ("valid end location done" in str(system)) == ("done" in places)


def test_valid_ends_are_read_from_dve_models_and_from_python() -> None:
    text = "process P { state work, end; init work; end end; trans work -> end {}; } system async;"
    system = read_dve(text, name="m", file="m.dve")
    assert [place.valid_end for place in system.processes[0].locations] == [False, True]
    assert symdmc.check(system, deadlock=True).verdict is symdmc.Verdict.SAFE
    m = Builder("m")
    p = m.process("P", initial="work")
    p.location("done", valid_end=True)
    p.edge("work", "done")
    assert symdmc.check(m.build(), deadlock=True, certify=True).certificate is not None
    with pytest.raises(ModelError, match="process 'P' has no location 'ende'"):
        read_dve(text.replace("end end", "end ende"), name="m", file="m.dve")
