"""A folder of the package imports only from those above it in the order of docs/architecture.md."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "symdmc"

ORDER = (
    "user_cache",
    "errors",
    "spelling",
    "model",
    "evidence",
    "outcome",
    "running",
    "reader",
    "task",
    "packed",
    "lookup",
    "kernel",
    "encode",
    "abstraction",
    "patterndb",
    "selection",
    "heuristics",
    "search",
    "checking",
    "experiment",
    "report",
    "api",
    "cli",
)


def imports_of(file: Path) -> Iterator[str]:
    """The names of all modules that a file imports."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _files() -> list[Path]:
    return sorted(file for file in PACKAGE.rglob("*.py") if file.parent != PACKAGE or file.stem in ORDER)


def test_every_folder_has_its_place_in_the_order() -> None:
    folders = {path.stem for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders - {"encodings"} <= set(ORDER)


@pytest.mark.parametrize("file", _files(), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_file_imports_only_from_folders_above_its_own(file: Path) -> None:
    own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    used = {name.split(".")[1] for name in imports_of(file) if name.startswith("symdmc.")}
    below = {folder for folder in used & set(ORDER) if ORDER.index(folder) > ORDER.index(own)}
    assert not below


def test_evidence_imports_nothing_but_the_model_and_the_errors() -> None:
    used = {name for file in (PACKAGE / "evidence").rglob("*.py") for name in imports_of(file) if "symdmc" in name}
    assert all(name.split(".")[1] in ("model", "evidence", "errors") for name in used if "." in name)


def test_encodings_is_no_package() -> None:
    assert not (PACKAGE.parent / "encodings" / "__init__.py").exists()
