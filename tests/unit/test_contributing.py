"""What CONTRIBUTING.md shows is done in a copy of the project, and what it says to follow from it follows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import environment

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = re.findall(r"file\s+is\s+`([\w/]+\.py)`[^`]*\n\n```python\n(.*?)```", PAGE, re.DOTALL)
LINES = re.findall(r"^The line in `([\w/]+\.py)`.*?\n\n```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
LAST = re.compile(r'(\n *"[^"\n]+": "symdmc[^"\n]+",)(?!.*\n *"[^"\n]+": "symdmc)', re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all additions of the page."""
    folder = tmp_path_factory.mktemp("contributing") / "symdmc"
    left_out = shutil.ignore_patterns(".*", "__pycache__", "results")
    shutil.copytree(ROOT, folder, ignore=left_out)
    for name, text in FILES:
        assert not (folder / name).exists(), name
        (folder / name).write_text(text, encoding="utf-8")
    for name, line in LINES:
        text = (folder / name).read_text(encoding="utf-8")
        found = LAST.search(text)
        assert found is not None
        (folder / name).write_text(f"{text[: found.end()]}\n{line.rstrip()}{text[found.end() :]}", encoding="utf-8")
    return folder


def ran(copy: Path, *command: str) -> str:
    """What a command of the copy prints."""
    return python(copy, "-m", *command)


def python(copy: Path, *arguments: str) -> str:
    """What Python prints in the copy."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env=environment() | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 10), done.stdout + done.stderr
    return done.stdout


def test_the_page_adds_four_files_and_three_lines() -> None:
    assert [Path(name).parent.name for name, _ in FILES] == ["heuristics", "selection", "reader", "encodings"]
    assert [Path(name).parent.name for name, _ in LINES] == ["heuristics", "selection", "reader"]


def test_the_ten_files_exist() -> None:
    listed = re.findall(r"^\d+\. .*?`?([\w/]+\.(?:py|md))", PAGE, re.MULTILINE)
    assert len(listed) == 10
    assert all((ROOT / name).exists() for name in listed)


@pytest.mark.slow
def test_help_listing_and_completion_know_what_was_added(copy: Path) -> None:
    listing = ran(copy, "symdmc", "heuristics")
    assert "count:WEIGHT" in listing
    assert "pdb:error" in listing
    assert "what each part counts" in ran(copy, "symdmc", "heuristics", "count")
    complete = "from symdmc.cli.heuristic_options import complete_heuristic as known; "
    complete += "print(*(each.value for each in known(None, None, '')))"
    assert {"count", "pdb:error"} <= set(python(copy, "-c", complete).split())


@pytest.mark.slow
def test_the_random_tests_run_for_what_was_added(copy: Path) -> None:
    tests = (
        "tests/property/test_heuristics.py",
        "tests/property/test_selections.py",
        "tests/differential/test_registry.py",
    )
    output = ran(copy, "pytest", *tests, "-k", "count or pdb:error", "-p", "no:cacheprovider", "-vv")
    for name in (
        "every_heuristic_has_examples_that_are_it[count]",
        "every_selection_has_examples_that_are_it[pdb:error]",
    ):
        assert name in output
    for text in ("count", "count:3", "pdb:error"):
        assert f"test_estimates_are_what_they_promise_to_be[{text}] PASSED" in output
        assert f"test_verdict_length_and_certificate_are_right[{text}] PASSED" in output
    assert "test_selections_have_valid_patterns_reasons_and_right_answers[pdb:error] PASSED" in output


@pytest.mark.slow
def test_a_search_runs_with_what_was_added(copy: Path) -> None:
    (copy / "maze.edges").write_text("a b\nb c\nc a\nerror c\n", encoding="utf-8")
    for options in (("--heuristic", "count", "--search", "greedy"), ("--heuristic", "pdb:error"), ()):
        assert "length 2 (2 transitions)" in ran(copy, "symdmc", "check", "maze.edges", *options)
    assert "a shortest trace: length 7" in ran(copy, "symdmc", "check", "corridor:length=7")
