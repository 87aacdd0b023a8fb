"""What to do is said as the user would write it: in Python as a call, on the command line as an option."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import symdmc
from symdmc.spelling import speech
from symdmc.spelling.speech import Deed, speaking_options

PACKAGE = Path(symdmc.__file__).parent
DEEDS = {name: value for name, value in vars(speech).items() if isinstance(value, Deed)}
OPTION = re.compile(r"(?:^|[ `'(])--[a-z]|`symdmc [a-z]")
SPEAKERS = ("cli", "report")
"""The rooms of the command line."""


@pytest.mark.parametrize("name", DEEDS)
def test_each_speaks_its_own_language(name: str) -> None:
    deed = DEEDS[name]
    assert not OPTION.search(deed.in_python)
    assert OPTION.search(deed.on_command_line)
    assert str(deed) == f"{deed}" == deed.in_python
    with speaking_options():
        assert str(deed) == f"{deed}" == deed.on_command_line
    assert str(deed) == deed.in_python


def _texts(file: Path) -> Iterator[str]:
    """All texts of a file but its docstrings, which are expressions by themselves."""
    tree = ast.parse(file.read_text())
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_nobody_but_the_command_line_speaks_of_options() -> None:
    files = [file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).parts[0] not in SPEAKERS]
    assert len(files) > 100
    spoken = {
        f"{file.relative_to(PACKAGE)}: {text}"
        for file in files
        if file.name != "speech.py"
        for text in _texts(file)
        if OPTION.search(text)
    }
    assert not spoken


def test_a_failure_in_python_names_arguments() -> None:
    m = symdmc.Builder("m")
    m.process("P", initial="s")
    with pytest.raises(symdmc.ModelError, match=r"ask with error='\.\.\.' or deadlock=True"):
        symdmc.check(m)
    with pytest.raises(symdmc.ModelError, match=r"`print\(load\(MODEL\)\)` lists the names"):
        symdmc.pattern_database(m, deadlock=True, keep="zzz")
