"""The cache runs nothing that somebody else has made or could have written to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from symdmc.user_cache import cache_folder

STRANGER = 23456


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYMDMC_CACHE", str(tmp_path / "cache"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path / "cache" / "symdmc"


def elsewhere(tmp_path: Path) -> Path:
    return tmp_path / "tmp" / f"symdmc-{os.getuid()}" / "kernels"


def test_a_new_cache_is_closed_to_others(root: Path) -> None:
    assert cache_folder("kernels") == root / "kernels"
    assert [path.stat().st_mode & 0o777 for path in (root, root / "kernels")] == [0o700, 0o700]


@pytest.mark.parametrize("mode", [0o770, 0o777])
def test_a_root_to_which_others_may_write_is_left_as_it_is(root: Path, tmp_path: Path, mode: int) -> None:
    root.mkdir(parents=True)
    root.chmod(mode)
    assert cache_folder("kernels") == elsewhere(tmp_path)
    assert list(root.iterdir()) == []


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "kernels").mkdir(parents=True)
    root.parent.mkdir()
    root.symlink_to(other)
    assert cache_folder("kernels") == elsewhere(tmp_path)
    root.unlink()
    root.mkdir(mode=0o700)
    (root / "kernels").symlink_to(other / "kernels")
    assert cache_folder("kernels") == elsewhere(tmp_path)


@pytest.mark.parametrize("planted", ["", "dve.tables", "modules", "modules/loops.nbi"])
def test_what_others_may_write_to_is_not_taken(root: Path, tmp_path: Path, planted: str) -> None:
    (root / "kernels" / "modules").mkdir(parents=True)
    root.chmod(0o700)
    path = root / "kernels" / planted
    if not path.exists():
        path.touch()
    path.chmod(0o777)
    assert cache_folder("kernels") == elsewhere(tmp_path)
    path.chmod(0o755)
    assert cache_folder("kernels") == root / "kernels"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to others")
@pytest.mark.parametrize("planted", ["", "kernels", "kernels/dve.tables"])
def test_what_others_have_made_is_not_taken(root: Path, tmp_path: Path, planted: str) -> None:
    (root / "kernels").mkdir(parents=True)
    root.chmod(0o700)
    (root / "kernels" / "dve.tables").touch(0o600)
    os.chown(root / planted, STRANGER, STRANGER)
    assert cache_folder("kernels") == elsewhere(tmp_path)


def test_a_link_in_the_folder_is_not_taken(root: Path, tmp_path: Path) -> None:
    folder = cache_folder("kernels")
    assert folder is not None
    (folder / "dve.tables").symlink_to(tmp_path / "tmp")
    assert cache_folder("kernels") == elsewhere(tmp_path)


def test_a_user_without_a_home_needs_none(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("SYMDMC_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder("kernels") == elsewhere(tmp_path)
