"""The list of planted bugs fits the sources, and those that run them tell what is found from what is not."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from campaigns.mutants.__main__ import entry_text, main, table
from campaigns.mutants.entries import Entry, MutantError, read_entries
from campaigns.mutants.proposing import candidates
from campaigns.mutants.running import CHECKOUT, Result, run

ARITHMETIC = Entry(
    id="one",
    area="arithmetic",
    file="symdmc/model/arithmetic.py",
    text='"<": lambda left, right: int(left < right),',
    instead='"<": lambda left, right: int(left <= right),',
    tests=("tests/unit/test_arithmetic.py",),
)


def test_every_mutant_applies_exactly_once_and_can_be_parsed() -> None:
    entries = read_entries()
    assert len(entries) >= 600
    for entry in entries:
        entry.mutated((CHECKOUT / entry.file).read_text(encoding="utf-8"))
        for test in entry.tests:
            assert test.startswith("-") or (CHECKOUT / test.partition("::")[0]).is_file(), (entry.id, test)


def test_the_page_names_every_area() -> None:
    page = (CHECKOUT / "campaigns" / "README.md").read_text(encoding="utf-8")
    paragraph = page[page.index("The areas are ") :].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", paragraph)) == {entry.area for entry in read_entries()}


@pytest.mark.parametrize(
    ("text", "instead", "complaint"),
    [
        ("no such text", "x", "occurs 0 times"),
        ("return", "yield", "occurs [1-9]"),
        (ARITHMETIC.text, ARITHMETIC.text, "changes nothing"),
        (ARITHMETIC.text, '"<": lambda left right', "cannot be parsed"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused(text: str, instead: str, complaint: str) -> None:
    source = (CHECKOUT / ARITHMETIC.file).read_text(encoding="utf-8")
    with pytest.raises(MutantError, match=complaint):
        replace(ARITHMETIC, text=text, instead=instead).mutated(source)


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (entry_text("a", "f.py", "x", "y") * 2, "two mutants of this name"),
        (entry_text("a", "f.py", "x", "y", colour="red"), "wrong or missing key"),
        (entry_text("a", "g.py", "x", "y"), "no tests are named"),
    ],
)
def test_a_wrong_list_is_refused(document: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "area.toml").write_text('[tests]\n"f.py" = ["tests/unit/test_arithmetic.py"]\n' + document)
    with pytest.raises(MutantError, match=complaint):
        read_entries(tmp_path)
    with pytest.raises(MutantError, match="there is no area 'other'; there are area"):
        read_entries(tmp_path, "other")


def test_candidates_are_small_changes_that_apply_once() -> None:
    source = "def f(x: int) -> int:\n    if x < 3 and x > 1:\n        x += 1\n    return x + 2 if not x else 7\n"
    found = [candidate.instead.strip() for candidate in candidates(source)]
    assert "if x <= 3 and x > 1:" in found
    assert "if x > 1:" in found
    assert "if x < 3:" in found
    assert "pass" in found
    assert "return x - 2 if not x else 7" in found
    assert "return x if not x else 7" in found
    assert "return 7 if not x else x + 2" in found
    assert "return x + 2 if x else 7" in found
    for candidate in candidates(source):
        assert source.count(candidate.text) == 1


def test_an_entry_is_written_as_it_is_read(tmp_path: Path) -> None:
    text, instead = "  if it's:\n\tx = 'y'", '"z" \\ '
    document = '[tests]\n"f.py" = ["t"]\n' + entry_text("a", "f.py", text, instead, harmless="because")
    (tmp_path / "area.toml").write_text(document)
    made = Entry(id="a", area="area", file="f.py", text=text, instead=instead, tests=("t",), harmless="because")
    assert read_entries(tmp_path) == [made]


def test_the_table_tells_apart_what_was_found_what_is_harmless_and_what_survived() -> None:
    harmless = replace(ARITHMETIC, harmless="because")
    endings = [(ARITHMETIC, "failed"), (ARITHMETIC, "hung"), (ARITHMETIC, "passed"), (harmless, "passed")]
    results = [Result(entry, ended, 0.0) for entry, ended in [*endings, (ARITHMETIC, "no tests")]]
    assert [line.split() for line in table(results).splitlines()] == [
        ["area", "tried", "found", "harmless", "survived", "not", "run"],
        ["arithmetic", "5", "2", "1", "1", "1"],
        ["together", "5", "2", "1", "1", "1"],
    ]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A checkout with as much of the project as the tests of arithmetic need."""
    folder = tmp_path / "checkout"
    for part in ("symdmc", "campaigns"):
        shutil.copytree(CHECKOUT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests" / "unit").mkdir(parents=True)
    for file in (
        "pyproject.toml",
        "tests/__init__.py",
        "tests/conftest.py",
        "tests/unit/__init__.py",
        *ARITHMETIC.tests,
    ):
        shutil.copy(CHECKOUT / file, folder / file)
    return folder


@pytest.mark.slow
def test_mutants_are_planted_in_a_copy_and_results_are_kept(small: Path, tmp_path: Path) -> None:
    before = (small / ARITHMETIC.file).read_bytes()
    source = (small / "symdmc/model/tick.py").read_text()
    entries = [
        ARITHMETIC,
        replace(ARITHMETIC, id="same", instead=f"{ARITHMETIC.text}  # less"),
        replace(ARITHMETIC, id="unused", file="symdmc/model/tick.py", text=source, instead=f"{source}# more"),
        replace(ARITHMETIC, id="broken", tests=("tests/unit/test_nothing.py",)),
    ]
    results = run(entries, tmp_path / "kept", workers=1, checkout=small)
    columns = [result.column for result in results]
    assert columns == ["found", "survived", "not run", "not run"]
    assert "test_comparisons_are_those_of_integers" in results[0].printed
    assert results[2].ended == "the tests do not import the file"
    assert results[3].ended == "without the mutant: pytest ended with 4"
    assert (small / ARITHMETIC.file).read_bytes() == before
    told: list[Result] = []
    assert run(entries[:2], tmp_path / "kept", checkout=small, tell=told.append) == results[:2]
    assert not told


@pytest.mark.slow
def test_a_mutant_that_hangs_is_found(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaigns.mutants.running.PATIENCE", 0.1)
    looping = replace(ARITHMETIC, id="loop", text="def wrap(", instead="while True:\n    pass\n\n\ndef wrap(")
    (result,) = run([looping], tmp_path / "kept", checkout=small)
    assert (result.ended, result.is_found) == ("hung", True)


def test_a_survivor_fails_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    explained = replace(ARITHMETIC, id="two", harmless="because")
    for entry, ended, code in [
        (ARITHMETIC, "failed", 0),
        (ARITHMETIC, "passed", 1),
        (ARITHMETIC, "no tests", 1),
        (explained, "passed", 0),
        (explained, "failed", 1),
    ]:
        monkeypatch.setattr("campaigns.mutants.__main__.run", lambda *_, made=Result(entry, ended, 1.0), **__: [made])
        assert main(["--area", "semantics"]) == code, ended
    assert "explained as harmless, but a test found it" in capsys.readouterr().out
    assert main(["--area", "nowhere"]) == 2
    assert main(["--propose", str(CHECKOUT / ARITHMETIC.file)]) == 0
    assert "[[mutant]]" in capsys.readouterr().out
