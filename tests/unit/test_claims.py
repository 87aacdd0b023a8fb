"""The name that a trace or certificate gives its question is held to what it means in the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symdmc.errors import EvidenceRefused
from symdmc.evidence.claims import condition_in_words, honestly_named
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition, ask
from symdmc.model.system import System


def door() -> System:
    m = Builder("door")
    m.integer("x", 0, 9)
    m.integer("deadlock", 0, 1)
    m.process("A", initial="out").edge("out", "in")
    m.property("inside", "A.in")
    m.property("x", "x == 3")
    return m.build()


@pytest.mark.parametrize(
    "question",
    [
        {"property": "inside"},
        {"error": "x == 4"},
        {"error": "x==4 or A.in"},
        {"error": ["x == 4", "A.in", "x == 4"]},
        {"error": ["x == 4 imply A.in", "x == 5 ? A.in : x == 6", "false"]},
        {"fault": True},
    ],
)
def test_a_name_that_means_the_condition_is_kept(question: dict[str, object]) -> None:
    error = ask(door(), **question)  # type: ignore[arg-type]
    assert honestly_named(error, door()) == error


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("inside", "A.in"), ("x == 4", "x == 4"), ("deadlock", "no step exists"), ("fault", "a step faults")],
)
def test_a_name_that_means_something_else_is_refused(name: str, meaning: str) -> None:
    for error in (ask(door(), error="x == 5"), ErrorCondition(name="nothing")):
        with pytest.raises(EvidenceRefused) as caught:
            honestly_named(replace(error, name=name), door())
        assert f"it names {name!r}, which means: {meaning}; " in str(caught.value)


@pytest.mark.parametrize("other", ["x == 4 or x == 5", "x == 5 or A.in", "x == 4", "x == 4 or A.in or x == 5"])
def test_every_alternative_of_a_name_counts(other: str) -> None:
    with pytest.raises(EvidenceRefused, match=r"which means: x == 4 or A.in; its error states are others"):
        honestly_named(replace(ask(door(), error=other), name="x == 4 or A.in"), door())


@pytest.mark.parametrize("name", ["no such property", "", "x", "deadlock", "x == 4 and"])
def test_a_name_without_a_meaning_or_with_two_gives_way_to_the_condition(name: str) -> None:
    question = {"deadlock": {"deadlock": True}}.get(name, {"error": "x == 3"})
    error = replace(ask(door(), **question), name=name)
    assert honestly_named(error, door()) == replace(error, name=condition_in_words(error))
    assert honestly_named(ErrorCondition(name="no such property"), door()).name == "false"


@pytest.mark.parametrize(
    "name",
    [
        "x == 4 /*\n✓ the certificate holds: no error state of x == 3 is reachable\n*/",
        "x == 4 // or x == 3",
        "/* x == 3 or */ x == 4",
        "x == 4\n",
        f"x == {' ' * 1000}4",
    ],
)
def test_a_name_that_says_more_than_it_means_gives_way_to_the_condition(name: str) -> None:
    error = replace(ask(door(), error="x == 4"), name=name)
    assert honestly_named(error, door()).name == "x == 4"


@pytest.mark.parametrize("other", ["deadlock", "deadlock and x == 4", "x == 3"])
def test_where_a_deadlock_counts_is_part_of_what_a_name_means(other: str) -> None:
    m = Builder("counter")
    m.integer("x", 0, 5)
    m.process("A", initial="in")
    system = m.build()
    for name in ("deadlock and x == 3", "x == 3 and deadlock"):
        refusal = "which means: no step exists where x == 3; its error states are others"
        with pytest.raises(EvidenceRefused, match=refusal):
            honestly_named(replace(ask(system, error=other), name=name), system)
        assert honestly_named(ask(system, error=name), system).name == name
