"""docs/trust.md says what has to be trusted: its lists are those of the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import symdmc
from tests.cli.running import ROOT

PACKAGE = Path(symdmc.__file__).parent
PAGE = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
JUDGES = ("evidence.certify", "evidence.replay", "evidence.claims")


def imported(module: str) -> set[str]:
    """The modules that are loaded with one of symdmc, each without `symdmc.`, and packages from elsewhere."""
    path = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    path = path if path.exists() else path.with_suffix("") / "__init__.py"
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return {name.removeprefix("symdmc.") if name.startswith("symdmc.") else f"{name.split('.')[0]}:" for name in found}


def loaded(*modules: str) -> set[str]:
    """All modules that are loaded with some of symdmc."""
    pending, found = list(modules), set[str]()
    while pending:
        module = pending.pop()
        if module not in found:
            found.add(module)
            pending += [name for name in sorted(imported(module)) if not name.endswith(":")]
    return found


def listed(title: str) -> list[str]:
    block = re.search(rf"^```text {title}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert block is not None
    return block[1].split()


def test_the_page_lists_what_the_referee_imports() -> None:
    files = [f"evidence.judge.{path.stem}" for path in sorted((PACKAGE / "evidence" / "judge").glob("[a-z]*.py"))]
    found = set().union(*map(imported, files)) - set(files)
    assert listed("what the referee imports") == sorted(name for name in found if not name.endswith(":"))


def test_the_page_lists_what_judging_loads() -> None:
    assert listed("what judging loads") == sorted(loaded(*JUDGES))


def test_the_page_names_the_packages_that_judging_needs() -> None:
    def packages(*modules: str) -> set[str]:
        named = {"z3:", "numpy:", "lark:", "numba:", "dd:", "sympy:", "llvmlite:"}
        inside = set().union(*map(imported, loaded(*modules)))
        return {each.removesuffix(":") for each in inside & named}

    assert "the packages `lark` (the parser), `z3` and `numpy`, of which `replay` needs the first only" in PAGE
    assert packages(*JUDGES) <= {"z3", "numpy", "lark"}
    assert packages("evidence.replay") <= {"lark"}


def test_the_page_gives_numbers_and_files_as_they_are() -> None:
    from symdmc.evidence.certify import MOST_EXPLICIT_BY_REFEREE

    assert f"up to {MOST_EXPLICIT_BY_REFEREE:,} listed states" in PAGE
    for path in re.findall(r"`(evidence/[\w/.]+)`", PAGE):
        assert (PACKAGE / path).exists()
