"""The campaign of signals, briefly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from campaigns.signals import campaign


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_signals_at_random_moments_leave_nothing_behind(tmp_path: Path) -> None:
    names = ("check, symbolic", "check, proof", "compare", "certify", "patterndb build", "check, pdb:cegar")
    rows = campaign(tmp_path, seed=1, moments=6, grace=30, names=names, pace=0.4)
    assert sum(row.moments for row in rows.values()) == 6
    assert [failure for row in rows.values() for failure in row.failures] == []
