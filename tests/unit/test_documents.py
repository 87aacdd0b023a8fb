"""The documents hold together: links lead somewhere, code in them runs, and nothing in them is tied to one machine."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from examples import demo
from tests.cli.docs_sessions import FENCE, File, documents, parts
from tests.cli.running import ROOT, environment
from tests.pages import PAGE, generated

DOCUMENTS = [*documents(), ROOT / "CHANGELOG.md"]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".dve"))
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
CITATION = re.compile(r"\[([A-Z]+\d\d)(?:, [^\]]*)?\]")
MACHINE_PATH = re.compile(r"(?<![\w.$~])/(?:work|tmp|root|home|usr|var|mnt|opt)\b")
PRINTED = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(document: Path) -> str:
    """A document without its code blocks."""
    return FENCE.sub("", text_of(document))


def anchors(document: Path) -> set[str]:
    """What can stand behind `#` in a link to a document."""
    titles = (re.sub(r"[^\w -]", "", title) for title in HEADING.findall(prose(document)))
    return {title.strip().lower().replace(" ", "-") for title in titles}


def python_in(document: Path) -> str:
    """The Python blocks of a document that are no files, as one program."""
    blocks = FENCE.findall(text_of(document))
    return "\n".join(body for language, name, body in blocks if language == "python" and not name)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(document: Path) -> None:
    broken = []
    for link in LINK.findall(prose(document)):
        path, _, anchor = link.partition("#")
        target = document if not path else document.parent / path
        if not link.startswith("https://") and (
            not target.exists() or (anchor and anchor not in anchors(target.resolve()))
        ):
            broken.append(link)
    assert broken == []


def test_the_index_lists_every_document_once() -> None:
    listed = [link for link in LINK.findall(text_of(ROOT / "docs" / "README.md")) if link.endswith(".md")]
    docs = ROOT / "docs"
    written = {str(path.relative_to(docs)) for path in docs.rglob("*.md")} - {"README.md"}
    assert sorted(listed) == sorted(written)


@pytest.mark.parametrize(("page", "model"), [("models.md", "turnstile.json"), ("build-servers.md", "turnstile.dve")])
def test_the_model_that_a_page_shows_is_the_one_that_it_checks(page: str, model: str) -> None:
    shown = [body for _, _, body in FENCE.findall(text_of(ROOT / "docs" / "formats" / page))]
    assert text_of(ROOT / "examples" / model) in shown


def test_the_readme_leads_to_every_document() -> None:
    linked = set(LINK.findall(text_of(ROOT / "README.md")))
    written = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - {"docs/README.md"}
    assert written <= linked


def test_the_readme_has_the_two_commands_that_do_everything_before_any_session() -> None:
    start = text_of(ROOT / "README.md").split("$ symdmc")[0]
    targets = re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE)
    assert re.findall(r"^\$ make (\w+)$", start, re.MULTILINE) == ["demo", "test"]
    assert {"demo", "test"} <= set(targets)


@pytest.mark.parametrize("path", [*DOCUMENTS, *EXAMPLES], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_names_a_place_on_one_machine(path: Path) -> None:
    assert MACHINE_PATH.findall(text_of(path)) == []


@pytest.mark.parametrize(
    "document", [path for path in DOCUMENTS if python_in(path)], ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_python_in_a_document_prints_what_its_comments_say(document: Path, tmp_path: Path) -> None:
    for part in parts(text_of(document)):
        if isinstance(part, File):
            (tmp_path / part.name).write_text(part.text, encoding="utf-8")
    program = python_in(document)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.splitlines() == PRINTED.findall(program)


@pytest.mark.parametrize(
    "name",
    ["tutorial_crossing.dve", "tutorial_crossing_counting.dve", "tutorial_crossing_many.dve", "tutorial_crossing.py"],
)
def test_the_tutorial_shows_the_files_it_names(name: str) -> None:
    tutorial = text_of(ROOT / "docs" / "tutorial.md")
    shown = [part.text for part in parts(tutorial) if isinstance(part, File)]
    assert f"`examples/{name}`" in tutorial
    assert text_of(ROOT / "examples" / name) in shown


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_an_example_has_fewer_than_60_lines(path: Path) -> None:
    assert len(text_of(path).splitlines()) < 60


def test_every_citation_is_in_the_bibliography() -> None:
    known = set(re.findall(r"^- \*\*(\w+)\*\*: ", text_of(ROOT / "docs" / "bibliography.md"), re.MULTILINE))
    sources = [*DOCUMENTS, *EXAMPLES, *(ROOT / "symdmc").rglob("*.py"), *(ROOT / "encodings").glob("*.py")]
    cited = {key for path in sources for key in CITATION.findall(text_of(path))}
    assert "DFP09" in cited
    assert cited <= known


def test_the_citation_is_that_of_this_version() -> None:
    entry = text_of(ROOT / "CITATION.cff")
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    assert re.search(r"^cff-version: 1\.2\.0$", entry, re.MULTILINE)
    assert re.findall(r"^version: (.*)$", entry, re.MULTILINE) == [project["version"]]
    bibliography = " ".join(text_of(ROOT / "docs" / "bibliography.md").split())
    papers = re.findall(r'^    title: "(.*)"$', entry, re.MULTILINE)
    assert len(papers) == 5
    assert [title for title in papers if title not in bibliography] == []


def test_the_page_of_heuristics_has_a_row_for_each_component() -> None:
    page = text_of(PAGE)
    wanted = generated(page)
    missing = [row for row in wanted.splitlines() if row not in page.splitlines()]
    assert not missing, f"add to {PAGE.name}, or run `make docs`:\n" + "\n".join(missing)
    assert page == wanted, f"{PAGE.name} has rows twice, out of order, or for nothing there is: run `make docs`"


@pytest.mark.slow
def test_the_demo_ends_with_the_line_in_the_readme() -> None:
    command = [sys.executable, "-m", "examples.demo"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, encoding="utf-8", timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] in text_of(ROOT / "README.md").splitlines()


def test_the_demo_fails_when_the_error_is_not_found(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "FAULTY", "arbiter_tree:height=2,faulty=false")
    assert demo.main() == 1
    assert capfd.readouterr().err.endswith("the demo failed: exit code 10 was expected\n")
