"""Every numbered example runs as it is and says what its text promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
SAID = {
    "01_mutual_exclusion.py": "4. P1: entering -> critical",
    "02_dve_files.py": "index 2 of buffer is outside 0..1",
    "03_families.py": "height 3, 16 processes: 36 steps to the error",
    "04_puzzle.py": "3 disks can be moved in 7 steps and not in fewer",
    "05_searches.py": "bfs               36      True",
    "06_pattern_databases.py": "not Client3        36  1,120 nodes      36         285",
    "07_selections.py": "cegar               11       36      36       213",
    "08_predicates.py": "safe, 0 states explored, 11 predicates",
    "09_evidence.py": "#   .       farmer, goat",
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_from_anywhere(path: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, path], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert SAID[path.name] in done.stdout


def test_every_example_is_short_and_numbered_without_gaps() -> None:
    assert [path.name for path in EXAMPLES] == sorted(SAID)
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))
    assert all(len(path.read_text().splitlines()) < 60 for path in EXAMPLES)
