"""Output files: refused before the work starts, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from symdmc.errors import Complaint, ModelError


def require_writable(path: Path) -> None:
    """Raise ModelError unless a file can be written at the path; leaves nothing behind."""
    target = path.resolve()
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a directory")
        if _is_special(target):
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        os.close(handle)
        os.unlink(name)
    except OSError as error:
        raise _refusal(path, error) from error


def write_text_whole(path: Path, text: str) -> None:
    """Write a text file; what was there before stays if that fails."""
    target = path.resolve()
    try:
        if _is_special(target):
            target.write_text(text, encoding="utf-8")
            return
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            finished = Path(folder) / target.name
            finished.write_text(text, encoding="utf-8")
            os.replace(finished, target)
    except OSError as error:
        raise _refusal(path, error) from error


def _is_special(target: Path) -> bool:
    """Whether the path names a device or pipe, which must be written in place and never be replaced."""
    return target.exists() and not target.is_file()


def _refusal(path: Path, error: OSError) -> ModelError:
    what = f"cannot be written ({error.strerror or error})"
    return ModelError(Complaint(what, "choose another file", str(path)))
