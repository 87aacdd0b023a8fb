"""Every public function has an example in its docstring, and what the example says is what comes out."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import pytest

import symdmc

FUNCTIONS = [name for name in symdmc.__all__ if inspect.isfunction(getattr(symdmc, name))]
CLASSES = ["Builder", "Heuristic", "PatternDatabase"]
"""What users make or ask."""


@pytest.mark.parametrize("name", FUNCTIONS + CLASSES)
def test_the_example_of_a_docstring_is_true(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    documented = getattr(symdmc, name)
    text = inspect.getdoc(documented) or ""
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert any(example.want for example in examples.examples)
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=told.append)
    assert not told, "".join(told)


def test_all_functions_are_known() -> None:
    assert {"check", "explore", "heuristic", "load", "pattern_database"} <= set(FUNCTIONS)
