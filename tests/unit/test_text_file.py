"""Files: only regular ones are read, unchanged ones; output is refused early, and written whole or not at all."""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import pytest

from symdmc.errors import ModelError
from symdmc.model.files import text_file
from symdmc.model.files.text_file import read_text_file, require_writable, write_text_file


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


def test_writing_touches_no_other_file(tmp_path: Path) -> None:
    for name in (".t.json.new", ".t.json.tmp", "t.json~"):
        (tmp_path / name).write_text("precious")
    write_text_file(tmp_path / "t.json", "new")
    assert {path.read_text() for path in tmp_path.iterdir() if path.name != "t.json"} == {"precious"}
    assert len(list(tmp_path.iterdir())) == 4


def test_a_file_may_have_as_long_a_name_as_a_file_can_have(tmp_path: Path) -> None:
    long = tmp_path / ("\U0001f600" * 63)  # 252 bytes
    write_text_file(long, "text")
    assert long.read_text() == "text"


@pytest.mark.parametrize("nameless", [True, False])
def test_processes_that_write_the_same_file_do_not_disturb_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nameless: bool
) -> None:
    if not nameless:
        monkeypatch.setattr(text_file, "_nameless", lambda folder: None)
    target, context = tmp_path / "t.json", multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_often, args=(target, letter)) for letter in "abc"]
    for each in writers:
        each.start()
    while any(each.is_alive() for each in writers):
        text = target.read_text() if target.exists() else ""
        assert text in ("", "a" * 100_000, "b" * 100_000, "c" * 100_000)
    for each in writers:
        each.join()
    assert [each.exitcode for each in writers] == [0, 0, 0]
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_process_has_left_is_removed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_file, "_nameless", lambda folder: None)
    ended = multiprocessing.get_context("fork").Process()
    ended.start()
    ended.join()
    names = (f".t.json{text_file.NEW}{number}" for number in (ended.pid, os.getppid(), "9" * 30))
    gone, *kept = (tmp_path / name for name in names)
    for path in (gone, *kept):
        path.touch()
    write_text_file(tmp_path / "t.json", "new")
    assert set(tmp_path.iterdir()) == {*kept, tmp_path / "t.json"}


def _write_often(target: Path, letter: str) -> None:
    for _ in range(100):
        write_text_file(target, letter * 100_000)


@pytest.mark.skipif(sys.platform != "linux", reason="an open file has no path elsewhere")
def test_an_open_file_that_has_been_removed_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open("gone", "w+") as file:
        os.unlink("gone")
        path = Path(f"/dev/fd/{file.fileno()}")
        require_writable(path)
        write_text_file(path, "text")
        assert file.read() == "text"
    assert list(tmp_path.iterdir()) == []


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


def refusal(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        read_text_file(path, "a text")
    return str(caught.value)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").endswith(
        "is a pipe, a device or a socket, not a file; give a file, or a pipe as /dev/stdin"
    )


def test_a_device_behind_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert "is a pipe, a device or a socket" in refusal(tmp_path / "zero")


def test_a_pipe_of_this_process_is_read_when_it_is_meant() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a text")
    os.close(writing)
    try:
        assert read_text_file(Path(f"/dev/fd/{reading}"), "a text") == "a text"
    finally:
        os.close(reading)


def test_no_more_than_a_bounded_number_of_bytes_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_file, "MOST_BYTES", 1 << 20)
    with (tmp_path / "large").open("wb") as file:
        file.truncate((1 << 20) + 1)
    assert "has more than 1 MB" in refusal(tmp_path / "large")


def test_a_pipe_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_file, "MOST_BYTES", 1 << 20)
    zero = os.open("/dev/zero", os.O_RDONLY)
    try:
        assert "has more than 1 MB" in refusal(Path(f"/dev/fd/{zero}"))
    finally:
        os.close(zero)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model"
    path.write_text("a long text")
    stat = os.fstat

    def shrinking(descriptor: int) -> os.stat_result:
        found = stat(descriptor)
        path.write_text("a")
        return found

    monkeypatch.setattr(os, "fstat", shrinking)
    assert refusal(path).endswith("changed while it was read; wait until it is finished")


def test_links_that_lead_nowhere_are_called_so(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "stale").symlink_to("missing")
    assert "is a link that leads back to itself" in refusal(tmp_path / "loop")
    assert "is a link to a file that is not there" in refusal(tmp_path / "stale")


def test_a_pipe_is_written_to_if_somebody_reads_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match="cannot be written: No such device or address"):
        write_text_file(tmp_path / "pipe", "text")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_text_file(tmp_path / "pipe", "text")
    assert os.read(reading, 10) == b"text"
    os.close(reading)


def test_the_output_of_this_process_may_be_written_to() -> None:
    reading, writing = os.pipe()
    path = Path(f"/dev/fd/{writing}")
    require_writable(path)
    write_text_file(path, "text")
    os.close(writing)
    assert os.read(reading, 10) == b"text"
    os.close(reading)
