"""Models described for people."""

from __future__ import annotations

import numpy as np
import pytest

from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.report.description.document import bits, interaction_picture, runs, show_document
from symdmc.task import Task, compile_task
from symdmc.task.values.domains import Domain


def task() -> Task:
    m = Builder("pair")
    m.integer("x", 0, 9)
    m.integer("alone", 0, 9)
    m.buffered("mail", capacity=2, values=1)
    p = m.process("P", initial="s")
    p.edge("s", "t", sync="mail!3", do="x = 4")
    p.edge("t", "never", guard="x == 9")
    q = m.process("Q", initial="s")
    q.edge("s", "s", sync="mail?x")
    m.property("four", "x == 4")
    return compile_task(m.build(), ErrorCondition(name="none"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3], [(3, 3)]), ([0, 1, 2], [(0, 2)]), ([-1, 0, 4, 6, 7], [(-1, 0), (4, 4), (6, 7)])],
)
def test_a_set_is_written_as_runs(values: list[int], expected: list[tuple[int, int]]) -> None:
    assert runs(Domain.of(np.array(values, dtype=np.int64))) == expected


@pytest.mark.parametrize(("count", "expected"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8)])
def test_bits_are_as_many_as_the_values_need(count: int, expected: int) -> None:
    assert bits(Domain(0, count - 1)) == expected


def test_transitions_that_never_run_are_marked() -> None:
    transitions = show_document("pair", task())["transitions"]
    assert isinstance(transitions, list)
    assert [entry["moves"] for entry in transitions if not entry["possible"]] == [["P: t -> never"]]


def test_locations_that_cannot_be_reached_are_left_out_of_the_values() -> None:
    variables = show_document("pair", task())["variables"]
    assert isinstance(variables, list)
    assert {entry["name"]: entry["values"] for entry in variables}["P"] == "s, t"


def test_buffers_have_their_capacity() -> None:
    assert show_document("pair", task())["channels"] == [
        {"name": "mail", "kind": "buffered", "passes": ["any integer"], "capacity": 2}
    ]


def test_the_picture_links_variables_and_marks_what_is_asked() -> None:
    picture = interaction_picture(task())
    names = [node.name for node in picture.nodes]
    assert [node.name for node in picture.nodes if node.asked] == ["x"]
    linked = {names[number] for link in picture.links for number in (link.one, link.other)}
    assert linked == set(names) - {"alone"}
    assert all(link.one < link.other for link in picture.links)
