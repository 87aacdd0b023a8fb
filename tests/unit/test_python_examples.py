"""The examples in the docstrings and on the page about Python run, and say what they show."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import symdmc

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
HOMES = ("symdmc.api.checking", "symdmc.api.files")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def functions() -> Iterator[tuple[str, str]]:
    """The public functions of the rooms for Python, with their docstrings."""
    for name in symdmc.__all__:
        function = getattr(symdmc, name)
        if inspect.isfunction(function) and function.__module__ in HOMES:
            yield name, function.__doc__ or ""


def failures(name: str, text: str) -> str:
    """What the examples in a text show wrongly."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    wrong: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=wrong.append)
    return "".join(wrong)


@pytest.mark.parametrize(("name", "text"), list(functions()), ids=lambda value: value if value.isidentifier() else "")
def test_a_public_function_has_an_example_that_runs(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ">>> " in text, f"{name} has no example"
    assert not failures(name, text)


def test_every_home_of_public_functions_is_known() -> None:
    found = {
        name for home in HOMES for name, _ in inspect.getmembers(importlib.import_module(home), inspect.isfunction)
    }
    assert {name for name, _ in functions()} <= found
    assert {"check", "explore", "certify", "replay", "assert_safe", "read_trace", "schema"} <= {
        name for name, _ in functions()
    }


def test_the_page_about_python_says_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```pycon\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    assert not failures("docs/python.md", "\n".join(blocks))


def test_examples_that_are_wrong_are_found() -> None:
    assert "Expected:" in failures("wrong", ">>> 1 + 1\n3\n")
