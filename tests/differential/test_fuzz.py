"""The campaign of random systems: the same for the same seed, finds what is planted, makes it small, shows it again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from campaigns.fuzz.__main__ import again, main
from campaigns.fuzz.brute_force import explored
from campaigns.fuzz.drafts import from_json, to_json
from campaigns.fuzz.planting import CHECKOUT, Found, bugs, table
from campaigns.fuzz.shrinking import failure_of, shrunk
from campaigns.fuzz.working import Failure, failure_from, planned, tried
from symdmc.checking.checks import check_task
from symdmc.checking.request import CheckRequest
from symdmc.outcome import SearchResult, Verdict
from symdmc.running.run import Run
from symdmc.task.task import Task

FEW = range(3)


def test_the_system_with_a_number_is_always_the_same() -> None:
    for number in FEW:
        draft, space, tries = planned(7, number)
        assert (draft, tries) == (planned(7, number)[0], planned(7, number)[2])
        assert from_json(to_json(draft)) == draft
        assert space.moves == explored(draft).moves
    assert planned(7, 0)[0] != planned(8, 0)[0]


def test_a_wrong_answer_is_found_made_small_and_shown_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def never_safe(task: Task, request: CheckRequest, run: Run) -> SearchResult:
        result = check_task(task, request, run)
        return replace(result, verdict=Verdict.SAFE) if result.verdict is Verdict.ERROR else result

    with monkeypatch.context() as patch:
        patch.setattr("campaigns.fuzz.attacks.check_task", never_safe)
        number, draft, attack = next(
            (number, planned(7, number)[0], attack)
            for number in range(20)
            for attack, came in tried(7, number)
            if isinstance(came, Failure)
        )
        small, less = shrunk(draft, attack, "wrong verdict safe", 5.0)
        found = failure_of(small, less)
        assert found is not None
        assert found.what == "wrong verdict safe"
        assert small.edges < draft.edges or len(small.variables) < len(draft.variables)
        failure = Failure(7, number, found.what, found.details, small, less)
        file = failure.written(tmp_path)
        assert failure_from(file.read_text(encoding="utf-8")) == failure
        assert again(file) == 1
    assert again(file) == 0
    assert "fails: wrong verdict safe" in capsys.readouterr().out


@pytest.mark.slow
def test_the_command_ends_with_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["--seed", "7", "--most", "2", "--workers", "1", "--keep", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "seed 7: 2 systems, 16 attacks in " in printed
    assert "| forms | same | 2 |" in printed


def test_every_planted_bug_applies_to_one_place() -> None:
    listed = bugs()
    assert len({bug.id for bug in listed}) == len(listed) >= 12
    for bug in listed:
        bug.mutated((CHECKOUT / bug.file).read_text(encoding="utf-8"))


def test_the_table_says_when_a_bug_was_found() -> None:
    bug = bugs("kernel-greater-equal")[0]
    rows = table([Found(bug, 12.3, "wrong verdict safe"), Found(bug, 180.0, None)]).splitlines()[2:]
    assert [row.split(" | ")[2:] for row in rows] == [["12 s", "wrong verdict safe |"], ["not found", " |"]]
