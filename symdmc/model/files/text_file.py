"""Text files: reading them, checking beforehand that one can be written, and writing one whole or not at all."""

from __future__ import annotations

import errno
import glob
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from symdmc.errors import Code, Complaint, ModelError

MOST_BYTES = 1 << 28
"""No file that is read is larger."""
NEW = ".symdmc-new"
"""How the name of a finished file ends before it takes its place: no file of the user is called so."""
LETTERS = 48
"""The most letters of its name that are those of the place, so that the name is not too long."""
ATTEMPTS = 20
"""How often a file is written before others who write it at the same moment are taken for a fault."""
OWN_PIPES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""How a pipe is named by who means it."""


def read_text_file(path: Path, wanted: str) -> str:
    """The text of a file; ModelError says in one line why there is none, and to give `wanted`.

    Text that is not UTF-8 is read as Latin-1: old models have comments in such encodings, and nothing outside of
    comments can contain their letters.
    """
    remedy = f"give the path of {wanted}"
    try:
        data = _content(path)
    except ModelError:
        raise
    except OSError as problem:
        raise ModelError(_unreadable(path, problem, remedy)) from None
    except ValueError as problem:  # a path that no file can have
        raise ModelError(Complaint(Code.CANNOT_READ, f"cannot be read: {problem}", remedy, str(path))) from None
    if b"\0" in data:
        raise ModelError(Complaint(Code.NOT_TEXT, "is not a text file", f"give {wanted}", str(path)))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if not text.strip():
        raise ModelError(Complaint(Code.EMPTY_FILE, "is empty", f"give {wanted}", str(path)))
    return text


def _content(path: Path) -> bytes:
    """All bytes of a file, or of a pipe that is named as one of this process."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe that nobody writes to opens too
    with open(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        if stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(before.st_mode):
            if not str(path).startswith(OWN_PIPES):
                what = "is a pipe, a device or a socket, not a file"
                raise ModelError(
                    Complaint(Code.NOT_A_FILE, what, f"give a file, or a pipe as {OWN_PIPES[0]}", str(path))
                )
            os.set_blocking(descriptor, True)
        data = file.read(MOST_BYTES + 1) if before.st_size <= MOST_BYTES else b""
        if before.st_size > MOST_BYTES or len(data) > MOST_BYTES:
            raise ModelError(
                Complaint(Code.FILE_TOO_LARGE, f"has more than {MOST_BYTES >> 20} MB", "give a smaller one", str(path))
            )
        after = os.fstat(descriptor)
        if stat.S_ISREG(before.st_mode) and (
            len(data) != before.st_size or after.st_size != before.st_size or after.st_mtime_ns != before.st_mtime_ns
        ):
            raise ModelError(
                Complaint(Code.FILE_IN_USE, "changed while it was read", "wait until it is finished", str(path))
            )
    return data


def _unreadable(path: Path, problem: OSError, remedy: str) -> Complaint:
    code, what = Code.CANNOT_READ, f"cannot be read: {problem.strerror or problem}"
    if problem.errno == errno.ELOOP:
        what = "is a link that leads back to itself"
    elif problem.errno == errno.EISDIR:
        code = Code.NOT_A_FILE
    elif problem.errno == errno.ENOENT:
        code = Code.NO_SUCH_FILE
        what = "is a link to a file that is not there" if path.is_symlink() else what
    return Complaint(code, what, remedy, str(path))


def require_writable(path: Path) -> None:
    """Raise ModelError unless a file can be written at the path; leaves nothing behind."""
    try:
        if _is_special(path):
            return
        target = path.resolve()
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a directory")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with tempfile.TemporaryFile(dir=target.parent):  # it has no name, so that an interrupt leaves nothing
            pass
    except (OSError, ValueError, RuntimeError) as problem:
        raise _refusal(path, problem) from None


def write_text_file(path: Path, text: str) -> None:
    """Write a file whole or not at all: what was there stays until the new text is on the disk.

    Halves of characters, as in a path that is not UTF-8, are spelled out as in JSON.
    """
    data = text.encode(errors="backslashreplace")
    try:
        if _is_special(path):
            _write_in_place(path, data)
        else:
            _replace(path.resolve(), data)
    except (OSError, RuntimeError) as problem:
        raise _refusal(path, problem) from None


def _replace(target: Path, data: bytes) -> None:
    """Write a finished file and put it in the place of the old one, once more if others who write it get in the way."""
    for left in reversed(range(ATTEMPTS)):
        try:
            _replace_once(target, data)
            break
        except (FileExistsError, FileNotFoundError):
            if not left or not target.parent.is_dir():
                raise


def _replace_once(target: Path, data: bytes) -> None:
    """Write a finished file, then put it in the place of the old one.

    It gets a name when it is finished, for the moment before it takes that place: a process that is killed leaves
    nothing. The next one removes what was left in that moment.
    """
    descriptor = _nameless(target.parent)
    named = descriptor is None
    finished = target.with_name(f".{target.name[:LETTERS]}{NEW}{os.getpid() if named else ''}")
    finished.unlink(missing_ok=True)
    if descriptor is None:
        _remove_left(finished)
        descriptor = os.open(finished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    try:
        with open(descriptor, "wb") as file:
            if target.exists():
                os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            if not named:  # a folder's descriptor makes Python follow the link to the file
                with _opened(target.parent) as folder:
                    os.link(f"/proc/self/fd/{descriptor}", finished, src_dir_fd=folder)
        os.replace(finished, target)
    finally:
        finished.unlink(missing_ok=True)


def _remove_left(finished: Path) -> None:
    """Remove what processes that were killed have left of the same file; each has its number at the end of the name."""
    start, _, _ = finished.name.rpartition(NEW)
    for left in finished.parent.glob(f"{glob.escape(start + NEW)}[0-9]*"):
        try:
            os.kill(int(left.name.rpartition(NEW)[2]), 0)
        except ProcessLookupError:
            left.unlink(missing_ok=True)
        except (OSError, ValueError, OverflowError):  # a process of another user, or not a number
            continue


def _nameless(folder: Path) -> int | None:
    """A new file without a name, which is gone with the process; None where the system has no such files."""
    if not hasattr(os, "O_TMPFILE") or not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    except OSError as problem:
        if problem.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            return None
        raise


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write_in_place(path: Path, data: bytes) -> None:
    """Write to a device or pipe; a pipe that nobody reads is an OSError at once."""
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "wb") as file:
        os.set_blocking(descriptor, True)
        file.write(data)


def _is_special(path: Path) -> bool:
    """Whether the path names a device, a pipe or an open file without a name: it is written in place, not replaced."""
    return path.exists() and not path.is_dir() and not (path.is_file() and path.resolve().exists())


def _refusal(path: Path, problem: Exception) -> ModelError:
    what = f"cannot be written: {getattr(problem, 'strerror', None) or problem}"
    return ModelError(Complaint(Code.CANNOT_WRITE, what, "choose another file", str(path)))
