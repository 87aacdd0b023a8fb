"""The folder for results that are kept between runs: compiled kernels, parser tables."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

GROUP_OR_OTHERS, OTHERS = stat.S_IWGRP | stat.S_IWOTH, stat.S_IWOTH


def cache_folder(name: str) -> Path | None:
    """A folder of this name to which only the user can write, created if needed; None where that is impossible.

    Its files are run when they are loaded. So nothing is taken that somebody else has made or could write to: neither
    the root of the cache, nor the folder, nor anything in it, nor a link to any of them.
    """
    for root in _roots():
        with suppress(OSError):
            root.parent.mkdir(parents=True, exist_ok=True)
            if _is_own(_made(root), GROUP_OR_OTHERS) and _is_own(_made(root / name), OTHERS) and _has_own(root / name):
                return root / name
    return None


def _roots() -> Iterator[Path]:
    """Where a cache may be; a user who has no home has one among the temporary files."""
    with suppress(RuntimeError):
        base = os.environ.get("SYMDMC_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        yield Path(base) / "symdmc"
    with suppress(OSError):
        yield Path(tempfile.gettempdir()) / f"symdmc-{os.getuid()}"


def _made(folder: Path) -> Path:
    """The folder, which nobody else can enter if it is new."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    return folder


def _is_own(path: Path, writers: int) -> bool:
    """Whether this is a file or folder of the user, no link, to which these others may not write."""
    found = path.lstat()
    is_plain = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
    return is_plain and found.st_uid == os.getuid() and not found.st_mode & writers and os.access(path, os.R_OK)


def _has_own(folder: Path) -> bool:
    """Whether the user can write to the folder, and all that is in it is the user's own."""
    entries = (Path(place, name) for place, folders, files in os.walk(folder) for name in (*folders, *files))
    return os.access(folder, os.W_OK) and all(_is_own(entry, OTHERS) for entry in entries)
