"""The wheel works where there is nothing else: built here, installed into an empty environment, run outside."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
WHEELS = CHECKOUT / ".venv" / "wheels"
"""Kept by the Makefile, so that this test needs no network."""


def _run(command: Sequence[str | Path], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 10), done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_runs_in_an_empty_environment(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    _run([*build, "--wheel-dir", tmp_path / "built", CHECKOUT], tmp_path)
    (wheel,) = (tmp_path / "built").glob("symdmc-*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    source: list[str | Path] = ["--no-index", "--find-links", WHEELS] if WHEELS.is_dir() else []
    _run([python, "-m", "pip", "install", "--quiet", *source, wheel], tmp_path)
    symdmc = tmp_path / "empty" / "bin" / "symdmc"
    assert _run([symdmc, "--version"], tmp_path).startswith("symdmc")
    families = _run([symdmc, "families"], tmp_path)
    assert all(name in families for name in ("arbiter_tree", "hanoi", "random_system"))
    assert "error" in _run([symdmc, "check", "arbiter_tree:height=2"], tmp_path)
    script = "import symdmc; print(symdmc.schema('trace')['title'])"
    assert _run([python, "-c", script], tmp_path) == "symdmc-trace/1\n"
