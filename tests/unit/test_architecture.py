"""docs/architecture.md says how the rooms are and how a command goes through them: both are held to the code."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.running import environment
from tests.unit.test_folder_order import ORDER, PACKAGE, imports_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WAYS = re.findall(r"^### (.+)\n\n`symdmc (.+)`\n\n((?:    .+\n)+)", PAGE, re.MULTILINE)
HOP = re.compile(r"^    (\w+) -> (\w+) ", re.MULTILINE)


def rooms() -> list[tuple[str, str]]:
    """The rooms of the table, each with what the page says lives there."""
    return re.findall(r"^\| `(\w+)(?:/|\.py)` \| ([^|]*) \|", PAGE.partition("Beside the package")[0], re.MULTILINE)


def test_the_page_lists_the_rooms_in_their_order() -> None:
    assert tuple(name for name, _ in rooms()) == ORDER


def test_the_page_names_every_room_inside_a_room() -> None:
    for name, told in rooms():
        inner = {path.parent.name for path in (PACKAGE / name).glob("*/__init__.py")}
        assert set(re.findall(r"`(\w+)/`", told)) - set(ORDER) == inner, name


@pytest.mark.parametrize(("title", "hops"), [(title, hops) for title, _, hops in WAYS], ids=lambda text: text[:20])
def test_a_hop_is_an_import_or_a_call_of_what_was_registered(title: str, hops: str) -> None:
    found = HOP.findall(hops)
    assert 1 < len(found) <= 10
    for caller, callee in found:
        files = (PACKAGE / caller).rglob("*.py")
        used = {name.split(".")[1] for file in files for name in imports_of(file) if "." in name}
        assert callee in used or caller == "spelling", f"{caller} -> {callee}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "hops"), [(command, hops) for _, command, hops in WAYS], ids=lambda text: text[:40]
)
def test_a_command_makes_the_hops_of_the_page_in_their_order(command: str, hops: str, tmp_path: Path) -> None:
    made = [line.rpartition(" ")[0] for line in _profiled(command, tmp_path)]
    rest = iter(made)
    for caller, callee in HOP.findall(hops):
        assert f"{caller} -> {callee}" in rest, (caller, callee, made)


@pytest.mark.slow
def test_a_spelling_is_parsed_once_and_a_rule_checked_once(tmp_path: Path) -> None:
    lines = _profiled("check arbiter_tree:height=2 --heuristic pdb:cegar", tmp_path)
    called = Counter(line.rpartition(" ")[2] for line in lines)
    names = Counter(name.partition(":")[0] for name in called.elements())
    assert names["check_request"] == names["require_fitting"] == 1
    assert names["Table.read"] == 2  # the heuristic, and the search that goes with it
    rules = {name: count for name, count in called.items() if name.startswith("<lambda>:")}
    assert set(rules.values()) == {1}


def _profiled(command: str, folder: Path) -> list[str]:
    file = folder / "hops"
    done = subprocess.run(
        [sys.executable, "-m", "tests.hops", str(file), *shlex.split(command), "--quiet"],
        cwd=folder,
        env=environment() | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 10), done.stderr
    return file.read_text().splitlines()
