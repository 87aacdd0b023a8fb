"""The folder of the families stays out of the way of the standard library and is found wherever it is."""

from __future__ import annotations

import encodings
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "encodings"


def test_the_folder_is_no_package() -> None:
    """With an `__init__.py` it would hide the package of the standard library, and no interpreter would start here."""
    assert not (FOLDER / "__init__.py").exists()
    assert Path(encodings.__file__ or "").parent != FOLDER


def test_the_interpreter_starts_in_the_checkout() -> None:
    done = subprocess.run([sys.executable, "-c", "'é'.encode('latin-1')"], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""


def test_there_is_one_file_for_each_family_and_nothing_else() -> None:
    assert all(path.suffix == ".py" or path.name == "__pycache__" for path in FOLDER.iterdir())


def test_the_families_are_found_inside_an_installed_package(tmp_path: Path) -> None:
    """A wheel has the folder inside the package."""
    shutil.copytree(ROOT / "symdmc", tmp_path / "symdmc", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(FOLDER, tmp_path / "symdmc" / "encodings", ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "from symdmc.reader.families import family_named, load_family;"
        "print(family_named('arbiter_tree').path);"
        "print(len(load_family('arbiter_tree', {'height': '2'}).processes))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == [str(tmp_path.resolve() / "symdmc/encodings/arbiter_tree.py"), "8"], done.stderr
