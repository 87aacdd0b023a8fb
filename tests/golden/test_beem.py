"""Published counts and known answers of real models; the larger ones are run by `python -m benchmarks.beem`."""

from __future__ import annotations

import csv

import pytest

import symdmc
from tests.benchmarks_at_hand import BENCHMARKS, beem_model, requires_benchmarks

MOST_STATES = 15_000


def _rows(name: str) -> list[dict[str, str]]:
    path = BENCHMARKS / "beem" / name
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


COUNTED = [row for row in _rows("state_counts.csv") if int(row["states"]) <= MOST_STATES]
SMALL = {row["model"] for row in COUNTED}
ANSWERED = [row for row in _rows("properties.csv") if row["model"] in SMALL and row["expected"] != "unknown"]


@requires_benchmarks
@pytest.mark.slow
def test_states_and_depth_are_the_published_ones() -> None:
    wrong = {}
    for row in COUNTED:
        found = symdmc.explore(str(beem_model(row["model"])))
        if (found.states, found.depth) != (int(row["states"]), int(row["bfs_levels"])):
            wrong[row["model"]] = (found.states, found.depth)
    assert len(COUNTED) > 20
    assert not wrong


@requires_benchmarks
@pytest.mark.slow
def test_verdicts_are_the_known_ones_and_traces_are_shortest() -> None:
    wrong = {}
    for row in ANSWERED:
        result = symdmc.check(str(beem_model(row["model"])), error=row["error_condition"])
        expected = {"reachable": "error", "safe": "safe"}[row["expected"]]
        if result.verdict.value != expected or (result.trace is not None and not result.shortest):
            wrong[row["property"]] = result.verdict
    assert len(ANSWERED) > 20
    assert not wrong
