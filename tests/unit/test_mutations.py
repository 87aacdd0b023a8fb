"""The campaign of damaged evidence, in brief; and that it would notice what it is for."""

from __future__ import annotations

import pytest

from campaigns.mutations import campaign, main
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.model.trace import Trace


@pytest.mark.parametrize(("kind", "count"), [("traces", 75), ("certificates", 25), ("databases", 25)])
def test_no_mutant_fails_or_is_wrongly_accepted(kind: str, count: int) -> None:
    tally = campaign(kind, seed=7, count=count)
    assert tally.failures == []
    assert tally.answers.total() == count
    assert tally.answers["refused: damaged"] > 0
    assert tally.answers["right"] > 0


def test_a_judge_that_accepts_everything_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def accept(system: System, trace: Trace, error: ErrorCondition | None) -> None:
        return

    monkeypatch.setattr("campaigns.mutations.replay", accept)
    kept = tmp_path_factory.mktemp("failures")
    assert main(["--kind", "traces", "--count", "50", "--seed", "7", "--keep", str(kept)]) == 1
    printed = capsys.readouterr().out
    assert "a wrong trace is accepted" in printed
    assert "python -m campaigns.mutations --kind traces --seed 7 --first " in printed
    assert list(kept.iterdir())
