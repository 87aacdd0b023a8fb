"""The codes of complaints: one for each, all explained, and what the pages say is true."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from symdmc.errors import Code, Complaint, EvidenceRefused, ModelError, UnsupportedFeature
from symdmc.report.complaints import PAGES, SECTIONS
from symdmc.report.complaints.page import Page
from tests.explained import complaint_of
from tests.pages import COMPLAINTS, complaints_page

ROOT = Path(__file__).parents[2]
SOURCES = sorted((*(ROOT / "symdmc").rglob("*.py"), *(ROOT / "encodings").glob("*.py")))
EXAMPLES = [page for page in PAGES.values() if page.example is not None]


def test_codes_are_plain_words_joined_by_hyphens() -> None:
    assert [code for code in Code if not re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", code)] == []
    assert [code for code in Code if code.name != code.value.replace("-", "_").upper()] == []


def test_every_code_is_explained_once() -> None:
    explained = [page.code for pages in SECTIONS.values() for page in pages]
    assert sorted(explained) == sorted(Code)


def test_every_code_is_used() -> None:
    explaining = ROOT / "symdmc" / "report" / "complaints"
    texts = (path.read_text(encoding="utf-8") for path in SOURCES if explaining != path.parent)
    used = {name for text in texts for name in re.findall(r"\bCode\.(\w+)", text)}
    assert used == {code.name for code in Code}


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.code.value)
def test_a_page_is_made_of_sentences(page: Page) -> None:
    for text in (page.summary, page.meaning, page.remedy):
        assert text[0].isupper() or text[0] == "`"
        assert text.endswith(".")
        assert text.isprintable()
    assert len(page.summary) <= 100


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.code.value)
def test_an_example_gives_the_complaint(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert page.example is not None
    assert complaint_of(page.example, tmp_path) == (page.example.says, page.code)


def test_most_pages_have_an_example() -> None:
    assert len(EXAMPLES) > 0.9 * len(PAGES)


def test_there_is_no_complaint_without_a_code() -> None:
    with pytest.raises(TypeError, match=r"the code of a complaint is 'is empty'; give a symdmc\.errors\.Code"):
        Complaint("is empty", "give a model")  # type: ignore[arg-type]
    for kind in (ModelError, UnsupportedFeature, EvidenceRefused):
        with pytest.raises(TypeError, match="an error needs a Complaint with a code, not the text 'is empty'"):
            kind("is empty")  # type: ignore[arg-type]


def test_errors_keep_their_complaints_on_the_way_between_processes() -> None:
    told = Complaint(Code.EMPTY_FILE, "is empty", "give a model", "m.dve")
    for kind in (ModelError, UnsupportedFeature, EvidenceRefused):
        found = pickle.loads(pickle.dumps(kind([told, told])))
        assert type(found) is kind
        assert found.complaints == (told, told)
        assert str(found) == f"{told}\n{told}"


def _calls(path: Path) -> Iterator[str]:
    """What is called in a file, as far as it has a name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield ast.unparse(node.func)


def test_the_command_line_refuses_nothing_without_a_code() -> None:
    bare = {"click.UsageError", "click.BadParameter", "click.ClickException", "ctx.fail"}
    commands = sorted((ROOT / "symdmc" / "cli").glob("*.py"))
    found = [f"{path.name}: {name}" for path in commands for name in _calls(path) if name in bare]
    assert found == []


def test_the_page_of_complaints_is_that_of_the_table() -> None:
    assert COMPLAINTS.read_text(encoding="utf-8") == complaints_page(), (
        f"run `make docs` to write {COMPLAINTS.name} anew"
    )
