"""Every test of the command line runs in a folder of its own that has the small models in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from symdmc.cli.main import run
from symdmc.running import guard
from tests.cli.running import MODELS, Ran, Runner


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in MODELS.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def symdmc(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setattr(guard, "LAST", 60.0)  # the process to be ended would be that of the tests

    def runner(*args: str) -> Ran:
        code = run(args)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return runner
