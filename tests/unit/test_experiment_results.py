"""Results are kept, found again, and mended; answers that contradict each other are noticed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.errors import ModelError
from symdmc.experiment import conduct as conducting
from symdmc.experiment.accuracy import Accuracy
from symdmc.experiment.conduct import conduct
from symdmc.experiment.contradictions import contradictions
from symdmc.experiment.record import (
    ACCURACY,
    FAILED,
    MEASURED,
    MEMORY,
    REFUSED,
    SAFE,
    TIME,
    UNKNOWN,
    Record,
    record_from_json,
    record_to_json,
)
from symdmc.experiment.results_file import Results
from symdmc.outcome import Stop
from symdmc.running.run import Limits
from tests.cli.running import ROOT
from tests.experiments import experiment, findings, record

SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/schemas/run.schema.json").read_text())
LIMITS = Limits(seconds=60)
RAN = record("m", "astar+pdb,keep=P", length=7, shortest=True, explored=3, h_initial="dead end", patterns=(("P", "x"),))
MEASUREMENT = replace(
    record("m", "blind", MEASURED),
    job=replace(RAN.job, kind=ACCURACY, configuration="blind", states=10),
    accuracy=Accuracy(
        states=3,
        distance_initial=2,
        estimate_initial=1,
        dead_ends=0,
        recognised=0,
        overestimates=0,
        relevant=3,
        exact=2,
        mean_relative_error=25.0,
        by_distance=((1, 1, 0.0), (2, 1, 50.0)),
    ),
)


@pytest.mark.parametrize("each", [RAN, MEASUREMENT, record("m", "rdfs", TIME, seed=3)])
def test_a_record_survives_json_and_fits_its_schema(each: Record) -> None:
    written = json.loads(json.dumps(record_to_json(each)))
    jsonschema.validate({**written, "identity": "0" * 32}, SCHEMA)
    assert record_from_json(written) == each


def test_the_schema_has_the_keys_of_a_record() -> None:
    assert list(SCHEMA["properties"]) == SCHEMA["required"] == list(record_to_json(RAN))


def test_what_is_in_the_file_is_not_missing(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    other = record("m", "bfs", length=7)
    with Results(path) as results:
        assert results.missing([RAN.job, other.job, RAN.job], LIMITS) == [RAN.job, other.job]
        results.add(RAN)
        assert results.missing([RAN.job, other.job], LIMITS) == [other.job]
    with Results(path) as results:
        assert results.missing([RAN.job, other.job], LIMITS) == [other.job]
        assert results.get(RAN.job, LIMITS) == RAN
        results.add(other)
    assert [json.loads(line)["configuration"] for line in path.read_text().splitlines()] == [
        *("astar+pdb,keep=P", "bfs")
    ]


@pytest.mark.parametrize("cut", [1, 20, 300])
def test_a_half_written_last_line_is_removed(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "runs.jsonl"
    other = record("m", "bfs", length=7)
    with Results(path) as results:
        results.add(RAN)
        results.add(other)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with Results(path) as results:
        assert results.mended
        assert results.missing([RAN.job, other.job], LIMITS) == [other.job]
        results.add(other)
    assert path.read_bytes() == whole


def test_a_last_line_cut_in_the_middle_but_ended_is_removed_too(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with Results(path) as results:
        results.add(RAN)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:50] + b"\n")
    with Results(path) as results:
        assert results.mended
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("not json", "is no line of JSON"),
        ("[]", "is no result"),
        ('{"schema": "symdmc-run/2"}', "is no result"),
        ('{"schema": "symdmc-run/1", "kind": "run"}', "has keys that differ"),
        (json.dumps({**record_to_json(RAN), "length": "7"}), "wrong value for 'length'"),
        (json.dumps({**record_to_json(RAN), "outcome": "maybe"}), "unknown outcome 'maybe'"),
        (json.dumps({**record_to_json(RAN), "patterns": 3}), "wrong value for 'patterns'"),
        (json.dumps({**record_to_json(RAN), "accuracy": {"states": 3}}), "wrong value for 'accuracy'"),
    ],
)
def test_a_file_of_something_else_is_refused_with_its_line_and_left_alone(
    tmp_path: Path, line: str, fault: str
) -> None:
    path = tmp_path / "runs.jsonl"
    text = f"{line}\n{json.dumps(record_to_json(RAN))}\n"
    path.write_text(text)
    with pytest.raises(ModelError, match=fault) as raised:
        Results(path)
    assert str(raised.value).startswith(f"{path}:1: ")
    assert path.read_text() == text


def test_two_runs_cannot_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with Results(path), pytest.raises(ModelError, match="another run"):
        Results(path)
    with Results(path):
        pass


def test_another_version_counts_as_not_there() -> None:
    results = Results()
    results.add(replace(RAN, version="0.0.1"))
    assert results.missing([RAN.job], LIMITS) == [RAN.job]


@pytest.mark.parametrize(
    ("outcome", "limits", "holds"),
    [
        ("error", Limits(seconds=60), True),
        ("error", Limits(seconds=600), True),
        ("error", Limits(), True),
        ("error", Limits(seconds=2), True),
        ("error", Limits(seconds=1), False),
        ("error", Limits(seconds=60, memory_mb=100), True),
        ("error", Limits(seconds=60, memory_mb=20), False),
        (TIME, Limits(seconds=60), True),
        (TIME, Limits(seconds=600), False),
        (MEMORY, Limits(seconds=60, memory_mb=8000), False),
        (REFUSED, Limits(), True),
    ],
)
def test_only_what_reached_a_limit_is_run_again_under_larger_ones(outcome: str, limits: Limits, holds: bool) -> None:
    assert record("m", "bfs", outcome).holds_under(limits) is holds


def test_an_interrupted_experiment_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = experiment(["a", "b"], "bfs")

    def records(*args: object, **settings: object) -> Any:
        yield record("a", "bfs", length=3)
        raise KeyboardInterrupt

    monkeypatch.setattr(conducting, "records_of", records)
    found = conduct(asked, asked.runs(), Results(), workers=1)
    assert (found.interrupted, found.exit_code) == (Stop.INTERRUPT, 130)
    assert [run.job.model for run in found.runs] == ["a"]


SHORTEST = record("m", "bfs", length=7, shortest=True)


@pytest.mark.parametrize(
    "others",
    [
        [record("m", "symbolic", length=7, shortest=True)],
        [record("m", "rdfs", length=20, seed=0)],
        [record("m", "dfs", TIME, lower_bound=7), record("m", "greedy+blind", UNKNOWN)],
        [record("other", "dfs", SAFE)],
        [record("m", "astar+blind", REFUSED)],
    ],
)
def test_answers_that_fit_together_are_no_contradiction(others: list[Record]) -> None:
    assert contradictions([SHORTEST, *others]) == ()


@pytest.mark.parametrize(
    ("other", "line"),
    [
        (record("m", "dfs", SAFE), "m: dfs says safe, bfs has a trace of length 7"),
        (
            record("m", "symbolic", length=8, shortest=True),
            "m: symbolic calls length 8 the shortest, bfs has a trace of length 7",
        ),
        (
            record("m", "rdfs", length=6, seed=2),
            "m: bfs calls length 7 the shortest, rdfs with seed 2 has a trace of length 6",
        ),
        (
            record("m", "dfs", TIME, lower_bound=9),
            "m: dfs says that no trace is shorter than 9, bfs has a trace of length 7",
        ),
        (record("m", "dfs", FAILED, reason="ValueError: no"), "m: dfs failed: ValueError: no"),
    ],
)
def test_answers_that_exclude_each_other_are_reported(other: Record, line: str) -> None:
    assert contradictions([SHORTEST, other]) == (line,)
    assert findings(experiment(["m"], "bfs"), SHORTEST, other).exit_code == 39


def test_the_exit_code_is_that_of_the_refusal_only_if_everything_is_refused() -> None:
    asked = experiment(["m"], "bfs", "dfs")
    refused = record("m", "dfs", REFUSED, exit_code=31)
    assert findings(asked, refused).exit_code == 31
    assert findings(asked, SHORTEST, refused).exit_code == 0
    assert findings(asked, record("m", "bfs", TIME, exit_code=21)).exit_code == 0
