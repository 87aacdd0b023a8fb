"""A* with pattern databases on small real models; the larger ones are run by `python -m benchmarks.directed`."""

from __future__ import annotations

import csv

import pytest

import symdmc
from benchmarks.directed import KINDS, guidance, patterns, states_to_depth
from symdmc.checking.checks import check_task, task_of
from symdmc.checking.request import Question, check_request
from symdmc.task.task import Task
from tests.benchmarks_at_hand import BENCHMARKS, beem_model, requires_benchmarks

SMALL = ("bakery.2.prop1", "brp.2.prop1", "lup.1.prop1", "needham.1.prop2", "szymanski.2.prop1", "telephony.1.prop1")
SINGLE = [kind for kind in KINDS if kind.databases == 1]


def _rows() -> list[dict[str, str]]:
    path = BENCHMARKS / "beem" / "properties.csv"
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file, delimiter=";") if row["property"] in SMALL]


def _within(task: Task, depth: int) -> int:
    """How many states lie no deeper, by the reference semantics."""
    met = layer = set(task.semantics.initial_states())
    for _ in range(depth):
        layer = {step.successor for state in layer for step in task.semantics.steps(state)} - met
        met = met | layer
    return len(met)


@requires_benchmarks
@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["property"])
def test_astar_finds_the_shortest_length_and_expands_no_more_than_the_states_up_to_it(row: dict[str, str]) -> None:
    task = task_of(beem_model(row["model"]), Question(error=row["error_condition"]))
    shortest = check_task(task)
    most = None if shortest.length is None else states_to_depth(task.system, shortest.length)
    assert shortest.verdict.value == {"reachable": "error", "safe": "safe"}[row["expected"]]
    assert len({tuple(patterns(task, kind)) for kind in SINGLE}) >= 2
    for kind in SINGLE:
        result = check_task(task, check_request(**guidance(task, kind)))
        assert (result.verdict, result.length, result.reopened) == (shortest.verdict, shortest.length, 0)
        assert most is None or result.explored <= most


@requires_benchmarks
@pytest.mark.parametrize("depth", [0, 1, 4, 100])
def test_states_up_to_a_depth_are_those_of_the_reference_semantics(depth: int) -> None:
    system = symdmc.load(beem_model("telephony.1"))
    assert states_to_depth(system, depth) == _within(task_of(system, Question(deadlock=True)), depth)
