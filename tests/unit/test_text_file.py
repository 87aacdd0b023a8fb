"""Output files: refused early, written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from symdmc.errors import ModelError
from symdmc.model.files.text_file import require_writable, write_text_file


def test_a_file_in_a_folder_that_is_there_may_be_written(tmp_path: Path) -> None:
    require_writable(tmp_path / "new.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be written"):
        require_writable(tmp_path / "missing" / "new.svg")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="directory"):
        require_writable(tmp_path)


def test_a_file_under_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot be written"):
        require_writable(tmp_path / "file" / "new.svg")


def test_writing_replaces_the_whole_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "old.svg").write_text("a long old text")
    write_text_file(tmp_path / "old.svg", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.svg", "new")]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.svg").write_text("old")

    def fail(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(ModelError, match="No space left"):
        write_text_file(tmp_path / "old.svg", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.svg", "old")]


def test_a_device_is_written_in_place() -> None:
    require_writable(Path(os.devnull))
    write_text_file(Path(os.devnull), "gone")
    assert not Path(os.devnull).is_file()


def test_a_link_keeps_pointing_to_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.svg").write_text("old")
    (tmp_path / "link.svg").symlink_to("real.svg")
    write_text_file(tmp_path / "link.svg", "new")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_text() == "new"
