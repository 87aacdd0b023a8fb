"""Networks are split into parts of processes that interact, each with the variables it uses."""

from __future__ import annotations

import pytest

from symdmc.abstraction.predicates.sources import predicates_of_error, predicates_of_syntax
from symdmc.checking.checks import task_for
from symdmc.errors import ModelError
from symdmc.heuristics import HEURISTICS
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.reader.load import load
from symdmc.selection.pred_syntax import SyntaxPredicates
from symdmc.selection.predicates.split import covering, network_parts
from symdmc.task.task import Task


def chained() -> System:
    """A writes x, which B copies into y, which C reads; D is alone, and E and F only meet."""
    m = Builder("chained")
    for name in ("x", "y", "z"):
        m.integer(name, 0, 3)
    m.channel("meet")
    m.process("A", initial="a").edge("a", "b", do="x = 1")
    m.process("B", initial="a").edge("a", "b", do="y = x")
    m.process("C", initial="a").edge("a", "b", guard="y == 1")
    m.process("D", initial="a").edge("a", "b", do="z = 1")
    m.process("E", initial="a").edge("a", "b", sync="meet!")
    m.process("F", initial="a").edge("a", "b", sync="meet?")
    m.property("far", "C.b and E.b and D.b")
    return m.build()


def names(task: Task, most: int | None) -> list[tuple[str, ...]]:
    return [part.processes for part in network_parts(task, most)]


def test_processes_that_interact_through_a_chain_of_variables_are_put_together() -> None:
    assert names(task_for(chained()), 2) == [("A", "C"), ("D",), ("E", "F")]


def test_processes_that_do_not_interact_are_not_put_together() -> None:
    assert names(task_for(chained()), 6) == [("A", "B", "C"), ("D",), ("E", "F")]


def test_all_is_one_part_with_every_variable() -> None:
    task = task_for(chained())
    (part,) = network_parts(task, None)
    assert part.processes == ("A", "B", "C", "D", "E", "F")
    assert part.variables == frozenset(range(len(task.variables)))


def test_a_part_has_its_own_locations_and_the_variables_of_its_edges() -> None:
    task = task_for(chained())
    part = network_parts(task, 2)[0]
    assert {task.variables[number].name for number in part.variables} == {"A", "C", "x", "y"}


def test_a_part_that_the_error_condition_reads_nothing_of_is_left_out() -> None:
    task = task_for(chained(), error="D.b")
    assert names(task, 1) == [("D",)]


def test_a_process_that_only_lets_clocks_grow_is_in_no_part() -> None:
    task = task_for(load("fischer", n=2))
    assert names(task, 1) == [("P1",), ("P2",)]
    assert names(task, None) == [("P1", "P2")]


def test_what_the_error_condition_compares_is_in_one_part() -> None:
    task = task_for(chained(), error="x + z >= 2")
    (predicate,) = (each.predicate for each in predicates_of_error(task))
    parts = network_parts(task, 1)
    assert not any(part.own([predicate]) for part in parts)
    assert [len(part.own([predicate])) for part in covering(parts, [predicate])] == [1, 0, 0]


def test_a_predicate_over_processes_of_different_parts_is_left_out_with_a_reason() -> None:
    task = task_for(chained(), error="C.b")
    chosen = SyntaxPredicates(b="1").select(task)
    dropped = {reason.variable for reason in chosen.reasons if not reason.kept}
    assert {"A.b", "D.b"} <= dropped
    assert len(chosen.reasons) == len(predicates_of_syntax(task))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pred:syntax,b=0", "b=0"),
        ("pred:syntax,b=-1", "b=-1"),
        ("pred:refine,b=some", "b=some"),
        ("pred:refine,r=-1", "r=-1"),
        ("pred:refine,stop=now", "stop=now"),
        ("pred:syntax,depth=2", "depth"),
        ("pred:syntax,kind=boolean", "kind=boolean"),
        ("pred:guess", "guess"),
        ("pred", "it is not said which predicates"),
    ],
)
def test_a_wrong_spelling_is_one_line(text: str, told: str) -> None:
    with pytest.raises(ModelError, match=told) as refused:
        HEURISTICS.read(text)
    assert len(refused.value.complaints) == 1
    assert refused.value.complaints[0].remedy
